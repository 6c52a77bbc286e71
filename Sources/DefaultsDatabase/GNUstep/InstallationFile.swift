/// A file of the installation, which the programs of all users trust.
enum InstallationFile {
  /// The bytes of a file; nil if there is none, and if users other than its owner may write to it, which
  /// is reported in `ignored`.
  ///
  /// - Parameters:
  ///   - failure: Receives why the file could not be read, if it may be read a moment later; the first one remains.
  ///   - owner: The required owner; nil for any.
  ///   - account: The user for whom the administrator reads it, with that user's rights; nil for the user who
  ///     can change where the path leads.
  static func bytes(
    of path: String, ownedBy owner: UInt32? = nil, actingFor account: Account? = nil,
    _ fileSystem: any FileSystem, _ ignored: inout [String], _ failure: inout DatabaseError?
  ) -> [UInt8]? {
    var remarks: [String] = []
    defer { ignored += remarks }
    do throws(DatabaseError) {
      return try FileRights.reaching(path, actingFor: account, fileSystem: fileSystem) {
        () throws(DatabaseError) in
        try bytesAsReader(of: path, ownedBy: owner, fileSystem, &remarks)
      }
    } catch {
      remarks.append(error.description)
      if error.isPassing { failure = failure ?? error }
      return nil
    }
  }

  /// Far more than any installation's file has. Every process reads it, and the administrator reads a user's.
  private static let maximumByteCount = 1 << 20

  private static func bytesAsReader(
    of path: String, ownedBy owner: UInt32?, _ fileSystem: any FileSystem, _ ignored: inout [String]
  ) throws(DatabaseError) -> [UInt8]? {
    do throws(SystemError) {
      let descriptor = try fileSystem.open(path, for: .readingThrough)
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
      throw fileSystem.failure(reading: path, error)
    }
  }
}
