extension PropertyList {
  /// Whether a valid dictionary's text has the form that GNUstep's reader takes (as run, base 1.28): UTF-8 without a mark, in
  /// braces, without NULs and single quotes, with a value behind each key, without halves of surrogate pairs, without
  /// octal escapes above `\177`, which are other characters to it, without U+2028 and U+2029 between values, and without a value
  /// in the line of a `//` behind a CR alone, at which no line ends for it.
  ///
  /// - Complexity: linear in the length of the text.
  package static func isReadByGNUstep(text: [UInt8]) -> Bool {
    guard TextDecoding.isPlainUTF8(text), !text.contains(0), !hasOctalEscapes(inText: text),
      !losesCharacters(text)
    else { return false }
    var cursor = TextCursor(text.span)
    guard cursor.skipGapOfGNUstep(), cursor.byte == UInt8(ascii: "{") else { return false }
    /// For each open container, whether it is a dictionary.
    var containers: [Bool] = []
    var expectsKey = false
    while true {
      guard cursor.skipGapOfGNUstep() else { return false }
      guard let byte = cursor.byte else { return true }
      switch byte {
      case UInt8(ascii: "{"):
        containers.append(true)
        expectsKey = true
        cursor.advance()
      case UInt8(ascii: "("):
        containers.append(false)
        expectsKey = false
        cursor.advance()
      case UInt8(ascii: "}"), UInt8(ascii: ")"):
        _ = containers.popLast()
        expectsKey = false
        cursor.advance()
      case UInt8(ascii: ";"):
        expectsKey = containers.last == true
        cursor.advance()
      case UInt8(ascii: "'"): return false
      case _ where byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "<") || TextCursor.isUnquoted(byte):
        cursor.skipValidValue()
        guard expectsKey else { continue }
        guard cursor.skipGapOfGNUstep(), cursor.byte == UInt8(ascii: "=") else { return false }
        expectsKey = false
      default: cursor.advance()
      }
    }
  }
}

extension TextCursor {
  /// Moves over white space and comments; false where they are others for GNUstep's reader.
  fileprivate mutating func skipGapOfGNUstep() -> Bool {
    var index = position
    skipGap()
    while index < position {
      let next = index + 1 < position ? bytes[index + 1] : 0
      switch (bytes[index], next) {
      case (UInt8(ascii: "/"), UInt8(ascii: "*")):
        index += 4
        while index < position, bytes[index - 2] != UInt8(ascii: "*") || bytes[index - 1] != UInt8(ascii: "/")
        {
          index += 1
        }
      case (UInt8(ascii: "/"), UInt8(ascii: "/")):
        // Here it ends at a CR and at U+2028 as well; for GNUstep the rest of the line is part of it.
        var hasEnded = false
        while index < bytes.count, bytes[index] != UInt8(ascii: "\n") {
          guard index < position else { return false }
          let byte = bytes[index]
          hasEnded = hasEnded || byte == UInt8(ascii: "\r") || isSeparator(index)
          // A comment that begins behind the end may go beyond the line.
          if hasEnded, byte == UInt8(ascii: "*"), bytes[index - 1] == UInt8(ascii: "/") { return false }
          index += 1
        }
      default:
        if isSeparator(index) { return false }
        index += 1
      }
    }
    return true
  }

  /// Whether U+2028 or U+2029 begins at an offset of the text.
  private func isSeparator(_ index: Int) -> Bool {
    index + 2 < bytes.count && bytes[index] == 0xE2 && bytes[index + 1] == 0x80
      && bytes[index + 2] & 0xFE == 0xA8
  }
}
