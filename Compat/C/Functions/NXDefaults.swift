import DefaultsDatabase
import DefaultsDomains
import Foundation
import OpenStepPropertyList

/// The engine and the cache of NeXT's functions.
///
/// The lock is held neither while a file is read or written nor while a large value is parsed or printed, nor while the
/// program's observers are called, which may call these functions. It comes before those of the engine.
final class NXDefaults: Sendable {
  static let shared = NXDefaults()

  /// The user's name and database at the start, which `NXSetDefaultsUser` finds again.
  private let ownUser = NSUserName()
  private let ownDatabase = PersistentDomains.inDirectory(named: nil)
  /// What follows a name on the command line, as it is.
  private let arguments = ArgumentDomain.texts(of: CommandLine.arguments)
  private let state: Lock<State>

  private struct State {
    var user: String
    var database: PersistentDomains
    /// The domains that were used, retained so that each is not read anew.
    var domains: [DomainName: PersistentDomain] = [:]
    var cache: [NXParameter: NXCachedValue] = [:]
    var texts = NXReturnedTexts()

    /// The value that the cache has for a parameter.
    mutating func pointer(toCached parameter: NXParameter) -> UnsafePointer<CChar>? {
      cache[parameter].flatMap { texts.pointer(to: $0.text) }
    }

    /// Updates a parameter of the cache; false if it has the same value as before.
    mutating func update(_ parameter: NXParameter, to texts: NXStoredTexts.Texts) -> Bool {
      guard var entry = cache[parameter] else { return false }
      let isChanged = entry.update(own: texts.own, global: texts.global)
      cache[parameter] = entry
      return isChanged
    }
  }

  private init() {
    state = Lock(State(user: ownUser, database: ownDatabase))
  }

  // MARK: - The database

  private var database: PersistentDomains { state.withLock { $0.database } }

  /// A domain whose file is read again if it has changed, and why not all of it is known; nil if it is.
  private func refreshed(
    _ owner: DomainName, in database: PersistentDomains
  ) -> (domain: PersistentDomain, error: DatabaseError?) {
    let domain = database.domain(owner)
    state.withLock { if $0.database === database { $0.domains[owner] = domain } }
    do throws(DatabaseError) {
      _ = try database.refreshedDomain(owner)
      return (domain, domain.whyIncomplete)
    } catch {
      ErrorReports.shared.add(error)
      return (domain, error)
    }
  }

  /// Saves a change of some parameters, and puts into the cache, at one moment, what the database has for them by then.
  ///
  /// - Throws: ``Refusal/failed(_:)`` if the change is not on the disk.
  private func save(
    _ names: [PropertyListKey], in domain: PersistentDomain, of database: PersistentDomains
  ) throws(Refusal) {
    let error = database.save(andRefresh: true, of: [domain])
    let stored = NXStoredTexts(of: names, in: domain)
    state.withLock { state in
      guard state.database === database else { return }
      for (name, texts) in zip(names, stored.present) {
        let parameter = NXParameter(owner: domain.name, name: name)
        state.cache[parameter] = texts.own.map { NXCachedValue($0, stored: $0) }
      }
    }
    // The error may be another domain's.
    if let error, domain.hasUnsavedChanges { throw .failed("\(error)") }
  }

  // MARK: - Reading

  /// Puts parameters of an owner, with the values that the program gives, into the cache.
  ///
  /// - Throws: ``Refusal/failed(_:)`` after that, if the database could not be read.
  func register(
    _ defaults: [(name: PropertyListKey, value: String?)], of owner: DomainName
  ) throws(Refusal) {
    let database = database
    let (own, ownError) = refreshed(owner, in: database)
    let (global, globalError) = owner == .global ? (own, nil) : refreshed(.global, in: database)
    let stored = NXStoredTexts(of: defaults.map(\.name), in: own, behind: global)
    state.withLock { state in
      guard state.database === database else { return }
      for ((name, value), texts) in zip(defaults, stored.present) {
        let entry: NXCachedValue? =
          if let text = arguments[name] ?? texts.own {
            NXCachedValue(text, stored: texts.own)
          } else if let text = texts.global {
            NXCachedValue(text, stored: nil, isGlobal: true)
          } else {
            value.map { NXCachedValue($0, stored: nil) }
          }
        state.cache[NXParameter(owner: owner, name: name)] = entry
      }
    }
    if let error = ownError ?? globalError { throw .failed("\(error)") }
  }

  func value(of parameter: NXParameter) -> UnsafePointer<CChar>? {
    let database = database
    if let text = state.withLock({ $0.pointer(toCached: parameter) }) { return text }
    let own = refreshed(parameter.owner, in: database).domain
    // Before the lock is taken, because a file may have to be read.
    let global = parameter.owner == .global ? own : refreshed(.global, in: database).domain
    let stored = NXStoredTexts(of: [parameter.name], in: own, behind: global)
    return state.withLock { state in
      // Another thread may have cached it, or changed the user.
      guard state.database === database, state.cache[parameter] == nil else {
        return state.pointer(toCached: parameter)
      }
      let texts = stored.present[0]
      if let text = texts.own {
        state.cache[parameter] = NXCachedValue(text, stored: text)
      } else if let text = state.pointer(toCached: NXParameter(owner: .global, name: parameter.name)) {
        return text
      } else if let text = texts.global {
        state.cache[parameter] = NXCachedValue(text, stored: nil, isGlobal: true)
      }
      return state.pointer(toCached: parameter)
    }
  }

