import OpenStepPropertyList

/// The identifier by which current GNUstep names a program's domain.
package enum BundleIdentifier {
  /// In the order in which GNUstep 1.31 looks for them: the first that exists decides, even without an
  /// identifier.
  private static let files = [
    "Resources/Info-gnustep.plist", "Info-gnustep.plist", "Resources/Info.plist", "Info.plist",
  ]

  /// Far more than any such file has: each process of the program reads it.
  private static let maximumByteCount = 1 << 20

  /// The `CFBundleIdentifier` of a program, from `Info-gnustep.plist`, or where there is none, `Info.plist`.
  ///
  /// The file lies in the folder `Resources` beside the program, or beside it. The working directory does not
  /// count.
  ///
  /// - Parameter program: The path of the program's own file.
  /// - Returns: nil if there is no such file, or if it has no identifier.
  /// - Throws: an error if the file cannot be read, or is no property list.
  package static func ofProgram(
    at program: String, fileSystem: any FileSystem = DiskFileSystem()
  ) throws(DatabaseError) -> String? {
    let directory = DatabaseLocation.parent(of: program)
    for file in files {
      let path = directory.hasByteSuffix("/") ? directory + file : "\(directory)/\(file)"
      guard let bytes = try bytes(of: path, fileSystem) else { continue }
      do throws(FormatError) {
        guard case .dictionary(let entries) = try DomainFileFormat.propertyList(from: bytes).value,
          case .string(let identifier) = entries["CFBundleIdentifier"]
        else { return nil }
        return identifier
      } catch {
        throw .damaged(path: path, error)
      }
    }
    return nil
  }

  /// The bytes of a file; nil if there is none that may be read.
  private static func bytes(
    of path: String, _ fileSystem: any FileSystem
  ) throws(DatabaseError) -> [UInt8]? {
    // Who may change the program's directory may change the program: the file is trusted as the program is.
    try FileRights.reaching(path, fileSystem: fileSystem) { () throws(DatabaseError) in
      do throws(SystemError) {
        let descriptor = try fileSystem.open(path, for: .readingThrough)
        defer { fileSystem.close(descriptor) }
        guard try fileSystem.status(of: descriptor).kind == .regular else { return nil }
        return try fileSystem.contents(of: descriptor, upTo: maximumByteCount)
      } catch  where [.notFound, .notADirectory, .notPermitted].contains(error) {
        // GNUstep passes over what it may not read.
        return nil
      } catch {
        throw fileSystem.failure(reading: path, error)
      }
    }
  }
}
