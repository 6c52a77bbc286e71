package import OpenStepPropertyList

/// The keys of a domain that were set and removed since it was last loaded.
///
/// A save applies them to what is then on disk, so that keys that other processes have written meanwhile
/// remain.
package struct DomainChanges: Hashable, Sendable {
  /// The new values; nil for a removed key.
  package private(set) var entries: [PropertyListKey: PropertyList?] = [:]
  /// The values by which the whole domain was replaced before those changes; nil if it was not.
  private var replacement: [PropertyListKey: PropertyList]?

  /// Makes an empty set of changes.
  package init() {}

  /// Whether nothing was changed.
  package var isEmpty: Bool { replacement == nil && entries.isEmpty }

  /// Whether no value on disk remains after these changes.
  package var replacesAll: Bool { replacement != nil }

  /// The keys that were set or removed, without those of a replacement of the whole domain.
  package var keys: some Collection<PropertyListKey> { entries.keys }

  /// Records a new value for a key. O(1).
  package mutating func set(_ value: PropertyList, for key: PropertyListKey) {
    entries[key] = .some(value)
  }

  /// Records that a key was removed. O(1).
  package mutating func remove(_ key: PropertyListKey) {
    entries[key] = .some(nil)
  }

  /// Records new values; nil for a removed key.
  package mutating func merge(_ changes: [PropertyListKey: PropertyList?]) {
    if entries.isEmpty { entries = changes } else { entries.merge(changes) { $1 } }
  }

  /// Records that the whole domain was replaced; keys that other processes add meanwhile are removed too.
  package mutating func replaceAll(with values: [PropertyListKey: PropertyList]) {
    replacement = values
    entries = [:]
  }

  /// Whether the new values as text take at least so many bytes.
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

  /// Applies the changes to the values of a domain.
  package func applied(to values: [PropertyListKey: PropertyList]) -> [PropertyListKey: PropertyList] {
    var result = replacement ?? values
    for (key, value) in entries { result[key] = value }
    return result
  }

  /// The new values by key; nil for a removed key.
  ///
  /// - Parameter keys: The keys that the domain had, all of which a replacement of the whole domain removes.
  package func entries(
    replacing keys: @autoclosure () -> some Sequence<PropertyListKey>
  ) -> [PropertyListKey: PropertyList?] {
    guard replacesAll else { return entries }
    var result = applied(to: [:]).mapValues { PropertyList?.some($0) }
    for key in keys() where result[key] == nil { result[key] = .some(nil) }
    return result
  }

  /// Adds later changes to these.
  package mutating func merge(_ later: DomainChanges) {
    if later.replacement != nil {
      self = later
    } else {
      entries.merge(later.entries) { $1 }
    }
  }
}

extension PropertyList {
  /// Subtracts the minimum size of the value as text from a number of bytes; true as soon as it is negative.
  ///
  /// Without recursion: the thread's stack may be small, and values may be deeply nested.
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
