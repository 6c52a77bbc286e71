package import OpenStepPropertyList

/// The argument of a call to an observer of a key.
package struct KeyChange: Sendable {
  package enum Kind: Hashable, Sendable {
    /// The present value, when the observation begins.
    case initial
    /// A change that is about to be made, or that another thread or process has just made.
    case prior
    /// A change.
    case change
  }

  package var kind: Kind
  var oldValue: ObservedValue?
  var newValue: ObservedValue?

  /// The value that a lookup found before; nil if there was none.
  package var old: PropertyList? { oldValue?.value }
  /// The value that a lookup finds now; nil if there is none.
  package var new: PropertyList? { newValue?.value }
}
