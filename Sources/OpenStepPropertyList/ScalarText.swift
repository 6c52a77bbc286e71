/// The comment behind a scalar that tells its type: `Count = 5 /*integer*/;`.
///
/// Parsers that skip comments read the string; this package's readers, where asked to, give back
/// the value that was set.
enum TypeNote: String {
  case integer, real, float, boolean, date
}

extension PropertyList {
  /// The string by which a classic reader sees a scalar, or nil for data and containers.
  ///
  /// A string is itself. A number has the shortest decimal form that reads back as the same number,
  /// without `.0` on whole ones; truth is `YES` or `NO`; a date is ``PropertyListDate/text``.
  public var scalarText: String? {
    switch self {
    case .string(let text): text
    case .integer(let value): value.description
    case .real(let value): PropertyList.text(of: value)
    case .float(let value): PropertyList.text(of: value)
    case .boolean(let value): value ? "YES" : "NO"
    case .date(let value): value.text
    case .data, .array, .dictionary: nil
    }
  }

  /// The note that a scalar's text needs to be read back as what it is.
  var typeNote: TypeNote? {
    switch self {
    case .integer: .integer
    case .real: .real
    case .float: .float
    case .boolean: .boolean
    case .date: .date
    case .string, .data, .array, .dictionary: nil
    }
  }

  /// The value that a text with a type note stands for, or nil where the text is no value of that type.
  init?(text: String, note: TypeNote) {
    switch note {
    case .integer:
      guard let value = PropertyListInteger(text) else { return nil }
      self = .integer(value)
    case .real:
      guard let value = PropertyList.real(fromText: text) else { return nil }
      self = .real(value)
    case .float:
      // Read as a Float at once: by way of a Double it could be rounded twice.
      guard PropertyList.isReal(text), let value = Float(text) else { return nil }
      self = .float(value)
    case .boolean:
      guard text == "YES" || text == "NO" else { return nil }
      self = .boolean(text == "YES")
    case .date:
      guard let value = PropertyListDate(text: text) else { return nil }
      self = .date(value)
    }
  }

  /// The shortest decimal text of a number, without `.0` on whole ones; `nan`, `inf`, `-inf`.
  public static func text(of value: some BinaryFloatingPoint & CustomStringConvertible) -> String {
    if value.isNaN { return "nan" }
    let text = value.description
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  /// Reads a decimal number with an optional exponent, or `inf`, `infinity` or `nan` in any case.
  ///
  /// A number too large becomes infinity, one too small zero, as the C library has it.
  static func real(fromText text: String) -> Double? {
    isReal(text) ? Double(text) : nil
  }

  /// Whether a whole text is a decimal number, an infinity or NaN; hexadecimal is not.
  private static func isReal(_ text: String) -> Bool {
    var rest = text.utf8[...]
    if let sign = rest.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") { rest.removeFirst() }
    if ["inf", "infinity", "nan"].contains(String(Substring(rest)).lowercased()) { return true }
    func skipDigits() -> Int {
      let count = rest.prefix { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }.count
      rest.removeFirst(count)
      return count
    }
    var digits = skipDigits()
    if rest.first == UInt8(ascii: ".") {
      rest.removeFirst()
      digits += skipDigits()
    }
    guard digits > 0 else { return false }
    if let mark = rest.first, mark | 0x20 == UInt8(ascii: "e") {
      rest.removeFirst()
      if let sign = rest.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") { rest.removeFirst() }
      guard skipDigits() > 0 else { return false }
    }
    return rest.isEmpty
  }
}
