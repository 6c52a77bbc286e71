package import OpenStepPropertyList

/// A volatile domain whose values are made when they are asked for.
///
/// All its keys begin with `NS`: a lookup of any other key passes it by without a lock.
package protocol ComputedDomain: AnyObject, Sendable {
  /// The value of a key; nil where there is none.
  func value(for key: PropertyListKey) -> PropertyList?

  /// All keys and values.
  var values: [PropertyListKey: PropertyList] { get }
}
