import DefaultsDomains
import DefaultsFoundation
import Foundation
package import OpenStepPropertyList

/// Any object of a property list, or nil, which answers what ported code asks an `id`: `intValue`,
/// `doubleValue`, `boolValue`, `stringValue`, `isEqual:`.
///
/// In Objective-C a program sends `[[d objectForKey: k] intValue]` and need not know whether the object is a
/// string, a number or nil. In Swift `objectForKey` gives an `Any?`, and this type takes it:
///
/// ```swift
/// PropertyListObject(defaults.objectForKey("Columns")).integerValue
/// ```
///
/// It is a type of its own, and not an extension, because `Any` cannot have members, and because members such
/// as `intValue` on every `String` would change programs that have their own.
///
/// The rules are those of GNUstep's `NSString` and `NSNumber` as run (1.28). nil, data, dates, arrays,
/// dictionaries and what is no property list give 0, false and no text, where GNUstep raises an exception for
/// an object that does not understand the message. It differs from GNUstep where that loses the value:
///
/// - A string of more than 17 digits is the nearest number (there, one beside it, and from 19 digits on one
///   that is too small by powers of ten), and the smallest numbers are not 0.
/// - A real number that is too large for an integer gives the nearest limit (there, the smallest integer on Intel's
///   processors), and so does a whole number from 2^63 on in ``integerValue``. NaN gives 0.
/// - Equality is exact beyond 2^53, NaN equals NaN, and a string equals the number whose digits it has.
///
/// ``NSUserDefaults/boolForKey(_:)`` follows OPENSTEP's text instead, for which only "YES" in any case, and a text
/// that begins with a whole number other than zero, are true.
public struct PropertyListObject {
  /// The object itself.
  public let object: Any?

  /// Takes an object: what `objectForKey` gives, an element of an array or dictionary, or a `PropertyList`.
  public init(_ object: Any?) {
    self.object = object.flatMap(Wrapper.contents)
  }

  /// The value if it is a single one; nil for a container, for nil and for what is no property list.
  private var scalar: PropertyList? {
    guard let object,
      case .scalar(let value)? = try? FoundationValues.parts(of: object, depth: 0, path: { "" })
    else { return nil }
    return value
  }

  // MARK: - Numbers

  /// The object as C's `int`, of 32 bits.
  ///
  /// Of a string it is the whole number after white space and a sign, 0 without one. The upper bits of whole
  /// numbers are cut off, as in GNUstep: 4294967297 gives 1. A real number is cut toward zero.
  public var intValue: Int32 {
    switch scalar {
    case .integer(let value):
      // The lower bits are the same in both types.
      Int32(truncatingIfNeeded: value.exactly(as: Int64.self) ?? Int64(bitPattern: value.exactly() ?? 0))
    case .real(let value): Int32(clamping: FoundationCoding.integer(.real(value)))
    case .float(let value): Int32(clamping: FoundationCoding.integer(.float(value)))
    default: Int32(truncatingIfNeeded: integerValue)
    }
  }

  /// The object as an integer of 64 bits, the nearest limit for a number beyond them.
  ///
  /// Of a string it is the whole number after white space and a sign, 0 without one. A real number is cut
  /// toward zero.
  public var integerValue: Int {
    FoundationCoding.integer(scalar)
  }

  /// The object as a single-precision number; of a string the decimal number at its beginning, 0 without one.
  public var floatValue: Float {
    PropertyListObject.floatValue(of: scalar)
  }

  /// The single-precision number of a single value.
  package static func floatValue(of scalar: PropertyList?) -> Float {
    FoundationCoding.float(withoutSpace(scalar))
  }

  /// The object as a double-precision number; of a string the decimal number at its beginning, 0 without one.
  ///
  /// Hexadecimal digits, `nan` and `inf` are no numbers, and white space before the number may be any of
  /// Unicode's.
  public var doubleValue: Double {
    PropertyListObject.doubleValue(of: scalar)
  }

  /// The double-precision number of a single value.
  package static func doubleValue(of scalar: PropertyList?) -> Double {
    FoundationCoding.double(withoutSpace(scalar))
  }

