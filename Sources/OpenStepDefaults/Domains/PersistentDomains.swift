package import DefaultsDatabase
import OpenStepPropertyList

/// The persistent domains of one database, shared by every object of the process that uses it.
package final class PersistentDomains: Sendable {
  /// The files beneath, or nil for domains that live in memory only.
  package let database: UserDatabase?
  private let state = Lock(State())
  /// Held while files are read or written; taken before any other lock, never after.
  ///
  /// Whoever has it may wait for another process, but only until a time set before it was asked for.
  /// As it is given in order, nobody waits for it longer than for another process.
  private let disk: QueueLock<Disk>

  // Locks have states of their own types throughout: those of the library's generic types would have to be made
  // when the process begins, at some microseconds each.
  private struct Disk {
    var database: UserDatabase?
  }

  private struct State {
    var domains = DomainMap<PersistentDomain>()
    var foreignChanges = 0
    var lastError: DatabaseError?
    /// Where a save that nobody called put a damaged file, until a synchronize has told.
    var untold: DatabaseError?
    var listeners: [Listener] = []
    /// At how many listeners those that are gone are sorted out, so that adding many takes linear time.
    var sweepCount = 16
    var watcher: DatabaseWatcher?
    var hasLeftDisk = false
  }

  private struct Listener: Sendable {
    weak var listener: (any DomainListener)?
  }

  /// The domains of a database that no other object shares; nil for domains that live in memory only.
  package init(database: UserDatabase?) {
    self.database = database
    disk = QueueLock(Disk(database: database))
  }

  // MARK: - One per directory

  // A process has a few at most; for a dictionary the runtime would look through all types that can be
  // keys, which takes as long as all else that comes before the first lookup.
  private static let known = Lock(KnownDirectories())

  private struct KnownDirectories {
    var all: [WeakReference] = []
  }

  /// The domains of a directory: always the same object while anyone uses it.
  package static func at(directory: String, dialect: DatabaseDialect = .openStep) -> PersistentDomains {
    // As bytes: directories whose names are two spellings of the same characters are two.
    let place = PropertyListKey(directory)
    // Not let go of under the lock, where their ends would run if nobody else has them any more.
    var others: [PersistentDomains] = []
    defer { withExtendedLifetime(others) {} }
    return known.withLock { known in
      for reference in known.all {
        guard let domains = reference.object as? PersistentDomains, let database = domains.database else {
          continue
        }
        if database.dialect == dialect, PropertyListKey(database.directory) == place { return domains }
        others.append(domains)
      }
      let domains = PersistentDomains(database: UserDatabase(directory: directory, dialect: dialect))
      known.all.removeAll { $0.object == nil }
      known.all.append(WeakReference(domains))
      return domains
    }
  }

  // MARK: - In memory

  private func known(_ name: DomainName) -> PersistentDomain? {
    state.withLock { $0.domains[PropertyListKey(name.text)] }
  }

  /// The domain of a name; its file is read the first time.
  package func domain(_ name: DomainName) -> PersistentDomain {
    if let domain = known(name) { return domain }
    var errors: [DatabaseError] = []
    let domain = disk.withLock { disk in open(name, in: disk.database, &errors) }
    if !errors.isEmpty { note(errors) }
    return domain
  }

  /// Reads the files of domains that are new here, for which it waits once at most; names that no domain can
  /// have are passed over.
  func read(_ names: [String]) {
    let isNew = names.contains { name in (try? DomainName(name)).map { known($0) == nil } ?? false }
    guard isNew else { return }
    var errors: [DatabaseError] = []
    disk.withLock { disk in
      var isPathChecked = false
      for name in names {
        guard let name = try? DomainName(name) else { continue }
        _ = open(name, in: disk.database, isPathChecked: &isPathChecked, &errors)
      }
    }
    if !errors.isEmpty { note(errors) }
  }

  /// The domain of a name, for who has the disk.
  private func open(
    _ name: DomainName, in database: UserDatabase?, _ errors: inout [DatabaseError]
  ) -> PersistentDomain {
    var isPathChecked = false
    return open(name, in: database, isPathChecked: &isPathChecked, &errors)
  }

  /// The same of one of several, which have one way to walk.
  private func open(
    _ name: DomainName, in database: UserDatabase?, isPathChecked: inout Bool, _ errors: inout [DatabaseError]
  ) -> PersistentDomain {
    if let domain = known(name) { return domain }
    let domain = PersistentDomain(name: name)
    if let database {
      do throws(DatabaseError) {
        let isSound = try domain.load(from: database, isPathChecked: isPathChecked)
        isPathChecked = true
        if !isSound, let damage = domain.damage { errors.append(damage) }
      } catch {
        errors.append(error)
      }
    }
    // Not before it is read: nobody may take an unread domain for an empty one.
    state.withLock { $0.domains[PropertyListKey(name.text)] = domain }
    return domain
  }

  /// Removes a domain, also one that others made since the last look, and gives it; nil where there is none.
  package func remove(_ name: DomainName) -> PersistentDomain? {
    if let domain = known(name), domain.removeAll() { return domain }
    do throws(DatabaseError) {
      _ = try refreshedDomain(name)
    } catch {
      note([error])
    }
    guard let domain = known(name), domain.removeAll() else { return nil }
    return domain
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
    let removed = state.withLock { $0.domains.domains }.filter(\.awaitsRemoval).map(\.name)
    var onDisk: [DomainName] = []
    do throws(DatabaseError) {
      onDisk = try database?.domainNames() ?? []
    } catch {
      note([error])
    }
    let inMemory = state.withLock { $0.domains.domains }
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
  package func changed(_ domain: PersistentDomain, _ keys: ChangedKeys) {
    Synchronizer.shared.changesWereMade(in: self)
    tell { $0.domain(domain, didChange: keys) }
  }

  private func tell(_ body: (any DomainListener) -> Void) {
    let listeners = state.withLock { $0.listeners }
    var goneCount = 0
    for listener in listeners {
      if let listener = listener.listener { body(listener) } else { goneCount += 1 }
    }
    if goneCount > listeners.count / 2 { state.withLock { $0.listeners.removeAll { $0.listener == nil } } }
  }

  /// Takes note of errors and tells of them; no lock may be held, for who is told may do anything.
  private func note(_ errors: [DatabaseError]) {
    guard let last = errors.last else { return }
    state.withLock { $0.lastError = last }
    for error in errors { ErrorReports.shared.add(error) }
  }

  // MARK: - On disk

  /// From now on neither reads nor writes a file; what is in memory stays there.
  package func leaveDisk() {
    state.withLock { state in
      state.watcher = nil
      state.hasLeftDisk = true
    }
    disk.withLock { $0.database = nil }
  }

  /// From now on reads what other processes change soon after they did, and not at a synchronize only.
  package func followOutsideChanges() {
    guard let database else { return }
    state.withLock { state in
      guard state.watcher == nil else { return }
      state.watcher = DatabaseWatcher(of: database) { [weak self] in self?.refreshAll() }
    }
  }

  /// The domain of a name, with its file read again if it changed.
  func refreshedDomain(_ name: DomainName) throws(DatabaseError) -> PersistentDomain {
    var errors: [DatabaseError] = []
    defer { note(errors) }
    let (domain, keys) = try disk.withLock { disk throws(DatabaseError) in
      let domain = open(name, in: disk.database, &errors)
      guard let database = disk.database else { return (domain, Set<PropertyListKey>()) }
      return (domain, try domain.refresh(from: database))
    }
    tellOfForeignChanges([(domain, keys)])
    return domain
  }

  /// Reads every file again that changed.
  private func refreshAll() {
    var changes: [(PersistentDomain, Set<PropertyListKey>)] = []
    var errors: [DatabaseError] = []
    disk.withLock { disk in
      guard let database = disk.database else { return }
      let domains = state.withLock { $0.domains.domains }
      for domain in domains {
        let known = domain.fault
        do throws(DatabaseError) {
          changes.append((domain, try domain.refresh(from: database)))
        } catch {
          // Told below, unless it is known: this is called at every change of any file.
        }
        if let fault = domain.fault, fault != known { errors.append(fault) }
      }
      // What could not be read can be now; what could not be written is no better for that.
      guard domains.allSatisfy({ $0.fault == nil && !$0.hasUnsavedChanges }) else { return }
      state.withLock { $0.lastError = $0.untold }
    }
    tellOfForeignChanges(changes)
    note(errors)
  }

  private func tellOfForeignChanges(_ changes: [(domain: PersistentDomain, keys: Set<PropertyListKey>)]) {
    let changes = changes.filter { !$0.keys.isEmpty }
    guard !changes.isEmpty else { return }
    state.withLock { $0.foreignChanges += 1 }
    for (domain, keys) in changes { tell { $0.domain(domain, didChange: .several(keys)) } }
  }

  /// Writes the unsaved changes of every domain, and reads again what others changed if asked to.
  ///
  /// - Returns: The first error, rather of writing than of reading; or nil. The changes that could not
  ///   be written are kept.
  @discardableResult
  package func save(andRefresh refreshing: Bool) -> DatabaseError? {
    // Set before it waits for other threads.
    let deadline = Synchronizer.shared.deadline
    var outcome = Outcome()
    disk.withLock { disk in
      guard let database = disk.database else { return }
      let domains = state.withLock { $0.domains.domains }
      for domain in domains {
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
        state.lastError = outcome.first ?? told ?? domains.lazy.compactMap(\.fault).first
      }
    }
    tellOfForeignChanges(outcome.changes)
    for (domain, byteCount) in outcome.sizes { tell { $0.domain(domain, didSave: byteCount) } }
    for error in outcome.writeErrors + outcome.readErrors + outcome.remarks { ErrorReports.shared.add(error) }
    return outcome.first
  }

  /// What came of a save, to be told when the disk is free again.
  private struct Outcome {
    var writeErrors: [DatabaseError] = []
    var readErrors: [DatabaseError] = []
    var remarks: [DatabaseError] = []
    var sizes: [(PersistentDomain, Int)] = []
    var changes: [(domain: PersistentDomain, keys: Set<PropertyListKey>)] = []

    var first: DatabaseError? { writeErrors.first ?? readErrors.first }
  }

  /// Whether there are changes that are to be saved and are not yet.
  package var hasUnsavedChanges: Bool {
    state.withLock { $0.hasLeftDisk ? [] : $0.domains.domains }.contains { $0.hasUnsavedChanges }
  }
}
