extension PropertyList {
  /// Whether a valid dictionary's text has the form that GNUstep's reader takes (as run, base 1.28): UTF-8 without a mark, in
  /// braces, without NULs and single quotes, with a value behind each key, without halves of surrogate pairs, without
  /// octal escapes above `\177`, which are other characters to it, and without U+2028 and U+2029 between values and a CR
  /// alone behind `//`, at which no line ends for it.
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
    let start = position
    skipGap()
    var lineComment = false
    for index in start..<position {
      let next = index + 1 < position ? bytes[index + 1] : 0
      switch bytes[index] {
      case UInt8(ascii: "/") where next == UInt8(ascii: "/"): lineComment = true
      case UInt8(ascii: "\r") where lineComment && next != UInt8(ascii: "\n"): return false
      // White space is ASCII but for these, which also end the comment of a line.
      case 0xE2 where index + 2 < position && next == 0x80 && bytes[index + 2] & 0xFE == 0xA8: return false
      default: break
      }
    }
    return true
  }
}
