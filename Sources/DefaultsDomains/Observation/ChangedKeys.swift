package import OpenStepPropertyList

/// The keys whose values may have changed.
package enum ChangedKeys: Sendable {
  /// Most changes are of one key, for which a set would take longer to make than all the rest.
  case one(PropertyListKey)
  case several(Set<PropertyListKey>)
  /// Any key of the domain.
  case any
}
