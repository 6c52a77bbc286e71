import OpenStepPropertyList

/// Domains by name, in the order of their names.
///
/// An array and no dictionary: there are a few, and for the first dictionary of a kind of keys the runtime looks
/// through all types, which takes a tenth of the time that a process needs to its first lookup.
struct DomainMap<Domain> {
  // Their texts, as every process has lists of strings already, and would have to make the type of another.
  private var sortedNames: [String] = []
  /// The domains, in the order of their names.
  private(set) var domains: [Domain] = []

  /// The names, sorted.
  var names: [PropertyListKey] { sortedNames.map { PropertyListKey($0) } }

  /// The domain of a name. O(log n) to get it and to set another; O(n) to add one and to remove it.
  subscript(name: PropertyListKey) -> Domain? {
    get {
      let (index, isFound) = place(of: name)
      return isFound ? domains[index] : nil
    }
    set {
      let (index, isFound) = place(of: name)
      switch newValue {
      case let domain? where isFound:
        domains[index] = domain
      case let domain?:
        sortedNames.insert(name.text, at: index)
        domains.insert(domain, at: index)
      case nil where isFound:
        sortedNames.remove(at: index)
        domains.remove(at: index)
      case nil:
        break
      }
    }
  }

  private func place(of name: PropertyListKey) -> (index: Int, isFound: Bool) {
    var (low, high) = (0, sortedNames.count)
    while low < high {
      let middle = (low + high) / 2
      if PropertyListKey(sortedNames[middle]) < name { low = middle + 1 } else { high = middle }
    }
    return (low, low < sortedNames.count && PropertyListKey(sortedNames[low]) == name)
  }
}

extension DomainMap: Sendable where Domain: Sendable {}
