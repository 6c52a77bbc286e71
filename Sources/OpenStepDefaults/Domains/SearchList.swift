import DefaultsDatabase
import OpenStepPropertyList

/// The domains of a classic object: its volatile ones, and the order in which it searches those and the persistent ones.
struct SearchList: Sendable {
  /// The names to search, front to back; a name may stand there more than once, or have no domain.
  private(set) var names: [String] = []
  private(set) var volatile = DomainMap<VolatileDomain>()
  /// The persistent domains that the names stand for.
  private var persistent = DomainMap<PersistentDomain>()
  /// Told of the domains in order, whenever they change.
  private let path: SearchPath

  init(path: SearchPath) {
    self.path = path
  }

  /// Sets the names and the persistent domains that some of them stand for.
  mutating func set(_ names: [String], persistent: [PersistentDomain]) {
    self.names = names
    for domain in persistent { self.persistent[PropertyListKey(domain.name.text)] = domain }
    update()
  }

  /// Takes note of a persistent domain whose name may stand in the list already.
  mutating func add(_ domain: PersistentDomain) {
    persistent[PropertyListKey(domain.name.text)] = domain
    update()
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
