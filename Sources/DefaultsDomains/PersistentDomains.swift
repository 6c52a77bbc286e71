package import DefaultsDatabase
import OpenStepPropertyList

/// The persistent domains of one database, shared by every object of the process that uses it.
package final class PersistentDomains: Sendable {
  /// The files beneath, or nil for domains that live in memory only.
  package let database: UserDatabase?
  let state = Lock(State())

  struct State {
    /// The domains that somebody holds, and perhaps some that are gone.
    private var domains = DomainMap<WeakReference>()
    /// At how many domains those that are gone are sorted out, so that opening many takes linear time.
    private var sweepCount = 16
    /// Held although nobody else does: every domain that no file holds.
    var held: [PersistentDomain] = []
    /// Those with changes to save, held until they are saved; each is marked as listed.
    var unsaved: [PersistentDomain] = []
    /// Those whose file could not be read or understood when it last was to be, and perhaps others.
    var withFileErrors: [ObjectIdentifier: WeakReference] = [:]
    var externalChanges = 0
    var lastError: DatabaseError?
    /// Where a save that nobody called put a damaged file, until a synchronize has told.
    var untold: DatabaseError?
    var watcher: DatabaseWatcher?
    var hasLeftDisk = false
    /// How many threads are reading or writing files.
    var diskUsers = 0

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

    /// All domains that somebody holds. O(n).
    var living: [PersistentDomain] {
      domains.domains.compactMap { $0.object.map { unsafeDowncast($0, to: PersistentDomain.self) } }
    }

    mutating func noteFileError(of domain: PersistentDomain) {
      withFileErrors[ObjectIdentifier(domain)] = domain.fileError == nil ? nil : WeakReference(domain)
    }

    /// The first error of a file that is there still.
    mutating func firstFileError() -> DatabaseError? {
      while let (identifier, reference) = withFileErrors.first {
        if let domain = reference.object as? PersistentDomain, let error = domain.fileError { return error }
        withFileErrors[identifier] = nil
      }
      return nil
    }
  }

  /// The domains of a database that no other object shares; nil for domains that live in memory only.
  package init(database: UserDatabase?) {
    self.database = database
  }

  // MARK: - One per directory

  private static let known = Lock(KnownDirectories())

  private struct KnownDirectories {
    /// By the directory, as bytes: directories whose names are two spellings of the same characters are two.
    private var own = DomainMap<WeakReference>()
    /// Those of other dialects and with the rights of certain users, by all that and the directory.
    private var others = DomainMap<WeakReference>()
    /// At how many directories those that nobody uses are sorted out, so that opening many takes linear time.
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

  /// The domains of a directory: always the same object while anyone uses it.
  ///
  /// What was read with the rights of one user is not shown to whoever acts for another.
  ///
  /// - Parameters:
  ///   - account: The user for whom this process acts; nil to tell it by the path.
  ///   - trustedUsers: Who alone may write to the directory for it to be believed; nil where that does not matter.
  package static func at(
    directory: String, dialect: DatabaseDialect = .openStep, account: Account? = nil,
    trustedUsers: [UInt32]? = nil
  ) -> PersistentDomains {
    let isOwn = dialect == .openStep && account == nil && trustedUsers == nil
    let place = PropertyListKey(
      isOwn
        ? directory
        : "\(dialect) \(account.map { "\($0.user)" } ?? "") \(trustedUsers ?? []) \(trustedUsers == nil) \(directory)"
    )
    return known.withLock { known in
      if let domains = known[isOwn: isOwn, place] { return domains }
      let domains = PersistentDomains(
        database: UserDatabase(
          directory: directory, dialect: dialect, account: account, trustedUsers: trustedUsers))
      known[isOwn: isOwn, place] = domains
      return domains
    }
  }

  /// The domains of a directory that a program names, nil for the current user's.
  ///
  /// Where what names it is not UTF-8, they are domains in memory, each of whose saves fails and says so.
  package static func inDirectory(
    named argument: String?, dialect: DatabaseDialect = .openStep
  ) -> PersistentDomains {
    do throws(DatabaseError) {
      return at(directory: try DatabaseLocation.resolve(argument: argument), dialect: dialect)
    } catch {
      return PersistentDomains(database: UserDatabase(refusing: error, dialect: dialect))
    }
  }

  /// The domains of a user's database; nil for an unknown user, and where it can be neither read nor written.
  package static func ofUser(_ name: String) -> PersistentDomains? {
    do throws(DatabaseError) {
      guard let directory = try DatabaseLocation.forUser(name) else { return nil }
      let domains = at(directory: directory, account: Account(actingFor: name))
      return try domains.database?.isOutOfReach() == false ? domains : nil
    } catch {
      ErrorReports.shared.add(error)
      return nil
    }
  }

  // MARK: - In memory

  /// Checks the name of a domain that would lie in this database.
  ///
  /// - Throws: an error of the kind `refusedName` for a name that no domain can have there.
  package func name(_ text: String) throws(DatabaseError) -> DomainName {
    try DomainName(text, in: database?.dialect ?? .openStep)
  }

  func known(_ name: DomainName) -> PersistentDomain? {
    state.withLock { $0[PropertyListKey(name.text)] }
  }

  /// The domain of a name; its file is read the first time, and again after everybody has let go of it.
  package func domain(_ name: DomainName) -> PersistentDomain {
    if let domain = known(name) { return domain }
    var errors: [DatabaseError] = []
    let domain = withDisk { database in open(name, in: database, &errors) }
    if !errors.isEmpty { note(errors) }
    return domain
  }

  /// The domains of some names; the files of those that are new here are read.
  package func domains(_ names: [DomainName]) -> [PersistentDomain] {
    let domains = names.compactMap(known)
    if domains.count == names.count { return domains }
    var errors: [DatabaseError] = []
    defer { if !errors.isEmpty { note(errors) } }
    return withDisk { database in
      var way = UserDatabase.CheckedWay()
      return names.map { open($0, in: database, along: &way, &errors) }
    }
  }

  /// The domain of a name, whose file is read without waiting for anybody, be it a thread that writes it.
  func open(
    _ name: DomainName, in database: UserDatabase?, _ errors: inout [DatabaseError]
  ) -> PersistentDomain {
    var way = UserDatabase.CheckedWay()
    return open(name, in: database, along: &way, &errors)
  }

  /// The same of one of several, which have one way to walk.
  private func open(
    _ name: DomainName, in database: UserDatabase?, along way: inout UserDatabase.CheckedWay,
    _ errors: inout [DatabaseError]
  ) -> PersistentDomain {
    if let domain = known(name) { return domain }
    let domain = PersistentDomain(name: name)
    if let database {
      do throws(DatabaseError) {
        let isSound = try domain.load(from: database, along: &way)
        if !isSound, let damage = domain.damage { errors.append(damage) }
      } catch {
        errors.append(error)
      }
    }
    // Not before it is read: nobody may take an unread domain for an empty one.
    let (first, watcher) = state.withLock { state in
      // Another thread may have read it meanwhile, and given it away.
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
        // Of what changed since it was read, the watcher has told those domains that were there.
        _ = try domain.refresh(from: database)
      } catch {
        if error != known { errors.append(error) }
      }
    }
    return first
  }

  /// How often reading the files has brought others' changes.
  package var externalChanges: Int {
    state.withLock { $0.externalChanges }
  }

  /// Why the last attempt to read or write failed, or where it put a damaged file; nil where all went well.
  package var lastError: DatabaseError? {
    state.withLock { $0.lastError }
  }

  /// The names of all domains that have a file or exist in memory, sorted.
  package func names() -> [DomainName] {
    // Asked before the files are: a removal may end in between.
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

  /// Whether a name is among ``names()``. O(1), but for finding the file.
  package func exists(_ name: DomainName) -> Bool {
    if let domain = known(name) {
      if domain.exists { return true }
      if domain.awaitsRemoval { return false }
    }
    return database?.hasFile(of: name) ?? false
  }

  /// Takes note of errors and tells of them; no lock may be held, for who is told may do anything.
  func note(_ errors: [DatabaseError]) {
    guard let last = errors.last else { return }
    state.withLock { $0.lastError = last }
    for error in errors { ErrorReports.shared.add(error) }
  }
}
