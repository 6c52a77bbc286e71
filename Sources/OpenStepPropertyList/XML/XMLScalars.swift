/// Parses integers and dates in XML.
enum XMLScalars {
  /// The characters without the white space around them.
  @inline(__always)
  @_lifetime(copy characters)
  static func trimmed(_ characters: Span<UInt8>) -> Span<UInt8> {
    var (start, end) = (0, characters.count)
    while start < end, characters[start].isXMLSpace { start += 1 }
    while end > start, characters[end - 1].isXMLSpace { end -= 1 }
    return characters.slice(start..<end)
  }

  /// Parses decimal digits, or `0x` and hexadecimal digits, with an optional sign; nil for any other text,
  /// and out of range.
  static func integer(_ characters: Span<UInt8>) -> PropertyListInteger? {
    var index = 0
    let isNegative = characters.first == UInt8(ascii: "-")
    if isNegative || characters.first == UInt8(ascii: "+") { index = 1 }
    var radix: UInt64 = 10
    if index + 2 < characters.count, characters[index] == UInt8(ascii: "0"),
      characters[index + 1] | 0x20 == UInt8(ascii: "x")
    {
      radix = 16
      index += 2
    }
    guard index < characters.count else { return nil }
    var magnitude: UInt64 = 0
    while index < characters.count {
      guard let digit = DataParsing.hexDigit(characters[index]), digit < radix else { return nil }
      let (product, isTooLarge) = magnitude.multipliedReportingOverflow(by: radix)
      let (sum, carries) = product.addingReportingOverflow(UInt64(digit))
      if isTooLarge || carries { return nil }
      magnitude = sum
      index += 1
    }
    if isNegative {
      guard magnitude <= Int64.min.magnitude else { return nil }
      return PropertyListInteger(Int64(truncatingIfNeeded: 0 &- magnitude))
    }
    return PropertyListInteger(exactly: magnitude)
  }

  /// Parses `2001-12-31T23:59:59Z`, which Apple and GNUstep write, or `2001-12-31 23:59:59 +0000`, which
  /// older versions of GNUstep wrote; nil for any other text, and for a date that the calendar does not have.
  ///
  /// Apple's writer uses more than four digits for years after 9999, and a sign and three digits
  /// or more for years before 0.
  static func date(_ characters: Span<UInt8>) -> PropertyListDate? {
    var fields = DateFields(characters)
    guard let year = fields.year(), fields.skip(UInt8(ascii: "-")),
      let month = fields.pair(), fields.skip(UInt8(ascii: "-")), let day = fields.pair()
    else { return nil }
    guard fields.skip(UInt8(ascii: "T")) else {
      return PropertyListDate(calendarText: String(utf8: characters))
    }
    guard let hour = fields.pair(), fields.skip(UInt8(ascii: ":")),
      let minute = fields.pair(), fields.skip(UInt8(ascii: ":")),
      let second = fields.pair(), fields.skip(UInt8(ascii: "Z")), fields.isAtEnd,
      let civil = CivilTime(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
    else { return nil }
    return PropertyListDate(secondsSinceReferenceDate: Double(civil.secondsSinceReferenceDate))
  }

  /// A cursor in a date's text.
  private struct DateFields: ~Escapable {
    private let characters: Span<UInt8>
    private var index = 0

    @_lifetime(copy characters)
    init(_ characters: Span<UInt8>) {
      self.characters = characters
    }

    var isAtEnd: Bool { index == characters.count }

    mutating func skip(_ byte: UInt8) -> Bool {
      guard index < characters.count, characters[index] == byte else { return false }
      index += 1
      return true
    }

    private mutating func digit() -> Int64? {
      guard index < characters.count else { return nil }
      let value = characters[index] &- UInt8(ascii: "0")
      guard value < 10 else { return nil }
      index += 1
      return Int64(value)
    }

    mutating func pair() -> Int64? {
      guard let tens = digit(), let ones = digit() else { return nil }
      return tens * 10 + ones
    }

    /// Parses a year of four to nine digits, or of a minus sign and three to nine digits.
    mutating func year() -> Int64? {
      let isNegative = skip(UInt8(ascii: "-"))
      var (value, count) = (Int64(0), 0)
      while let digit = digit() {
        value = value * 10 + digit
        count += 1
        if count > 9 { return nil }
      }
      guard count >= (isNegative ? 3 : 4) else { return nil }
      return isNegative ? -value : value
    }
  }
}
