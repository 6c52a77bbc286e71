/// Writes strings and keys in JSON.
///
/// Characters are escaped if JSON requires it, or if they break lines or are invisible: the control
/// characters up to U+009F, U+2028, U+2029 and U+FEFF.
struct JSONStrings {
  /// Whether another character is escaped; nil if no others are.
  let isEscaped: ((Unicode.Scalar) -> Bool)?

  /// Appends a text in double quotes; linear in its length.
  @inline(__always)
  func append(_ text: String, to output: inout TextOutput) {
    output.append(ascii: "\"")
    text.withBytes { append($0, to: &output) }
    output.append(ascii: "\"")
  }

  @inline(__always)
  private func append(_ bytes: Span<UInt8>, to output: inout TextOutput) {
    let end = appendPlain(bytes, to: &output)
    if end < bytes.count { appendRest(of: bytes, from: end, to: &output) }
  }

  /// Appends the rest of a text from the first byte that may need an escape.
  private func appendRest(
    of bytes: Span<UInt8>, from first: Int, to output: inout TextOutput
  ) {
    var place = first
    while place < bytes.count {
      let start = place
      place += append(characterAt: place, of: bytes, to: &output)
      precondition(place > start, "a character has a length")
      place += appendPlain(bytes.slice(from: place), to: &output)
    }
  }

  /// Appends a character and gives its length.
  @inline(__always)
  private func append(
    characterAt place: Int, of bytes: Span<UInt8>, to output: inout TextOutput
  ) -> Int {
    let byte = bytes[place]
    switch byte {
    case UInt8(ascii: "\""): output.append("\\\"" as StaticString)
    case UInt8(ascii: "\\"): output.append("\\\\" as StaticString)
    case 0x08: output.append("\\b" as StaticString)
    case 0x09: output.append("\\t" as StaticString)
    case 0x0A: output.append("\\n" as StaticString)
    case 0x0C: output.append("\\f" as StaticString)
    case 0x0D: output.append("\\r" as StaticString)
    case 0..<0x80:
      let scalar = Unicode.Scalar(byte)
      if byte >= 0x20, byte != 0x7F, isEscaped?(scalar) != true {
        output.append(byte)
      } else {
        appendEscape(of: UInt16(byte), to: &output)
      }
    default:
      return append(wideCharacterAt: place, of: bytes, to: &output)
    }
    return 1
  }

  /// Appends a character outside of ASCII and gives its length.
  private func append(
    wideCharacterAt place: Int, of bytes: Span<UInt8>, to output: inout TextOutput
  ) -> Int {
    let length = bytes[place] < 0xE0 ? 2 : bytes[place] < 0xF0 ? 3 : 4
    let character = bytes.slice(place..<min(place + length, bytes.count))
    // The characters that are always escaped begin with one of three bytes.
    let mayBreakLines = bytes[place] == 0xC2 || bytes[place] == 0xE2 || bytes[place] == 0xEF
    guard mayBreakLines || isEscaped != nil,
      let scalar = String(utf8: character).unicodeScalars.first,
      JSONStrings.breaksLines(scalar) || isEscaped?(scalar) == true
    else {
      output.append(character)
      return character.count
    }
    for unit in String(scalar).utf16 { appendEscape(of: unit, to: &output) }
    return character.count
  }

  private static func breaksLines(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x80..<0xA0, 0x2028, 0x2029, 0xFEFF: true
    default: false
    }
  }

  private func appendEscape(of unit: UInt16, to output: inout TextOutput) {
    output.append("\\u" as StaticString)
    for shift in [12, 8, 4, 0] as [UInt16] {
      let digit = UInt8(truncatingIfNeeded: unit >> shift & 0xF)
      output.append(digit + (digit < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10))
    }
  }

  /// Appends the bytes up to the next one that may need an escape, and gives their number.
  @inline(__always)
  private func appendPlain(_ bytes: Span<UInt8>, to output: inout TextOutput) -> Int {
    // If there is a predicate, it is called for every character.
    isEscaped == nil ? output.append(bytes) { word in JSONStrings.marks(word) } : 0
  }

  /// The lowest top bit marks the first byte that needs an escape, or may begin a character that needs one.
  @inline(__always)
  private static func marks(_ word: UInt64) -> UInt64 {
    var marks = ByteClasses.jsonMarks(word) | ByteClasses.zeros(word ^ ByteClasses.every(0x7F))
    if word & ByteClasses.topBits != 0 {
      marks |= ByteClasses.zeros(word ^ ByteClasses.every(0xC2))
      marks |= ByteClasses.zeros(word ^ ByteClasses.every(0xE2))
      marks |= ByteClasses.zeros(word ^ ByteClasses.every(0xEF))
    }
    return marks
  }
}
