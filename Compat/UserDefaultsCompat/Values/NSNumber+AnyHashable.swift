#if !canImport(Darwin)
  public import Foundation
  import DefaultsDomains
  import DefaultsFoundation
  import OpenStepPropertyList

  // On Linux an `NSNumber` as an `AnyHashable` does not equal the same number of Swift's; on Apple's systems
  // Foundation makes it so. The result of a getter needs two properties: `as? Double` of an integer, which
  // only an `NSNumber` offers, and comparison of `as? [String: AnyHashable]` with a literal, which only
  // Swift's numbers offer. No class but `NSNumber` itself can have both, since `as?` supports no other, and
  // it cannot be subclassed.

  /// Makes an `NSNumber` as an `AnyHashable` equal to the same number of Swift's.
  ///
  /// This affects the whole program: sets, keys of dictionaries and comparisons of `AnyHashable`. As on
  /// Apple's systems, a truth value then is not a number, so that `true` and 1 are two keys; numbers are
  /// compared by value, independently of their types.
  // Retroactive, because no type of the package can replace this class.
  // swift-format-ignore: AvoidRetroactiveConformances
  extension NSNumber: @retroactive _HasCustomAnyHashableRepresentation {
    /// The number as one of Swift's; nil for a NaN, which would not equal itself as one of Swift's.
    public func _toCustomAnyHashable() -> AnyHashable? {
      if let decimal = self as? NSDecimalNumber {
        let value = FoundationValues.exactly(decimal.decimalValue)
        // A decimal that no other type holds is converted too: Foundation's own hash of it ends the process.
        return value.flatMap(NSNumber.hashable) ?? AnyHashable(decimal.decimalValue)
      }
      return NSNumber.hashable(FoundationValues.propertyList(self))
    }

    private static func hashable(_ value: PropertyList) -> AnyHashable? {
      switch value {
      case .boolean(let value): AnyHashable(value)
      // The types of literals, so that `as?` finds the most common type.
      case .integer(let value):
        value.exactly(as: Int.self).map { AnyHashable($0) }
          ?? value.exactly(as: UInt64.self).map { AnyHashable($0) }
      case .real(let value): value.isNaN ? nil : AnyHashable(value)
      case .float(let value): value.isNaN ? nil : AnyHashable(value)
      case .string, .data, .array, .dictionary, .date: nil
      }
    }
  }
#endif
