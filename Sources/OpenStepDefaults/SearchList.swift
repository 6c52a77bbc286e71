import DefaultsDatabase
import DefaultsDomains
import OpenStepPropertyList

/// The search list of a classic object: its volatile domains, and the order in which all of
/// its domains are searched.
struct SearchList: Sendable {
  /// The names to search, front to back; a name may occur more than once, or have no domain.
  private(set) var names = NameList()
  private(set) var volatile = DomainMap<VolatileDomain>()
  /// The persistent domains of the names; where a volatile one has the same name, that is searched.
  private var persistent = DomainMap<PersistentDomain>()
  /// The persistent domains that the program asked for by name since the last synchronize. Retained, so that
  /// their values stay the same until then.
  private var held = DomainMap<PersistentDomain>()
  /// Whether the registration domain is another object's, which must not get what is registered here.
  private var borrowsRegistration = false

  /// Calls a body with the domains to search, front to back, until it returns false.
  func visit(_ body: (SearchPath.Domain) -> Bool) {
    names.visit { name in
      let key = PropertyListKey(name)
      if let domain = volatile[key] { return body(.volatile(domain)) }
      return persistent[key].map { body(.persistent($0)) } ?? true
    }
  }

  /// The domains to search with their names, front to back. O(n).
  var namedDomains: [(name: String, domain: SearchPath.Domain)] {
    names.texts.compactMap { name in
      let key = PropertyListKey(name)
      if let domain = volatile[key] { return (name, .volatile(domain)) }
      return persistent[key].map { (name, .persistent($0)) }
    }
  }

  /// The domain that is searched for a name, if the list contains the name, and the persistent one that it hides.
  func domains(of name: PropertyListKey) -> [SearchPath.Domain] {
    var domains: [SearchPath.Domain] = []
    if let domain = volatile[name] { domains.append(.volatile(domain)) }
    if let domain = persistent[name] { domains.append(.persistent(domain)) }
    return domains
  }

  /// The persistent domains of the names, each once, in no particular order. O(n).
  var persistentDomains: [PersistentDomain] { persistent.domains }

  /// Whether a persistent domain is among those of the names.
  func contains(_ domain: PersistentDomain) -> Bool {
    persistent[PropertyListKey(domain.name.text)] === domain
  }

  /// Sets the names, and the persistent domains that belong to some of them.
  mutating func set(_ names: [String], persistent: [PersistentDomain]) {
    self.names = NameList(names)
    var stays = self.persistent
    // Domains that are in the list no longer are released.
    self.persistent = DomainMap()
    for domain in persistent { stays[PropertyListKey(domain.name.text)] = domain }
    for name in names {
      let key = PropertyListKey(name)
      if let domain = stays[key] { self.persistent[key] = domain }
    }
  }

  /// Adds or moves a name to the place right behind another, or to the front if the other is not in the list.
  ///
  /// - Parameter domain: The persistent domain of the name, if it has one.
  mutating func insert(_ name: String, _ domain: PersistentDomain?, behind other: String) {
    names.remove(name)
    names.insert(name, behind: other)
    persistent[PropertyListKey(name)] = domain
  }

  /// Removes a name from the list.
  mutating func remove(_ name: String) {
    names.remove(name)
    persistent[PropertyListKey(name)] = nil
  }

  /// Adds a persistent domain that was just made; if the list contains its name, it is searched from now on.
  mutating func add(_ domain: PersistentDomain) {
    hold(domain)
    if names.contains(domain.name.text) { persistent[PropertyListKey(domain.name.text)] = domain }
  }

  /// Puts a domain of the same name in a domain's place.
  private mutating func replace(_ domain: PersistentDomain, by other: PersistentDomain) {
    let key = PropertyListKey(domain.name.text)
    if persistent[key] === domain { persistent[key] = other }
    if held[key] === domain { held[key] = other }
  }

  /// Retains a domain that was asked for by name until the next synchronize.
  mutating func hold(_ domain: PersistentDomain) {
    held[PropertyListKey(domain.name.text)] = domain
  }

  /// Releases the domains that were asked for by name, except empty ones that were made here.
  ///
  /// - Returns: The persistent domains that the object still holds, and the released ones, for a caller that lets go of them
  ///   without a lock: the memory of a large one takes long to free.
  mutating func release() -> (held: [PersistentDomain], released: [PersistentDomain]) {
    // A synchronize with nothing to do spends a tenth of its time here otherwise.
    if held.count == 0 { return (persistent.domains, []) }
    var released: [PersistentDomain] = []
    for domain in held.domains where !domain.isOnlyHere {
      let name = PropertyListKey(domain.name.text)
      held[name] = nil
      if persistent[name] !== domain { released.append(domain) }
    }
    return (persistent.domains + held.domains, released)
  }

  mutating func append(_ name: String) {
    names.append(name)
  }

  mutating func setVolatile(_ domain: VolatileDomain, for name: PropertyListKey) {
    volatile[name] = domain
    if name == .registrationDomain { borrowsRegistration = false }
  }

  mutating func removeVolatile(_ name: PropertyListKey) {
    volatile[name] = nil
  }

  /// The registration domain; nil if there is none, or it is another object's.
  var ownRegistration: VolatileDomain? { borrowsRegistration ? nil : volatile[.registrationDomain] }

  /// The list for the object that a commit's closure is given; what that registers, only the closure sees.
  func draft(replacing domain: PersistentDomain, by other: PersistentDomain) -> SearchList {
    var draft = self
    draft.replace(domain, by: other)
    draft.borrowsRegistration = true
    return draft
  }
}
