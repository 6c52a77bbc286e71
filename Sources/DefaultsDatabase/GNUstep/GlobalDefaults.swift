import OpenStepPropertyList

/// The defaults of a whole GNUstep installation, beside its main configuration file.
enum GlobalDefaults {
  /// The values of `GlobalDefaults.plist`, and of every property list in the folder
  /// `GlobalDefaults` that it does not set.
  static func values(
    in folder: String, _ fileSystem: any FileSystem, _ ignored: inout [String]
  ) -> [PropertyListKey: PropertyList] {
    var values: [PropertyListKey: PropertyList] = [:]
    let directory = "\(folder)/GlobalDefaults"
    let names = try? FileRights.reaching(directory, fileSystem: fileSystem) {
      (try? fileSystem.names(inDirectory: directory)) ?? []
    }
    let paths = (names ?? []).filter { $0.hasByteSuffix(".plist") }.sorted().map {
      "\(folder)/GlobalDefaults/\($0)"
    }
    // The single file takes precedence.
    for path in paths + ["\(folder)/GlobalDefaults.plist"] {
      guard let bytes = InstallationFile.bytes(of: path, fileSystem, &ignored) else { continue }
      do throws(FormatError) {
        let value = try DomainFileFormat.propertyList(from: bytes, undoesGNUstepEscapes: true).value
        guard case .dictionary(let entries) = value else {
          ignored.append("\(path): is ignored, since it holds no dictionary")
          continue
        }
        values.merge(entries) { $1 }
      } catch {
        ignored.append("\(path): is ignored: \(error)")
      }
    }
    return values
  }
}

/// A file of the installation, which the programs of all users trust.
enum InstallationFile {
  /// The bytes of a file; nil if there is none, and if users other than its owner may write to it, which
  /// is reported in `ignored`.
  ///
  /// - Parameters:
  ///   - owner: The required owner; nil for any.
  ///   - account: The user for whom the administrator reads it, with that user's rights; nil for the user who
  ///     can change where the path leads.
  static func bytes(
    of path: String, ownedBy owner: UInt32? = nil, actingFor account: Account? = nil,
    _ fileSystem: any FileSystem, _ ignored: inout [String]
  ) -> [UInt8]? {
    var remarks: [String] = []
    defer { ignored += remarks }
    do throws(DatabaseError) {
      return try FileRights.reaching(path, actingFor: account, fileSystem: fileSystem) {
        bytesAsReader(of: path, ownedBy: owner, fileSystem, &remarks)
      }
    } catch {
      remarks.append(error.description)
      return nil
    }
  }

  /// Far more than any installation's file has. Every process reads it, and the administrator reads a user's.
  private static let maximumByteCount = 1 << 20

  private static func bytesAsReader(
    of path: String, ownedBy owner: UInt32?, _ fileSystem: any FileSystem, _ ignored: inout [String]
  ) -> [UInt8]? {
    do throws(SystemError) {
      let descriptor = try fileSystem.open(try fileSystem.followingLinks(path), for: .reading)
      defer { fileSystem.close(descriptor) }
      let status = try fileSystem.status(of: descriptor)
      guard status.kind == .regular else { return nil }
      guard status.mode & 0o022 == 0 else {
        ignored.append("\(path): is ignored, since users other than its owner may write to it")
        return nil
      }
      guard owner == nil || status.owner == owner else {
        ignored.append("\(path): is ignored, since it belongs to another user")
        return nil
      }
      do throws(SystemError) {
        return try fileSystem.contents(of: descriptor, upTo: maximumByteCount)
      } catch SystemError.tooLarge {
        ignored.append("\(path): is ignored, since it is larger than \(maximumByteCount) bytes")
        return nil
      }
    } catch SystemError.notFound {
      return nil
    } catch {
      ignored.append("\(path): cannot be read: \(error)")
      return nil
    }
  }
}
