import DefaultsDatabase
import OpenStepPropertyList

/// The persistent domains of one database, shared by every object of the process that uses it.
final class PersistentDomains: Sendable {
  /// The files beneath, or nil for domains that live in memory only.
  let database: UserDatabase?
  private let state = Lock(State())
  /// Held while files are read or written; taken before any other lock, never after.
  private let disk: Lock<UserDatabase?>

  private struct State {
    var domains: [DomainName: PersistentDomain] = [:]
    var foreignChanges = 0
    var lastError: DatabaseError?
  }

  /// The domains of a database that no other object shares; nil for domains that live in memory only.
  init(database: UserDatabase?) {
    self.database = database
    disk = Lock(database)
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

  /// The domain of a name; its file is read the first time.
  func domain(_ name: DomainName) -> PersistentDomain {
    let (domain, isNew) = state.withLock { state in
      if let domain = state.domains[name] { return (domain, false) }
      let domain = PersistentDomain(name: name)
      state.domains[name] = domain
      return (domain, true)
    }
    if isNew {
      disk.withLock { database in
        do throws(DatabaseError) {
          if let database { _ = try domain.refresh(from: database) }
        } catch {
          note(error)
        }
      }
    }
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
    var onDisk: [DomainName] = []
    do throws(DatabaseError) {
      onDisk = try database?.domainNames() ?? []
    } catch {
      note(error)
    }
    let inMemory = state.withLock { Array($0.domains.values) }
    let removed = Set(inMemory.filter(\.awaitsRemoval).map(\.name))
    return Set(onDisk).subtracting(removed).union(inMemory.filter(\.exists).map(\.name)).sorted()
  }

  // MARK: - On disk

  /// Reads a domain's file again if it changed.
  func refresh(_ domain: PersistentDomain) throws(DatabaseError) {
    let isChanged = try disk.withLock { database throws(DatabaseError) in
      try database.map { database throws(DatabaseError) in try domain.refresh(from: database) } ?? false
    }
    if isChanged { state.withLock { $0.foreignChanges += 1 } }
  }

  /// Writes the unsaved changes of every domain, and reads again what others changed if asked to.
  ///
  /// - Returns: The first error, or nil. The changes that could not be written are kept.
  @discardableResult
  func save(andRefresh refreshing: Bool) -> DatabaseError? {
    disk.withLock { database in
      guard let database else { return nil }
      let domains = state.withLock { Array($0.domains.values) }
      var firstError: DatabaseError?
      var remark: DatabaseError?
      var isChanged = false
      for domain in domains {
        do throws(DatabaseError) {
          // Twice where a file broke since the last look: see PersistentDomain.save.
          for _ in 0..<2 {
            remark = try domain.save(to: database) ?? remark
          }
          if refreshing, try domain.refresh(from: database) { isChanged = true }
        } catch {
          firstError = firstError ?? error
        }
      }
      state.withLock { state in
        state.lastError = firstError ?? remark
        if isChanged { state.foreignChanges += 1 }
      }
      return firstError
    }
  }

  var hasUnsavedChanges: Bool {
    state.withLock { Array($0.domains.values) }.contains { $0.hasUnsavedChanges }
  }

  private func note(_ error: DatabaseError) {
    state.withLock { $0.lastError = error }
  }
}
