import OpenStepPropertyList

/// Why a text is not JSON, and at which byte.
struct JSONError: Error, CustomStringConvertible {
  let message: String
  let offset: Int

  var description: String { "byte \(offset): \(message)" }
}

/// Reads one JSON value.
struct JSONReader {
  /// Deeper than any container that the library reads, and shallow enough for a thread's stack.
  private static let maximumDepth = 1500

  private let bytes: [UInt8]
  private var position = 0
  private var depth = 0

  private init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Reads a whole text as one value.
  static func value(of text: some Sequence<UInt8>) throws(JSONError) -> JSON {
    var reader = JSONReader(Array(text))
    let value = try reader.readValue()
    reader.skipSpace()
    guard reader.position == reader.bytes.count else { throw reader.error("something follows the value") }
    return value
  }

  private func error(_ message: String) -> JSONError {
    JSONError(message: message, offset: position)
  }

  private mutating func skipSpace() {
    while position < bytes.count {
      switch bytes[position] {
      case 0x20, 0x09, 0x0A, 0x0D: position += 1
      default: return
      }
    }
  }

  /// Consumes a character if it comes next, after white space.
  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    skipSpace()
    guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  private mutating func expect(_ character: Unicode.Scalar) throws(JSONError) {
    guard take(character) else { throw error("expected “\(character)”") }
  }

  private mutating func readValue() throws(JSONError) -> JSON {
    depth += 1
    defer { depth -= 1 }
    guard depth <= JSONReader.maximumDepth else { throw error("nested too deep") }
    skipSpace()
    guard position < bytes.count else { throw error("the text ends where a value should be") }
    switch Unicode.Scalar(bytes[position]) {
    case "{": return .object(try readEntries())
    case "[": return .array(try readElements())
    case "\"": return .string(try readString())
    default: return try readWord()
    }
  }

  private mutating func readEntries() throws(JSONError) -> [PropertyListKey: JSON] {
    try expect("{")
    var entries: [PropertyListKey: JSON] = [:]
    if take("}") { return entries }
    repeat {
      let key = PropertyListKey(try readString())
      try expect(":")
      entries[key] = try readValue()
    } while take(",")
    try expect("}")
    return entries
  }

  private mutating func readElements() throws(JSONError) -> [JSON] {
    try expect("[")
    var elements: [JSON] = []
    if take("]") { return elements }
    repeat { elements.append(try readValue()) } while take(",")
    try expect("]")
    return elements
  }

  private mutating func readWord() throws(JSONError) -> JSON {
    let start = position
    while position < bytes.count, !" \t\r\n,:]}\"[{".utf8.contains(bytes[position]) { position += 1 }
    let word = String(decoding: bytes[start..<position], as: UTF8.self)
    switch word {
    case "null": return .null
    case "true": return .boolean(true)
    case "false": return .boolean(false)
    default:
      // `Double` also reads what is no number in JSON, such as `nan` and hexadecimal digits.
      guard JSONReader.isNumber(bytes[start..<position]), let number = Double(word), number.isFinite else {
        throw JSONError(message: "“\(word)” is no value", offset: start)
      }
      return .number(number)
    }
  }

  /// Whether a word has the form of JSON's numbers. A regular expression costs each process of a question milliseconds.
  private static func isNumber(_ word: ArraySlice<UInt8>) -> Bool {
    var rest = word
    func take(anyOf marks: String) -> Bool {
      guard let first = rest.first, marks.utf8.contains(first) else { return false }
      rest.removeFirst()
      return true
    }
    func takeDigits() -> Int {
      let digits = rest.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
      rest.removeFirst(digits.count)
      return digits.count
    }
    _ = take(anyOf: "-")
    let startsWithZero = rest.first == UInt8(ascii: "0")
    let count = takeDigits()
    guard count == 1 || count > 1 && !startsWithZero else { return false }
    if take(anyOf: "."), takeDigits() == 0 { return false }
    if take(anyOf: "eE") {
      _ = take(anyOf: "+-")
      if takeDigits() == 0 { return false }
    }
    return rest.isEmpty
  }

  private mutating func readString() throws(JSONError) -> String {
    try expect("\"")
    var text: [UInt8] = []
    while true {
      let start = position
      while position < bytes.count, bytes[position] != UInt8(ascii: "\""),
        bytes[position] != UInt8(ascii: "\\")
      {
        position += 1
      }
      text += bytes[start..<position]
      guard position < bytes.count, bytes[position] == UInt8(ascii: "\\") else { break }
      position += 1
      text += String(try readEscape()).utf8
    }
    try expect("\"")
    return String(decoding: text, as: UTF8.self)
  }

  private mutating func readEscape() throws(JSONError) -> Character {
    guard position < bytes.count else { throw error("the text ends in an escape") }
    let mark = Unicode.Scalar(bytes[position])
    position += 1
    switch mark {
    case "\"", "\\", "/": return Character(mark)
    case "b": return "\u{08}"
    case "f": return "\u{0C}"
    case "n": return "\n"
    case "r": return "\r"
    case "t": return "\t"
    case "u": return Character(try readScalar())
    default: throw error("unknown escape “\\\(mark)”")
    }
  }

  /// Reads four digits, and four more if the first four are the first half of a surrogate pair.
  private mutating func readScalar() throws(JSONError) -> Unicode.Scalar {
    let first = try readCodeUnit()
    if let scalar = Unicode.Scalar(first) { return scalar }
    guard first < 0xDC00, bytes[position...].starts(with: "\\u".utf8) else {
      throw error("half of a surrogate pair, which no Swift string can hold")
    }
    position += 2
    let second = try readCodeUnit()
    guard (0xDC00...0xDFFF).contains(second),
      let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) * 0x400 + (second - 0xDC00))
    else { throw error("half of a surrogate pair, which no Swift string can hold") }
    return scalar
  }

  private mutating func readCodeUnit() throws(JSONError) -> UInt32 {
    let digits = bytes[position...].prefix(4)
    guard digits.count == 4, let unit = UInt32(String(decoding: digits, as: UTF8.self), radix: 16) else {
      throw error("expected four hexadecimal digits")
    }
    position += 4
    return unit
  }
}
