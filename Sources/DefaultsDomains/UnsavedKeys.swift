import OpenStepPropertyList

/// The keys of a domain that were set or removed since the last save; their values are in the domain's table.
///
/// The table marks the entries of these keys, so that a key that is set repeatedly is inserted here only once. Without
/// the mark each set would look for its key here, which with 20,000 keys took as long as the rest of the set.
struct UnsavedKeys {
  private(set) var keys = Set<PropertyListKey>()
  /// Whether the domain was replaced as a whole, so that all its keys have to be written.
  private(set) var replacesAll = false

  var isEmpty: Bool { keys.isEmpty && !replacesAll }

  /// All keys of the domain; the file's other keys are removed.
  static var all: UnsavedKeys {
    var all = UnsavedKeys()
    all.replacesAll = true
    return all
  }

  mutating func insert(_ key: PropertyListKey) {
    if !replacesAll { keys.insert(key) }
  }

  mutating func formUnion(_ other: UnsavedKeys) {
    if replacesAll || other.replacesAll {
      self = .all
    } else {
      keys.formUnion(other.keys)
    }
  }
}
