import DefaultsDatabase
import OpenStepPropertyList

/// The domains of an object: its volatile ones, and the order in which it searches those and the persistent ones.
struct SearchList: Sendable {
  /// The names to search, front to back; a name may stand there more than once, or have no domain.
  private(set) var names: [String] = []
  private(set) var volatile: [PropertyListKey: VolatileDomain] = [:]
  /// The persistent domains that the names stand for.
  private var persistent: [PropertyListKey: PersistentDomain] = [:]
  /// The domains in order, found once and not at every lookup.
  private var domains: [Domain] = []

  private enum Domain: Sendable {
    case volatile(VolatileDomain)
    case persistent(PersistentDomain)
  }

  // MARK: - Looking up

  /// The first value for a key along the list. The time depends on the number of domains alone.
  func value(for key: PropertyListKey) -> PropertyList? {
    for domain in domains {
      let value =
        switch domain {
        case .volatile(let domain): domain.value(for: key)
        case .persistent(let domain): domain.value(for: key)
        }
      if let value { return value }
    }
    return nil
  }

  /// All keys along the list with the values that a lookup finds.
  var union: [PropertyListKey: PropertyList] {
    var result: [PropertyListKey: PropertyList] = [:]
    for domain in domains {
      let values =
        switch domain {
        case .volatile(let domain): domain.values
        case .persistent(let domain): domain.values
        }
      result.merge(values) { first, _ in first }
    }
    return result
  }

  // MARK: - Changing

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

  private mutating func update() {
    domains = names.compactMap { name in
      let key = PropertyListKey(name)
      return volatile[key].map(Domain.volatile) ?? persistent[key].map(Domain.persistent)
    }
  }
}
