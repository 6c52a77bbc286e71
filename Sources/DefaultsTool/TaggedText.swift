import OpenStepPropertyList

/// Values as JSON with type tags, which can represent every value.
enum TaggedText {
  /// Compact ASCII JSON with sorted keys; each value is an object whose only key is the tag of its type.
  ///
  /// The tags are `s` string, `d` data in hexadecimal digits, `a` array, `o` dictionary, `int`, `real` (a
  /// float is written as the equal real), `bool` and `date`; and `uid`, a keyed archive's reference, which is
  /// a dictionary whose only key is `CF$UID`, with a whole number.
  ///
  /// It is given in pieces, with a line end.
  static func forEachPiece(of value: PropertyList, _ body: (Span<UInt8>) throws -> Void) rethrows {
    var output = ""
    try append(value, to: &output) { output in
      guard output.utf8.count >= pieceSize else { return }
      try output.withUTF8 { try body($0.span) }
      output = ""
    }
    output += "\n"
    try output.withUTF8 { try body($0.span) }
  }

  /// How many bytes a piece has at least, except the last; one with a long string has more.
  private static let pieceSize = 1 << 16

  /// The same as a whole, without a line end.
  static func object(of value: PropertyList) -> String {
    var output = ""
    append(value, to: &output) { _ in }
    return output
  }

  /// Appends a value.
  ///
  /// - Parameter flush: May take what is there, before each value and inside of large data.
  private static func append(
    _ value: PropertyList, to output: inout String, _ flush: (inout String) throws -> Void
  ) rethrows {
    try flush(&output)
    switch value {
    case .string(let text):
      output += "{\"s\":\(quoted(text))}"
    case .data(let bytes):
      output += "{\"d\":\""
      for start in stride(from: 0, to: bytes.count, by: pieceSize) {
        output += hexadecimal(bytes[start..<min(start + pieceSize, bytes.count)])
        try flush(&output)
      }
      output += "\"}"
    case .array(let elements):
      output += "{\"a\":["
      for (index, element) in elements.enumerated() {
        if index > 0 { output += "," }
        try append(element, to: &output, flush)
      }
      output += "]}"
    case .dictionary(let entries):
      if let number = value.uid {
        output += "{\"uid\":\"\(number)\"}"
        return
      }
      output += "{\"o\":{"
      for (index, entry) in entries.sorted(by: { $0.key < $1.key }).enumerated() {
        if index > 0 { output += "," }
        output += quoted(entry.key.text) + ":"
        try append(entry.value, to: &output, flush)
      }
      output += "}}"
    case .integer(let number):
      output += "{\"int\":\"\(number)\"}"
    case .real(let number):
      output += "{\"real\":\"\(number.withOrdinaryNaN)\"}"
    case .float(let number):
      output += "{\"real\":\"\(Double(number).withOrdinaryNaN)\"}"
    case .boolean(let truth):
      output += "{\"bool\":\(truth)}"
    case .date(let date):
      output += "{\"date\":\"\(internetText(of: date))\"}"
    }
  }

  /// `2001-01-01T00:00:00Z`; for a date that the calendar form cannot represent exactly, the seconds since
  /// that moment.
  private static func internetText(of date: PropertyListDate) -> String {
    let fields = date.text.split(separator: " ")
    return fields.count == 3 ? "\(fields[0])T\(fields[1])Z" : date.text
  }

  /// A JSON string in which every character except printable ASCII is escaped.
  static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": result += "\\\(scalar)"
      case "\u{8}": result += "\\b"
      case "\t": result += "\\t"
      case "\n": result += "\\n"
      case "\u{C}": result += "\\f"
      case "\r": result += "\\r"
      case " "..."~": result.unicodeScalars.append(scalar)
      default:
        for unit in scalar.utf16 {
          let digits = String(unit, radix: 16)
          result += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
        }
      }
    }
    return result + "\""
  }

  /// The digits of bytes, two for each.
  static func hexadecimal(_ bytes: some Collection<UInt8>) -> String {
    String(unsafeUninitializedCapacity: 2 * bytes.count) { digits in
      var count = 0
      for byte in bytes {
        for digit in [byte >> 4, byte & 15] {
          digits[count] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
          count += 1
        }
      }
      return count
    }
  }
}
