package import DefaultsDatabase
import OpenStepPropertyList

/// The persistent domains of one database, shared by every object of the process that uses it.
package final class PersistentDomains: Sendable {
  /// The files; nil for domains that exist only in memory.
  package let database: UserDatabase?
  /// The domains that a commit is made of, if these are its draft: the draft of one domain, in memory, and all
  /// others as they are.
  private let base: PersistentDomains?
  let state = Lock(State())

  struct State {
    /// Weak references to the domains.
    private var domains = DomainMap<WeakReference>()
    /// The number of references at which the empty ones are removed, so that opening many domains takes
    /// linear time.
    private var sweepCount = 16
    /// Domains that this object retains: all those without files.
    var held: [PersistentDomain] = []
    /// The domains with unsaved changes, retained until they are saved; each is marked as listed.
    var unsaved: [PersistentDomain] = []
    /// The domains whose file was unreadable or damaged when it was last read, and perhaps others.
    var withFileErrors = [ObjectIdentifier: WeakReference]()
    var externalChanges = 0
    var lastError: DatabaseError?
    /// The path of a damaged file that an automatic save has moved aside, until a synchronize has reported
    /// it.
    var unreportedRemark: DatabaseError?
    var watcher: DatabaseWatcher?
    /// Whether a watcher is wanted, but the system provided no thread for it.
    var lacksWatcher = false
    var hasLeftDisk = false
    /// How many threads are reading or writing files.
    var diskUsers = 0
    /// What worker threads do.
    var work = Work()
    /// The name of the program's own domain, once it was asked for.
    var programName: DomainName?

    /// What worker threads of one process do for the domains. A forked child has none of these threads.
    struct Work {
      fileprivate let process = CurrentProcess.identifier
      /// How many saves a worker thread has to make because tasks wait; two at most, since the second covers all
      /// tasks that come during the first.
      var hurriedSaves = 0
      /// The asynchronous commits that have not begun.
      var commits = JobQueue()
      /// Whether an asynchronous commit has begun and waits for locks, or is about to.
      var isCommitWaiting = false
      /// A wait that began when an asynchronous commit last had its locks; nil if none has had them.
      var commitProgress: LockQueue.Wait?
      /// The saves of which a thread for observers has to tell, and whether one does, or is about to.
      var untold: [(domain: PersistentDomain, save: DomainSave)] = []
      var isTelling = false
    }

    /// Forgets the work of the process from which this one was forked; called before new work is added.
    ///
    /// - Returns: That work, which the caller releases outside of the lock.
    mutating func beginWork() -> Work? {
      guard work.process != CurrentProcess.identifier else { return nil }
      var former = Work()
      swap(&former, &work)
      return former
    }

    subscript(name: PropertyListKey) -> PersistentDomain? {
      domains[name]?.object.map { unsafeDowncast($0, to: PersistentDomain.self) }
    }

    mutating func add(_ domain: PersistentDomain) {
      if domains.count >= sweepCount {
        domains.removeAll { $0.object == nil }
        sweepCount = max(16, 2 * domains.count)
      }
      domains[PropertyListKey(domain.name.text)] = WeakReference(domain)
    }

    /// All domains that still exist. O(n).
    var living: [PersistentDomain] {
      domains.domains.compactMap { $0.object.map { unsafeDowncast($0, to: PersistentDomain.self) } }
    }

    mutating func noteFileError(of domain: PersistentDomain) {
      withFileErrors[ObjectIdentifier(domain)] = domain.fileError == nil ? nil : WeakReference(domain)
    }

    /// The first error of a save that has failed.
    ///
    /// A lazy map would ask each domain twice, and stop the program where another thread has saved it in between.
    func firstSaveError() -> DatabaseError? {
      for domain in unsaved {
        if let error = domain.saveError { return error }
      }
      return nil
    }

    /// The first error of a file that still has one.
    mutating func firstFileError() -> DatabaseError? {
      while let (identifier, reference) = withFileErrors.first {
        if let domain = reference.object as? PersistentDomain, let error = domain.fileError { return error }
        withFileErrors[identifier] = nil
      }
      return nil
    }
  }

  /// Makes domains that no other object shares; in memory only for nil.
  package init(database: UserDatabase?) {
    self.database = database
    base = nil
  }

  /// Makes the domains that a commit's closure uses.
  ///
  /// - Parameter domain: The draft, which takes the place of the domain of that name.
  init(draftOf base: PersistentDomains, domain: PersistentDomain) {
    database = nil
    self.base = base
    state.withLock { state in
      state.add(domain)
      state.held.append(domain)
    }
  }

  /// Whether these are the domains that a commit's closure uses.
  package var isDraft: Bool { base != nil }

  // MARK: - One per directory

  private static let instances = Lock(SharedInstances())

  private struct SharedInstances {
    /// By the directory's path, compared as bytes: two spellings of the same characters are two directories.
    private var own = DomainMap<WeakReference>()
    /// Those of other dialects, or with the rights of certain users, by all of these and the directory's
    /// path.
    private var others = DomainMap<WeakReference>()
    /// The number of references at which the empty ones are removed, so that opening many directories takes
    /// linear time.
    private var sweepCount = 16

    subscript(isOwn isOwn: Bool, place: PropertyListKey) -> PersistentDomains? {
      get {
        (isOwn ? own : others)[place]?.object.map { unsafeDowncast($0, to: PersistentDomains.self) }
      }
      set {
        let count = own.count + others.count
        if count >= sweepCount {
          own.removeAll { $0.object == nil }
          others.removeAll { $0.object == nil }
          sweepCount = max(16, 2 * (own.count + others.count))
        }
        let reference = newValue.map { WeakReference($0) }
        if isOwn { own[place] = reference } else { others[place] = reference }
      }
    }
  }

  /// The domains of a directory; the same object for all callers while it exists.
  ///
  /// Values that were read with the rights of one user are not shared with callers that act for another.
  ///
  /// - Parameters:
  ///   - account: The account to which the database belongs; nil if the path tells it.
  ///   - trustedUsers: The contents are trusted only if no user but these may write them; nil for no such
  ///     check.
  package static func at(
    directory: String, dialect: DatabaseDialect = .openStep, account: Account? = nil,
    trustedUsers: [UInt32]? = nil
  ) -> PersistentDomains {
    // By a pattern: the first “==” of another module's enumeration takes long (Architecture, “Start-up”).
    var isOwn = false
    if case .openStep = dialect { isOwn = account == nil && trustedUsers == nil }
    let place = PropertyListKey(
      isOwn
        ? directory
        : "\(dialect) \(account.map { "\($0.user)" } ?? "") \(trustedUsers ?? []) \(trustedUsers == nil) \(directory)"
    )
    return instances.withLock { instances in
      if let domains = instances[isOwn: isOwn, place] { return domains }
      let domains = PersistentDomains(
        database: UserDatabase(
          directory: directory, dialect: dialect, account: account, trustedUsers: trustedUsers))
      instances[isOwn: isOwn, place] = domains
      return domains
    }
  }

  /// The domains of a directory that a program names, or of the current user's for nil.
  ///
  /// If the directory's name is not UTF-8, the domains exist only in memory, and each save fails with that
  /// error.
  package static func inDirectory(
    named argument: String?, dialect: DatabaseDialect = .openStep
  ) -> PersistentDomains {
    do throws(DatabaseError) {
      return at(directory: try DatabaseLocation.resolve(argument: argument), dialect: dialect)
    } catch {
      return PersistentDomains(database: UserDatabase(refusing: error, dialect: dialect))
    }
  }

  /// The domains of a user's database; nil for an unknown user, and if the database can be neither read nor
  /// written.
  package static func ofUser(_ name: String) -> PersistentDomains? {
    do throws(DatabaseError) {
      guard let directory = try DatabaseLocation.forUser(name) else { return nil }
      let domains = at(directory: directory, account: try Account(actingFor: name))
      return try domains.database?.isOutOfReach() == false ? domains : nil
    } catch {
      ErrorReports.shared.add(error)
      return nil
    }
  }

  // MARK: - In memory

  /// Checks the name of a domain of this database.
  ///
  /// - Throws: an error of the kind `refusedName` for a name that is not valid there.
  package func name(_ text: String) throws(DatabaseError) -> DomainName {
    try DomainName(text, in: (database ?? base?.database)?.dialect ?? .openStep)
  }

  func domainInMemory(_ name: DomainName) -> PersistentDomain? {
    state.withLock { $0[PropertyListKey(name.text)] }
  }

  /// The domain of a name. Its file is read when the domain is first asked for, and again after all callers
  /// have released it.
  package func domain(_ name: DomainName) -> PersistentDomain {
    if let domain = domainInMemory(name) { return domain }
    if let base { return base.domain(name) }
    var errors: [DatabaseError] = []
    let domain = withDisk { database in open(name, in: database, &errors) }
    if !errors.isEmpty { note(errors) }
    return domain
  }

  /// The domain of a name and the global one. It gives what ``domains(_:)`` gives, and makes no array (Architecture,
  /// “Start-up”).
  package func domainAndGlobal(_ name: DomainName) -> (domain: PersistentDomain, global: PersistentDomain) {
    if let domain = domainInMemory(name), let global = domainInMemory(.global) { return (domain, global) }
    if base != nil { return (domain(name), domain(.global)) }
    var errors: [DatabaseError] = []
    defer { if !errors.isEmpty { note(errors) } }
    return withDisk { database in
      var way = UserDatabase.CheckedPath()
      let domain = open(name, in: database, along: &way, &errors)
      return (domain, open(.global, in: database, along: &way, &errors))
    }
  }

  /// The domains of some names; the files of those that are not in memory are read, with one check of the directory's
  /// path.
  package func domains(_ names: [DomainName]) -> [PersistentDomain] {
    let domains = names.compactMap(domainInMemory)
    if domains.count == names.count { return domains }
    if base != nil { return names.map(domain) }
    var errors: [DatabaseError] = []
    defer { if !errors.isEmpty { note(errors) } }
    return withDisk { database in
      var way = UserDatabase.CheckedPath()
      return names.map { open($0, in: database, along: &way, &errors) }
    }
  }

  /// The domain of a name, whose file is read without waiting for other threads, even for one that writes it.
  func open(
    _ name: DomainName, in database: UserDatabase?, _ errors: inout [DatabaseError]
  ) -> PersistentDomain {
    var way = UserDatabase.CheckedPath()
    return open(name, in: database, along: &way, &errors)
  }

  /// Opens one of several domains; the directory's path is checked once for all.
  private func open(
    _ name: DomainName, in database: UserDatabase?, along way: inout UserDatabase.CheckedPath,
    _ errors: inout [DatabaseError]
  ) -> PersistentDomain {
    if let domain = domainInMemory(name) { return domain }
    let domain = PersistentDomain(name: name, isSaved: self.database != nil || base != nil)
    if let database {
      do throws(DatabaseError) {
        let isSound = try domain.load(from: database, along: &way)
        if !isSound, let damage = domain.damage { errors.append(damage) }
      } catch {
        errors.append(error)
      }
    }
    // Not before its file is read: another thread must not take an unread domain for an empty one.
    let (first, watcher) = state.withLock { state in
      // Another thread may have opened it meanwhile, and handed it out.
      if let first = state[PropertyListKey(name.text)] { return (first, DatabaseWatcher?.none) }
      state.add(domain)
      if self.database == nil { state.held.append(domain) }
      if !errors.isEmpty { state.noteFileError(of: domain) }
      return (domain, state.watcher)
    }
    guard let watcher else { return first }
    watcher.follow(name)
    if let database {
      let known = domain.fileError
      do throws(DatabaseError) {
        // The watcher has reported changes since the file was read only to the domains that it followed then. Another thread
        // may observe this one already.
        tellAsynchronouslyOfExternalChanges([(domain, try domain.refresh(from: database))])
      } catch {
        if error != known { errors.append(error) }
        if error.isPassing { watcher.lookAgainSoon() }
      }
    }
    return first
  }

  /// How often external changes were read.
  package var externalChanges: Int {
    state.withLock { $0.externalChanges }
  }

  /// Why the last attempt to read or write failed, or where it moved a damaged file; nil if all went well.
  package var lastError: DatabaseError? {
    state.withLock { $0.lastError }
  }

  /// The names of all domains that have a file or exist in memory, sorted.
  package func names() -> [DomainName] {
    if let base { return base.names() }
    // Before the files are listed: a removal may end in between.
    let removed = state.withLock { $0.unsaved }.filter(\.awaitsRemoval).map(\.name)
    var onDisk: [DomainName] = []
    do throws(DatabaseError) {
      onDisk = try database?.domainNames() ?? []
    } catch {
      note([error])
    }
    let inMemory = state.withLock { $0.living }
    return Set(onDisk).subtracting(removed).union(inMemory.filter(\.exists).map(\.name)).sorted()
  }

  /// Whether a name is among ``names()``. O(1), except for finding the file.
  package func exists(_ name: DomainName) -> Bool {
    if let domain = domainInMemory(name) {
      if domain.exists { return true }
      if domain.awaitsRemoval { return false }
    }
    if let base { return base.exists(name) }
    return database?.hasFile(of: name) ?? false
  }

  /// Whether a domain has keys, or a file that may have some. O(1), except for finding the file.
  ///
  /// Unlike an existing domain (``exists(_:)``) it is more than the empty one of a program.
  package func hasContents(_ name: DomainName) -> Bool {
    domainInMemory(name)?.hasContents ?? base?.hasContents(name) ?? database?.hasFile(of: name) ?? false
  }

  /// Records and reports errors; no lock may be held, because the program's code is called.
  package func note(_ errors: [DatabaseError]) {
    guard let last = errors.last else { return }
    state.withLock { $0.lastError = last }
    ErrorReports.shared.add(each: errors)
  }
}
