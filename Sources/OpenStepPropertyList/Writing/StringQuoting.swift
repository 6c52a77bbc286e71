/// The quoting of strings in one style: which strings need quotes, and which characters need escapes.
struct StringQuoting {
  let style: PropertyList.Style
  /// Whether a string is quoted even if no reader needs that.
  var isNeedless = false

  /// Appends a string, in quotes unless every reader accepts it without them; linear in its length.
  func append(_ text: String, to output: inout TextOutput) {
    text.withBytes { append($0, of: text, to: &output) }
  }

  @inline(__always)
  private func append(_ bytes: Span<UInt8>, of text: String, to output: inout TextOutput) {
    if isNeedless || !output.appendIfBare(bytes) { appendQuoted(bytes, of: text, to: &output) }
  }

  private func appendQuoted(
    _ bytes: Span<UInt8>, of text: String, to output: inout TextOutput
  ) {
    output.append(ascii: "\"")
    if style == .openStep || !bytes.contains(where: { !(0x20...0x7E).contains($0) }) {
      appendEscaped(bytes, to: &output)
    } else {
      for scalar in text.unicodeScalars { append(scalar, to: &output) }
    }
    output.append(ascii: "\"")
  }

  /// Appends the bytes of a string in which only some ASCII characters need escapes.
  private func appendEscaped(_ bytes: Span<UInt8>, to output: inout TextOutput) {
    var rest = bytes
    while true {
      let plain = output.appendPlain(rest)
      guard plain < rest.count else { return }
      append(Unicode.Scalar(rest[plain]), to: &output)
      rest = rest.slice(from: plain + 1)
    }
  }

  private func append(_ scalar: Unicode.Scalar, to output: inout TextOutput) {
    switch scalar {
    case "\"", "\\":
      output.append(ascii: "\\")
      output.append(ascii: scalar)
    case "\r":
      // Programs that convert line ends could change a raw one.
      output.append("\\r" as StaticString)
    case "\0":
      // A raw one ends the text for readers of C strings, and as the second byte it looks like UTF-16.
      output.append("\\000" as StaticString)
    case _ where isRaw(scalar):
      for byte in scalar.utf8 { output.append(byte) }
    case "\u{7}"..."\u{C}":
      output.append(ascii: "\\")
      output.append(Array("abtnvf".utf8)[Int(scalar.value) - 7])
    case _ where scalar.isASCII:
      // All three digits, since the next character may be a digit too.
      output.append(text: "\\\(digits(of: scalar.value, radix: 8, count: 3))")
    case _ where style == .windowMaker:
      for byte in scalar.utf8 { output.append(text: "\\\(digits(of: UInt32(byte), radix: 8, count: 3))") }
    default:
      for unit in scalar.utf16 {
        output.append(text: "\\U\(digits(of: UInt32(unit), radix: 16, count: 4))")
      }
    }
  }

  /// Whether a character other than the quote and the backslash is written raw.
  private func isRaw(_ scalar: Unicode.Scalar) -> Bool {
    switch style {
    case .openStep: true
    case .ascii, .gnustep, .windowMaker: (0x20...0x7E).contains(scalar.value)
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