  /// A value, without the white space at the beginning of a string.
  private static func withoutSpace(_ scalar: PropertyList?) -> PropertyList? {
    guard case .string(let text) = scalar, text.unicodeScalars.first?.properties.isWhitespace ?? false else {
      return scalar
    }
    let number = text.unicodeScalars.drop { $0.properties.isWhitespace }
    return .string(String(number))
  }

  // MARK: - Truth and text

  /// Whether the object is a number other than zero, or a string in which a digit from 1 to 9, Y or T in
  /// either case follows on any number of blanks, signs and zeros.
  public var boolValue: Bool {
    PropertyListObject.boolValue(of: scalar)
  }

  /// Whether a single value is true.
  package static func boolValue(of scalar: PropertyList?) -> Bool {
    guard case .string(let text) = scalar else { return FoundationCoding.bool(scalar) }
    let first = text.utf8.first { byte in
      switch byte {
      case 0x20, 0x09...0x0D, UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "0"): false
      default: true
      }
    }
    return first.map("123456789YyTt".utf8.contains) ?? false
  }

  /// A string itself, the digits of a number, `1` or `0` for a truth value; nil for anything else.
  ///
  /// A real number has at most 16 significant digits and one of single precision at most 7, as in GNUstep, so
  /// that 99.99 is `99.98999999999999`. `PropertyList.scalarText` has the shortest
  /// digits that read back as the same number.
  public var stringValue: String? {
    switch scalar {
    case .string(let text): text
    case .integer(let value): value.description
    case .boolean(let value): value ? "1" : "0"
    case .real(let value): PropertyListObject.text(of: value, digits: 16)
    case .float(let value): PropertyListObject.text(of: Double(value), digits: 7)
    case .data, .date, .array, .dictionary, nil: nil
    }
  }

  private static func text(of value: Double, digits: Int) -> String {
    // The C library prints the sign of a NaN, which means nothing.
    value.isNaN ? "nan" : String(format: "%.\(digits)g", value)
  }

  // MARK: - Equality

  /// Whether another object is the same value, like `isEqual:`.
  ///
  /// Numbers of all types and truth values are equal if their values are: 1, 1.0 and true. A string equals a
  /// number if it is the number's shortest decimal digits, without exponent for whole numbers of at most 64
  /// bits: in the classic model of values the string "5" is what the number 5 is in the typed one. The same
  /// holds inside arrays and dictionaries. `isEqual:` says NO for a string and a number. Strings are compared
  /// by their bytes, and nil equals nil.
  ///
  /// - Returns: false for an object that is no property list.
  public func isEqual(_ other: Any?) -> Bool {
    self == PropertyListObject(other)
  }

  /// The value in the form in which it is compared; nil for what is no property list.
  private func comparable(_ object: Any) -> PropertyList? {
    try? ObjectConversion.propertyList(of: object) {
      (object, depth, path) throws(InvalidArgumentError) -> ObjectConversion.Parts in
      switch object as? PropertyList {
      case .array(let elements): return .array(elements)
      case .dictionary(let entries): return .dictionary(entries.map { ($0.key.text, $0.value) })
      default: break
      }
      let parts = try FoundationValues.parts(of: object, depth: depth, path: path)
      guard case .scalar(let value) = parts else { return parts }
      return .scalar(value.numberText.map(PropertyList.string) ?? value)
    } refusal: {
      InvalidArgumentError("the object \($0)")
    }
  }
}

extension PropertyListObject: Equatable {
  /// Whether two objects are the same value; see ``isEqual(_:)``.
  public static func == (left: PropertyListObject, right: PropertyListObject) -> Bool {
    guard let first = left.object, let second = right.object else {
      return left.object == nil && right.object == nil
    }
    guard let first = left.comparable(first), let second = right.comparable(second) else { return false }
    return first == second
  }
}

extension PropertyList {
  /// The one text of a number's value, whatever its type; nil for a string and for anything else.
  fileprivate var numberText: String? {
    switch self {
    case .integer(let value): value.description
    case .boolean(let value): value ? "1" : "0"
    case .real(let value): PropertyList.numberText(value)
    case .float(let value): PropertyList.numberText(Double(value))
    case .string, .data, .date, .array, .dictionary: nil
    }
  }

  private static func numberText(_ value: Double) -> String {
    // The digits of the equal integer: 1e+16 is another text.
    Int64(exactly: value)?.description ?? UInt64(exactly: value)?.description ?? text(of: value)
  }
}