  /// The value in the database, whatever the cache has.
  func storedValue(of parameter: NXParameter) -> UnsafePointer<CChar>? {
    let domain = refreshed(parameter.owner, in: database).domain
    return NXStoredTexts(of: [parameter.name], in: domain).present[0].own.flatMap { text in
      state.withLock { $0.texts.pointer(to: text) }
    }
  }

  /// Updates a parameter of the cache.
  ///
  /// - Returns: The value if it is a new one.
  func update(_ parameter: NXParameter) -> UnsafePointer<CChar>? {
    guard state.withLock({ $0.cache[parameter] != nil }) else { return nil }
    let database = database
    let own = refreshed(parameter.owner, in: database).domain
    let global = refreshed(.global, in: database).domain
    let stored = NXStoredTexts(of: [parameter.name], in: own, behind: global)
    return state.withLock { state in
      guard state.database === database, state.update(parameter, to: stored.present[0]) else {
        return nil
      }
      return state.pointer(toCached: parameter)
    }
  }

  /// Updates all parameters of the cache, those of an owner at one moment. O(n) in their number.
  func updateAll() {
    let database = database
    let owners = state.withLock { Set($0.cache.keys.map(\.owner)) }
    if owners.isEmpty { return }
    let domains = owners.map { ($0, refreshed($0, in: database).domain) }
    let global = refreshed(.global, in: database).domain
    // Asked for after the files were read: what another thread adds later is up to date.
    let known = Dictionary(grouping: state.withLock { Array($0.cache.keys) }, by: \.owner)
    for (owner, own) in domains {
      guard let parameters = known[owner] else { continue }
      let stored = NXStoredTexts(of: parameters.map(\.name), in: own, behind: global)
      state.withLock { state in
        guard state.database === database else { return }
        for (parameter, texts) in zip(parameters, stored.present) { _ = state.update(parameter, to: texts) }
      }
    }
  }

  // MARK: - Writing

  /// Puts a value into the cache only.
  func set(_ text: String, for parameter: NXParameter) {
    let database = database
    let own = refreshed(parameter.owner, in: database).domain
    cache([parameter.name: text], of: own, in: database)
  }

  /// Puts values into the cache at one moment.
  private func cache(
    _ values: [PropertyListKey: String], of own: PersistentDomain, in database: PersistentDomains
  ) {
    let names = Array(values.keys)
    let stored = NXStoredTexts(of: names, in: own)
    state.withLock { state in
      guard state.database === database else { return }
      for (name, texts) in zip(names, stored.present) {
        let parameter = NXParameter(owner: own.name, name: name)
        state.cache[parameter] = values[name].map { NXCachedValue($0, stored: texts.own) }
      }
    }
  }

  /// Writes parameters of an owner into the database and the cache.
  ///
  /// - Throws: ``Refusal/failed(_:)`` if they are not on the disk; they will be saved when that is possible.
  func write(
    _ defaults: [(name: PropertyListKey, value: String)], of owner: DomainName
  ) throws(Refusal) {
    let database = database
    // Read first: a value that is equal only to one that another process has replaced would not be written.
    let domain = refreshed(owner, in: database).domain
    let values = Dictionary(defaults.map { ($0.name, $0.value) }) { $1 }
    // First, because a reader that finds some of them in the cache must not find others in the database before.
    cache(values, of: domain, in: database)
    database.set(values.mapValues { .string($0) }, in: domain)
    try save(Array(values.keys), in: domain, of: database)
  }

  /// Removes a parameter from the database and the cache.
  ///
  /// - Throws: ``Refusal/failed(_:)`` if that is not on the disk; it will be saved when that is possible.
  func remove(_ parameter: NXParameter) throws(Refusal) {
    let database = database
    let domain = refreshed(parameter.owner, in: database).domain
    database.set(nil, for: parameter.name, in: domain)
    try save([parameter.name], in: domain, of: database)
  }

  // MARK: - The user

  /// Changes the user whose database is used, and empties the cache.
  ///
  /// - Returns: The name of the one before.
  /// - Throws: ``Refusal/failed(_:)``, with nothing changed, if the database cannot be used.
  func setUser(_ name: String) throws(Refusal) -> UnsafePointer<CChar>? {
    guard let database = haveEqualBytes(name, ownUser) ? ownDatabase : PersistentDomains.ofUser(name) else {
      throw .failed(
        "“\(name)” is no user of this system, or its database can be neither read nor written; the user was not changed"
      )
    }
    let (previous, former) = state.withLock { state in
      let former = (state.database, state.domains, state.cache)
      let previous = state.texts.pointer(to: state.user)
      state.user = name
      (state.database, state.domains, state.cache) = (database, [:], [:])
      return (previous, former)
    }
    // Released outside of the lock: many values take long.
    withExtendedLifetime(former) {}
    return previous
  }
}
