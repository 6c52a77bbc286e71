package import DefaultsDatabase
import OpenStepPropertyList

/// The persistent domains of one database, shared by every object of the process that uses it.
package final class PersistentDomains: Sendable {
  /// The files beneath, or nil for domains that live in memory only.
  package let database: UserDatabase?
  private let state = Lock(State())
  private struct State {
    /// The domains that somebody holds, and perhaps some that are gone.
    private var domains = DomainMap<WeakReference>()
    /// At how many domains those that are gone are sorted out, so that opening many takes linear time.
    private var sweepCount = 16
    /// Held although nobody else does: every domain that no file holds.
    var held: [PersistentDomain] = []
    /// Those with changes to save, held until they are saved; each is marked as listed.
    var unsaved: [PersistentDomain] = []
    /// Those whose file could not be read or understood when it last was to be, and perhaps others.
    var faulty: [ObjectIdentifier: WeakReference] = [:]
    var foreignChanges = 0
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

    mutating func noteFault(of domain: PersistentDomain) {
      faulty[ObjectIdentifier(domain)] = domain.fault == nil ? nil : WeakReference(domain)
    }

    /// The first fault that is there still.
    mutating func firstFault() -> DatabaseError? {
      while let (identifier, reference) = faulty.first {
        if let domain = reference.object as? PersistentDomain, let fault = domain.fault { return fault }
        faulty[identifier] = nil
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

  private func known(_ name: DomainName) -> PersistentDomain? {
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
  private func open(
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
      if !errors.isEmpty { state.noteFault(of: domain) }
      return (domain, state.watcher)
    }
    guard let watcher else { return first }
    watcher.follow(name)
    if let database {
      let known = domain.fault
      do throws(DatabaseError) {
        // Of what changed since it was read, the watcher has told those domains that were there.
        _ = try domain.refresh(from: database)
      } catch {
        if error != known { errors.append(error) }
      }
    }
    return first
  }

  /// Removes a domain, also one that others made since the last look, and gives it; nil where there is none.
  package func remove(_ name: DomainName) -> PersistentDomain? {
    // Held, also where its file cannot be read: it is removed all the same.
    let domain = domain(name)
    if domain.removeAll() { return domain }
    do throws(DatabaseError) {
      _ = try refreshedDomain(name)
    } catch {
      note([error])
    }
    return domain.removeAll() ? domain : nil
  }

  /// How often reading the files has brought others' changes.
  package var foreignChanges: Int {
    state.withLock { $0.foreignChanges }
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

  // MARK: - Telling of changes

  /// Has a change that was made here saved soon, and tells of it. O(1), but for the listeners whom it concerns.
  ///
  /// - Parameter tellOwn: Tells those whom the listener that made the change knows of already.
  package func changed(_ domain: PersistentDomain, _ keys: ChangedKeys, first tellOwn: () -> Void = {}) {
    saveSoon(domain)
    tellOwn()
    domain.tell(of: keys)
  }

  /// Has a change saved soon that was made here. O(1).
  package func saveSoon(_ domain: PersistentDomain) {
    guard database != nil else { return }
    if domain.markUnsaved() { state.withLock { $0.unsaved.append(domain) } }
    Synchronizer.shared.changesWereMade(in: self)
  }

  /// Takes note of errors and tells of them; no lock may be held, for who is told may do anything.
  private func note(_ errors: [DatabaseError]) {
    guard let last = errors.last else { return }
    state.withLock { $0.lastError = last }
    for error in errors { ErrorReports.shared.add(error) }
  }

  // MARK: - On disk

  /// From now on neither reads nor writes a file; what is in memory stays there.
  ///
  /// Returns when no other thread does any more.
  package func leaveDisk() {
    // Let go of outside the lock, under which it may be asking for the domains.
    let watcher = state.withLock { state in
      defer { state.watcher = nil }
      state.hasLeftDisk = true
      return state.watcher
    }
    withExtendedLifetime(watcher) {}
    while state.withLock({ $0.diskUsers > 0 }) { CurrentProcess.pause(microseconds: 1000) }
  }

  /// Runs a body that reads or writes files; it is given no database if none is to be touched any more.
  ///
  /// Any number of threads do so at a time. Who writes a domain waits for others who do, each in its turn
  /// (``PersistentDomain/save(to:deadline:)``); who reads waits for no writer. The body calls none of the program's
  /// code, which could have the database leave the disk and wait for itself.
  private func withDisk<Result, Failure: Error>(
    _ body: (UserDatabase?) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let hasLeft = state.withLock { state in
      if !state.hasLeftDisk { state.diskUsers += 1 }
      return state.hasLeftDisk
    }
    defer { if !hasLeft { state.withLock { $0.diskUsers -= 1 } } }
    return try LargeStack.runWithRoomToLetGo { () throws(Failure) in try body(hasLeft ? nil : database) }
  }

  /// From now on reads what other processes change soon after they did, and not at a synchronize only.
  package func followOutsideChanges() {
    guard let database, database.refusal == nil, state.withLock({ $0.watcher == nil }) else { return }
    // Made outside the lock, under which it asks for the domains.
    let watcher = DatabaseWatcher(of: database) { [weak self] in
      self?.state.withLock { $0.living }.map(\.name) ?? []
    } onChange: { [weak self] names in
      self?.refresh(names)
    }
    let surplus = state.withLock { state -> DatabaseWatcher? in
      guard state.watcher == nil, !state.hasLeftDisk else { return watcher }
      state.watcher = watcher
      return nil
    }
    withExtendedLifetime(surplus) {}
  }

  /// The domain of a name, with its file read again if it changed.
  package func refreshedDomain(_ name: DomainName) throws(DatabaseError) -> PersistentDomain {
    var errors: [DatabaseError] = []
    defer { note(errors) }
    let (domain, keys) = try withDisk { database throws(DatabaseError) in
      let domain = open(name, in: database, &errors)
      guard let database else { return (domain, Set<PropertyListKey>()) }
      defer { state.withLock { $0.noteFault(of: domain) } }
      return (domain, try domain.refresh(from: database))
    }
    tellOfForeignChanges([(domain, keys)])
    return domain
  }

  /// Reads the files of some domains again where they changed, or of all for nil; names that are not known here are
  /// passed over.
  private func refresh(_ names: Set<DomainName>?) {
    var changes: [(PersistentDomain, Set<PropertyListKey>)] = []
    var errors: [DatabaseError] = []
    withDisk { database in
      guard let database else { return }
      let domains = names?.compactMap(known) ?? state.withLock { $0.living }
      for domain in domains {
        let known = domain.fault
        do throws(DatabaseError) {
          changes.append((domain, try domain.refresh(from: database)))
        } catch {
          // Told below, unless it is known: this is called at every change of any file.
        }
        let fault = domain.fault
        if let fault, fault != known { errors.append(fault) }
        if fault != known { state.withLock { $0.noteFault(of: domain) } }
      }
      // What could not be read can be now; what could not be written is no better for that.
      state.withLock { state in
        guard state.firstFault() == nil, !state.unsaved.contains(where: \.hasUnsavedChanges) else { return }
        state.lastError = state.untold
      }
    }
    // A program's observer may take as long as it likes, and what others change next is to be read all the same.
    for (domain, keys) in noteForeignChanges(changes) { domain.tellApart(of: keys) }
    note(errors)
  }

  private func tellOfForeignChanges(_ changes: [(domain: PersistentDomain, keys: Set<PropertyListKey>)]) {
    for (domain, keys) in noteForeignChanges(changes) { domain.tell(of: .several(keys)) }
  }

  /// Counts others' changes if there are any, and gives them.
  private func noteForeignChanges(
    _ changes: [(domain: PersistentDomain, keys: Set<PropertyListKey>)]
  ) -> [(domain: PersistentDomain, keys: Set<PropertyListKey>)] {
    let changes = changes.filter { !$0.keys.isEmpty }
    if !changes.isEmpty { state.withLock { $0.foreignChanges += 1 } }
    return changes
  }

  /// Writes the unsaved changes of every domain, and reads again what others changed if asked to.
  ///
  /// O(1), but for the domains with unsaved changes and those that are to be read again.
  ///
  /// - Parameters:
  ///   - refreshing: Whether to read again what others changed in the domains that were saved, and in some others.
  ///   - concerned: Those others, which are the ones that the caller searches.
  /// - Returns: The first error, rather of writing than of reading; or nil. The changes that could not
  ///   be written are kept.
  @discardableResult
  package func save(andRefresh refreshing: Bool, of concerned: [PersistentDomain] = []) -> DatabaseError? {
    // Set before it waits for other threads.
    let deadline = Synchronizer.shared.deadline
    var outcome = Outcome()
    withDisk { database in
      guard let database else { return }
      let unsaved = PersistentDomains.quickestFirst(state.withLock { $0.unsaved })
      var seen = Set(unsaved.map { ObjectIdentifier($0) })
      let others = refreshing ? concerned.filter { seen.insert(ObjectIdentifier($0)).inserted } : []
      for domain in unsaved + others {
        defer { if domain.fault != nil { state.withLock { $0.noteFault(of: domain) } } }
        do throws(DatabaseError) {
          if let save = try domain.save(to: database, deadline: deadline) {
            if let remark = save.remark { outcome.remarks.append(remark) }
            outcome.sizes.append((domain, save.byteCount))
            // To read the file again would take a sixth of the time that the save took.
            if save.isUpToDate { continue }
          }
        } catch {
          outcome.writeErrors.append(error)
          continue
        }
        do throws(DatabaseError) {
          guard refreshing else { continue }
          let keys = try domain.refresh(from: database)
          if !keys.isEmpty { outcome.changes.append((domain, keys)) }
        } catch {
          outcome.readErrors.append(error)
        }
      }
      state.withLock { state in
        let told = outcome.remarks.last ?? state.untold
        state.untold = refreshing ? nil : told
        state.lastError = outcome.first ?? told ?? state.firstFault()
        state.unsaved.removeAll { $0.unmarkIfSaved() }
      }
    }
    tellOfForeignChanges(outcome.changes)
    for (domain, byteCount) in outcome.sizes { domain.fileWasSaved(byteCount) }
    for error in outcome.writeErrors + outcome.readErrors + outcome.remarks { ErrorReports.shared.add(error) }
    return outcome.first
  }

  /// Puts the domains with little to save before those of which much is to be written, or which another thread is saving.
  private static func quickestFirst(_ domains: [PersistentDomain]) -> [PersistentDomain] {
    guard domains.count > 1 else { return domains }
    let costs = domains.map { (domain: $0, cost: $0.isBeingSaved ? .max : $0.byteCount) }
    return costs.sorted { $0.cost < $1.cost }.map(\.domain)
  }

  /// What came of a save, to be told when all is done.
  private struct Outcome {
    var writeErrors: [DatabaseError] = []
    var readErrors: [DatabaseError] = []
    var remarks: [DatabaseError] = []
    var sizes: [(PersistentDomain, Int)] = []
    var changes: [(domain: PersistentDomain, keys: Set<PropertyListKey>)] = []

    var first: DatabaseError? { writeErrors.first ?? readErrors.first }
  }

  /// What would be lost if the process ended now.
  var losses: [LossReport.Loss] {
    state.withLock { $0.hasLeftDisk ? [] : $0.unsaved }.compactMap(\.loss).sorted { $0.domain < $1.domain }
  }

  /// Whether there are changes that are to be saved and are not yet.
  package var hasUnsavedChanges: Bool {
    state.withLock { $0.hasLeftDisk ? [] : $0.unsaved }.contains { $0.hasUnsavedChanges }
  }
}
