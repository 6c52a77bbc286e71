#if !canImport(Darwin)
  public import Foundation

  /// Makes a number cast to `CGFloat`, as on Apple's systems: `defaults.object(forKey: "width") as? CGFloat`, and the
  /// same inside arrays and dictionaries.
  ///
  /// Foundation on Linux makes an `NSNumber` cast to all other floating-point types of Swift's. This affects the whole
  /// program. The cast gives nil for a number that the type does not hold exactly, as the cast to `Double` does.
  // Retroactive, because no type of the package can replace this one.
  // swift-format-ignore: AvoidRetroactiveConformances
  extension CGFloat: @retroactive _ObjectiveCBridgeable {
    public func _bridgeToObjectiveC() -> NSNumber { NSNumber(value: Double(self)) }

    public static func _forceBridgeFromObjectiveC(_ number: NSNumber, result: inout CGFloat?) {
      result = _unconditionallyBridgeFromObjectiveC(number)
    }

    public static func _conditionallyBridgeFromObjectiveC(_ number: NSNumber, result: inout CGFloat?) -> Bool
    {
      result = (number as? Double).map { CGFloat($0) }
      return result != nil
    }

    public static func _unconditionallyBridgeFromObjectiveC(_ number: NSNumber?) -> CGFloat {
      CGFloat(number?.doubleValue ?? 0)
    }
  }
#endif
