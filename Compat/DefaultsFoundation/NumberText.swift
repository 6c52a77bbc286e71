import DefaultsDomains
package import Foundation
import OpenStepPropertyList

/// The strings by which numbers and truth values given as objects are stored.
package enum NumberText {
  /// The string that stands for a number of any of Swift's or Foundation's types; nil for what is none.
  package static func text(of object: Any) -> String? {
    // The type is compared first, because Foundation's numbers convert to Swift's types where the
    // value fits, so that an NSNumber of 1 would pass for true, and because a cast to a class of
    // Foundation's turns a Swift array with all that is below it into Foundation's, by recursion.
    if type(of: object) is NSNumber.Type, let number = object as? NSNumber {
      return foundationText(of: number)
    }
    switch object {
    case let value as Bool where type(of: object) == Bool.self:
      return StringCoding.text(value)
    case let value as any BinaryInteger:
      return PropertyListInteger(exactly: value)?.description
    case let value as Float:
      return PropertyList.text(of: value)
    case let value as any BinaryFloatingPoint:
      return PropertyList.text(of: Double(value))
    case let value as Decimal:
      return value.description
    default:
      return nil
    }
  }

  private static func foundationText(of number: NSNumber) -> String {
    if let decimal = number as? NSDecimalNumber { return decimal.stringValue }
    if isBoolean(number) { return StringCoding.text(number.boolValue) }
    switch UInt8(bitPattern: number.objCType.pointee) {
    case UInt8(ascii: "d"): return PropertyList.text(of: number.doubleValue)
    case UInt8(ascii: "f"): return PropertyList.text(of: number.floatValue)
    case UInt8(ascii: "Q"): return number.uint64Value.description
    default: return number.int64Value.description
    }
  }

  /// Whether a number is one of the two truth values, of which there is one object each.
  ///
  /// They compare equal to 0 and 1, and the type code does not tell either: on Linux a number made of an
  /// `Int8` has the same.
  package static func isBoolean(_ number: NSNumber) -> Bool {
    #if canImport(Darwin)
      CFGetTypeID(number) == CFBooleanGetTypeID()
    #else
      number === NSNumber(value: true) || number === NSNumber(value: false)
    #endif
  }
}
