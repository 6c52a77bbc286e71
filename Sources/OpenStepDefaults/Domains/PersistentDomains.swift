package import DefaultsDatabase
package import OpenStepPropertyList

/// The persistent domains of one database, shared by every object of the process that uses it.
package final class PersistentDomains: Sendable {
  /// The files beneath, or nil for domains that live in memory only.
  package let database: UserDatabase?
  private let state = Lock(State())
  /// Held while files are read or written; taken before any other lock, never after.
  ///
  /// Whoever has it may wait for another process, but only until a time set before it was asked for.
  /// As it is given in order, nobody waits for it longer than for another process.
  private let disk: QueueLock<UserDatabase?>

  private struct State {
    var domains: [DomainName: PersistentDomain] = [:]
    var foreignChanges = 0
    var lastError: DatabaseError?
    /// Where a save that nobody called put a damaged file, until a synchronize has told.
    var untold: DatabaseError?
    var listeners: [Listener] = []
    /// At how many listeners those that are gone are sorted out, so that adding many takes linear time.
    var sweepCount = 16
    var watcher: DatabaseWatcher?
  }

  private struct Listener: Sendable {
    weak var listener: (any DomainListener)?
  }

  /// The domains of a database that no other object shares; nil for domains that live in memory only.
  package init(database: UserDatabase?) {
    self.database = database
    disk = QueueLock(database)
  }

  // MARK: - One per directory

  private struct Weak: Sendable {
    weak var domains: PersistentDomains?
  }

  private static let byDirectory = Lock<[String: Weak]>([:])

  /// The domains of a directory: always the same object while anyone uses it.
  package static func at(directory: String) -> PersistentDomains {
    byDirectory.withLock { known in
      if let domains = known[directory]?.domains { return domains }
      let domains = PersistentDomains(database: UserDatabase(directory: directory))
      known = known.filter { $0.value.domains != nil }
      known[directory] = Weak(domains: domains)
      return domains
    }
  }

  // MARK: - In memory

  /// The domain of a name; its file is read the first time.
  package func domain(_ name: DomainName) -> PersistentDomain {
    if let domain = state.withLock({ $0.domains[name] }) { return domain }
    var found: DatabaseError?
    let domain = disk.withLock { database in
      // Another thread may have been faster.
      if let domain = state.withLock({ $0.domains[name] }) { return domain }
      let domain = PersistentDomain(name: name)
      if let database {
        do throws(DatabaseError) {
          _ = try domain.refresh(from: database)
          found = domain.damage
        } catch {
          found = error
        }
      }
      // Not before it is read: nobody may take an unread domain for an empty one.
      state.withLock { $0.domains[name] = domain }
      return domain
    }
    if let found { note(found) }
    return domain
  }

  /// Removes a domain, also one that others made since the last look; false where there is none.
  package func remove(_ domain: PersistentDomain) -> Bool {
    if domain.removeAll() { return true }
    do throws(DatabaseError) {
      try refresh(domain)
    } catch {
      note(error)
    }
    return domain.removeAll()
  }

  /// How often reading the files has brought others' changes.
  var foreignChanges: Int {
    state.withLock { $0.foreignChanges }
  }

  /// Why the last attempt to read or write failed, or where it put a damaged file; nil where all went well.
  package var lastError: DatabaseError? {
    state.withLock { $0.lastError }
  }

  /// The names of all domains that have a file or exist in memory, sorted.
  package func names() -> [DomainName] {
    // Asked before the files are: a removal may end in between.
    let removed = state.withLock { Array($0.domains.values) }.filter(\.awaitsRemoval).map(\.name)
    var onDisk: [DomainName] = []
    do throws(DatabaseError) {
      onDisk = try database?.domainNames() ?? []
    } catch {
      note(error)
    }
    let inMemory = state.withLock { Array($0.domains.values) }
    return Set(onDisk).subtracting(removed).union(inMemory.filter(\.exists).map(\.name)).sorted()
  }

  // MARK: - Telling of changes

  /// Has a listener told of every change from now on, as long as someone holds it.
  package func add(_ listener: any DomainListener) {
    state.withLock { state in
      if state.listeners.count >= state.sweepCount {
        state.listeners.removeAll { $0.listener == nil }
        state.sweepCount = max(16, 2 * state.listeners.count)
      }
      state.listeners.append(Listener(listener: listener))
    }
  }

  /// Has a change that was made here saved soon, and tells of it.
  ///
  /// - Parameter keys: Whose values may have changed; nil for any.
  package func changed(_ domain: PersistentDomain, _ keys: Set<PropertyListKey>?) {
    Synchronizer.shared.changesWereMade(in: self)
    tell { $0.domain(domain, didChange: keys) }
  }

  private func tell(_ body: (any DomainListener) -> Void) {
    for listener in state.withLock({ $0.listeners }) {
      if let listener = listener.listener { body(listener) }
    }
  }

  private func note(_ error: DatabaseError) {
    state.withLock { $0.lastError = error }
    ErrorReports.shared.add(error)
  }

  // MARK: - On disk

  /// From now on neither reads nor writes a file; what is in memory stays there.
  package func leaveDisk() {
    state.withLock { $0.watcher = nil }
    disk.withLock { $0 = nil }
  }

  /// From now on reads what other processes change soon after they did, and not at a synchronize only.
  package func followOutsideChanges() {
    guard let database else { return }
    state.withLock { state in
      guard state.watcher == nil else { return }
      state.watcher = DatabaseWatcher(of: database) { [weak self] in self?.refreshAll() }
    }
  }

  /// Reads a domain's file again if it changed.
  package func refresh(_ domain: PersistentDomain) throws(DatabaseError) {
    guard let database else { return }
    let keys = try disk.withLock { _ throws(DatabaseError) in try domain.refresh(from: database) }
    tellOfForeignChanges([(domain, keys)])
  }

  /// Reads every file again that changed.
  private func refreshAll() {
    var changes: [(PersistentDomain, Set<PropertyListKey>)] = []
    var errors: [DatabaseError] = []
    disk.withLock { database in
      guard let database else { return }
      for domain in state.withLock({ Array($0.domains.values) }) {
        let known = domain.damage
        do throws(DatabaseError) {
          changes.append((domain, try domain.refresh(from: database)))
          if let damage = domain.damage, damage != known { errors.append(damage) }
        } catch {
          errors.append(error)
        }
      }
    }
    tellOfForeignChanges(changes)
    for error in errors { note(error) }
  }

  private func tellOfForeignChanges(_ changes: [(domain: PersistentDomain, keys: Set<PropertyListKey>)]) {
    let changes = changes.filter { !$0.keys.isEmpty }
    guard !changes.isEmpty else { return }
    state.withLock { $0.foreignChanges += 1 }
    for (domain, keys) in changes { tell { $0.domain(domain, didChange: keys) } }
  }

  /// Writes the unsaved changes of every domain, and reads again what others changed if asked to.
  ///
  /// - Parameter deadline: When to stop waiting for another process.
  /// - Returns: The first error, or nil. The changes that could not be written are kept.
  @discardableResult
  package func save(
    andRefresh refreshing: Bool, deadline: ContinuousClock.Instant = .now + UserDatabase.patience
  ) -> DatabaseError? {
    var errors: [DatabaseError] = []
    var remarks: [DatabaseError] = []
    var sizes: [(PersistentDomain, Int)] = []
    var changes: [(PersistentDomain, Set<PropertyListKey>)] = []
    disk.withLock { database in
      guard let database else { return }
      let domains = state.withLock { Array($0.domains.values) }
      for domain in domains {
        do throws(DatabaseError) {
          let (remark, byteCount) = try domain.save(to: database, deadline: deadline)
          if let remark { remarks.append(remark) }
          if let byteCount { sizes.append((domain, byteCount)) }
          if refreshing { changes.append((domain, try domain.refresh(from: database))) }
        } catch {
          errors.append(error)
        }
      }
      state.withLock { state in
        let told = remarks.last ?? state.untold
        state.untold = refreshing ? nil : told
        state.lastError = errors.first ?? told ?? domains.lazy.compactMap(\.damage).first
      }
    }
    tellOfForeignChanges(changes)
    for (domain, byteCount) in sizes { tell { $0.domain(domain, didSave: byteCount) } }
    for error in errors + remarks { ErrorReports.shared.add(error) }
    return errors.first
  }

  package var hasUnsavedChanges: Bool {
    state.withLock { Array($0.domains.values) }.contains { $0.hasUnsavedChanges }
  }
}
