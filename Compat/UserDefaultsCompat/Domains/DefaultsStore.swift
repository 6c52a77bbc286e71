package import DefaultsDatabase
import Foundation
package import OpenStepDefaults
package import OpenStepPropertyList

/// What one object searches, and where it writes.
///
/// The search goes, in Apple's order, through the managed domains, the arguments, the application's
/// domain (or the suite's), the suites that were added, the global domain and the registration
/// domain.
package final class DefaultsStore: Sendable {
  /// The database in which the object's domains lie.
  package let user: PersistentDomains
  /// The domain that setters write.
  package let application: PersistentDomain
  let process: ProcessDomains
  private let managed: PersistentDomains?
  private let list: Lock<SearchList>
  /// Those of the list.
  private let (path, unregisteredPath): (SearchPath, SearchPath)
  /// The volatile domains of this object alone, which no lookup finds.
  private let volatile = Lock<[PropertyListKey: [PropertyListKey: PropertyList]]>([:])
  private let refusal = Lock<DatabaseError?>(nil)
  package let observers: KeyObservers
  let sizeMonitor = SizeMonitor()
  /// The folder of the database, where it is to be removed with this object.
  private let temporaryFolder: URL?

  private struct SearchList: Sendable {
    let front: [PersistentDomain]
    private(set) var suites: [PersistentDomain] = []
    let global: PersistentDomain
    let registration: PersistentDomain
    /// All domains, for lookups, and those before the registration domain.
    let path = SearchPath()
    let unregisteredPath = SearchPath()

    init(front: [PersistentDomain], global: PersistentDomain, registration: PersistentDomain) {
      self.front = front
      self.global = global
      self.registration = registration
      setSuites([])
    }

    var all: [PersistentDomain] { front + suites + [global, registration] }

    mutating func setSuites(_ suites: [PersistentDomain]) {
      self.suites = suites
      path.set(all.map(SearchPath.Domain.persistent))
      unregisteredPath.set(all.dropLast().map(SearchPath.Domain.persistent))
    }
  }

  init(
    user: PersistentDomains, applicationName: DomainName, process: ProcessDomains,
    managed: PersistentDomains?,
    temporaryFolder: URL? = nil
  ) {
    self.temporaryFolder = temporaryFolder
    self.user = user
    self.process = process
    self.managed = managed
    application = user.domain(applicationName)
    application.makePermanent()
    let forced = managed.map { managed in
      // Of an application that bears the global domain's name there is one file only.
      (applicationName == .global ? [.global] : [applicationName, .global]).map(managed.domain)
    }
    let list =
      SearchList(
        front: (forced ?? []) + [process.argument, application],
        global: user.domain(.global), registration: process.registration)
    self.list = Lock(list)
    (path, unregisteredPath) = (list.path, list.unregisteredPath)
    observers = KeyObservers { key in list.path.value(for: key) }
    for domains in [user, process.domains] + (managed.map { [$0] } ?? []) {
      domains.add(self)
      domains.followOutsideChanges()
    }
  }

  deinit {
    guard let temporaryFolder else { return }
    // Else a save that is under way would make the folder again.
    user.leaveDisk()
    // What cannot be removed lies among the temporary files, which the system removes some day.
    try? FileManager.default.removeItem(at: temporaryFolder)
  }

  // MARK: - Looking up

  /// The first value for a key in the order of the search.
  package func value(for key: PropertyListKey) -> PropertyList? {
    path.value(for: key)
  }

  /// The first value for a key in the order of the search if it is a whole number, 0 where there is none; nil where
  /// that is not to be told at once.
  func wholeNumber(for key: String) -> Int? {
    path.wholeNumber(for: key)
  }

  /// The first value for a key in the order of the search, as ``UserDefaults/object(forKey:)`` gives it.
  func object(for key: String) -> Any? {
    path.object(for: key, to: .foundation, FoundationValues.object)
  }

  /// The first value for a key in the order of the search if it is a dictionary.
  func dictionary(for key: String) -> [String: Any]? {
    path.dictionary(for: key, to: .foundation, FoundationValues.object)
  }

  /// The first value for a key in the order of the search if it is an array.
  func array(for key: String) -> [Any]? {
    path.array(for: key, to: .foundation, FoundationValues.object)
  }

  /// The first value for a key that is not in the registration domain.
  package func unregisteredValue(for key: PropertyListKey) -> PropertyList? {
    unregisteredPath.value(for: key)
  }

  /// The first value for a key in the order of the search, and whose it is; nil where it is certain that there is none.
  ///
  /// - Throws: why a file that comes first in the search, and may hold the key, could not be read.
  package func certainValue(
    for key: PropertyListKey
  ) throws(DatabaseError) -> (value: PropertyList, domain: DomainName)? {
    for domain in list.withLock({ $0.all }) {
      if let value = domain.value(for: key) { return (value, domain.name) }
      if let doubt = domain.doubt { throw doubt }
    }
    return nil
  }

  /// All keys with the values that a lookup finds.
  var union: [PropertyListKey: PropertyList] { path.union }

  /// Whether an administrator has set the value of a key, for the application or for all.
  package func isForced(_ key: PropertyListKey) -> Bool {
    isForced(key, in: application.name) || isForced(key, in: .global)
  }

  /// Whether an administrator has set the value of a key in a domain.
  func isForced(_ key: PropertyListKey, in domain: DomainName) -> Bool {
    managed?.domain(domain).value(for: key) != nil
  }

  // MARK: - Setting

  /// Sets a value in the application's domain, or removes it for nil; false where an administrator set it.
  func set(_ value: PropertyList?, for key: PropertyListKey) -> Bool {
    guard !refuses(key) else { return false }
    if observers.wantsPrior(of: key), willChange(key, to: value) { observers.prepare(key) }
    let isChanged = observers.noting(CollectionOfOne(key)) {
      value.map { application.set($0, for: key) } ?? application.remove(key)
    }
    if isChanged { user.changed(application, .one(key)) }
    return true
  }

  /// Sets and removes several values of the application's domain at one moment; none if an administrator set one.
  func set(_ changes: [PropertyListKey: PropertyList?]) -> Bool {
    guard !changes.keys.contains(where: refuses) else { return false }
    for (key, value) in changes where observers.wantsPrior(of: key) && willChange(key, to: value) {
      observers.prepare(key)
    }
    let changed = observers.noting(changes.keys) { application.apply(changes) }
    if !changed.isEmpty { user.changed(application, .several(changed)) }
    return true
  }

  /// Whether an administrator set the value of a key, of which it tells.
  private func refuses(_ key: PropertyListKey) -> Bool {
    guard isForced(key) else { return false }
    report(
      DatabaseError(
        .refused, path: "“\(key.text)”", message: "is set by the administrator for “\(application.name)”",
        advice: "nothing was changed"))
    return true
  }

  /// Whether a lookup will find something else once the application's domain has a value, or none for nil.
  private func willChange(_ key: PropertyListKey, to value: PropertyList?) -> Bool {
    let domains = list.withLock { $0.all }
    for domain in domains {
      let next = domain === application ? value : domain.value(for: key)
      if let next { return next != path.value(for: key) }
    }
    return path.value(for: key) != nil
  }

  /// Adds values to the registration domain, over those registered before under the same keys.
  func register(_ values: [PropertyListKey: PropertyList]) {
    for (key, value) in values { _ = process.registration.set(value, for: key) }
    process.domains.changed(process.registration, .several(Set(values.keys)))
  }

  // MARK: - Domains

  /// Searches a suite, after those that are searched already.
  func addSuite(_ name: DomainName) {
    let suite = user.domain(name)
    list.withLock { list in
      guard !list.all.contains(where: { $0 === suite }) else { return }
      list.setSuites(list.suites + [suite])
    }
    observers.check(.any)
  }

  func removeSuite(_ name: DomainName) {
    list.withLock { list in
      list.setSuites(list.suites.filter { $0.name != name })
    }
    observers.check(.any)
  }

  /// Replaces a persistent domain.
  func replaceDomain(_ name: DomainName, with values: [PropertyListKey: PropertyList]) {
    let domain = user.domain(name)
    domain.replaceAll(with: values)
    user.changed(domain, .any)
  }

  /// Removes a persistent domain; nothing where there is none.
  func removeDomain(_ name: DomainName) {
    if let domain = user.remove(name) { user.changed(domain, .any) }
  }

  /// The names of all persistent domains, sorted.
  var persistentNames: [String] {
    Set(user.names() + [.global] + (application.exists ? [application.name] : [])).sorted().map(\.text)
  }

  /// The values of a volatile domain; nil where there is none of that name.
  func volatileValues(_ name: String) -> [PropertyListKey: PropertyList]? {
    process.domain(named: name)?.values ?? volatile.withLock { $0[PropertyListKey(name)] }
  }

  func setVolatile(_ values: [PropertyListKey: PropertyList], for name: String) {
    if let domain = process.domain(named: name) {
      domain.replaceAll(with: values)
      process.domains.changed(domain, .any)
    } else {
      volatile.withLock { $0[PropertyListKey(name)] = values }
    }
  }

  func removeVolatile(_ name: String) {
    if process.domain(named: name) != nil {
      setVolatile([:], for: name)
    } else {
      volatile.withLock { $0[PropertyListKey(name)] = nil }
    }
  }

  var volatileNames: [String] {
    let own = volatile.withLock { Array($0.keys) }
    let shared = [process.argument, process.registration].map { PropertyListKey($0.name.text) }
    return (own + shared).sorted().map(\.text)
  }

  // MARK: - Errors

  /// Why the last attempt to read or write failed, or the last call was refused; else nil.
  var lastError: DatabaseError? {
    refusal.withLock { $0 } ?? user.lastError ?? managed?.lastError
  }

  /// Tells of a call that was refused.
  func report(_ error: DatabaseError) {
    refusal.withLock { $0 = error }
    ErrorReports.shared.add(error)
  }

  /// Tells of the keys that an administrator has set in a domain, whose new values nobody will see.
  func reportForcedKeys(_ keys: some Sequence<PropertyListKey>, in domain: DomainName) {
    for key in keys where isForced(key, in: domain) {
      report(
        DatabaseError(
          .hidden, path: "“\(key.text)”", message: "is set by the administrator for “\(domain)”",
          advice: "the value that was set is stored, and hidden by that one"))
    }
  }

  /// Writes what is unsaved and reads what others changed.
  func synchronize() -> Bool {
    refusal.withLock { $0 = nil }
    return user.save(andRefresh: true) == nil
  }
}

extension DefaultsStore: DomainListener {
  package func domain(_ domain: PersistentDomain, didChange keys: ChangedKeys) {
    observers.check(keys)
  }

  package func domain(_ domain: PersistentDomain, didSave byteCount: Int) {
    if domain === application { sizeMonitor.fileWasSaved(byteCount) }
  }
}
