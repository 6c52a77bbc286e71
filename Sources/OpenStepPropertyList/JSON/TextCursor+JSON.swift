/// The movements that JSON's grammar needs.
extension TextCursor {
  /// Moves over spaces, tabs and line ends.
  @inline(__always)
  mutating func skipJSONSpace() {
    guard let byte, byte <= 0x20 else { return }
    skipLongJSONSpace()
  }

  private mutating func skipLongJSONSpace() {
    while let byte {
      // JSON and XML have the same white space; indentation is mostly spaces.
      if let word = word(ahead: 0), word == ByteClasses.every(0x20) {
        advance(by: 8)
      } else if byte.isXMLSpace {
        advance()
      } else {
        return
      }
    }
  }

  /// Moves to the next double quote, backslash or control character, or to the end.
  @inline(__always)
  private mutating func skipJSONCharacters() {
    skip { word in ByteClasses.jsonMarks(word) }
  }

  // MARK: - Strings

  /// Parses the string whose opening quote is at the cursor.
  ///
  /// - Parameter scratch: A buffer in which a string with escapes is assembled; its contents are undefined
  ///   afterwards.
  @inline(__always)
  mutating func jsonString(_ scratch: inout TextOutput) throws(PropertyListError) -> String {
    let opening = position
    advance()
    skipJSONCharacters()
    guard byte == UInt8(ascii: "\"") else { return try longJSONString(&scratch, openedAt: opening) }
    let text = text(from: opening + 1)
    advance()
    return text
  }

  /// Parses the rest of a string from its first byte that is not a plain character.
  private mutating func longJSONString(
    _ scratch: inout TextOutput, openedAt opening: Int
  ) throws(PropertyListError) -> String {
    scratch.truncate(to: 0)
    scratch.append(slice(from: opening + 1))
    while let byte {
      switch byte {
      case UInt8(ascii: "\""):
        advance()
        return String(utf8: scratch.contents)
      case UInt8(ascii: "\\"):
        try appendJSONEscape(to: &scratch)
      default:
        throw error(controlComplaint(about: byte))
      }
      let start = position
      skipJSONCharacters()
      scratch.append(slice(from: start))
    }
    throw error("the text ends inside the string that begins at \(lineAndColumn(of: opening))")
  }

  private func controlComplaint(about byte: UInt8) -> String {
    let name = TextCursor.name(of: Unicode.Scalar(byte))
    let escape =
      switch byte {
      case UInt8(ascii: "\n"): "\\n"
      case UInt8(ascii: "\r"): "\\r"
      case UInt8(ascii: "\t"): "\\t"
      default: "\\u00" + (byte < 0x10 ? "0" : "") + String(byte, radix: 16)
      }
    return "found \(name) inside a string, where it is written \(escape)"
  }

  /// Parses the escape whose backslash is at the cursor, and appends its character.
  private mutating func appendJSONEscape(to scratch: inout TextOutput) throws(PropertyListError) {
    let opening = position
    advance()
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): scratch.append(bytes[position])
    case UInt8(ascii: "b"): scratch.append(ascii: "\u{8}")
    case UInt8(ascii: "f"): scratch.append(ascii: "\u{C}")
    case UInt8(ascii: "n"): scratch.append(ascii: "\n")
    case UInt8(ascii: "r"): scratch.append(ascii: "\r")
    case UInt8(ascii: "t"): scratch.append(ascii: "\t")
    case UInt8(ascii: "u"):
      advance()
      return scratch.append(scalar: try jsonScalar(escapedAt: opening))
    case nil: throw error(expected: "the character of an escape")
    default:
      throw error(
        "“\\” begins none of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u0041; as a character it is written \\\\",
        at: opening)
    }
    advance()
  }

  /// Parses the four digits at the cursor, and the second half of a surrogate pair.
  private mutating func jsonScalar(escapedAt opening: Int) throws(PropertyListError) -> Unicode.Scalar {
    let unit = try jsonUnit()
    if let scalar = Unicode.Scalar(unit) { return scalar }
    if UTF16.isLeadSurrogate(unit), starts(with: "\\u") {
      advance(by: 2)
      let trail = try jsonUnit()
      if UTF16.isTrailSurrogate(trail) { return Unicode.Scalar(lead: unit, trail: trail) }
    }
    throw error(
      "\\u\(String(unit, radix: 16)) is half a surrogate pair without the other half, which is no character",
      at: opening)
  }

  private mutating func jsonUnit() throws(PropertyListError) -> UInt16 {
    var unit: UInt16 = 0
    for _ in 0..<4 {
      guard let byte, let digit = DataParsing.hexDigit(byte) else {
        throw error(expected: "one of the four hexadecimal digits of \\u")
      }
      unit = unit << 4 | UInt16(digit)
      advance()
    }
    return unit
  }
}
