/// Parses the numbers of JSON.
enum JSONNumber {
  /// Parses the number whose minus sign or first digit is at the cursor.
  ///
  /// A number that has only digits is an integer from −2^63 to 2^64−1, and an error outside of this range.
  /// All other numbers are Doubles, and so is `-0`, because the integer zero has no sign.
  @inline(__always)
  static func value(_ cursor: inout TextCursor) throws(PropertyListError) -> PropertyList {
    let start = cursor.position
    let isNegative = cursor.byte == UInt8(ascii: "-")
    if isNegative { cursor.advance() }
    let magnitude = try whole(&cursor)
    switch cursor.byte {
    case UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"): break
    default:
      if let magnitude, let number = integer(magnitude, isNegative: isNegative) { return .integer(number) }
      // A Double would be another number, without any message.
      guard magnitude == 0 else {
        throw cursor.error(
          "the whole number has more than 64 bits; write it with a fraction or an exponent, or as a string",
          at: start)
      }
    }
    return .real(try real(&cursor, from: start))
  }

  /// Parses the digits before a fraction and an exponent; nil if they do not fit into 64 bits.
  @inline(__always)
  private static func whole(_ cursor: inout TextCursor) throws(PropertyListError) -> UInt64? {
    let start = cursor.position
    var number: UInt64 = 0
    // A number of 19 digits always fits.
    while cursor.position - start < 19, let digit = digit(cursor) {
      number = number &* 10 &+ digit
      cursor.advance()
    }
    let count = cursor.position - start
    guard count > 0 else { throw cursor.error(expected: "a digit") }
    guard count == 1 || cursor.bytes[start] != UInt8(ascii: "0") else {
      throw cursor.error("a number has no zero before its other digits", at: start)
    }
    return count < 19 || digit(cursor) == nil ? number : longWhole(&cursor, number)
  }

  private static func longWhole(_ cursor: inout TextCursor, _ first: UInt64) -> UInt64? {
    var number: UInt64? = first
    while let digit = digit(cursor) {
      if let begun = number {
        let (product, isTooLarge) = begun.multipliedReportingOverflow(by: 10)
        let (sum, carries) = product.addingReportingOverflow(digit)
        number = isTooLarge || carries ? nil : sum
      }
      cursor.advance()
    }
    return number
  }

  @inline(__always)
  private static func digit(_ cursor: TextCursor) -> UInt64? {
    guard let byte = cursor.byte else { return nil }
    let digit = byte &- UInt8(ascii: "0")
    return digit < 10 ? UInt64(digit) : nil
  }

  @inline(__always)
  private static func integer(_ magnitude: UInt64, isNegative: Bool) -> PropertyListInteger? {
    if !isNegative {
      return Int64(exactly: magnitude).map { PropertyListInteger($0) }
        ?? PropertyListInteger(exactly: magnitude)
    }
    guard magnitude > 0, magnitude <= Int64.min.magnitude else { return nil }
    return PropertyListInteger(Int64(truncatingIfNeeded: 0 &- magnitude))
  }

  /// Parses the fraction and the exponent of a number that begins at an offset.
  private static func real(_ cursor: inout TextCursor, from start: Int) throws(PropertyListError) -> Double {
    if cursor.byte == UInt8(ascii: ".") {
      cursor.advance()
      try skipDigits(&cursor)
    }
    if cursor.byte == UInt8(ascii: "e") || cursor.byte == UInt8(ascii: "E") {
      cursor.advance()
      if cursor.byte == UInt8(ascii: "-") || cursor.byte == UInt8(ascii: "+") { cursor.advance() }
      try skipDigits(&cursor)
    }
    let text = cursor.slice(from: start)
    guard let number = DecimalReader.real(text), number.isFinite else {
      let shown = TextCursor.shown(String(utf8: text))
      throw cursor.error(
        "the number \(shown) is too large: a Double ends at 1.7976931348623157e308", at: start)
    }
    return number
  }

  private static func skipDigits(_ cursor: inout TextCursor) throws(PropertyListError) {
    guard digit(cursor) != nil else { throw cursor.error(expected: "a digit") }
    while digit(cursor) != nil { cursor.advance() }
  }
}
