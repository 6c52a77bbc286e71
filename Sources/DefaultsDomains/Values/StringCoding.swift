import OpenStepPropertyList

/// Truth values and numbers as strings, by OPENSTEP's rules.
///
/// According to OPENSTEP's documentation, `setBool`, `setInteger` and `setFloat` store strings, and their
/// getters read any string. White space here is space, tab, line feed, vertical tab, form feed and carriage
/// return; only ASCII digits count.
package enum StringCoding {
  /// The string for a truth value.
  package static func text(_ value: Bool) -> String {
    value ? "YES" : "NO"
  }

  /// True for "yes" in any case, and for a text whose integer is not zero.
  package static func bool(_ text: String) -> Bool {
    let bytes = text.utf8
    if bytes.count == 3, bytes.elementsEqual("yes".utf8, by: { $0 | 0x20 == $1 }) { return true }
    return integer(text) != 0
  }

  /// The number in the digits after white space and an optional sign; 0 without digits.
  ///
  /// A number too large for 64 bits becomes the nearest limit.
  package static func integer(_ text: String) -> Int {
    let bytes = text.utf8
    // A set waits for this: a string of many spaces takes four times as long without its storage.
    if bytes.count > 1000, let value = bytes.withContiguousStorageIfAvailable({ integer(of: $0) }) {
      return value
    }
    return integer(of: bytes)
  }

  @inline(__always)
  private static func integer(of bytes: some Collection<UInt8>) -> Int {
    var rest = bytes.drop(while: isSpace)
    let isNegative = rest.first == UInt8(ascii: "-")
    if isNegative || rest.first == UInt8(ascii: "+") { rest = rest.dropFirst() }
    var value = 0
    for byte in rest {
      guard isDigit(byte) else { break }
      let digit = Int(byte & 0x0F)
      let (product, overflow) = value.multipliedReportingOverflow(by: 10)
      // Negative numbers are counted downwards, because their range is larger by one.
      let (sum, overflow2) = product.addingReportingOverflow(isNegative ? -digit : digit)
      guard !overflow, !overflow2 else { return isNegative ? .min : .max }
      value = sum
    }
    return value
  }

  /// The longest decimal number at the start, correctly rounded; 0 without one.
  ///
  /// Only the exact texts `nan`, `inf` and `-inf` are understood besides, because the setters write them. A
  /// number that is too large becomes infinity.
  package static func double(_ text: String) -> Double {
    decimalPrefix(of: text).flatMap { Double($0) } ?? 0
  }

  /// As ``double(_:)``, rounded once to single precision.
  package static func float(_ text: String) -> Float {
    decimalPrefix(of: text).flatMap { Float($0) } ?? 0
  }

  /// The part of a text that is a number, without the white space before it.
  private static func decimalPrefix(of text: String) -> Substring? {
    // Only short texts: to compare one with a long run of combining marks takes time with the square of its length.
    if text.utf8.count <= 4, text == "nan" || text == "inf" || text == "-inf" { return text[...] }
    var rest = text.utf8[...]
    rest = rest.drop(while: isSpace)
    let start = rest.startIndex
    skipSign(&rest)
    var digits = skipDigits(&rest)
    if rest.first == UInt8(ascii: ".") {
      var fraction = rest.dropFirst()
      let count = skipDigits(&fraction)
      if digits + count > 0 { rest = fraction }
      digits += count
    }
    guard digits > 0 else { return nil }
    if let mark = rest.first, mark | 0x20 == UInt8(ascii: "e") {
      // An exponent counts only if it has a digit.
      var exponent = rest.dropFirst()
      skipSign(&exponent)
      if skipDigits(&exponent) > 0 { rest = exponent }
    }
    return text[start..<rest.startIndex]
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || (0x09...0x0D).contains(byte)
  }

  private static func skipSign(_ rest: inout Substring.UTF8View) {
    if let sign = rest.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
      rest = rest.dropFirst()
    }
  }

  private static func skipDigits(_ rest: inout Substring.UTF8View) -> Int {
    var count = 0
    while let byte = rest.first, isDigit(byte) {
      rest = rest.dropFirst()
      count += 1
    }
    return count
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
  }
}
