import DefaultsDomains
package import Foundation
package import OpenStepPropertyList

/// The results of the typed getters by Apple's rules; no stored value makes a getter stop the program.
package enum FoundationCoding {
  /// A number is true unless it is zero; a string by ``bool(ofText:)``; anything else is false.
  package static func bool(_ value: PropertyList?) -> Bool {
    switch value {
    case .boolean(let value): value
    case .integer(let value): value != 0
    // A NaN is not zero, and so it is true.
    case .real(let value): value != 0
    case .float(let value): value != 0
    case .string(let text): bool(ofText: text)
    case .data, .array, .dictionary, .date, nil: false
    }
  }

  /// Whether the first character of a text is Y, T or a digit from 1 to 9, after white
  /// space, one sign and zeros.
  private static func bool(ofText text: String) -> Bool {
    var rest = text.utf8.drop { $0 == 0x20 || (0x09...0x0D).contains($0) }
    if let sign = rest.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") { rest.removeFirst() }
    switch rest.first(where: { $0 != UInt8(ascii: "0") }) {
    case UInt8(ascii: "Y"), UInt8(ascii: "y"), UInt8(ascii: "T"), UInt8(ascii: "t"): return true
    case let digit?: return (UInt8(ascii: "1")...UInt8(ascii: "9")).contains(digit)
    case nil: return false
    }
  }

  /// A number rounded toward zero, or the nearest limit of 64 bits; for a string the number
  /// at its beginning; else 0.
  package static func integer(_ value: PropertyList?) -> Int {
    switch value {
    case .boolean(let value): value ? 1 : 0
    case .integer(let value): value.exactly() ?? .max
    case .real(let value): integer(cutting: value)
    case .float(let value): integer(cutting: Double(value))
    case .string(let text): StringCoding.integer(text)
    case .data, .array, .dictionary, .date, nil: 0
    }
  }

  private static func integer(cutting value: Double) -> Int {
    if value.isNaN { return 0 }
    return Int(exactly: value.rounded(.towardZero)) ?? (value < 0 ? .min : .max)
  }

  /// A number; for a string the decimal number at its beginning; else 0.
  package static func double(_ value: PropertyList?) -> Double {
    switch value {
    case .boolean(let value): value ? 1 : 0
    case .integer(let value): value.doubleValue
    case .real(let value): value
    case .float(let value): Double(value)
    case .string(let text): isName(text) ? 0 : StringCoding.double(text)
    case .data, .array, .dictionary, .date, nil: 0
    }
  }

  /// A number, rounded once to single precision; for a string the decimal number at its beginning; else 0.
  package static func float(_ value: PropertyList?) -> Float {
    switch value {
    case .float(let value): value
    // Converted by way of a Double, it could be rounded twice.
    case .integer(let value):
      value.exactly(as: Int64.self).map { Float($0) } ?? Float(value.exactly(as: UInt64.self) ?? .max)
    case .string(let text): isName(text) ? 0 : StringCoding.float(text)
    default: Float(double(value))
    }
  }

  /// Whether a text is one of the names that only the classic class reads as numbers, since it writes them.
  private static func isName(_ text: String) -> Bool {
    // Not by `==`, whose time is the square of the number of combining marks in the text.
    ["nan", "inf", "-inf"].contains { text.utf8.elementsEqual($0.utf8) }
  }

  /// A string; for a number its shortest digits, without `.0` on whole ones; for a truth value 1 or 0.
  package static func string(_ value: PropertyList?) -> String? {
    switch value {
    case .boolean(let value): value ? "1" : "0"
    case .string, .integer, .real, .float: value?.scalarText
    case .data, .array, .dictionary, .date, nil: nil
    }
  }

  /// The elements of an array of strings; nil for any other value.
  package static func stringArray(_ value: PropertyList?) -> [String]? {
    guard case .array(let elements) = value else { return nil }
    var strings: [String] = []
    strings.reserveCapacity(elements.count)
    for element in elements {
      guard case .string(let text) = element else { return nil }
      strings.append(text)
    }
    return strings
  }

  package static func data(_ value: PropertyList?) -> Data? {
    guard case .data(let bytes) = value else { return nil }
    return Data(bytes)
  }
}
