/// The movements that the grammar of text property lists needs.
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

  /// Moves over characters that need no quotes, by GNUstep's rules, which allow more than all others.
  mutating func skipUnquoted() {
    // Most unquoted characters are letters and digits, which are skipped eight at a time.
    skip { word in ByteClasses.notBare(word) }
    while let byte, TextCursor.isUnquoted(byte) {
      advance()
      skip { word in ByteClasses.notBare(word) }
    }
  }

  /// Whether a byte is a letter, a digit or one of `! # $ % & * + - . / : ? @ ^ _ | ~`; in two bit sets.
  @inline(__always)
  static func isUnquoted(_ byte: UInt8) -> Bool {
    let set: UInt64 =
      byte < 0x40 ? 0x87FF_EC7A_0000_0000 : byte < 0x80 ? 0x57FF_FFFE_C7FF_FFFF : 0
    return set >> UInt64(byte & 0x3F) & 1 != 0
  }
}

// MARK: - White space and comments

extension TextCursor {
  /// Moves over white space and comments to the next token.
  @inline(__always)
  mutating func skipGap() {
    // Usually there is one space or none; without this test, opening a large domain took a sixth longer.
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

  /// Moves over white space and comments; gives the place of a comment that is never closed, which runs to the end.
  mutating func skipGapToOpenComment() -> Int? {
    while true {
      skipWhiteSpace()
      let start = position
      guard skipTextComment() else { return nil }
      let isBlock = bytes[start + 1] == UInt8(ascii: "*")
      if isBlock, position < start + 4 || !hasBehind("*/") { return start }
    }
  }

  /// Moves over white space, but not over comments.
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

  /// Whether U+2028 or U+2029, which are white space, is at the cursor.
  private var isAtSeparator: Bool {
    byte == 0xE2 && byte(ahead: 1) == 0x80 && (byte(ahead: 2) == 0xA8 || byte(ahead: 2) == 0xA9)
  }

  /// Moves over one comment, U+2028 or U+2029; false if there is none of them.
  private mutating func skipCommentOrSeparator() -> Bool {
    guard isAtSeparator else { return skipTextComment() }
    advance(by: 3)
    return true
  }

  /// Moves over one comment; false if there is none.
  mutating func skipTextComment() -> Bool {
    guard byte == UInt8(ascii: "/") else { return false }
    switch byte(ahead: 1) {
    case UInt8(ascii: "/"):
      advance(by: 2)
      while true {
        skip { word in
          ByteClasses.zeros(word ^ ByteClasses.every(UInt8(ascii: "\n")))
            | ByteClasses.zeros(word ^ ByteClasses.every(UInt8(ascii: "\r")))
            | ByteClasses.zeros(word ^ ByteClasses.every(0xE2))
        }
        // Other characters begin with the same byte as the separators.
        guard byte == 0xE2, !isAtSeparator else { return true }
        advance()
      }
    case UInt8(ascii: "*"):
      advance(by: 2)
      while true {
        skip { word in ByteClasses.zeros(word ^ ByteClasses.every(UInt8(ascii: "*"))) }
        // A comment that is never closed runs to the end.
        guard !isAtEnd else { return true }
        advance()
        if byte == UInt8(ascii: "/") {
          advance()
          return true
        }
      }
    default:
      return false
    }
  }
}
