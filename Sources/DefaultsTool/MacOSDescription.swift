import OpenStepPropertyList

/// A value as macOS's tool prints it: the description that Foundation has of it there.
///
/// Each entry of a container is a line, indented by four columns a level. The opening bracket of an inner container
/// stands behind its key, or the comma before it, and the indentation of its own level: programs that take such output
/// apart know it so. Unlike there, data has all of its bytes, and none is left out of the middle.
enum MacOSDescription {
  /// Gives the value's description in pieces, with a line end; a string outside of containers is itself.
  ///
  /// In pieces, because with its indentation it may take many times as much memory as the value.
  static func forEachPiece(of value: PropertyList, _ body: (Span<UInt8>) throws -> Void) throws {
    var text = ""
    if case .string(let string) = value {
      text = string
    } else {
      try append(value, level: 0, to: &text, isEntry: false, body)
    }
    text += "\n"
    try text.withUTF8 { try body($0.span) }
  }

  private static func append(
    _ value: PropertyList, level: Int, to text: inout String, isEntry: Bool,
    _ body: (Span<UInt8>) throws -> Void
  ) throws {
    if text.utf8.count >= pieceSize {
      try text.withUTF8 { try body($0.span) }
      text = ""
    }
    switch value {
    case .dictionary(let entries):
      if isEntry { indent(level, &text) }
      text += "{\n"
      for (key, value) in entries.sorted(by: { $0.key < $1.key }) {
        indent(level + 1, &text)
        text += quoted(key.text) + " = "
        try append(value, level: level + 1, to: &text, isEntry: true, body)
        text += ";\n"
      }
      indent(level, &text)
      text += "}"
    case .array(let elements):
      if isEntry { indent(level, &text) }
      text += "(\n"
      for (index, element) in elements.enumerated() {
        indent(level + 1, &text)
        try append(element, level: level + 1, to: &text, isEntry: true, body)
        text += index == elements.count - 1 ? "\n" : ",\n"
      }
      indent(level, &text)
      text += ")"
    case .data(let bytes):
      text += "{length = \(bytes.count), bytes = 0x\(TaggedText.hexadecimal(bytes))}"
    case .boolean(let truth):
      text += truth ? "1" : "0"
    case .string, .integer, .real, .float, .date:
      let scalar = value.scalarText ?? ""
      text += isEntry ? quoted(scalar) : scalar
    }
  }

  /// How many bytes a piece has at least, except the last; one with a long string has more.
  private static let pieceSize = 1 << 16

  private static func indent(_ level: Int, _ text: inout String) {
    // As in all formats, a maximum of 32 levels: without it, a small value could become a thousand times as large.
    text += String(repeating: " ", count: 4 * min(level, 32))
  }

  /// A string inside of a container: in quotes unless it has only ASCII letters and digits, and in ASCII.
  private static func quoted(_ string: String) -> String {
    let isPlain = string.unicodeScalars.allSatisfy { scalar in
      switch scalar {
      case "0"..."9", "A"..."Z", "a"..."z": true
      default: false
      }
    }
    guard string.isEmpty || !isPlain else { return string }
    var text = "\""
    for scalar in string.unicodeScalars { text += escaped(scalar) }
    return text + "\""
  }

  private static func escaped(_ scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\"", "\\": return "\\\(scalar)"
    case "\n": return "\\n"
    case "\r": return "\\r"
    case "\t": return "\\t"
    case " "..."~": return String(scalar)
    case _ where scalar.isASCII: return "\\\(digits(of: UInt16(scalar.value), radix: 8, count: 3))"
    default: return scalar.utf16.map { "\\U\(digits(of: $0, radix: 16, count: 4))" }.joined()
    }
  }

  private static func digits(of value: UInt16, radix: Int, count: Int) -> String {
    let digits = String(value, radix: radix)
    return String(repeating: "0", count: count - digits.utf8.count) + digits
  }
}
