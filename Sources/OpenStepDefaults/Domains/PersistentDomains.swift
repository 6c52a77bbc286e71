import DefaultsDatabase
import OpenStepPropertyList

/// The persistent domains of one database, shared by every object of the process that uses it.
final class PersistentDomains: Sendable {
  /// The files beneath, or nil for domains that live in memory only.
  let database: UserDatabase?
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
  }

  /// The domains of a database that no other object shares; nil for domains that live in memory only.
  init(database: UserDatabase?) {
    self.database = database
    disk = QueueLock(database)
  }

  // MARK: - One per directory

  private struct Weak: Sendable {
    weak var domains: PersistentDomains?
  }

  private static let byDirectory = Lock<[String: Weak]>([:])

  /// The domains of a directory: always the same object while anyone uses it.
  static func at(directory: String) -> PersistentDomains {
    byDirectory.withLock { known in
      if let domains = known[directory]?.domains { return domains }
      let domains = PersistentDomains(database: UserDatabase(directory: directory))
      known = known.filter { $0.value.domains != nil }
      known[directory] = Weak(domains: domains)
      return domains
    }
  }

  // MARK: - In memory

  private func known(_ name: DomainName) -> PersistentDomain? {
    state.withLock { $0.domains[name] }
  }

  /// The domain of a name; its file is read the first time.
  func domain(_ name: DomainName) -> PersistentDomain {
    if let domain = known(name) { return domain }
    return disk.withLock { database in domain(name, readFrom: database) }
  }

  /// Reads the files of domains that are new here, for which it waits once at most.
  func read(_ names: [DomainName]) {
    if names.allSatisfy({ known($0) != nil }) { return }
    disk.withLock { database in
      for name in names { _ = domain(name, readFrom: database) }
    }
  }

  /// The domain of a name, for who has the disk.
  private func domain(_ name: DomainName, readFrom database: UserDatabase?) -> PersistentDomain {
    if let domain = known(name) { return domain }
    let domain = PersistentDomain(name: name)
    if let database {
      do throws(DatabaseError) {
        _ = try domain.refresh(from: database)
        if let damage = domain.damage { note(damage) }
      } catch {
        note(error)
      }
    }
    // Not before it is read: nobody may take an unread domain for an empty one.
    state.withLock { $0.domains[name] = domain }
    return domain
  }

  /// Removes a domain, also one that others made since the last look, and gives it; nil where there is none.
  func remove(_ name: DomainName) -> PersistentDomain? {
    if let domain = known(name), domain.removeAll() { return domain }
    do throws(DatabaseError) {
      _ = try refreshedDomain(name)
    } catch {
      note(error)
    }
    guard let domain = known(name), domain.removeAll() else { return nil }
    return domain
  }

  /// How often reading the files has brought others' changes.
  var foreignChanges: Int {
    state.withLock { $0.foreignChanges }
  }

  /// Why the last attempt to read or write failed, or where it put a damaged file; nil where all went well.
  var lastError: DatabaseError? {
    state.withLock { $0.lastError }
  }

  /// The names of all domains that have a file or exist in memory, sorted.
  func names() -> [DomainName] {
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

  // MARK: - On disk

  /// The domain of a name, with its file read again if it changed.
  func refreshedDomain(_ name: DomainName) throws(DatabaseError) -> PersistentDomain {
    try disk.withLock { database throws(DatabaseError) in
      let domain = domain(name, readFrom: database)
      if let database, try domain.refresh(from: database) { state.withLock { $0.foreignChanges += 1 } }
      return domain
    }
  }

  /// Writes the unsaved changes of every domain, and reads again what others changed if asked to.
  ///
  /// - Returns: The first error, rather of writing than of reading; or nil. The changes that could not
  ///   be written are kept.
  @discardableResult
  func save(andRefresh refreshing: Bool) -> DatabaseError? {
    // Set before it waits for other threads.
    let deadline = Synchronizer.shared.deadline
    return disk.withLock { database in
      guard let database else { return nil }
      let domains = state.withLock { $0.domains.values.sorted { $0.name < $1.name } }
      var writeError: DatabaseError?
      var readError: DatabaseError?
      var remark: DatabaseError?
      var isChanged = false
      for domain in domains {
        do throws(DatabaseError) {
          remark = try domain.save(to: database, deadline: deadline) ?? remark
        } catch {
          writeError = writeError ?? error
          continue
        }
        do throws(DatabaseError) {
          if refreshing, try domain.refresh(from: database) { isChanged = true }
        } catch {
          readError = readError ?? error
        }
      }
      let error = writeError ?? readError
      state.withLock { state in
        let told = remark ?? state.untold
        state.untold = refreshing ? nil : told
        state.lastError = error ?? told ?? domains.lazy.compactMap(\.damage).first
        if isChanged { state.foreignChanges += 1 }
      }
      return error
    }
  }

  var hasUnsavedChanges: Bool {
    state.withLock { Array($0.domains.values) }.contains { $0.hasUnsavedChanges }
  }

  private func note(_ error: DatabaseError) {
    state.withLock { $0.lastError = error }
  }
}
