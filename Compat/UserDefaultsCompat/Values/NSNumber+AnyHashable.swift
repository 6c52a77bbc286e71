#if !canImport(Darwin)
  public import Foundation
  import DefaultsDomains
  import DefaultsFoundation
  import OpenStepPropertyList

  // Foundation has the same on Apple's systems and not on Linux, where a number of Foundation's is no `AnyHashable`
  // that equals one of Swift's. Both are needed of what a defaults object gives: `as? Double` of a whole number, which
  // only an `NSNumber` has, and `as? [String: AnyHashable]` compared with a literal, which only Swift's numbers have.
  // No class but `NSNumber` itself can have both, since `as?` knows no other, and nobody can inherit from it.

  /// Makes a number of Foundation's, taken as an `AnyHashable`, equal to the same number of Swift's.
  ///
  /// It holds for the whole program: of sets, of dictionaries' keys and of comparisons of `AnyHashable`. As everywhere
  /// on Apple's systems, a truth value is then no number, so that `true` and 1 are two keys; numbers are compared by
  /// value, whatever their types.
  // Retroactive, for no type of the package's own can stand in for this class.
  // swift-format-ignore: AvoidRetroactiveConformances
  extension NSNumber: @retroactive _HasCustomAnyHashableRepresentation {
    /// The number as one of Swift's; nil for what is not a number, which of Swift's types would not equal itself.
    public func _toCustomAnyHashable() -> AnyHashable? {
      if let decimal = self as? NSDecimalNumber {
        let value = try? FoundationValues.propertyList(decimal.decimalValue, path: { "" })
        // One that no other type holds is not left as it is: Foundation's own hash of it ends the process.
        return value.flatMap(NSNumber.hashable) ?? AnyHashable(decimal.decimalValue)
      }
      return NSNumber.hashable(FoundationValues.propertyList(self))
    }

    private static func hashable(_ value: PropertyList) -> AnyHashable? {
      switch value {
      case .boolean(let value): AnyHashable(value)
      // The types that literals have, so that `as?` finds the one that is asked for most often.
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
