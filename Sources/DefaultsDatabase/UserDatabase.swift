package import OpenStepPropertyList

/// One directory of defaults domains on disk.
///
/// It caches no contents: each call gives what is on disk at that moment. Reading needs no lock, because a
/// file is only replaced as a whole; changes are made under a lock that excludes other processes and other
/// threads.
package final class UserDatabase: Sendable {
  /// The directory's path; the directory need not exist.
  package var directory: String { home.path }

  /// The path of the lock under which files of the directory are changed.
  package var lockPath: String { home.path(of: FileLock.fileName) }

  /// The path of the lock that GNUstep's programs obey; nil where none of them share the directory.
  package var gnustepLockPath: String? { dialect == .gnustep ? GNUstepLock.path(in: home) : nil }

  /// Whose programs share the directory.
  package var dialect: DatabaseDialect { home.dialect }

  /// Where the directory lies: on the disk, unless a test says otherwise.
  package var fileSystem: any FileSystem { home.fileSystem }

  let home: DatabaseDirectory
  /// The size from which a save is prepared without the lock.
  private let largeByteCount: Int
  /// Called under the lock before a domain's file is replaced or removed, and where that was not done then.
  private let onChange: (@Sendable (DomainName, FileChange) -> Void)?
  /// What is left of the patience of several objects; nil if each change has its own.
  let patience: SharedPatience?
  /// The directories in which this object has removed the temporary files of killed saves.
  private let swept = Lock(SweptDirectories())

  private struct SweptDirectories {
    var paths: [String] = []
  }

  /// Makes the database of a directory, which the first commit creates if it does not exist.
  ///
  /// - Parameters:
  ///   - dialect: Whose programs share the directory.
  ///   - account: The account to which the database belongs, if that user may have chosen the directory: the
  ///     administrator reads and writes there with the user's rights only. nil if the path tells it.
  ///   - trustedUsers: The contents are trusted only if no user but these may write the directory and its
  ///     files; nil for no such check.
  ///   - temporary: The temporary directory of this path, if nothing else that may stand there later will do.
  ///   - largeByteCount: The size from which a save is prepared without the lock. Preparing a smaller one
  ///     takes no longer than checking a second time whether the file is the same.
  ///   - patience: What is left of the patience of several objects; nil if each change has its own.
  ///   - onChange: Called before the lock is taken for a domain's file, and under the lock before the file is replaced or
  ///     removed, and once more where that was not done then, because another program had changed the file.
  package init(
    directory: String, dialect: DatabaseDialect = .openStep, account: Account? = nil,
    trustedUsers: [UInt32]? = nil, temporary: TemporaryDirectory? = nil,
    fileSystem: any FileSystem = DiskFileSystem(),
    largeByteCount: Int = 1 << 16, patience: SharedPatience? = nil,
    onChange: (@Sendable (DomainName, FileChange) -> Void)? = nil
  ) {
    self.largeByteCount = largeByteCount
    self.patience = patience
    self.onChange = onChange
    home = DatabaseDirectory(
      path: directory, fileSystem: fileSystem, dialect: dialect, account: account, trustedUsers: trustedUsers,
      temporary: temporary)
  }

  /// Makes the database of a temporary directory. Where that was removed, nothing is read or saved: a new directory of its
  /// name may be another user's.
  package convenience init(in directory: TemporaryDirectory) {
    self.init(directory: directory.path, temporary: directory)
  }

  /// Makes a database whose directory cannot be determined; every use of it throws this error.
  package init(refusing error: DatabaseError, dialect: DatabaseDialect = .openStep) {
    largeByteCount = 0
    patience = nil
    onChange = nil
    home = DatabaseDirectory(
      path: error.path, fileSystem: DiskFileSystem(), dialect: dialect, refusal: error)
  }

  /// Makes the database of a directory that has copies of another one's files, under the same names. They are reached with
  /// the same rights.
  package init(copyOf original: UserDatabase, in directory: String) {
    largeByteCount = original.largeByteCount
    patience = nil
    onChange = nil
    home = DatabaseDirectory(
      path: directory, fileSystem: original.fileSystem, dialect: original.dialect, account: original.account,
      copyOf: original.home)
  }

  /// Why the directory cannot be determined; nil if it can.
  package var refusal: DatabaseError? { home.refusal }

  /// The account to which the database belongs, where the path does not tell it.
  package var account: Account? { home.account }

  /// The contents are trusted only if no user but these may write them; nil for no such check.
  package var trustedUsers: [UInt32]? { home.trustedUsers }

  /// The result of a check of the directory's path, valid for a moment, so that several files need one check.
  package struct CheckedPath: Sendable {
    var way: DatabaseDirectory.CheckedPath?

    package init() {}
  }

  // MARK: Reading

  /// Reads a domain; an absent or a damaged one is a result.
  ///
  /// - Throws: an error if the file is unreadable or not a regular file.
  package func load(_ name: DomainName) throws(DatabaseError) -> LoadedDomain {
    var way = CheckedPath()
    return try load(name, along: &way)
  }

  /// Reads one of several domains, with one check of the directory's path for all.
  package func load(
    _ name: DomainName, along way: inout CheckedPath
  ) throws(DatabaseError) -> LoadedDomain {
    let isKnown = way.way != nil
    return try home.withOwnersRights(along: &way.way) { (checked) throws(DatabaseError) in
      try DomainFile(of: name, in: home, isPathChecked: isKnown || checked != nil).load().domain
    }
  }

  /// The bytes of a domain's file as they are, whatever they mean; nil if there is none.
  ///
  /// - Throws: an error if the file is unreadable or not a regular file.
  package func bytes(of name: DomainName) throws(DatabaseError) -> [UInt8]? {
    try home.withOwnersRights { (checked) throws(DatabaseError) in
      try DomainFile(of: name, in: home, isPathChecked: checked != nil).bytes()
    }
  }

  /// The size of a domain's file in bytes; 0 if there is none.
  ///
  /// - Throws: an error if what lies there cannot be examined.
  package func byteCount(of name: DomainName) throws(DatabaseError) -> Int {
    try home.withOwnersRights { (checked) throws(DatabaseError) in
      try DomainFile(of: name, in: home, isPathChecked: checked != nil).byteCount
    }
  }

  /// Opens a domain's file for copying if it exceeds the maximum size for reading; otherwise gives nil.
  package func openIfTooLarge(_ name: DomainName) throws(DatabaseError) -> LargeFile? {
    try home.withOwnersRights { (checked) throws(DatabaseError) in
      try DomainFile(of: name, in: home, isPathChecked: checked != nil).openIfTooLarge()
    }
  }

  /// Reads a domain; gives nil if it is certainly unchanged.
  ///
  /// - Parameters:
  ///   - identity: The identity of the file that was last read; nil if there was none. One that was taken
  ///     soon after a write proves nothing, and the file is read again.
  ///   - known: The file's text then, which is the result's text if it is the same.
  package func load(
    _ name: DomainName, unlessStill identity: FileIdentity?, knowing known: DictionaryText? = nil
  ) throws(DatabaseError) -> LoadedDomain? {
    if let paths = usualPaths(of: name), isStill(identity, at: paths) { return nil }
    return try home.withOwnersRights { (checked) throws(DatabaseError) in
      let file = try DomainFile(of: name, in: home, isPathChecked: checked != nil)
      return file.isStill(identity) ? nil : try file.load(knowing: known).domain
    }
  }

  /// Where a domain's file is looked for first; to find out takes as long as to look there.
  package struct UsualPaths: Sendable {
    let path: String
    /// The path of a file without an extension, if that can be the domain's.
    let barePath: String?
  }

  /// Where a domain's file is looked for first; nil if the name or the directory has no valid path.
  package func usualPaths(of name: DomainName) -> UsualPaths? {
    // The system would end the path at a NUL, and find nothing there.
    guard !directory.utf8.contains(0), let baseName = try? DomainFile.baseName(of: name, in: home) else {
      return nil
    }
    let isBare = DomainFile.isBareName(baseName, in: home)
    return UsualPaths(
      path: DomainFile.usualPath(of: name, in: home), barePath: isBare ? home.path(of: baseName) : nil)
  }

  /// Whether a domain's file certainly has an identity, and was not written since; for nil, whether there is
  /// certainly no file.
  ///
  /// It takes one call of the system for a file.
  package func isStill(_ identity: FileIdentity?, at paths: UsualPaths) -> Bool {
    DomainFile.isStill(identity, at: paths, in: home)
  }

  /// Whether a path leads to the database's own directory.
  package func lies(in path: String) -> Bool {
    do throws(DatabaseError) {
      let own = try home.withOwnersRights { _ throws(DatabaseError) in try home.status(at: directory) }
      return try FileRights.reaching(path, fileSystem: home.fileSystem) { () throws(DatabaseError) in
        try home.status(at: path).isSameFile(as: own)
      }
    } catch {
      // What does not exist, or cannot be accessed, cannot be written to either.
      return false
    }
  }

  /// Whether this process can neither read nor write the directory with the rights that it uses there.
  ///
  /// A directory that does not exist can be read: it has no domains.
  ///
  /// - Throws: an error of the kind `refused` if the process cannot take these rights.
  package func isOutOfReach() throws(DatabaseError) -> Bool {
    try home.withOwnersRights { _ in home.isOutOfReach }
  }

  // MARK: Changing

  /// The maximum time that a call waits for another process, in seconds.
  package static let patience = 2.0

  /// Merges changes over what is on disk now, and returns when the result is on stable storage.
  ///
  /// It writes nothing if nothing differs. The file of an empty domain is removed, or replaced by an empty
  /// dictionary if it hides an older file without an extension. A file keeps its format, unless that cannot
  /// represent a value exactly: then the domain becomes text.
  ///
  /// - Throws: an error after which the file has its old contents, or all of the new ones if only the last
  ///   step failed, which makes them safe against a loss of power. The error says which. In both cases the
  ///   caller can commit again.
  package func commit(_ request: CommitRequest) throws(DatabaseError) -> Commit {
    switch request.changes {
    case .values(let changes): try commit(changes, as: request)
    case .lines(let lines): try commit(lines, as: request)
    case .computed(let makeContents): try commit(makeContents, as: request)
    }
  }

  private func commit(
    _ makeContents: (DomainContents) throws(DatabaseError) -> CommitRequest.NewContents,
    as request: CommitRequest
  ) throws(DatabaseError) -> Commit {
    try change(
      request.domain, isLarge: true, deadline: request.deadline, isBareIfNew: request.isBareIfNew
    ) { (file) throws(DatabaseError) in
      let found = try file.load()
      try request.admit(found.domain)
      switch try makeContents(file.contents(from: found)) {
      case .changes(let changes):
        return try file.plan(
          changes, over: found, onDamage: request.onDamage, knowing: request.knownValues)
      case .bytes(let bytes):
        return try file.plan(bytes, over: found)
      case .formerBytes(let bytes):
        return try file.plan(formerBytes: bytes, over: found)
      case .none:
        return try file.planRemoval(of: found)
      }
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
      request.domain, isLarge: changes.takes(largeByteCount), deadline: request.deadline,
      unlessStill: changes.replacesAll || request.knownText == nil ? nil : request.knownIdentity
    ) { (file) throws(DatabaseError) in
      let found =
        changes.replacesAll
        ? try file.loadForReplacing() : try file.load(knowing: request.knownText, of: request.knownIdentity)
      try request.admit(found.domain)
      var plan = try file.plan(
        changes, over: found, onDamage: request.onDamage, knowing: request.knownValues)
      plan.foundKnownText = request.knownText != nil && found.domain.text === request.knownText
      return plan
    }
  }

  /// Commits lines of text, in little more memory than they take.
  ///
  /// Their values are parsed only if the domain's file is not text that this package writes.
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
      return try file.plan(
        lines.changes, over: found, onDamage: request.onDamage, knowing: request.knownValues)
    }
  }

  /// Removes a domain's file, or all its keys if it hides an older file; nil if there is no file.
  ///
  /// A file that is too large to be read is removed.
  ///
  /// - Parameter onDamage: What becomes of a damaged file, which may be all that is left of the user's settings.
  @discardableResult
  package func remove(
    _ name: DomainName, onDamage: DamagePolicy = .refuse
  ) throws(DatabaseError) -> Commit? {
    let isAbsent = try home.withOwnersRights { (checked) throws(DatabaseError) in
      try DomainFile(of: name, in: home, isPathChecked: checked != nil).isAbsent
    }
    if isAbsent { return nil }
    let commit = try change(name, isLarge: false, deadline: .now + UserDatabase.patience) {
      (file) throws(DatabaseError) in
      let found = try file.loadForReplacing()
      if onDamage == .refuse, let damage = found.domain.damage { throw damage }
      return try file.planRemoval(of: found)
    }
    return commit.before == nil ? nil : commit
  }

  // MARK: Under the lock

  /// How often a change is prepared without the lock.
  ///
  /// If the file was changed each time meanwhile, the change is finally prepared under the lock: as often, since programs
  /// that do not obey the lock can change the file then.
  static let attemptCount = 3

  /// The threads of this process that change files of the directory.
  package let queue = LockQueue()

  /// Changes a domain's file by a plan, which is made without the lock if that may take long (optimistic
  /// concurrency).
  ///
  /// - Parameters:
  ///   - isLarge: Whether it may take long; otherwise the file's size decides.
  ///   - identity: An identity by which the file is not read if it certainly has it; nil if it is read.
  private func change(
    _ name: DomainName, isLarge: Bool, deadline: MonotonicTime, isBareIfNew: Bool? = nil,
    unlessStill identity: FileIdentity? = nil,
    _ makePlan: (DomainFile) throws(DatabaseError) -> SavePlan
  ) throws(DatabaseError) -> Commit {
    try withDirectory(for: name, deadline: deadline, isBareIfNew: isBareIfNew) {
      (file, _, isPathChecked, deadline) throws(DatabaseError) in
      var (file, deadline) = (file, deadline)
      guard isLarge || file.byteCount >= largeByteCount else {
        try file.awaitEndOfLease(unlessStill: identity, &deadline)
        return try changeUnderLock(
          name, isPathChecked: isPathChecked, deadline: deadline, isBareIfNew: isBareIfNew, makePlan)
      }
      for _ in 0..<UserDatabase.attemptCount {
        let start = MonotonicTime.now
        var plan = try makePlan(file)
        var isTried = false
        defer { if !isTried { plan.end(isCarriedOut: false) } }
        try plan.flush()
        // The deadline limits only the time of waiting.
        deadline = deadline + MonotonicTime.now.seconds(since: start)
        let commit = try withLock(
          on: name, isPathChecked: false, deadline: deadline, isBareIfNew: isBareIfNew
        ) { (now) throws(DatabaseError) -> Commit? in
          guard try plan.isGood(for: now) else { return nil }
          isTried = true
          return try carryOut(plan, of: name, on: now)
        }
        if let commit { return commit }
        file = try DomainFile(of: name, in: home, isBareIfNew: isBareIfNew)
      }
      return try changeUnderLock(
        name, isPathChecked: false, deadline: deadline, isBareIfNew: isBareIfNew, makePlan)
    }
  }

  /// Changes a domain's file by a plan that is made under the lock.
  private func changeUnderLock(
    _ name: DomainName, isPathChecked: Bool, deadline: MonotonicTime, isBareIfNew: Bool?,
    _ makePlan: (DomainFile) throws(DatabaseError) -> SavePlan
  ) throws(DatabaseError) -> Commit {
    var deadline = deadline
    for attempt in 0..<UserDatabase.attemptCount {
      let commit = try withLock(
        on: name, isPathChecked: isPathChecked && attempt == 0, deadline: deadline, isBareIfNew: isBareIfNew
      ) { (file) throws(DatabaseError) in
        let start = MonotonicTime.now
        defer { deadline = deadline + MonotonicTime.now.seconds(since: start) }
        return try carryOut(makePlan(file), of: name, on: file)
      }
      if let commit { return commit }
    }
    throw .changedMeanwhile(path(of: name))
  }

  /// Runs a body that changes a domain's file, in the directory, which is made if it does not exist.
  ///
  /// - Parameters:
  ///   - deadline: When to stop waiting for another process.
  ///   - isBareIfNew: Whether the file is made without an extension where there is none; nil if its name decides.
  ///   - body: Receives the file, the open directory, whether the directory's path was checked a moment ago, and the
  ///     deadline, moved on by the time that this work took: a new directory and the ones above it are flushed.
  func withDirectory<Result>(
    for name: DomainName, deadline: MonotonicTime, isBareIfNew: Bool? = nil,
    _ body: (DomainFile, HeldDirectory?, _ isPathChecked: Bool, MonotonicTime) throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    let arrival = MonotonicTime.now
    let deadline = patience.map { min(deadline, arrival + $0.left(at: arrival)) } ?? deadline
    var way: DatabaseDirectory.CheckedPath? = try home.makeAsAdministrator()
    do throws(DatabaseError) {
      return try home.withOwnersRights(along: &way) { (checked) throws(DatabaseError) in
        try home.make(checked)
        return try home.held { (hold) throws(DatabaseError) in
          let file = try DomainFile(of: name, in: home, isPathChecked: true, isBareIfNew: isBareIfNew)
          let isSwept = sweep(beside: file)
          onChange?(name, .isPlanned)
          return try body(file, hold, !isSwept, deadline + MonotonicTime.now.seconds(since: arrival))
        }
      }
    } catch {
      // Not of a lock that was lost: nobody has waited for that.
      if case .locked = error.kind, .now >= deadline { patience?.noteRefusal() }
      throw error
    }
  }

  /// Removes what killed saves have left beside a domain's file, once for each directory.
  ///
  /// It needs no lock, and takes seconds in a directory of a million files, for which other processes would be
  /// refused the lock.
  ///
  /// - Returns: Whether it has looked.
  private func sweep(beside file: DomainFile) -> Bool {
    var isSwept = false
    // The second differs from the first if the file is a link.
    for folder in [home.path, file.folder] {
      let isFirst = swept.withLock { swept in
        defer { if !swept.paths.contains(folder) { swept.paths.append(folder) } }
        return !swept.paths.contains(folder)
      }
      guard isFirst else { continue }
      home.removeStaleFiles(in: folder)
      isSwept = true
    }
    return isSwept
  }

  /// Carries out a plan; nil, with nothing changed, if a program that does not obey the lock has changed the file.
  func carryOut(
    _ plan: SavePlan, of name: DomainName, on file: DomainFile
  ) throws(DatabaseError) -> Commit? {
    var isCarriedOut = false
    defer { plan.end(isCarriedOut: isCarriedOut) }
    var versions: (before: FileVersion, after: FileVersion)?
    if let onChange {
      switch plan.step {
      case .none, .keep: break
      case .remove: versions = (plan.found.version, .none)
      case .replace(let new):
        versions = (plan.found.version, FileVersion(readingFileAt: new.path, home.fileSystem))
      }
      if let versions { onChange(name, .begins(before: versions.before, after: versions.after)) }
    }
    do throws(DatabaseError) {
      let commit = try file.carryOut(plan)
      isCarriedOut = commit != nil
      if versions != nil, !isCarriedOut { onChange?(name, .wasNotMade) }
      return commit
    } catch {
      // Whoever keeps both versions sees by them what was made. After some errors the new file is there.
      if let versions, versions.before.isUnread || versions.after.isUnread,
        let now = try? file.foundAgain(), (try? plan.isGood(for: now)) == true
      {
        onChange?(name, .wasNotMade)
      }
      throw error
    }
  }
}
