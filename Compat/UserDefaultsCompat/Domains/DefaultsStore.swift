package import DefaultsDatabase
package import DefaultsDomains
import DefaultsFoundation
import Foundation
package import OpenStepPropertyList

/// The domains that one object searches, and the one that it writes.
///
/// The search follows Apple's order: the managed domains, the arguments, the application's domain (or the
/// suite's), the suites that were added, the global domain and the registration domain.
@usableFromInline
package final class DefaultsStore: Sendable {
  /// The database of the object's domains.
  package let user: PersistentDomains
  /// Whether these are the domains that a commit's closure uses.
  ///
  /// A copy of what `user` says, because a retain of that takes long: the database's other objects find it by a weak
  /// reference.
  let isDraft: Bool
  /// The domain that setters write.
  package let application: PersistentDomain
  let process: ProcessDomains
  let managed: PersistentDomains?
  /// The domains that the administrator has set for the application, and for all.
  private let forced: [PersistentDomain]
  let searched: SearchedDomains
  /// The path of `searched`.
  let path: SearchPath
  /// The volatile domains of this object alone, which no lookup searches.
  private let volatile = Lock<[PropertyListKey: [PropertyListKey: PropertyList]]>([:])
  private let refusal = Lock<DatabaseError?>(nil)
  package let observers: KeyObservers
  /// The database's directory, if it has to be removed with this object.
  private let temporaryFolder: TemporaryDirectory?

  init(
    user: PersistentDomains, applicationName: DomainName, process: ProcessDomains,
    managed: PersistentDomains?,
    temporaryFolder: TemporaryDirectory? = nil
  ) {
    self.temporaryFolder = temporaryFolder
    self.user = user
    isDraft = user.isDraft
    self.process = process
    self.managed = managed
    let (application, global) = user.domainAndGlobal(applicationName)
    self.application = application
    application.makePermanent()
    let forced = managed.map { managed in
      // For an application with the global domain's name there is only one file.
      managed.domains(applicationName == .global ? [.global] : [applicationName, .global])
    }
    self.forced = forced ?? []
    let searched = SearchedDomains(
      front: self.forced + [process.argument, application],
      global: global, registration: process.registration)
    self.searched = searched
    path = searched.path
    observers = KeyObservers(in: searched) { [path] key in path.found(for: key) }
    user.followExternalChanges()
    managed?.followExternalChanges()
  }

  deinit {
    guard let temporaryFolder else { return }
    // Otherwise a thread would try to save what is unsaved for as long as the process runs.
    user.leaveDisk()
    temporaryFolder.remove()
  }

  // MARK: - Looking up

  /// The first value for a key along the search.
  package func value(for key: PropertyListKey) -> PropertyList? {
    path.value(for: key)
  }

  /// The first value for a key along the search if it is an integer, 0 if there is none; nil if a lookup
  /// without a lock cannot tell.
  func wholeNumber(for key: String) -> Int? {
    path.wholeNumber(for: key)
  }

  /// The first value for a key along the search, as ``UserDefaults/object(forKey:)`` gives it.
  func object(for key: String) -> Any? {
    path.object(for: key, to: .foundation, FoundationValues.object)
  }

  /// The first value for a key along the search if it is a dictionary.
  func dictionary(for key: String) -> [String: Any]? {
    path.dictionary(for: key, to: .foundation, FoundationValues.object)
  }

  /// The first value for a key along the search if it is an array.
  func array(for key: String) -> [Any]? {
    path.array(for: key, to: .foundation, FoundationValues.object)
  }

  /// The first value for a key along the search if it is data.
  func data(for key: String) -> Data? {
    readData(for: key)?.data
  }

  /// The URL in the archive that is the first value for a key; nil inside for other data,
  /// nil outside for no data.
  func archivedURL(for key: String) -> URL?? {
    readData(for: key).map { $0.archivedURL }
  }

  private func readData(for key: String) -> ReadData? {
    let attachment = path.attachment(toDataFor: key, for: .foundation, FoundationValues.object) {
      ReadData($0, $1)
    }
    // Only this class is attached for this reader.
    return attachment.map { unsafeDowncast($0, to: ReadData.self) }
  }

  /// The first value for a key along the search, as if some domains had pending values.
  ///
  /// - Parameter pending: The pending value of a domain for the key, nil inside for none; nil for a
  ///   domain whose value stays.
  package func value(
    for key: PropertyListKey, pending: (PersistentDomain) -> PropertyList??
  ) -> PropertyList? {
    for domain in searched.all {
      if let value = pending(domain) ?? domain.value(for: key) { return value }
    }
    return nil
  }

  /// The first value for a key along the search, with its domain; nil if it is certain that there is none.
  ///
  /// - Parameter pending: The pending value of a domain for the key, as for ``value(for:pending:)``.
  /// - Throws: the reason if a file that is searched earlier, and may contain the key, could not be read.
  package func certainValue(
    for key: PropertyListKey, pending: (PersistentDomain) -> PropertyList?? = { _ in nil }
  ) throws(DatabaseError) -> (value: PropertyList, domain: DomainName)? {
    for domain in searched.all {
      if let value = pending(domain) ?? domain.value(for: key) { return (value, domain.name) }
      if let error = domain.whyIncomplete { throw error }
    }
    return nil
  }

  /// Where the first value for a key along the search comes from.
  func origin(of key: PropertyListKey) -> DefaultOrigin? {
    for domain in searched.all {
      guard let value = domain.value(for: key) else { continue }
      let isForced = forced.contains { $0 === domain }
      let isVolatile = domain === process.argument || domain === process.registration
      let database = isForced ? managed?.database : isVolatile ? nil : user.database
      return DefaultOrigin(of: value, for: key, in: domain.name, database)
    }
    return nil
  }

  /// All keys with the values that a lookup finds, as ``UserDefaults/object(forKey:)`` gives them.
  var objects: [String: Any] { path.objects(to: .foundation, FoundationValues.object) }

  /// Whether an administrator has set the value of a key, for the application or for all.
  package func isForced(_ key: PropertyListKey) -> Bool {
    forced.contains { $0.value(for: key) != nil }
  }

  /// Whether an administrator has set the value of a key in a domain.
  func isForced(_ key: PropertyListKey, in domain: DomainName) -> Bool {
    managed?.domain(domain).value(for: key) != nil
  }

  // MARK: - Setting

  /// Sets a value in the application's domain, or removes it for nil; false if an administrator has set it.
  func set(_ value: PropertyList?, for key: PropertyListKey) -> Bool {
    guard !refuses(key) else { return false }
    user.set(value, for: key, in: application, observers: observers) { prepareObservers(of: key, for: value) }
    return true
  }

  /// Sets and removes several values of the application's domain at one moment; none if an
  /// administrator has set one of them.
  func set(_ changes: [PropertyListKey: PropertyList?]) -> Bool {
    guard !changes.keys.contains(where: refuses) else { return false }
    for (key, value) in changes { prepareObservers(of: key, for: value) }
    user.set(changes, in: application, observers: observers)
    return true
  }

  /// Prepares the observers that are called before a change, if the value will change.
  func prepareObservers(of key: PropertyListKey, for value: PropertyList?) {
    if observers.wantsPrior(of: key), willChange(key, to: value) { observers.prepare(key) }
  }

  /// Whether an administrator has set the value of a key, which is reported.
  func refuses(_ key: PropertyListKey) -> Bool {
    guard let refusal = refusal(of: key) else { return false }
    report(refusal)
    return true
  }

  /// Why the value of a key cannot be changed; nil if it can.
  package func refusal(of key: PropertyListKey) -> DatabaseError? {
    guard isForced(key) else { return nil }
    return DatabaseError(
      .refused, path: "“\(key.text)”", message: "is set by the administrator for “\(application.name)”",
      advice: "nothing was changed")
  }

  /// Whether a change of a key in the application's domain will change the result of a lookup.
  private func willChange(_ key: PropertyListKey, to value: PropertyList?) -> Bool {
    self.value(for: key, pending: { $0 === application ? .some(value) : nil }) != path.value(for: key)
  }

  /// Adds values to the registration domain, replacing those registered before for the same keys.
  func register(_ values: [PropertyListKey: PropertyList]) {
    process.domains.set(values.mapValues { $0 }, in: process.registration)
  }

  /// Adds a value to the registration domain, unless one is registered for the key already.
  func register(_ value: PropertyList, ifAbsent key: PropertyListKey) {
    if process.registration.value(for: key) == nil { register([key: value]) }
  }

  // MARK: - Domains

  /// Adds a suite to the search, after the other suites.
  func addSuite(_ name: DomainName) {
    searched.add(user.domain(name), for: observers)
  }

  func removeSuite(_ name: DomainName) {
    searched.remove(name, for: observers)
  }

  /// Replaces a persistent domain.
  func replaceDomain(_ name: DomainName, with values: [PropertyListKey: PropertyList]) {
    user.replace(user.domain(name), with: values)
  }

  /// Removes a persistent domain, if there is one.
  func removeDomain(_ name: DomainName) {
    user.remove(name)
  }

  /// The names of all persistent domains, sorted.
  var persistentNames: [String] {
    Set(user.names() + [.global] + (application.exists ? [application.name] : [])).sorted().map(\.text)
  }

  /// The values of a volatile domain; nil if there is none of that name.
  func volatileValues(_ name: String) -> [PropertyListKey: PropertyList]? {
    process.domain(named: name)?.values ?? volatile.withLock { $0[PropertyListKey(name)] }
  }

  func setVolatile(_ values: [PropertyListKey: PropertyList], for name: String) {
    if let domain = process.domain(named: name) {
      process.domains.replace(domain, with: values)
    } else {
      // Released outside of the lock, since many values take long.
      _ = volatile.withLock { $0.updateValue(values, forKey: PropertyListKey(name)) }
    }
  }

  func removeVolatile(_ name: String) {
    if process.domain(named: name) != nil {
      setVolatile([:], for: name)
    } else {
      _ = volatile.withLock { $0.removeValue(forKey: PropertyListKey(name)) }
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

  /// The last refused call since the last synchronize; nil for none.
  var lastRefusal: DatabaseError? { refusal.withLock { $0 } }

  /// Reports a refused call.
  package func report(_ error: DatabaseError) {
    refusal.withLock { $0 = error }
    ErrorReports.shared.add(error)
  }

  /// Reports the keys that an administrator has set in a domain, so that their new values are hidden.
  func reportForcedKeys(_ keys: some Sequence<PropertyListKey>, in domain: DomainName) {
    guard let forced = managed?.domain(domain) else { return }
    for key in keys where forced.value(for: key) != nil {
      report(
        DatabaseError(
          .hidden, path: "“\(key.text)”", message: "is set by the administrator for “\(domain)”",
          advice: "the value that was set is stored, but hidden"))
    }
  }

  /// Writes unsaved changes and reads external ones.
  func synchronize() -> Bool {
    refusal.withLock { $0 = nil }
    return user.save(andRefresh: true, of: [application] + searched.suites + [searched.global]) == nil
  }
}
