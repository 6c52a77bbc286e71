package import OpenStepPropertyList

/// The keys whose values may have changed.
package enum ChangedKeys: Sendable {
  /// Most changes are of one key; creating a set for it would take longer than the rest of the work.
  case one(PropertyListKey)
  case several(Set<PropertyListKey>)
  /// Any key of the domain.
  case any
}
