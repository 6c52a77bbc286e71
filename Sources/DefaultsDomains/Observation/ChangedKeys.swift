package import OpenStepPropertyList

/// The keys whose values may have changed.
package enum ChangedKeys: Sendable {
  /// Most changes are of one key; creating a set for it would take longer than the rest of the work.
  case one(PropertyListKey)
  case several(Set<PropertyListKey>)
  /// Any key of the domain.
  case any

  /// Whether a key is among them.
  func contains(_ key: PropertyListKey) -> Bool {
    switch self {
    case .one(let changed): changed == key
    case .several(let changed): changed.contains(key)
    case .any: true
    }
  }
}
