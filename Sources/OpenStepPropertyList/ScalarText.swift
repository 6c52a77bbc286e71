/// A type note: the comment after a scalar that names its type, as in `Count = 5 /*integer*/;`.
///
/// Parsers that skip comments read the string; this package's parser gives the typed value
/// back if its options say so.
enum TypeNote: String, CaseIterable {
  case integer, real, float, boolean, date

  /// The note as it is written in a text; there is no other spelling.
  var comment: String { "/*\(rawValue)*/" }

  /// The note at a place of a text; nil if there is none.
  init?(at cursor: borrowing TextCursor) {
    let notes: [(StaticString, TypeNote)] = [
      ("/*integer*/", .integer), ("/*real*/", .real), ("/*float*/", .float), ("/*boolean*/", .boolean),
      ("/*date*/", .date),
    ]
    guard let note = notes.first(where: { cursor.starts(with: $0.0) })?.1 else { return nil }
    self = note
  }

  /// The note that a comment at a place of a text was probably meant to be; nil for a note and for another comment.
  init?(meantAt cursor: borrowing TextCursor) {
    guard TypeNote(at: cursor) == nil, cursor.starts(with: "/*") else { return nil }
    var inside: [UInt8] = []
    while let byte = cursor.byte(ahead: inside.count + 2), inside.count < TypeNote.longestComment {
      if byte == UInt8(ascii: "*"), cursor.byte(ahead: inside.count + 3) == UInt8(ascii: "/") {
        self.init(meantBy: inside[...])
        return
      }
      inside.append(byte)
    }
    return nil
  }

  /// The note that the inside of a comment was probably meant to be; nil for another comment.
  init?(meantBy inside: ArraySlice<UInt8>) {
    guard inside.count <= TypeNote.longestComment else { return nil }
    let words = String(decoding: inside, as: UTF8.self).lowercased().split(separator: " ")
    guard words.count == 1 else { return nil }
    switch words[0] {
    case "integer", "int": self = .integer
    case "real", "double": self = .real
    case "float": self = .float
    case "boolean", "bool": self = .boolean
    case "date": self = .date
    default: return nil
    }
  }

  /// How long the inside of a comment is at most that can be meant as a note.
  private static let longestComment = 32

  /// A description of the texts that the note fits, with an example.
  var values: String {
    switch self {
    case .integer: "a whole number of at most 64 bits such as 5"
    case .real, .float: "a decimal number such as 1.5, inf, -inf or nan"
    case .boolean: "YES or NO"
    case .date: "a date that the calendar has, with its zone, such as 2026-11-20 15:16:00 +0000"
    }
  }
}

extension PropertyList {
  /// The string that a classic reader sees for a scalar; nil for data and containers.
  ///
  /// A string is unchanged. A number has the shortest decimal form that reads back as the same number,
  /// without `.0` if it is whole; a truth value is `YES` or `NO`; a date is ``PropertyListDate/text``.
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

  /// The note with which a scalar's text reads back as the same type; nil for strings, data and containers.
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

  /// Makes the value of a text with a type note; nil if the text is not a value of that type.
  init?(text: String, note: TypeNote) {
    // A text of many combining marks would take time with the square of its length below.
    guard text.isASCII else { return nil }
    switch note {
    case .integer:
      guard let value = PropertyListInteger(text) else { return nil }
      self = .integer(value)
    case .real:
      guard let value = PropertyList.real(fromText: text) else { return nil }
      self = .real(value)
    case .float:
      // Parsed as a Float directly; through a Double it could be rounded twice.
      guard PropertyList.isReal(text), let value = Float(text) else { return nil }
      self = .float(value.withOrdinaryNaN)
    case .boolean:
      guard text == "YES" || text == "NO" else { return nil }
      self = .boolean(text == "YES")
    case .date:
      guard let value = PropertyListDate(text: text) else { return nil }
      self = .date(value)
    }
  }

  /// What its type has made of a number's text, as a clause, if that is another number; nil for the number of the
  /// text, and for one that is merely rounded.
  ///
  /// Another number is an infinity of digits, a zero of digits that are not all zero, and any other than a whole number
  /// of at most 64 bits without exponent.
  func otherNumber(than text: String) -> String? {
    switch self {
    case .real(let number): PropertyList.otherNumber(number, than: text, precision: "double")
    case .float(let number): PropertyList.otherNumber(number, than: text, precision: "single")
    case .date(let date) where PropertyListDate(calendarText: text) == nil:
      PropertyList.otherNumber(date.secondsSinceReferenceDate, than: text, precision: "double")
    case .string, .data, .array, .dictionary, .integer, .boolean, .date: nil
    }
  }

