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
  /// From how many bytes on a save is worked out before it takes the lock, and not under it.
  private let largeByteCount: Int
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
  ///     administrator reads and writes there with the user's rights alone. nil to tell it by the path.
  ///   - trustedUsers: Who alone may write to the directory and its files for them to be believed; nil where that
  ///     does not matter.
  ///   - largeByteCount: From how many bytes on a save is worked out before it takes the lock. Below, that takes no
  ///     longer than to look a second time whether the file is still the same.
  package init(
    directory: String, dialect: DatabaseDialect = .openStep, account: Account? = nil,
    trustedUsers: [UInt32]? = nil, fileSystem: any FileSystem = DiskFileSystem(),
    largeByteCount: Int = 1 << 16
  ) {
    self.largeByteCount = largeByteCount
    home = DatabaseDirectory(
      path: directory, fileSystem: fileSystem, dialect: dialect, account: account, trustedUsers: trustedUsers)
  }

  /// Makes a database that has no directory, since what should name it cannot: every use of it fails so.
  package init(refusing error: DatabaseError, dialect: DatabaseDialect = .openStep) {
    largeByteCount = 0
    home = DatabaseDirectory(
      path: error.path, fileSystem: DiskFileSystem(), dialect: dialect, refusal: error)
  }

  /// Why there is no such directory; nil where there may be one.
  package var refusal: DatabaseError? { home.refusal }

  /// The user whose database it is, where that is not to be told by the path.
  package var account: Account? { home.account }

  /// Who alone may write to the directory for it to be believed; nil where that does not matter.
  package var trustedUsers: [UInt32]? { home.trustedUsers }

  /// What was found of the way to the directory a moment ago, so that it is walked once for several files.
  package struct CheckedWay: Sendable {
    var way: DatabaseDirectory.CheckedWay?

    package init() {}
  }

  // MARK: Reading

  /// The names of all domains with a file, sorted; a directory that does not exist has none.
  package func domainNames() throws(DatabaseError) -> [DomainName] {
    try home.withOwnersRights { _ throws(DatabaseError) in
      var names: Set<DomainName> = []
      for fileName in try home.fileNames() {
        if let name = DomainFile.domain(ofFileNamed: fileName, in: home) { names.insert(name) }
      }
      return names.sorted()
    }
  }

  /// Whether a domain's name is among ``domainNames()``. Looks at that domain's files only.
  package func hasFile(of name: DomainName) -> Bool {
    do throws(DatabaseError) {
      return try home.withOwnersRights { (checked) throws(DatabaseError) in
        // Finds whether the way to the directory is good.
        _ = try DomainFile(of: name, in: home, isPathChecked: checked != nil)
        return DomainFile.names(of: name, in: home).contains {
          DomainFile.domain(ofFileNamed: $0, in: home) == name
        }
      }
    } catch {
      // What cannot be looked at is not listed either.
      return false
    }
  }

  /// How many files no domain can have, since their names are not UTF-8.
  package func foreignNameCount() throws(DatabaseError) -> Int {
    try home.withOwnersRights { _ throws(DatabaseError) in
      do throws(SystemError) {
        return try home.fileSystem.foreignNameCount(inDirectory: home.path)
      } catch .notFound {
        return 0
      } catch {
        throw .inputOutput(error, path: home.path, "the domains cannot be listed")
      }
    }
  }

  /// Reads a domain; that it is absent or damaged is a result.
  ///
  /// - Throws: an error where the file is there and cannot be read, or is no regular file.
  package func load(_ name: DomainName) throws(DatabaseError) -> LoadedDomain {
    var way = CheckedWay()
    return try load(name, along: &way)
  }

  /// The same of one of several domains, for which the way to the directory is walked once.
  package func load(
    _ name: DomainName, along way: inout CheckedWay
  ) throws(DatabaseError) -> LoadedDomain {
    let isKnown = way.way != nil
    return try home.withOwnersRights(along: &way.way) { (checked) throws(DatabaseError) in
      try DomainFile(of: name, in: home, isPathChecked: isKnown || checked != nil).load().domain
    }
  }

  /// Opens a domain's file where it is larger than any that is read, so that it can be copied; else gives nil.
  package func openIfTooLarge(_ name: DomainName) throws(DatabaseError) -> LargeFile? {
    try home.withOwnersRights { (checked) throws(DatabaseError) in
      try DomainFile(of: name, in: home, isPathChecked: checked != nil).openIfTooLarge()
    }
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
    return try home.withOwnersRights { (checked) throws(DatabaseError) in
      let file = try DomainFile(of: name, in: home, isPathChecked: checked != nil)
      return file.isStill(identity) ? nil : try file.load(knowing: known).domain
    }
  }

  /// Whether a path leads to the database's own directory.
  package func lies(in path: String) -> Bool {
    do throws(DatabaseError) {
      let own = try home.withOwnersRights { _ throws(DatabaseError) in try home.status(at: directory) }
      return try FileRights.reaching(path, fileSystem: home.fileSystem) { () throws(DatabaseError) in
        try home.status(at: path).isSameFile(as: own)
      }
    } catch {
      // What is not there, or cannot be looked at, cannot be written either.
      return false
    }
  }

  /// Whether this process can neither read nor write the directory, with the rights that it uses there.
  ///
  /// One that is known not to exist can be read: it has no domains.
  ///
  /// - Throws: an error of the kind `refused` where the process cannot take on these rights.
  package func isOutOfReach() throws(DatabaseError) -> Bool {
    try home.withOwnersRights { _ in home.isOutOfReach }
  }

  /// The file in which a domain lies or would lie.
  package func path(of name: DomainName) -> String {
    do throws(DatabaseError) {
      return try home.withOwnersRights { (checked) throws(DatabaseError) in
        try DomainFile(of: name, in: home, isPathChecked: checked != nil).path
      }
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
  /// - Throws: an error after which the file has its old contents; or all of the new, where only the
  ///   last step failed, which makes them safe against a loss of power. The error says which.
  ///   Committing again is right in both cases.
  package func commit(_ request: CommitRequest) throws(DatabaseError) -> Commit {
    switch request.changes {
    case .values(let changes): try commit(changes, as: request)
    case .lines(let lines): try commit(lines, as: request)
    }
  }

  private func commit(
    _ changes: DomainChanges, as request: CommitRequest
  ) throws(DatabaseError) -> Commit {
    if changes.isEmpty {
      let loaded = try load(request.domain)
      return Commit(before: loaded.identity, after: loaded)
    }
    return try change(
      request.domain, isLarge: changes.takes(largeByteCount), deadline: request.deadline
    ) { (file) throws(DatabaseError) in
      let found =
        changes.replacesAll ? try file.loadForReplacing() : try file.load(knowing: request.knownText)
      try request.admit(found.domain)
      var plan = try file.plan(changes, over: found, knowing: request.knownValues)
      plan.foundKnownText = request.knownText != nil && found.domain.text === request.knownText
      return plan
    }
  }

  /// Does the same with lines of text, in little more memory than they take.
  ///
  /// Only where the domain's file is no text of this package's kind are values made of all lines.
  private func commit(_ lines: DomainLines, as request: CommitRequest) throws(DatabaseError) -> Commit {
    guard let text = lines.text else { return try commit(lines.changes, as: request) }
    return try change(
      request.domain, isLarge: text.bytes.count >= largeByteCount, deadline: request.deadline
    ) { (file) throws(DatabaseError) in
      let found = lines.replacesAll ? try file.loadForReplacing() : try file.load()
      try request.admit(found.domain)
      if !found.domain.isDamaged,
        let plan = try file.plan(text, replacingAll: lines.replacesAll, over: found)
      {
        return plan
      }
      return try file.plan(lines.changes, over: found, knowing: request.knownValues)
    }
  }

  /// Removes a domain's file, or all keys of one that hides an older one; false where there is none.
  ///
  /// - Throws: also for a damaged file, which is left: it may be all that is left of the user's settings. One that
  ///   is too large to be read is removed.
  package func remove(_ name: DomainName) throws(DatabaseError) -> Bool {
    let isAbsent = try home.withOwnersRights { (checked) throws(DatabaseError) in
      try DomainFile(of: name, in: home, isPathChecked: checked != nil).isAbsent
    }
    if isAbsent { return false }
    let commit = try change(name, isLarge: false, deadline: .now + UserDatabase.patience) {
      (file) throws(DatabaseError) in
      let found = try file.loadForReplacing()
      if let damage = found.domain.damage { throw damage }
      return try file.planRemoval(of: found)
    }
    return commit.before != nil
  }

  // MARK: Under the lock

  /// How often a change is worked out before the lock is taken.
  ///
  /// When others have changed the file each time, it is worked out under the lock, so that it is done at last.
  private static let attemptCount = 3

  /// How many threads of this process are about to take the directory's lock, or wait for it.
  private let lockSeekers = Lock(0)

  /// Whether a thread of this process waits for another process to give back the directory's lock.
  package var isWaitingForLock: Bool { lockSeekers.withLock { $0 > 0 } }

  /// Why a domain cannot be saved where another thread of this process, which saves it, waits for the lock.
  package var lockedByAnotherThread: DatabaseError {
    FileLock.locked(by: CurrentProcess.identifier, path: home.path(of: FileLock.fileName))
  }

  /// Changes a domain's file as a plan says, which is made before the lock is taken where that may take long.
  ///
  /// - Parameter isLarge: Whether it is known to take long; else the file's size tells.
  private func change(
    _ name: DomainName, isLarge: Bool, deadline: MonotonicTime,
    _ makePlan: (DomainFile) throws(DatabaseError) -> SavePlan
  ) throws(DatabaseError) -> Commit {
    var way: DatabaseDirectory.CheckedWay? = try home.makeAsAdministrator()
    return try home.withOwnersRights(along: &way) { (checked) throws(DatabaseError) in
      try home.make(checked)
      var deadline = deadline
      var file = try DomainFile(of: name, in: home, isPathChecked: true)
      guard isLarge || file.byteCount >= largeByteCount else {
        return try withLock(on: name, isPathChecked: true, deadline: deadline) {
          (file) throws(DatabaseError) in try carryOut(makePlan(file), on: file)
        }
      }
      for _ in 0..<UserDatabase.attemptCount {
        let start = MonotonicTime.now
        let plan = try makePlan(file)
        // What is bounded is the time that is spent with waiting.
        deadline = deadline + (.now - start).seconds
        var isTried = false
        defer { if !isTried { plan.end(isCarriedOut: false) } }
        let commit = try withLock(on: name, isPathChecked: false, deadline: deadline) {
          (now) throws(DatabaseError) -> Commit? in
          guard try plan.isGood(for: now) else { return nil }
          isTried = true
          return try carryOut(plan, on: now)
        }
        if let commit { return commit }
        file = try DomainFile(of: name, in: home)
      }
      return try withLock(on: name, isPathChecked: false, deadline: deadline) {
        (file) throws(DatabaseError) in try carryOut(makePlan(file), on: file)
      }
    }
  }

  private func carryOut(_ plan: SavePlan, on file: DomainFile) throws(DatabaseError) -> Commit {
    var isCarriedOut = false
    defer { plan.end(isCarriedOut: isCarriedOut) }
    let commit = try file.carryOut(plan)
    isCarriedOut = true
    return commit
  }

  /// Runs a body under the lock, with a domain's file as it is then.
  ///
  /// - Parameter isPathChecked: Whether the way to the directory was walked a moment ago.
  private func withLock<Result>(
    on name: DomainName, isPathChecked: Bool, deadline: MonotonicTime,
    _ body: (DomainFile) throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    lockSeekers.withLock { $0 += 1 }
    var isSeeking = true
    func endSeeking() {
      if isSeeking { lockSeekers.withLock { $0 -= 1 } }
      isSeeking = false
    }
    defer { endSeeking() }
    let lock = try FileLock(of: home, deadline: deadline)
    defer { lock.release() }
    let gnustepLock = home.dialect == .gnustep ? try GNUstepLock(of: home, deadline: deadline) : nil
    endSeeking()
    defer { gnustepLock?.release() }
    // Looked at again only if there was time for somebody to change the way: each walk along it takes two
    // hundredths of the time of a save.
    var file = try DomainFile(
      of: name, in: home, isPathChecked: isPathChecked && !lock.wasHeld && gnustepLock == nil)
    file.gnustepLock = gnustepLock
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
