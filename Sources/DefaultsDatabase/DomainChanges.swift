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

  /// Records a new value for a key. O(1).
  package mutating func set(_ value: PropertyList, for key: PropertyListKey) {
    entries[key] = .some(value)
  }

  /// Records that a key was removed. O(1).
  package mutating func remove(_ key: PropertyListKey) {
    entries[key] = .some(nil)
  }

  /// Records that all the domain now holds is this; keys that others add meanwhile go too.
  package mutating func replaceAll(with values: [PropertyListKey: PropertyList]) {
    replacement = values
    entries = [:]
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
