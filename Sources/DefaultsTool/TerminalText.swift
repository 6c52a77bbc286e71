/// Text for a terminal, in which characters that could control it or mislead its reader are escaped.
enum TerminalText {
  /// Whether a character is escaped on a terminal: a control character, a mark that changes the direction of
  /// others, or an invisible character without width.
  ///
  /// Line feeds and tabs are not escaped, since they lay out the text; nor are combining marks, which are
  /// visible on their letter.
  static func isEscaped(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09, 0x0A, 0x20..<0x7F: return false
    case 0..<0xA0: return true
    default: break
    }
    if scalar.properties.isDefaultIgnorableCodePoint { return true }
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: return true
    default: return false
    }
  }

  /// The bytes, in which such characters and bytes that are not UTF-8 are replaced by escapes of a property
  /// list's text.
  static func escaped(_ bytes: [UInt8]) -> [UInt8] {
    if bytes.allSatisfy({ (0x20..<0x7F).contains($0) || $0 == 0x0A }) { return bytes }
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count + bytes.count / 8)
    var rest = bytes.makeIterator()
    var position = 0
    var parser = Unicode.UTF8.ForwardParser()
    while true {
      switch parser.parseScalar(from: &rest) {
      case .valid(let encoded):
        position += encoded.count
        let scalar = Unicode.UTF8.decode(encoded)
        if isEscaped(scalar) {
          result += escape(for: scalar).utf8
        } else {
          result += encoded
        }
      case .error(let length):
        for byte in bytes[position..<position + length] {
          result += "\\\(digits(of: UInt16(byte), radix: 8, count: 3))".utf8
        }
        position += length
      case .emptyInput:
        return result
      }
    }
  }

  /// The escape of a character in a string in double quotes: `\033`, `\U202E`.
  static func escape(for scalar: Unicode.Scalar) -> String {
    if scalar.isASCII { return "\\\(digits(of: UInt16(scalar.value), radix: 8, count: 3))" }
    return scalar.utf16.map { "\\U\(digits(of: $0, radix: 16, count: 4))" }.joined()
  }

  private static func digits(of value: UInt16, radix: Int, count: Int) -> String {
    let digits = String(value, radix: radix, uppercase: true)
    return String(repeating: "0", count: count - digits.utf8.count) + digits
  }
}
