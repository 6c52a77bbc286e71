import DefaultsDatabase
import DefaultsDomains
import OpenStepPropertyList

/// The search list of a classic object: its volatile domains, and the order in which all of
/// its domains are searched.
struct SearchList: Sendable {
  /// The names to search, front to back; a name may occur more than once, or have no domain.
  private(set) var names: [String] = []
  private(set) var volatile = DomainMap<VolatileDomain>()
  /// The persistent domains of the names.
  private var persistent = DomainMap<PersistentDomain>()
  /// The persistent domains that the program asked for by name since the last synchronize. Retained, so that
  /// their values stay the same until then.
  private var lookedAt = DomainMap<PersistentDomain>()
  /// Whether the list may contain names without a domain.
  private var mayHaveEmptyNames = false
  /// The domains to search, front to back. O(n).
  var domains: [SearchPath.Domain] {
    names.compactMap { name in
      let key = PropertyListKey(name)
      return volatile[key].map(SearchPath.Domain.volatile)
        ?? persistent[key].map(SearchPath.Domain.persistent)
    }
  }

  /// The persistent domains to search, each once. O(n).
  var persistentDomains: [PersistentDomain] {
    var seen: Set<PropertyListKey> = []
    return names.compactMap { name in
      let key = PropertyListKey(name)
      return volatile[key] == nil && seen.insert(key).inserted ? persistent[key] : nil
    }
  }

  /// Sets the names, and the persistent domains that belong to some of them.
  mutating func set(_ names: [String], persistent: [PersistentDomain]) {
    self.names = names
    var stays = self.persistent
    self.persistent = DomainMap()
    for domain in persistent { stays[PropertyListKey(domain.name.text)] = domain }
    // Domains that are in the list no longer are released.
    mayHaveEmptyNames = false
    for name in names {
      let key = PropertyListKey(name)
      if let domain = stays[key] {
        self.persistent[key] = domain
      } else if volatile[key] == nil {
        mayHaveEmptyNames = true
      }
    }
  }

  /// Adds or moves a name to the place right behind another, or to the front if the other is not in the list.
  ///
  /// The time is constant, apart from moving the list's end by one place, if the name is new and the
  /// other one is near the front.
  ///
  /// - Parameter domain: The persistent domain of the name, if it has one.
  mutating func insert(_ name: String, _ domain: PersistentDomain?, behind other: String) {
    let key = PropertyListKey(name)
    if mayHaveEmptyNames || persistent[key] != nil || volatile[key] != nil { remove(name) }
    if domain == nil, volatile[key] == nil { mayHaveEmptyNames = true }
    let place = names.firstIndex { Self.areEqual($0, other) }.map { $0 + 1 } ?? 0
    names.insert(name, at: place)
    persistent[key] = domain
  }

  /// Removes a name from the list. O(n) for n names.
  mutating func remove(_ name: String) {
    names.removeAll { Self.areEqual($0, name) }
    persistent[PropertyListKey(name)] = nil
  }

  /// Compares two names, their lengths first.
  private static func areEqual(_ first: String, _ second: String) -> Bool {
    first.utf8.count == second.utf8.count && PropertyListKey(first) == PropertyListKey(second)
  }

  /// Adds a persistent domain that was just made.
  ///
  /// - Returns: Whether the list contains its name, so that the domain is searched from now on.
  mutating func add(_ domain: PersistentDomain) -> Bool {
    hold(domain)
    guard names.contains(where: { Self.areEqual($0, domain.name.text) }) else { return false }
    persistent[PropertyListKey(domain.name.text)] = domain
    return true
  }

  /// Retains a domain that was asked for by name until the next synchronize.
  mutating func hold(_ domain: PersistentDomain) {
    lookedAt[PropertyListKey(domain.name.text)] = domain
  }

  /// Releases the domains that were asked for by name, except empty ones that were made here.
  ///
  /// - Returns: The persistent domains that the object still holds, and the released
  ///   ones, which others may hold.
  mutating func release() -> (held: [PersistentDomain], released: [WeakReference]) {
    var released: [WeakReference] = []
    for domain in lookedAt.domains where !domain.isOnlyHere {
      let name = PropertyListKey(domain.name.text)
      lookedAt[name] = nil
      if persistent[name] !== domain { released.append(WeakReference(domain)) }
    }
    return (persistent.domains + lookedAt.domains, released)
  }

  mutating func append(_ name: String) {
    names.append(name)
    mayHaveEmptyNames = true
  }

  mutating func setVolatile(_ domain: VolatileDomain, for name: PropertyListKey) {
    volatile[name] = domain
  }

  mutating func removeVolatile(_ name: PropertyListKey) {
    volatile[name] = nil
    mayHaveEmptyNames = true
  }
}
