/// How one style writes strings: which may stand bare, and which characters need an escape.
struct StringQuoting {
  /// What a byte asks of the string that holds it; bits, so that a whole string's needs add up.
  private enum Need {
    static let nothing: UInt8 = 0
    static let quotes: UInt8 = 1
    /// Only a look at the characters can tell; quotes are needed in any case.
    static let escapes: UInt8 = 2
  }

  private let style: PropertyList.Style
  /// The need of each of the 256 bytes.
  private let needs: [UInt8]

  init(style: PropertyList.Style) {
    self.style = style
    needs = (UInt8.min...UInt8.max).map { byte in
      switch byte {
      // What every reader of any lineage takes without quotes.
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."):
        Need.nothing
      case 0, UInt8(ascii: "\r"), UInt8(ascii: "\""), UInt8(ascii: "\\"):
        Need.escapes
      case 0x20...0x7E:
        Need.quotes
      default:
        style == .openStep ? Need.quotes : Need.escapes
      }
    }
  }

  /// Appends a string, in quotes unless every reader takes it bare; O(n) in its length.
  func append(_ text: String, to output: inout TextOutput) {
    let isWhole = text.utf8.withContiguousStorageIfAvailable { append($0, to: &output) }
    // Only strings that Objective-C made have no bytes to look at.
    let isAppended = isWhole ?? Array(text.utf8).withUnsafeBufferPointer { append($0, to: &output) }
    if !isAppended {
      output.append(ascii: "\"")
      for scalar in text.unicodeScalars { append(scalar, to: &output) }
      output.append(ascii: "\"")
    }
  }

  /// Appends the bytes of a string; false for one of which each character has to be looked at, and nothing is appended.
  private func append(_ bytes: UnsafeBufferPointer<UInt8>, to output: inout TextOutput) -> Bool {
    let need = needs.withUnsafeBufferPointer { needs in
      var need = bytes.isEmpty ? Need.quotes : Need.nothing
      for byte in bytes { need |= needs[Int(byte)] }
      return need
    }
    if need == Need.nothing {
      output.append(bytes)
      return true
    }
    guard need & Need.escapes == 0 || style == .openStep else { return false }
    output.append(ascii: "\"")
    if need & Need.escapes == 0 {
      output.append(bytes)
    } else {
      appendEscaped(bytes, to: &output)
    }
    output.append(ascii: "\"")
    return true
  }

  /// Appends the bytes of a string in the style in which only some ASCII characters need an escape.
  private func appendEscaped(_ bytes: UnsafeBufferPointer<UInt8>, to output: inout TextOutput) {
    var start = 0
    for (index, byte) in bytes.enumerated() where needs[Int(byte)] & Need.escapes != 0 {
      output.append(UnsafeBufferPointer(rebasing: bytes[start..<index]))
      append(Unicode.Scalar(byte), to: &output)
      start = index + 1
    }
    output.append(UnsafeBufferPointer(rebasing: bytes[start...]))
  }

  private func append(_ scalar: Unicode.Scalar, to output: inout TextOutput) {
    switch scalar {
    case "\"", "\\":
      output.append(ascii: "\\")
      output.append(ascii: scalar)
    case "\r":
      // Raw, it would be at the mercy of whatever converts line ends.
      output.append("\\r" as StaticString)
    case "\0":
      // Raw, it ends the text for readers of C strings, and as second byte it looks like UTF-16.
      output.append("\\000" as StaticString)
    case _ where isRaw(scalar):
      for byte in scalar.utf8 { output.append(byte) }
    case "\u{7}"..."\u{C}":
      output.append(ascii: "\\")
      output.append(Array("abtnvf".utf8)[Int(scalar.value) - 7])
    case _ where scalar.isASCII:
      // All three digits, since the character after it may be a digit too.
      output.append(text: "\\\(digits(of: scalar.value, radix: 8, count: 3))")
    default:
      for unit in scalar.utf16 {
        output.append(text: "\\U\(digits(of: UInt32(unit), radix: 16, count: 4))")
      }
    }
  }

  /// Whether a character other than the quote and the backslash stands for itself.
  private func isRaw(_ scalar: Unicode.Scalar) -> Bool {
    switch style {
    case .openStep: true
    case .ascii, .gnustep: (0x20...0x7E).contains(scalar.value)
    case .oneLine: !isControlOrLineEnd(scalar)
    }
  }

  private func isControlOrLineEnd(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029: true
    default: false
    }
  }

  private func digits(of value: UInt32, radix: Int, count: Int) -> String {
    let digits = String(value, radix: radix, uppercase: true)
    return String(repeating: "0", count: count - digits.utf8.count) + digits
  }
}
