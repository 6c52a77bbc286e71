package import OpenStepPropertyList

/// The keys of a domain that were set and removed since it was last loaded.
///
/// A save applies them to what is on disk by then, so that keys which others wrote meanwhile stay.
package struct DomainChanges: Hashable, Sendable {
  /// The new values; nil for a removed key.
  private(set) var entries: [PropertyListKey: PropertyList?] = [:]
  /// What the whole domain was replaced by before those, if it was.
  private var replacement: [PropertyListKey: PropertyList]?

  /// Makes a record of no change.
  package init() {}

  /// Whether nothing was changed.
  package var isEmpty: Bool { replacement == nil && entries.isEmpty }

  /// Whether nothing of what is on disk outlives these changes.
  package var replacesAll: Bool { replacement != nil }

  /// The keys that were set or removed, those of a replacement of the whole domain left out.
  package var keys: some Collection<PropertyListKey> { entries.keys }

  /// Records a new value for a key. O(1).
  package mutating func set(_ value: PropertyList, for key: PropertyListKey) {
    entries[key] = .some(value)
  }

  /// Records that a key was removed. O(1).
  package mutating func remove(_ key: PropertyListKey) {
    entries[key] = .some(nil)
  }

  /// Records new values, and nil for removed keys.
  package mutating func merge(_ changes: [PropertyListKey: PropertyList?]) {
    if entries.isEmpty { entries = changes } else { entries.merge(changes) { $1 } }
  }

  /// Records that all the domain now holds is this; keys that others add meanwhile go too.
  package mutating func replaceAll(with values: [PropertyListKey: PropertyList]) {
    replacement = values
    entries = [:]
  }

  /// Whether to write the new values as text takes so many bytes at the least.
  ///
  /// - Complexity: linear in that number.
  func takes(_ byteCount: Int) -> Bool {
    var rest = byteCount - 1
    func exhausts(_ key: PropertyListKey, _ value: PropertyList?) -> Bool {
      rest -= key.text.utf8.count + 3
      return rest < 0 || value.map { $0.exhausts(&rest) } ?? false
    }
    return (replacement ?? [:]).contains { exhausts($0.key, $0.value) }
      || entries.contains { exhausts($0.key, $0.value) }
  }

  /// The values of a domain after the changes.
  package func applied(to values: [PropertyListKey: PropertyList]) -> [PropertyListKey: PropertyList] {
    var result = replacement ?? values
    for (key, value) in entries { result[key] = value }
    return result
  }

  /// Adds changes that were made after these.
  package mutating func merge(_ later: DomainChanges) {
    if later.replacement != nil {
      self = later
    } else {
      entries.merge(later.entries) { $1 }
    }
  }
}

extension PropertyList {
  /// Takes from a number the bytes that the value takes as text at the least; true as soon as there are too few.
  ///
  /// Without recursion: the thread's stack may be small, and values nest.
  func exhausts(_ byteCount: inout Int) -> Bool {
    var pending = [self]
    while let value = pending.popLast() {
      switch value {
      case .string(let text): byteCount -= text.utf8.count
      case .data(let bytes): byteCount -= 2 * bytes.count
      case .integer, .real, .float, .boolean, .date: break
      case .array(let elements): pending += elements
      case .dictionary(let entries):
        for key in entries.keys { byteCount -= key.text.utf8.count + 3 }
        pending += entries.values
      }
      byteCount -= 1
      if byteCount < 0 { return true }
    }
    return false
  }
}
