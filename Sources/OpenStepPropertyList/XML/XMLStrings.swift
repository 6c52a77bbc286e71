/// Writes the characters of strings and keys in one style.
struct XMLStrings {
  let style: PropertyList.XMLStyle

  /// Appends a text with escapes, or gives the character for which the style has no form; linear in its length.
  @inline(__always)
  func append(_ text: String, to output: inout TextOutput) -> Unicode.Scalar? {
    text.withBytes { bytes in
      style == .gnustep ? appendEscaping(bytes, to: &output) : append(bytes, to: &output)
    }
  }

  static func complaint(about scalar: Unicode.Scalar) -> String {
    let hexadecimal = String(scalar.value, radix: 16, uppercase: true)
    let zeros = String(repeating: "0", count: max(0, 4 - hexadecimal.utf8.count))
    return "XML has no form for the character U+\(zeros)\(hexadecimal)"
  }

  /// Appends a text in GNUstep's form, with an escape for each backslash that would begin one.
  private func appendEscaping(_ bytes: Span<UInt8>, to output: inout TextOutput) -> Unicode.Scalar? {
    var rest = bytes
    while let backslash = GNUstepEscapes.firstEscape(in: rest) {
      if let refused = append(rest.slice(0..<backslash), to: &output) { return refused }
      output.append("\\U005C" as StaticString)
      rest = rest.slice(from: backslash + 1)
    }
    return append(rest, to: &output)
  }

  private func append(_ bytes: Span<UInt8>, to output: inout TextOutput) -> Unicode.Scalar? {
    var start = 0
    while true {
      let end = start + output.append(bytes.slice(from: start)) { word in ByteClasses.xmlMarks(word) }
      guard end < bytes.count else { return nil }
      start = end + 1
      switch bytes[end] {
      case UInt8(ascii: "<"): output.append("&lt;" as StaticString)
      case UInt8(ascii: ">"): output.append("&gt;" as StaticString)
      case UInt8(ascii: "&"): output.append("&amp;" as StaticString)
      case UInt8(ascii: "\r"): output.append("&#13;" as StaticString)
      case UInt8(ascii: "\""): output.append((style == .gnustep ? "&quot;" : "\"") as StaticString)
      case UInt8(ascii: "'"): output.append((style == .gnustep ? "&apos;" : "'") as StaticString)
      case let byte where byte == 0xEF:
        // U+FFFE and U+FFFF are EF BF BE and EF BF BF.
        guard end + 2 < bytes.count, bytes[end + 1] == 0xBF, bytes[end + 2] >= 0xBE else {
          output.append(byte)
          continue
        }
        if let refused = append(Unicode.Scalar(bytes[end + 2] == 0xBE ? 0xFFFE : 0xFFFF), &output) {
          return refused
        }
        start = end + 3
      case let byte where byte >= 0x20 || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\t"):
        output.append(byte)
      case let byte:
        if let refused = append(Unicode.Scalar(byte), &output) { return refused }
      }
    }
  }

  /// Appends GNUstep's escape of a character that XML does not have; Apple's form has no such escape.
  ///
  /// Nor has GNUstep's for U+FFFE: its reader loses the character and, at a string's end, the whole file.
  private func append(_ scalar: Unicode.Scalar?, _ output: inout TextOutput) -> Unicode.Scalar? {
    guard let scalar else { return nil }
    guard style == .gnustep, scalar != "\u{FFFE}" else { return scalar }
    let digits = String(scalar.value, radix: 16, uppercase: true)
    output.append("\\U" as StaticString)
    for _ in digits.utf8.count..<4 { output.append(ascii: "0") }
    output.append(text: digits)
    return nil
  }
}
