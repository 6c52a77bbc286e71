/// The names of domains' files.
extension DomainFile {
  static let fileExtension = ".plist"

  /// Whether a file with this name and no extension can be a domain's; Window Maker knows no escapes.
  ///
  /// GNUstep's programs do not read such files, so in their directories only the files of programs that do are
  /// domains. Window Maker's root menu is a list or the name of another file.
  static func isBareName(_ name: String, in directory: DatabaseDirectory) -> Bool {
    guard !name.utf8.contains(UInt8(ascii: ".")), !DomainName.isEscaped(fileBaseName: name),
      name != OpenStepFormat.rootMenuFile
    else { return false }
    return directory.dialect == .openStep || isOpenedBare(name, in: directory)
  }

  /// Whether a domain's own programs open its file under a name without an extension, so that it is made there.
  ///
  /// These are Window Maker and NEXTSPACE. The directory `.NextSpace` has the files of NEXTSPACE's programs, of
  /// which its window manager's have the extension. Elsewhere GNUstep's class opens domains of the same names
  /// under names with the extension.
  static func isOpenedBare(_ name: String, in directory: DatabaseDirectory) -> Bool {
    if directory.isNEXTSPACE {
      return !["WM", "WMState", "WMWindowAttributes"].contains(name)
    }
    return OpenStepFormat.isWindowMakerFile(name)
  }

  /// The name of a domain's file without its extension.
  ///
  /// - Throws: an error if the name was checked for the other dialect, and is not valid in this directory.
  static func baseName(
    of name: DomainName, in directory: DatabaseDirectory
  ) throws(DatabaseError) -> String {
    let baseName = name.fileBaseName(in: directory.dialect)
    // Without this check, `a/b` would be a path that leaves the directory.
    if baseName.utf8.contains(UInt8(ascii: "/")) { _ = try DomainName(name.text, in: directory.dialect) }
    return baseName
  }

  /// The path of a domain's file if no other is found.
  static func usualPath(of name: DomainName, in directory: DatabaseDirectory) -> String {
    directory.path(of: name.fileBaseName(in: directory.dialect) + fileExtension)
  }

  /// The possible names of a domain's file.
  static func names(of name: DomainName, in directory: DatabaseDirectory) -> [String] {
    let baseName = name.fileBaseName(in: directory.dialect)
    return [baseName + fileExtension] + (isBareName(baseName, in: directory) ? [baseName] : [])
  }

  /// The domain whose file could have a name, whatever lies there; nil if it can be no domain's.
  static func possibleDomain(ofFileNamed fileName: String, in directory: DatabaseDirectory) -> DomainName? {
    let stem = fileName.removing(byteSuffix: fileExtension) ?? ""
    return try? DomainName(fileBaseName: stem.isEmpty ? fileName : stem, in: directory.dialect)
  }

  /// The domain whose file has a name; nil if it is not a domain's file.
  ///
  /// The directory's path must have been checked a moment ago.
  static func domain(ofFileNamed fileName: String, in directory: DatabaseDirectory) -> DomainName? {
    var name = fileName
    if let stem = fileName.removing(byteSuffix: fileExtension), !stem.isEmpty {
      name = stem
    } else if !isBareName(fileName, in: directory) {
      return nil
    }
    do throws(DatabaseError) {
      let name = try DomainName(fileBaseName: name, in: directory.dialect)
      do throws(DatabaseError) {
        return try directory.resolve(fileName, isPathChecked: true).status?.kind == .regular ? name : nil
      } catch {
        return isThere(fileName, in: directory, despite: error) ? name : nil
      }
    } catch {
      // A name that is too long without the extension, and could never be saved.
      return nil
    }
  }

  /// Whether a file that cannot be looked at counts as there all the same: to leave it out without a word would make a
  /// listing, or a snapshot, that is not whole. Reading it tells the reason.
  ///
  /// Another user's link does not count. The user's own link counts, also where it is not followed: by the administrator who
  /// acts for that user, and through another user's link. A link to no file is no error
  /// (``UserDatabase/misplacements(besides:)``).
  private static func isThere(
    _ fileName: String, in directory: DatabaseDirectory, despite error: DatabaseError
  ) -> Bool {
    if case .refused = error.kind {
      let link = try? directory.fileSystem.status(at: directory.path(of: fileName), followingLinks: false)
      return link?.owner == FileRights.presentUser
    }
    if case .inputOutput = error.kind { return true }
    return false
  }
}
