import DefaultsDatabase
import DefaultsDomains
import OpenStepPropertyList

/// The domains of a classic object: its volatile ones, and the order in which it searches those and the persistent ones.
struct SearchList: Sendable {
  /// The names to search, front to back; a name may stand there more than once, or have no domain.
  private(set) var names: [String] = []
  private(set) var volatile = DomainMap<VolatileDomain>()
  /// The persistent domains that the names stand for.
  private var persistent = DomainMap<PersistentDomain>()
  /// The persistent domains that were asked for by their names since the last synchronize. Held, so that what a program
  /// finds there stays the same until then.
  private var lookedAt = DomainMap<PersistentDomain>()
  /// Whether names without a domain may stand in the list.
  private var mayHaveEmptyNames = false
  /// The domains to search, front to back. O(n).
  var domains: [SearchPath.Domain] {
    names.compactMap { name in
      let key = PropertyListKey(name)
      return volatile[key].map(SearchPath.Domain.volatile)
        ?? persistent[key].map(SearchPath.Domain.persistent)
    }
  }

  /// Sets the names and the persistent domains that some of them stand for.
  mutating func set(_ names: [String], persistent: [PersistentDomain]) {
    self.names = names
    var stays = self.persistent
    self.persistent = DomainMap()
    for domain in persistent { stays[PropertyListKey(domain.name.text)] = domain }
    // What the list leads to no more can be let go.
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

  /// Searches a name right behind another one, or first of all where that is not searched, and nowhere else.
  ///
  /// Where the name is new, and the other one stands near the front, the time does not grow with the list but for
  /// moving its end by one place.
  ///
  /// - Parameter domain: The persistent domain of that name, if it has one.
  mutating func insert(_ name: String, _ domain: PersistentDomain?, behind other: String) {
    let key = PropertyListKey(name)
    if mayHaveEmptyNames || persistent[key] != nil || volatile[key] != nil { remove(name) }
    if domain == nil, volatile[key] == nil { mayHaveEmptyNames = true }
    let place = names.firstIndex { Self.areEqual($0, other) }.map { $0 + 1 } ?? 0
    names.insert(name, at: place)
    persistent[key] = domain
  }

  /// Searches a name no longer. O(n) for n names.
  mutating func remove(_ name: String) {
    names.removeAll { Self.areEqual($0, name) }
    persistent[PropertyListKey(name)] = nil
  }

  /// Whether two names are one: most differ in their lengths.
  private static func areEqual(_ first: String, _ second: String) -> Bool {
    first.utf8.count == second.utf8.count && PropertyListKey(first) == PropertyListKey(second)
  }

  /// Takes note of a persistent domain that was made.
  ///
  /// - Returns: Whether its name stands in the list already, so that it is searched from now on.
  mutating func add(_ domain: PersistentDomain) -> Bool {
    hold(domain)
    guard names.contains(where: { Self.areEqual($0, domain.name.text) }) else { return false }
    persistent[PropertyListKey(domain.name.text)] = domain
    return true
  }

  /// Keeps a domain that was asked for by its name until the next synchronize.
  mutating func hold(_ domain: PersistentDomain) {
    lookedAt[PropertyListKey(domain.name.text)] = domain
  }

  /// Lets go of the domains that were asked for by their names, but for empty ones that were made here.
  ///
  /// - Returns: The persistent domains that the object still holds, and those that others may hold.
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
