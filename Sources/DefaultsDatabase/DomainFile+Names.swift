/// Which names files of domains have.
extension DomainFile {
  static let fileExtension = ".plist"

  /// Whether a file of this name can be a domain's as it stands; Window Maker knows no escapes.
  static func isBareName(_ name: String, in directory: DatabaseDirectory) -> Bool {
    directory.dialect == .openStep && !name.utf8.contains(UInt8(ascii: "."))
      && !DomainName.isEscaped(fileBaseName: name)
  }

  /// A domain's file name without its extension.
  ///
  /// - Throws: an error for a name that was checked for another kind of directory and has no file in this one.
  static func baseName(
    of name: DomainName, in directory: DatabaseDirectory
  ) throws(DatabaseError) -> String {
    let baseName = name.fileBaseName(in: directory.dialect)
    // Without this check, `a/b` would be a path that leaves the directory.
    if baseName.utf8.contains(UInt8(ascii: "/")) { _ = try DomainName(name.text, in: directory.dialect) }
    return baseName
  }

  /// The path that a domain's file has where no other is found.
  static func usualPath(of name: DomainName, in directory: DatabaseDirectory) -> String {
    directory.path(of: name.fileBaseName(in: directory.dialect) + fileExtension)
  }

  /// The names that a domain's file may have.
  static func names(of name: DomainName, in directory: DatabaseDirectory) -> [String] {
    let baseName = name.fileBaseName(in: directory.dialect)
    return [baseName + fileExtension] + (isBareName(baseName, in: directory) ? [baseName] : [])
  }

  /// The domains whose file, if there is one, may have a name.
  static func domains(inFileNamed fileName: String, in directory: DatabaseDirectory) -> [DomainName] {
    let bytes = fileName.utf8
    let suffix = fileExtension.utf8
    let hasExtension = bytes.count > suffix.count && bytes.suffix(suffix.count).elementsEqual(suffix)
    let stem = hasExtension ? String(Substring(bytes.dropLast(suffix.count))) : fileName
    return [stem].compactMap { try? DomainName(fileBaseName: $0, in: directory.dialect) }
  }

  /// The domain whose file has a name, or nil where that is no domain's.
  ///
  /// The way to the directory must have been found good a moment ago.
  static func domain(ofFileNamed fileName: String, in directory: DatabaseDirectory) -> DomainName? {
    var name = fileName
    let suffix = fileExtension.utf8
    if fileName.utf8.count > suffix.count, fileName.utf8.suffix(suffix.count).elementsEqual(suffix) {
      name = String(decoding: fileName.utf8.dropLast(suffix.count), as: UTF8.self)
    } else if !isBareName(fileName, in: directory) {
      return nil
    }
    do throws(DatabaseError) {
      guard try directory.resolve(fileName, isPathChecked: true).status?.kind == .regular else { return nil }
      return try DomainName(fileBaseName: name, in: directory.dialect)
    } catch {
      // A link that leads nowhere, or too long a name without the extension, which could never be saved.
      return nil
    }
  }
}
