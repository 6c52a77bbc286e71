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
    let paths = (names ?? []).filter { $0.hasByteSuffix(".plist") }.sortedByBytes().map {
      "\(folder)/GlobalDefaults/\($0)"
    }
    // None of them says where the defaults are.
    var failure: DatabaseError?
    // The single file takes precedence.
    for path in paths + ["\(folder)/GlobalDefaults.plist"] {
      guard let bytes = InstallationFile.bytes(of: path, fileSystem, &ignored, &failure) else { continue }
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
