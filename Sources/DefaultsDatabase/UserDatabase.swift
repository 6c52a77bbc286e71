package import OpenStepPropertyList

/// One directory of defaults domains on disk.
///
/// It remembers nothing of what it read: each call tells what is on disk at that moment. Reading needs
/// no lock, because a file is only ever replaced as a whole; changes are made under a lock that
/// excludes other processes and other threads.
package final class UserDatabase: Sendable {
  /// The directory's path; the directory need not exist.
  package var directory: String { home.path }

  /// Whose programs share the directory.
  package var dialect: DatabaseDialect { home.dialect }

  let home: DatabaseDirectory
  /// The directories in which this object has looked for the remains of killed saves.
  private let swept = Lock(SweptDirectories())

  private struct SweptDirectories {
    var paths: [String] = []
  }

  /// Makes the database of a directory, which is made by the first commit where it is missing.
  ///
  /// - Parameters:
  ///   - dialect: Whose programs share the directory.
  ///   - account: Whose database it is, if the directory is one that this user may have chosen: the
  ///     administrator writes there with the user's rights alone. nil to tell it by the path.
  package init(
    directory: String, dialect: DatabaseDialect = .openStep, account: Account? = nil,
    fileSystem: any FileSystem = DiskFileSystem()
  ) {
    home = DatabaseDirectory(path: directory, fileSystem: fileSystem, dialect: dialect, account: account)
  }

  // MARK: Reading

  /// The names of all domains with a file, sorted; a directory that does not exist has none.
  package func domainNames() throws(DatabaseError) -> [DomainName] {
    var names: Set<DomainName> = []
    for fileName in try home.fileNames() {
      if let name = DomainFile.domain(ofFileNamed: fileName, in: home) { names.insert(name) }
    }
    return names.sorted()
  }

  /// Reads a domain; that it is absent or damaged is a result.
  ///
  /// - Parameter isPathChecked: Whether the way to the directory was walked a moment ago, for another domain.
  /// - Throws: an error where the file is there and cannot be read, or is no regular file.
  package func load(_ name: DomainName, isPathChecked: Bool = false) throws(DatabaseError) -> LoadedDomain {
    try DomainFile(of: name, in: home, isPathChecked: isPathChecked).load().domain
  }

  /// Reads a domain unless it is certainly unchanged; gives nil where it is.
  ///
  /// - Parameters:
  ///   - identity: of the file that was read last; nil for none. One that was taken soon after
  ///     a write proves nothing, and the file is read again.
  ///   - known: The file's text as it was then, which is given where the text is the same.
  package func load(
    _ name: DomainName, unlessStill identity: FileIdentity?, knowing known: DictionaryText? = nil
  ) throws(DatabaseError) -> LoadedDomain? {
    if DomainFile.isStill(identity, of: name, in: home) { return nil }
    let file = try DomainFile(of: name, in: home)
    return file.isStill(identity) ? nil : try file.load(knowing: known).domain
  }

  /// Whether a path leads to the database's own directory.
  package func lies(in path: String) -> Bool {
    do throws(SystemError) {
      let own = try home.fileSystem.status(at: directory, followingLinks: true)
      return try home.fileSystem.status(at: path, followingLinks: true).isSameFile(as: own)
    } catch {
      // What is not there, or cannot be looked at, cannot be written either.
      return false
    }
  }

  /// The file in which a domain lies or would lie.
  package func path(of name: DomainName) -> String {
    do throws(DatabaseError) {
      return try DomainFile(of: name, in: home).path
    } catch {
      return DomainFile.usualPath(of: name, in: home)
    }
  }

  // MARK: Changing

  /// How long a call waits at most for another process, in seconds.
  package static let patience = 2.0

  /// Merges changes over what is on disk now, and returns when the result is on stable storage.
  ///
  /// Nothing is written where nothing differs; the file of an empty domain is removed, or left without
  /// a key where it hides an older one that has no extension. A file keeps
  /// its format unless that cannot hold a value exactly: then the domain becomes text.
  ///
  /// - Parameter check: Looks at what is on disk while nobody can change it, and throws where nothing is to be done.
  /// - Parameter known: Gives what stands for the contents of a damaged file that is moved aside.
  /// - Parameter text: The file's text as it was seen last, which spares reading it again where it is the same.
  /// - Throws: an error after which the file has its old contents; or all of the new, where only the
  ///   last step failed, which makes them safe against a loss of power. The error says which.
  ///   Committing again is right in both cases.
  ///
  /// - Parameter deadline: When to stop waiting for another process; by default after ``patience``. One
  ///   for several commits keeps them together within it.
  package func commit(
    _ changes: DomainChanges, to name: DomainName, onDamage: DamagePolicy,
    deadline: MonotonicTime = .now + patience,
    checking check: (LoadedDomain) throws(DatabaseError) -> Void = { (_) throws(DatabaseError) in },
    knowing known: () -> [PropertyListKey: PropertyList] = { [:] }, knownText text: DictionaryText? = nil
  ) throws(DatabaseError) -> Commit {
    if changes.isEmpty {
      let loaded = try load(name)
      return Commit(before: loaded.identity, after: loaded)
    }
    return try changing(name, deadline: deadline) { file throws(DatabaseError) in
      let (old, format) = try file.load(knowing: text)
      if let damage = old.damage, onDamage == .refuse { throw damage }
      try check(old)
      var commit = Commit(before: old.identity, after: old)
      commit.foundKnownText = text != nil && old.text === text
      if let changed = try file.changed(old, by: changes) {
        if changed !== old.text {
          commit.after = LoadedDomain(changed, identity: try file.replace(with: changed.bytes).identity)
        } else {
          // It may be there because another process wrote it a moment ago and died.
          try file.synchronize()
        }
        return commit
      }
      let isDamaged = old.damage != nil
      let oldValues = old.values
      let values = changes.applied(to: isDamaged ? known() : oldValues)
      if values == oldValues && !isDamaged {
        try file.synchronize()
      } else if values.isEmpty, try !file.hidesAnother() {
        // An empty dictionary where no file would bring old values back.
        commit.movedAside = try file.remove(movingAside: isDamaged)
        commit.after = LoadedDomain()
      } else {
        (commit.after, commit.movedAside) = try file.replace(
          with: values, format: format, movingAside: isDamaged)
      }
      return commit
    }
  }

  /// Removes a domain's file, or all keys of one that hides an older one; false where there is none.
  ///
  /// - Throws: also for a damaged file, which is left: it may be all that is left of the user's settings.
  package func remove(_ name: DomainName) throws(DatabaseError) -> Bool {
    guard try load(name).identity != nil else { return false }
    return try changing(name, deadline: .now + UserDatabase.patience) { file throws(DatabaseError) in
      let (domain, format) = try file.load()
      if let damage = domain.damage { throw damage }
      guard domain.identity != nil else { return false }
      if try file.hidesAnother() {
        _ = try file.replace(with: [:], format: format, movingAside: false)
      } else {
        _ = try file.remove(movingAside: false)
      }
      return true
    }
  }

  /// Runs a body under the lock, with a domain's file as it is then.
  private func changing<Result>(
    _ name: DomainName, deadline: MonotonicTime,
    _ body: (DomainFile) throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    try home.withOwnersRights { (checked) throws(DatabaseError) in
      try changingAsOwner(name, checked, deadline: deadline, body)
    }
  }

  private func changingAsOwner<Result>(
    _ name: DomainName, _ directory: FileStatus?, deadline: MonotonicTime,
    _ body: (DomainFile) throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    try home.make(directory)
    let lock = try FileLock(of: home, deadline: deadline)
    defer { lock.release() }
    let foreignLock = home.dialect == .gnustep ? try GNUstepLock(of: home, deadline: deadline) : nil
    defer { foreignLock?.release() }
    // Looked at again only if there was time for somebody to change the way: each walk along it takes two
    // hundredths of the time of a save.
    var file = try DomainFile(of: name, in: home, isPathChecked: !lock.wasHeld && foreignLock == nil)
    file.foreignLock = foreignLock
    // The second is another one where the file is a link.
    for folder in [home.path, file.folder] {
      let isFirst = swept.withLock { swept in
        defer { if !swept.paths.contains(folder) { swept.paths.append(folder) } }
        return !swept.paths.contains(folder)
      }
      if isFirst { home.removeStaleFiles(in: folder) }
    }
    return try body(file)
  }
}
