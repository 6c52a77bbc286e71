import OpenStepPropertyList

/// Which keys of a domain were set or removed since it was saved; their values are in the domain's table.
///
/// The table marks the entries whose keys are here, so that a key that is set again and again is noted once: at 20,000
/// keys, finding it here each time took as long as all the rest of setting it.
struct UnsavedKeys {
  private(set) var keys: Set<PropertyListKey> = []
  /// Whether the domain was replaced as a whole, so that every key of it is to be written.
  private(set) var replacesAll = false

  var isEmpty: Bool { keys.isEmpty && !replacesAll }

  /// Everything that the domain holds, and nothing else.
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
