package import OpenStepPropertyList

extension SearchPath {
  /// All keys with the objects for the values that a lookup finds.
  ///
  /// Swift takes canonically equivalent keys for one; of such entries the one with the greater key is shown.
  /// O(n) in the number of keys of all domains.
  ///
  /// - Parameter convert: Makes the object for a value; it must not call back.
  package func objects(to reader: LookupReader, _ convert: (PropertyList) -> Any) -> [String: Any] {
    let domains = domains
    var objects = [String: Any](minimumCapacity: domains.map(\.count).max() ?? 0)
    // Only keys beyond ASCII can be equivalent to others. There are few, as a rule, and they are told apart by their
    // bytes first.
    var others: [PropertyListKey: Any] = [:]
    // Back to front, so that what is found first is set last, with one look at the result for each key.
    for domain in domains.reversed() {
      domain.forEachObject(for: reader, convert) { key, object in
        if key.utf8.allSatisfy({ $0 < 0x80 }) {
          objects[key] = object
        } else {
          others[PropertyListKey(key)] = object
        }
      }
    }
    for (key, object) in others.sorted(by: { $0.key < $1.key }) { objects[key.text] = object }
    return objects
  }
}

extension SearchPath.Domain {
  /// How many keys there are, or 0 where that is not known.
  fileprivate var count: Int {
    switch self {
    case .persistent(let domain): domain.count
    case .volatile: 0
    }
  }

  /// Calls a body with each key and the object for its value.
  fileprivate func forEachObject(
    for reader: LookupReader, _ convert: (PropertyList) -> Any, _ body: (String, Any) -> Void
  ) {
    switch self {
    case .persistent(let domain):
      domain.forEachObject(for: reader, convert, body)
    case .volatile(let domain):
      for (key, value) in domain.values { body(key.text, convert(value)) }
    }
  }
}
