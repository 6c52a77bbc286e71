/// A point in time, in seconds since the start of 2001 in UTC.
///
/// That is the reference date of Foundation, whose own type is not used because this module imports nothing.
public struct PropertyListDate: Sendable {
  /// The seconds since 2001-01-01 00:00:00 UTC, without leap seconds.
  public let secondsSinceReferenceDate: Double

  /// Makes a date from the seconds since 2001-01-01 00:00:00 UTC; each NaN becomes the NaN
  /// that a text can represent.
  public init(secondsSinceReferenceDate: Double) {
    self.secondsSinceReferenceDate = secondsSinceReferenceDate.withOrdinaryNaN
  }
}

extension PropertyListDate: Hashable {
  /// Dates are equal if their bits are equal; NaN equals NaN.
  public static func == (left: PropertyListDate, right: PropertyListDate) -> Bool {
    left.secondsSinceReferenceDate.bitPattern == right.secondsSinceReferenceDate.bitPattern
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(secondsSinceReferenceDate.bitPattern)
  }
}

// MARK: - Text

extension PropertyListDate {
  /// The date as text, for example `2026-11-20 15:16:00.125 +0000`.
  ///
  /// The calendar form always has the zone +0000, and after the second as many digits as the value needs,
  /// none for whole seconds. A date that the calendar form with a four-digit year cannot represent exactly is
  /// written as its seconds instead. ``init(text:)`` reads both forms back exactly.
  public var text: String {
    calendarText ?? PropertyList.text(of: secondsSinceReferenceDate)
  }

  /// The date in calendar form; nil if only its seconds are exact.
  var calendarText: String? {
    let seconds = secondsSinceReferenceDate
    guard seconds.isFinite, !(seconds == 0 && seconds.sign == .minus) else { return nil }
    // The shortest decimal number that reads back as the same Double. A number that needs an
    // exponent has no calendar form.
    let decimal = seconds.magnitude.description.split(separator: ".", omittingEmptySubsequences: false)
    guard decimal.count == 2, var whole = Int64(decimal[0]), decimal[1].allSatisfy(\.isASCIIDigit) else {
      return nil
    }
    var fraction = decimal[1] == "0" ? "" : String(decimal[1])
    if seconds < 0 {
      whole = -whole
      if !fraction.isEmpty {
        whole -= 1
        fraction = PropertyListDate.complement(ofFraction: fraction)
      }
    }
    guard let civil = CivilTime(secondsSinceReferenceDate: whole) else { return nil }
    return civil.text + (fraction.isEmpty ? "" : "." + fraction) + " +0000"
  }

  /// Parses a date in calendar form with a zone (`2001-01-01 01:00:00 +0100`), or as seconds.
  ///
  /// Gives nil for any other text, and for a date that the calendar does not have.
  public init?(text: String) {
    if let date = PropertyListDate(calendarText: text) {
      self = date
    } else if let seconds = PropertyList.real(fromText: text) {
      self.init(secondsSinceReferenceDate: seconds)
    } else {
      return nil
    }
  }

  /// Parses `YYYY-MM-DD hh:mm:ss[.fraction] ±hhmm`; the year may have up to six digits.
  init?(calendarText text: String) {
    var rest = text[...].utf8
    guard let civil = CivilTime(parsing: &rest) else { return nil }
    var fraction = ""
    if rest.first == UInt8(ascii: ".") {
      let digits = rest.dropFirst().prefix { (0x30...0x39).contains($0) }
      guard !digits.isEmpty else { return nil }
      fraction = digits.allSatisfy { $0 == UInt8(ascii: "0") } ? "" : String(Substring(digits))
      rest = rest[digits.endIndex...]
    }
    guard rest.popFirst() == UInt8(ascii: " "), let offset = PropertyListDate.zoneOffset(rest) else {
      return nil
    }
    let whole = civil.secondsSinceReferenceDate - offset
    if fraction.isEmpty {
      self.init(secondsSinceReferenceDate: Double(whole))
      return
    }
    // Joined to one decimal number, so that it is rounded only once.
    let decimal =
      whole < 0
      ? "-\(-(whole + 1)).\(PropertyListDate.complement(ofFraction: fraction))" : "\(whole).\(fraction)"
    guard let seconds = Double(decimal) else { return nil }
    self.init(secondsSinceReferenceDate: seconds)
  }

  /// The digits of one minus a fraction: "25" for "75".
  private static func complement(ofFraction digits: String) -> String {
    let zero = UInt8(ascii: "0")
    var result = Array(digits.utf8)
    guard let last = result.lastIndex(where: { $0 != zero }) else { return digits }
    // The last digit that is not zero is subtracted from ten, the digits before it from nine.
    for index in 0..<last { result[index] = 2 * zero + 9 - result[index] }
    result[last] = 2 * zero + 10 - result[last]
    return String(decoding: result, as: UTF8.self)
  }

  /// The offset from UTC in seconds of a zone `±hhmm`.
  private static func zoneOffset(_ text: Substring.UTF8View) -> Int64? {
    var rest = text
    let sign = rest.popFirst()
    guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"),
      let digits = CivilTime.number(in: &rest, digits: 4...4), rest.isEmpty
    else { return nil }
    let (hours, minutes) = digits.quotientAndRemainder(dividingBy: 100)
    guard hours < 24, minutes < 60 else { return nil }
    return (hours * 3600 + minutes * 60) * (sign == UInt8(ascii: "-") ? -1 : 1)
  }
}

extension Character {
  /// Whether this is an ASCII digit alone. A range of characters contains digits with combining marks too.
  var isASCIIDigit: Bool { asciiValue.map { (0x30...0x39).contains($0) } ?? false }
}
