import OpenStepPropertyList

/// Domains by name, in the order of their names.
///
/// An array and no dictionary: there are a few, and for the first dictionary of a kind of keys the runtime looks
/// through all types, which takes a tenth of the time that a process needs to its first lookup.
struct DomainMap<Domain> {
  private var entries: [(name: PropertyListKey, domain: Domain)] = []

  /// The names, sorted.
  var names: [PropertyListKey] { entries.map(\.name) }

  /// The domains, sorted by name.
  var domains: [Domain] { entries.map(\.domain) }

  /// The domain of a name. O(log n) to get it and to set another; O(n) to add one and to remove it.
  subscript(name: PropertyListKey) -> Domain? {
    get {
      let (index, isFound) = place(of: name)
      return isFound ? entries[index].domain : nil
    }
    set {
      let (index, isFound) = place(of: name)
      switch newValue {
      case let domain? where isFound: entries[index].domain = domain
      case let domain?: entries.insert((name, domain), at: index)
      case nil where isFound: entries.remove(at: index)
      case nil: break
      }
    }
  }

  private func place(of name: PropertyListKey) -> (index: Int, isFound: Bool) {
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].name < name { low = middle + 1 } else { high = middle }
    }
    return (low, low < entries.count && entries[low].name == name)
  }
}

extension DomainMap: Sendable where Domain: Sendable {}
