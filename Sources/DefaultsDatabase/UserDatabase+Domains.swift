import OpenStepPropertyList

/// The domains of a database: their names, and where their files lie.
extension UserDatabase {
  /// The names of all domains with a file, sorted; a directory that does not exist has none.
  ///
  /// - Parameter mustExist: Whether a directory that does not exist is an error; else it has no domains.
  package func domainNames(mustExist: Bool = false) throws(DatabaseError) -> [DomainName] {
    try home.withOwnersRights { _ throws(DatabaseError) in
      var names: Set<DomainName> = []
      for fileName in try home.fileNames(mustExist: mustExist) {
        if let name = DomainFile.domain(ofFileNamed: fileName, in: home) { names.insert(name) }
      }
      return names.sorted()
    }
  }

  /// What lies in the place of a domain's file and is none.
  package struct Misplacement: Sendable {
    package let domain: DomainName
    package let error: DatabaseError
    /// Whether it is a link of this user's to a file that does not exist, such as one on a disk that is not mounted.
    package let isLinkToNoFile: Bool
    /// Whether it is a link of another user's, who can make any number of them where both may write.
    package let isOthersLink: Bool
  }

  /// What lies in the places of domains' files and is none, such as a directory, a pipe, a link to no file or another user's
  /// link, sorted by domain. None of the domains is among ``domainNames(mustExist:)``.
  ///
  /// - Parameter known: The domains that have a file, and are not looked at again.
  package func misplacements(besides known: [DomainName]) throws(DatabaseError) -> [Misplacement] {
    try home.withOwnersRights { (checked) throws(DatabaseError) in
      let known = Set(known)
      let suffix = DomainFile.fileExtension
      var found: [Misplacement] = []
      for fileName in try home.fileNames() {
        guard let domain = DomainFile.possibleDomain(ofFileNamed: fileName, in: home),
          !known.contains(domain)
        else { continue }
        do throws(DatabaseError) {
          let file = try DomainFile(of: domain, in: home, isPathChecked: true)
          guard haveEqualBytes(file.fileName, fileName), let error = file.misplacement else { continue }
          // A directory without the extension may be anybody's.
          if file.isLinkToNoFile || fileName.hasByteSuffix(suffix) {
            found.append(
              Misplacement(
                domain: domain, error: error, isLinkToNoFile: file.isLinkToNoFile, isOthersLink: false))
          }
        } catch  where error.kind == .refused {
          // The error can be about the domain's other file.
          if (try? home.resolve(fileName, isPathChecked: true)) != nil { continue }
          if fileName.hasByteSuffix(suffix) || DomainFile.isOpenedBare(fileName, in: home) {
            found.append(
              Misplacement(domain: domain, error: error, isLinkToNoFile: false, isOthersLink: true))
          }
        } catch {
          // A name that no file of a domain's can have, or what reading the domain tells.
        }
      }
      return found.sorted { $0.domain < $1.domain }
    }
  }

  /// Whether a domain's file is a symbolic link.
  package func isLink(_ domain: DomainName) throws(DatabaseError) -> Bool {
    try status(at: path(of: domain), followingLinks: false)?.kind == .symbolicLink
  }

  /// Whether a domain's name is among ``domainNames(mustExist:)``. It accesses only that domain's files.
  package func hasFile(of name: DomainName) -> Bool {
    do throws(DatabaseError) {
      return try home.withOwnersRights { (checked) throws(DatabaseError) in
        // Throws if the directory's path is not trusted.
        _ = try DomainFile(of: name, in: home, isPathChecked: checked != nil)
        return DomainFile.names(of: name, in: home).contains {
          DomainFile.domain(ofFileNamed: $0, in: home) == name
        }
      }
    } catch {
      // A file that cannot be found is not listed either.
      return false
    }
  }

  /// Whether ``domainNames(mustExist:)`` has the domain of a file's name, because of this file.
  package func hasDomain(ofFileNamed fileName: String) throws(DatabaseError) -> Bool {
    try home.withOwnersRights { _ in DomainFile.domain(ofFileNamed: fileName, in: home) != nil }
  }

  /// How many files belong to no domain, because their names are not UTF-8.
  package func undecodableNameCount() throws(DatabaseError) -> Int {
    try home.withOwnersRights { _ throws(DatabaseError) in
      do throws(SystemError) {
        return try home.fileSystem.undecodableNameCount(inDirectory: home.path)
      } catch .notFound {
        return 0
      } catch {
        throw .inputOutput(error, path: home.path, "the domains cannot be listed")
      }
    }
  }

  /// The path of a domain's file, whether or not it exists.
  package func path(of name: DomainName) -> String {
    do throws(DatabaseError) {
      return try home.withOwnersRights { (checked) throws(DatabaseError) in
        try DomainFile(of: name, in: home, isPathChecked: checked != nil).path
      }
    } catch {
      return DomainFile.usualPath(of: name, in: home)
    }
  }

  /// Whether the name of a domain's file has no extension.
  package func isBare(_ name: DomainName) -> Bool {
    !path(of: name).hasByteSuffix(DomainFile.fileExtension)
  }

  /// The path of an older file without an extension that a domain's file hides; nil if it hides none.
  package func hiddenPath(of name: DomainName) throws(DatabaseError) -> String? {
    try home.withOwnersRights { (checked) throws(DatabaseError) in
      let file = try DomainFile(of: name, in: home, isPathChecked: checked != nil)
      return try file.hidesAnother() ? file.path.removing(byteSuffix: DomainFile.fileExtension) : nil
    }
  }

  /// The path of Window Maker's root menu, which is an array or the name of another file, and no domain; nil if the
  /// directory has none.
  package func rootMenuPath() -> String? {
    do throws(DatabaseError) {
      return try home.withOwnersRights { (checked) throws(DatabaseError) in
        let file = try home.resolve(OpenStepFormat.rootMenuFile, isPathChecked: checked != nil)
        return file.status?.kind == .regular ? home.path(of: OpenStepFormat.rootMenuFile) : nil
      }
    } catch {
      // What cannot be found is not listed either.
      return nil
    }
  }

  /// Whether a domain's file is one of Window Maker's own, which hold no types.
  package func isWindowMakers(_ name: DomainName) -> Bool {
    // Tried first, since the path takes several calls of the system.
    guard OpenStepFormat.isWindowMakerFile(name.text) else { return false }
    return OpenStepFormat.isWindowMakerFile(PathNames.last(in: path(of: name)))
  }
}
