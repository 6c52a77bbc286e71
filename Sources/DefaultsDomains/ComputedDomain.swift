package import OpenStepPropertyList

/// A volatile domain whose values are computed when they are asked for.
///
/// All its keys begin with `NS`; a lookup of any other key skips it without a lock.
package protocol ComputedDomain: AnyObject, Sendable {
  /// The value of a key; nil if it is absent.
  func value(for key: PropertyListKey) -> PropertyList?

  /// All keys and values.
  var values: [PropertyListKey: PropertyList] { get }
}
