package import OpenStepPropertyList

/// What an observer of a key is told.
package struct KeyChange: Sendable {
  package enum Kind: Hashable, Sendable {
    /// The value when the observer began.
    case initial
    /// A change that is about to be made, or was made this moment by others.
    case prior
    /// A change.
    case change
  }

  package var kind: Kind
  /// What a lookup found before; nil for nothing.
  package var old: PropertyList?
  /// What a lookup finds now; nil for nothing.
  package var new: PropertyList?
}
