/// Writes the characters of strings and keys in one style.
struct XMLStrings {
  let style: PropertyList.XMLStyle

  /// Appends a text with escapes, or gives the reason why that is impossible; linear in its length.
  @inline(__always)
  func append(_ text: String, to output: inout TextOutput) -> Refusal? {
    text.withBytes { append($0, to: &output) }
  }

  /// The reason why a text cannot be written.
  enum Refusal {
    /// XML has no such character.
    case character(Unicode.Scalar)
    /// GNUstep would read a text such as `\U0041` as a character.
    case escape
  }

  static func complaint(about refusal: Refusal) -> String {
    switch refusal {
    case .character(let scalar):
      let hexadecimal = String(scalar.value, radix: 16, uppercase: true)
      let zeros = String(repeating: "0", count: max(0, 4 - hexadecimal.utf8.count))
      return "XML has no form for the character U+\(zeros)\(hexadecimal)"
    case .escape:
      return "GNUstep would read the text's “\\U” and four digits as a character"
    }
  }

  private func append(_ bytes: Span<UInt8>, to output: inout TextOutput) -> Refusal? {
    if style == .gnustep, GNUstepEscapes.firstEscape(in: bytes) != nil { return .escape }
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
        if let refusal = append(Unicode.Scalar(bytes[end + 2] == 0xBE ? 0xFFFE : 0xFFFF), &output) {
          return refusal
        }
        start = end + 3
      case let byte where byte >= 0x20 || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\t"):
        output.append(byte)
      case let byte:
        if let refusal = append(Unicode.Scalar(byte), &output) { return refusal }
      }
    }
  }

  /// Appends GNUstep's escape of a character that XML does not have; Apple's form has no such escape.
  private func append(_ scalar: Unicode.Scalar?, _ output: inout TextOutput) -> Refusal? {
    guard let scalar else { return nil }
    guard style == .gnustep else { return .character(scalar) }
    let digits = String(scalar.value, radix: 16, uppercase: true)
    output.append("\\U" as StaticString)
    for _ in digits.utf8.count..<4 { output.append(ascii: "0") }
    output.append(text: digits)
    return nil
  }
}