  private static func otherNumber<Number: BinaryFloatingPoint & CustomStringConvertible>(
    _ number: Number, than text: String, precision: String
  ) -> String? {
    let integer = PropertyListInteger(wholeValueOf: number)
    let isOtherInteger = PropertyListInteger(text).map { $0 != integer } ?? false
    guard isOtherInteger || isOtherNumber(number, than: text) else { return nil }
    let shown = isOtherInteger ? integer?.description : nil
    return "“\(text)” would become \(shown ?? PropertyList.text(of: number)) in \(precision) precision"
  }

  /// Whether digits have become an infinity, or digits of which one is not zero have become zero.
  private static func isOtherNumber(_ number: some BinaryFloatingPoint, than text: String) -> Bool {
    let mantissa = text.utf8.prefix { $0 | 0x20 != UInt8(ascii: "e") }
    if number.isInfinite {
      return mantissa.contains { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
    return number.isZero && mantissa.contains { (UInt8(ascii: "1")...UInt8(ascii: "9")).contains($0) }
  }

  /// Whether a text is a type note and nothing else.
  package static func isTypeNote(_ text: String) -> Bool {
    TypeNote.allCases.contains { $0.comment.utf8.elementsEqual(text.utf8) }
  }

  /// The unquoted scalar with a type note that a text was probably meant to be: `5 /*integer*/` for `5 /* integer */`.
  ///
  /// - Parameter text: A text that is no such scalar itself.
  package static func typedScalar(meantBy text: String) -> String? {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
    var bytes = Array(text.utf8)[...]
    while let last = bytes.last, isSpace(last) { bytes.removeLast() }
    guard bytes.suffix(2).elementsEqual("*/".utf8) else { return nil }
    bytes.removeLast(2)
    let start = bytes.indices.dropLast().last {
      bytes[$0] == UInt8(ascii: "/") && bytes[$0 + 1] == UInt8(ascii: "*")
    }
    guard let start, let note = TypeNote(meantBy: bytes[(start + 2)...]) else { return nil }
    var front = bytes[..<start].drop(while: isSpace)
    while let last = front.last, isSpace(last) { front.removeLast() }
    let scalar = String(decoding: front, as: UTF8.self)
    return PropertyList(text: scalar, note: note).map { _ in "\(scalar) \(note.comment)" }
  }

  /// Parses an unquoted scalar with a type note, as a user types it: `2026-11-20 15:16:00 +0000 /*date*/`.
  ///
  /// Gives nil if the text does not end with white space and a note.
  ///
  /// - Throws: an error if the text is not a value of the note's type, or if that makes another number of it.
  package init?(typedScalar text: String) throws(PropertyListError) {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
    func trimmed(_ text: Substring.UTF8View) -> Substring.UTF8View {
      var text = text
      while let last = text.last, isSpace(last) { text.removeLast() }
      return text
    }
    let whole = trimmed(text.utf8[...])
    guard whole.last == UInt8(ascii: "/"),
      let note = TypeNote.allCases.first(where: {
        whole.suffix($0.comment.utf8.count).elementsEqual($0.comment.utf8)
      })
    else { return nil }
    let front = whole.dropLast(note.comment.utf8.count)
    let scalar = trimmed(front).drop(while: isSpace)
    guard let last = front.last, isSpace(last), !scalar.isEmpty else { return nil }
    guard let value = PropertyList(text: String(Substring(scalar)), note: note) else {
      throw PropertyListError(
        message: "“\(Substring(scalar))” does not fit its note \(note.comment), which takes \(note.values)")
    }
    if let reason = value.otherNumber(than: String(Substring(scalar))) {
      throw PropertyListError(message: reason)
    }
    self = value
  }

  /// The shortest decimal text of a number, without `.0` if it is whole; or `nan`, `inf`, `-inf`.
  public static func text(of value: some BinaryFloatingPoint & CustomStringConvertible) -> String {
    if value.isNaN { return "nan" }
    let text = value.description
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  /// Parses a decimal number with an optional exponent, or `inf`, `infinity` or `nan` in any case.
  ///
  /// A number that is too large becomes infinity, and one that is too small becomes
  /// zero, as in the C library.
  static func real(fromText text: String) -> Double? {
    isReal(text) ? Double(text)?.withOrdinaryNaN : nil
  }

  /// Whether a whole text is a decimal number, an infinity or NaN; a hexadecimal number is not.
  private static func isReal(_ text: String) -> Bool {
    guard text.isASCII else { return false }
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

extension String {
  /// Whether the text consists of ASCII characters. For all others, Swift's comparing and dividing of strings may take
  /// time with the square of their length, which a long run of combining marks does.
  package var isASCII: Bool { withBytes { $0.isASCII } }
}

extension PropertyListInteger {
  /// The same number; nil for one that is not whole, or out of range.
  fileprivate init?(wholeValueOf number: some BinaryFloatingPoint) {
    if let signed = Int64(exactly: number) {
      self.init(signed)
    } else if let unsigned = UInt64(exactly: number) {
      self.init(exactly: unsigned)
    } else {
      return nil
    }
  }
}
