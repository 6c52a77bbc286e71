package import OpenStepPropertyList

/// What lies on disk under a domain's name: nothing, a good file, or a damaged one.
package struct LoadedDomain: Sendable {
  /// The domain's values; none where the file is absent or damaged.
  package var values: [PropertyListKey: PropertyList]
  /// By what the file is known again; nil where there is none.
  package var identity: FileIdentity?
  /// Why the file cannot be read as a domain; nil for a good or an absent one.
  package var damage: DatabaseError?

  /// Makes a result; nothing, unless told otherwise.
  package init(
    values: [PropertyListKey: PropertyList] = [:], identity: FileIdentity? = nil, damage: DatabaseError? = nil
  ) {
    self.values = values
    self.identity = identity
    self.damage = damage
  }
}
