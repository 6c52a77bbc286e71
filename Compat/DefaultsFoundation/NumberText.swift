import DefaultsDomains
package import Foundation
import OpenStepPropertyList

/// The strings as which numbers and truth values are stored.
package enum NumberText {
  /// The string for a number of any of Swift's or Foundation's types; nil for another object.
  package static func text(of object: Any) -> String? {
    // The type is compared first for two reasons: Foundation's numbers cast to Swift's types if the value
    // fits, so that an NSNumber of 1 would pass for true; and a cast to a class of Foundation's converts a
    // Swift array with all its contents, by recursion.
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

  /// Whether a number is one of the two truth values, each of which is a single object.
  ///
  /// Equality does not tell, since they equal 0 and 1, and neither does the type code, which on Linux a
  /// number made of an `Int8` has too.
  package static func isBoolean(_ number: NSNumber) -> Bool {
    #if canImport(Darwin)
      CFGetTypeID(number) == CFBooleanGetTypeID()
    #else
      number === NSNumber(value: true) || number === NSNumber(value: false)
    #endif
  }
}
