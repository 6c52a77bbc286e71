/// Parses quoted strings and their escapes.
struct StringParsing: ~Copyable {
  let octalEscapes: PropertyList.ParsingOptions.OctalEscapes
  /// The part of a string with escapes that is parsed so far; kept for its capacity.
  private var scratch = TextOutput()
  /// The escapes that stand for no character, if the caller wants warnings; otherwise nil.
  var lost: LostCharacterList?

  init(octalEscapes: PropertyList.ParsingOptions.OctalEscapes) {
    self.octalEscapes = octalEscapes
  }

  /// Parses the string whose opening quote, `"` or `'`, is at the cursor.
  mutating func quotedString(_ cursor: inout TextCursor, quote: UInt8) throws(PropertyListError) -> String {
    let opening = cursor.position
    cursor.advance()
    let start = cursor.position
    cursor.skipPlainText(until: quote)
    if cursor.byte == quote {
      let text = cursor.text(from: start)
      cursor.advance()
      return text
    }
    return try stringWithEscapes(&cursor, quote: quote, opening: opening, start: start)
  }

  private mutating func stringWithEscapes(
    _ cursor: inout TextCursor, quote: UInt8, opening: Int, start: Int
  ) throws(PropertyListError) -> String {
    scratch.truncate(to: 0)
    var plainStart = start
    while let byte = cursor.byte {
      scratch.append(cursor.slice(from: plainStart))
      if byte == quote {
        cursor.advance()
        if lost != nil, octalEscapes == .utf8Bytes,
          TextDecoding.firstIllFormedUTF8(in: scratch.contents) != nil
        {
          lost?.append(LostCharacter(.illFormedEscapes, nil, at: opening))
        }
        return String(utf8: scratch.contents)
      }
      cursor.advance()
      if cursor.isAtEnd { break }
      escape(&cursor)
      plainStart = cursor.position
      cursor.skipPlainText(until: quote)
    }
    throw cursor.error("the string that begins here is never closed", at: opening)
  }

  /// Parses an escape after its backslash, and appends its character.
  ///
  /// The longest form wins; a backslash before a character that begins no escape is dropped.
  private mutating func escape(_ cursor: inout TextCursor) {
    guard let byte = cursor.byte else { return }
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "7"):
      octalEscape(&cursor)
    case UInt8(ascii: "U"), UInt8(ascii: "u"):
      unicodeEscape(&cursor)
    default:
      // The other bytes of a character outside ASCII follow as plain text.
      scratch.append(StringParsing.control(for: byte) ?? byte)
      cursor.advance()
    }
  }

  /// The control character of an escape of one letter, as in C.
  private static func control(for letter: UInt8) -> UInt8? {
    switch letter {
    case UInt8(ascii: "a"): 0x07
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "t"): 0x09
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "v"): 0x0B
    case UInt8(ascii: "f"): 0x0C
    case UInt8(ascii: "r"): 0x0D
    default: nil
    }
  }

  /// Parses one to three octal digits: a byte, which is their value modulo 256.
  private mutating func octalEscape(_ cursor: inout TextCursor) {
    let start = cursor.position - 1
    var value: UInt8 = 0
    for _ in 0..<3 {
      guard let digit = cursor.byte, (UInt8(ascii: "0")...UInt8(ascii: "7")).contains(digit) else { break }
      value = value << 3 | (digit & 7)
      cursor.advance()
    }
    switch octalEscapes {
    case .nextStep:
      if !NextStepEncoding.assigns(value) {
        lost?.append(LostCharacter(.unassignedByte, UInt32(value), at: start))
      }
      scratch.append(scalar: NextStepEncoding.scalar(of: value))
    case .utf8Bytes: scratch.append(value)
    }
  }

  /// Parses `\U` with one to four hexadecimal digits or `\u` with exactly four: a UTF-16 code unit.
  private mutating func unicodeEscape(_ cursor: inout TextCursor) {
    guard let (unit, length) = StringParsing.unit(cursor, at: 0) else {
      // Without enough digits it is the letter itself, as in "C:\Users".
      if let letter = cursor.byte { scratch.append(letter) }
      cursor.advance()
      return
    }
    cursor.advance(by: length)
    if UTF16.isLeadSurrogate(unit), cursor.byte == UInt8(ascii: "\\"),
      let (trail, trailLength) = StringParsing.unit(cursor, at: 1), UTF16.isTrailSurrogate(trail)
    {
      cursor.advance(by: 1 + trailLength)
      scratch.append(scalar: Unicode.Scalar(lead: unit, trail: trail))
    } else {
      // A lone surrogate is no character.
      if UTF16.isSurrogate(unit) {
        lost?.append(LostCharacter(.loneSurrogate, UInt32(unit), at: cursor.position - length - 1))
      }
      scratch.append(scalar: Unicode.Scalar(unit) ?? "\u{FFFD}")
    }
  }

  /// The code unit of a `U…` or `u…` some bytes ahead, and its length with the letter.
  private static func unit(_ cursor: TextCursor, at distance: Int) -> (unit: UInt16, length: Int)? {
    guard let letter = cursor.byte(ahead: distance), letter | 0x20 == UInt8(ascii: "u") else { return nil }
    var unit: UInt16 = 0
    var digits = 0
    while digits < 4, let byte = cursor.byte(ahead: distance + 1 + digits),
      let digit = DataParsing.hexDigit(byte)
    {
      unit = unit << 4 | UInt16(digit)
      digits += 1
    }
    guard digits == 4 || (letter == UInt8(ascii: "U") && digits > 0) else { return nil }
    return (unit, 1 + digits)
  }
}
