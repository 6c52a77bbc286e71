import DefaultsDatabase
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
  /// Told of the domains in order, whenever they change.
  private let path: SearchPath

  init(path: SearchPath) {
    self.path = path
  }

  /// Sets the names and the persistent domains that some of them stand for.
  mutating func set(_ names: [String], persistent: [PersistentDomain]) {
    self.names = names
    var stays = self.persistent
    self.persistent = DomainMap()
    for domain in persistent { stays[PropertyListKey(domain.name.text)] = domain }
    // What the list leads to no more can be let go.
    for name in names {
      let key = PropertyListKey(name)
      if let domain = stays[key] { self.persistent[key] = domain }
    }
    update()
  }

  /// Takes note of a persistent domain that was made, and whose name may stand in the list already.
  mutating func add(_ domain: PersistentDomain) {
    hold(domain)
    guard names.contains(where: { PropertyListKey($0) == PropertyListKey(domain.name.text) }) else { return }
    persistent[PropertyListKey(domain.name.text)] = domain
    update()
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
    update()
  }

  mutating func setVolatile(_ domain: VolatileDomain, for name: PropertyListKey) {
    volatile[name] = domain
    update()
  }

  mutating func removeVolatile(_ name: PropertyListKey) {
    volatile[name] = nil
    update()
  }

  private func update() {
    path.set(
      names.compactMap { name in
        let key = PropertyListKey(name)
        return volatile[key].map(SearchPath.Domain.volatile)
          ?? persistent[key].map(SearchPath.Domain.persistent)
      })
  }
}
