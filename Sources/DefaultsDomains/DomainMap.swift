public import OpenStepPropertyList

/// A map from names to domains.
///
/// With few names it is a sorted array, because most processes have only a few, and the first dictionary with
/// keys of some type takes a process long (Architecture, “Start-up”). With more names it is a dictionary, so
/// that adding and removing n names takes linear time. Its code is inlined into the modules that use it, because
/// generic code takes a process long, too.
@usableFromInline
package struct DomainMap<Domain> {
  // Strings, and not keys: each process uses the type of string arrays anyway.
  @usableFromInline var sortedNames: [String] = []
  @usableFromInline var sortedDomains: [Domain] = []
  /// All domains, if there were ever more than ``arrayLimit``; the arrays are empty then.
  @usableFromInline var dictionary: [PropertyListKey: Domain]?

  /// The maximum number of domains in the arrays.
  @usableFromInline static var arrayLimit: Int { 32 }

  @inlinable package init() {}

  @inlinable package var count: Int { dictionary?.count ?? sortedDomains.count }

  /// The names, sorted. O(n log n).
  @inlinable package var names: [PropertyListKey] {
    dictionary?.keys.sorted() ?? sortedNames.map { PropertyListKey($0) }
  }

  /// The domains, in no particular order. O(n).
  @inlinable package var domains: [Domain] {
    if let dictionary { return Array(dictionary.values) }
    return sortedDomains
  }

  /// The domain of a name. O(1) on average to get, set, add or remove it.
  @inlinable package subscript(name: PropertyListKey) -> Domain? {
    get {
      if let dictionary { return dictionary[name] }
      let (index, isFound) = place(of: name)
      return isFound ? sortedDomains[index] : nil
    }
    set {
      if dictionary != nil {
        dictionary?[name] = newValue
        return
      }
      let (index, isFound) = place(of: name)
      switch newValue {
      case let domain? where isFound:
        sortedDomains[index] = domain
      case let domain?:
        sortedNames.insert(name.text, at: index)
        sortedDomains.insert(domain, at: index)
        if sortedDomains.count > Self.arrayLimit { leaveArrays() }
      case nil where isFound:
        sortedNames.remove(at: index)
        sortedDomains.remove(at: index)
      case nil:
        break
      }
    }
  }

  /// Removes the domains that meet a condition. O(n).
  @inlinable package mutating func removeAll(where isRemoved: (Domain) -> Bool) {
    if let all = dictionary {
      dictionary = all.filter { !isRemoved($0.value) }
    } else {
      for index in sortedDomains.indices.reversed() where isRemoved(sortedDomains[index]) {
        sortedNames.remove(at: index)
        sortedDomains.remove(at: index)
      }
    }
  }

  @usableFromInline mutating func leaveArrays() {
    var all = [PropertyListKey: Domain](minimumCapacity: sortedDomains.count)
    for (name, domain) in zip(sortedNames, sortedDomains) { all[PropertyListKey(name)] = domain }
    dictionary = all
    (sortedNames, sortedDomains) = ([], [])
  }

  @inlinable func place(of name: PropertyListKey) -> (index: Int, isFound: Bool) {
    var (low, high) = (0, sortedNames.count)
    while low < high {
      let middle = (low + high) / 2
      if PropertyListKey(sortedNames[middle]) < name { low = middle + 1 } else { high = middle }
    }
    return (low, low < sortedNames.count && PropertyListKey(sortedNames[low]) == name)
  }
}

extension DomainMap: Sendable where Domain: Sendable {}
