/// The escapes in GNUstep's XML for characters that XML does not have.
///
/// GNUstep writes U+001B as the six characters `\U001B`, and reads back every `\U` with four digits. It writes
/// a text that has such characters itself, as `C:\U0041`, unchanged, and reads another text back. This package
/// writes `\U005C` for the backslash of such a text, which GNUstep reads back exactly.
///
/// This package undoes only the escapes of characters that XML does not have and of that backslash, and only in
/// GNUstep's files. The escape of a lone surrogate is not undone: it is written back as text, since GNUstep cannot read a
/// file with such an escape at a string's end.
enum GNUstepEscapes {
  /// The text with its escapes undone; nil if it has none.
  static func undone(in bytes: Span<UInt8>) -> String? {
    guard var next = firstEscape(in: bytes) else { return nil }
    var result = TextOutput()
    var start = 0
    while next < bytes.count {
      guard bytes[next] == UInt8(ascii: "\\"), let (scalar, length) = scalar(in: bytes, at: next) else {
        next += 1
        continue
      }
      if let scalar {
        result.append(bytes.slice(start..<next))
        result.append(scalar: scalar)
        start = next + length
      }
      next += length
    }
    result.append(bytes.slice(from: start))
    return String(utf8: result.contents)
  }

  /// The offset of the first `\U` with four hexadecimal digits, which GNUstep would read as a character.
  static func firstEscape(in bytes: Span<UInt8>) -> Int? {
    var cursor = TextCursor(bytes)
    while true {
      cursor.skip(to: UInt8(ascii: "\\"))
      guard !cursor.isAtEnd else { return nil }
      if unit(in: bytes, at: cursor.position) != nil { return cursor.position }
      cursor.advance()
    }
  }

  /// The character of an escape, nil if the escape is not undone, and the length of the escape.
  private static func scalar(
    in bytes: Span<UInt8>, at index: Int
  ) -> (Unicode.Scalar?, length: Int)? {
    guard let first = unit(in: bytes, at: index) else { return nil }
    if first == 0x5C, unit(in: bytes, after: index + 5) != nil { return ("\\", 6) }
    guard !XMLCharacters.contains(UInt32(first)) else { return (nil, 6) }
    if let scalar = Unicode.Scalar(first) { return (scalar, 6) }
    guard UTF16.isLeadSurrogate(first), let second = unit(in: bytes, at: index + 6),
      UTF16.isTrailSurrogate(second)
    else { return (nil, 6) }
    return (Unicode.Scalar(lead: first, trail: second), 12)
  }

  /// The code unit of an escape at an offset.
  private static func unit(in bytes: Span<UInt8>, at index: Int) -> UInt16? {
    guard index < bytes.count, bytes[index] == UInt8(ascii: "\\") else { return nil }
    return unit(in: bytes, after: index)
  }

  /// The code unit of an escape, given the offset of its backslash or of what stands for it.
  private static func unit(in bytes: Span<UInt8>, after index: Int) -> UInt16? {
    guard index + 6 <= bytes.count, bytes[index + 1] == UInt8(ascii: "U") else { return nil }
    var unit: UInt16 = 0
    for place in index + 2..<index + 6 {
      guard let digit = DataParsing.hexDigit(bytes[place]) else { return nil }
      unit = unit << 4 | UInt16(digit)
    }
    return unit
  }
}
