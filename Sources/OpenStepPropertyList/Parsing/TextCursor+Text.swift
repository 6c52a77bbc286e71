/// The steps over a text that the grammar of text property lists needs.
extension TextCursor {
  /// Moves over ASCII.
  mutating func skipASCII() {
    skip { word in word & ByteClasses.topBits }
  }

  /// Moves to the next quote of that kind or backslash, or to the end.
  mutating func skipPlainText(until quote: UInt8) {
    skip { word in
      ByteClasses.zeros(word ^ ByteClasses.every(quote))
        | ByteClasses.zeros(word ^ ByteClasses.every(UInt8(ascii: "\\")))
    }
  }

  /// Moves over the characters that may stand without quotes, in GNUstep's set, which holds all others'.
  mutating func skipUnquoted() {
    // Most that stands without quotes are letters and digits.
    skip { word in ByteClasses.notBare(word) }
    while let byte, TextCursor.isUnquoted(byte) {
      advance()
      skip { word in ByteClasses.notBare(word) }
    }
  }

  /// Letters, digits and `! # $ % & * + - . / : ? @ ^ _ | ~`, as two bit sets.
  @inline(__always)
  static func isUnquoted(_ byte: UInt8) -> Bool {
    let set: UInt64 =
      byte < 0x40 ? 0x87FF_EC7A_0000_0000 : byte < 0x80 ? 0x57FF_FFFE_C7FF_FFFF : 0
    return set >> UInt64(byte & 0x3F) & 1 != 0
  }
}

// MARK: - White space and comments

extension TextCursor {
  /// Moves over white space and comments to where the next token begins.
  @inline(__always)
  mutating func skipGap() {
    // Most often one space or none; without this, opening a large domain took a sixth longer.
    if byte == 0x20 { advance() }
    if let byte, byte > 0x2F, byte < 0x80 { return }
    skipLongGap()
  }

  private mutating func skipLongGap() {
    while let byte {
      if byte == 0x20 || (byte >= 0x09 && byte <= 0x0D) {
        advance()
      } else if byte == UInt8(ascii: "/") || byte == 0xE2 {
        guard skipCommentOrSeparator() else { return }
      } else {
        return
      }
    }
  }

  /// Moves over white space alone.
  mutating func skipWhiteSpace() {
    while let byte {
      if byte == 0x20 || (0x09...0x0D).contains(byte) {
        advance()
      } else if isAtSeparator {
        advance(by: 3)
      } else {
        return
      }
    }
  }

  /// Whether U+2028 or U+2029, which are white space, stands here.
  private var isAtSeparator: Bool {
    byte == 0xE2 && byte(ahead: 1) == 0x80 && (byte(ahead: 2) == 0xA8 || byte(ahead: 2) == 0xA9)
  }

  /// Moves over one comment or one of the two white-space characters outside ASCII; false where neither stands.
  private mutating func skipCommentOrSeparator() -> Bool {
    if isAtSeparator {
      advance(by: 3)
      return true
    }
    guard byte == UInt8(ascii: "/") else { return false }
    switch byte(ahead: 1) {
    case UInt8(ascii: "/"):
      advance(by: 2)
      while let byte, byte != UInt8(ascii: "\n"), byte != UInt8(ascii: "\r"), !isAtSeparator {
        advance()
      }
    case UInt8(ascii: "*"):
      advance(by: 2)
      while !starts(with: "*/") {
        // A comment that is never closed runs to the end.
        guard !isAtEnd else { return true }
        advance()
      }
      advance(by: 2)
    default:
      return false
    }
    return true
  }
}
