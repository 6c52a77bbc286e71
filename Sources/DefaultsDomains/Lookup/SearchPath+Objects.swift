package import OpenStepPropertyList

extension SearchPath {
  /// All keys with the values that a lookup finds.
  package var union: [PropertyListKey: PropertyList] {
    var result: [PropertyListKey: PropertyList] = [:]
    for domain in domains { result.merge(domain.values) { first, _ in first } }
    return result
  }

  /// All keys with the objects for the values that a lookup finds.
  ///
  /// A Swift dictionary has one entry for canonically equivalent keys; it shows the value of the greatest of
  /// them. O(n) in the number of keys of all domains.
  ///
  /// - Parameter convert: Makes the object for a value; it must not call back.
  package func objects(to reader: LookupReader, _ convert: (PropertyList) -> Any) -> [String: Any] {
    let domains = domains
    var objects = [String: Any](minimumCapacity: domains.map(\.count).max() ?? 0)
    // Only keys beyond ASCII can be equivalent to others. They are few, as a rule, and are compared by their
    // bytes first.
    var others: [PropertyListKey: Any] = [:]
    // Back to front, so that the value that a lookup finds is set last, with one access to the result for
    // each key.
    for domain in domains.reversed() {
      for (key, object) in domain.objects(for: reader, convert) {
        if key.utf8.allSatisfy({ $0 < 0x80 }) {
          objects[key] = object
        } else {
          others[PropertyListKey(key)] = object
        }
      }
    }
    for (key, object) in others.sorted(by: { $0.key < $1.key }) { objects[key.hashableText] = object }
    return objects
  }
}

extension SearchPath.Domain {
  /// How many keys there are, or 0 if that is not known.
  fileprivate var count: Int {
    switch self {
    case .persistent(let domain): domain.count
    case .volatile: 0
    }
  }

  /// All keys with the objects for their values.
  fileprivate func objects(
    for reader: LookupReader, _ convert: (PropertyList) -> Any
  ) -> [(key: String, object: Any)] {
    switch self {
    case .persistent(let domain): domain.objects(for: reader, convert)
    case .volatile(let domain): domain.values.map { (key: $0.text, object: convert($1)) }
    }
  }
}
