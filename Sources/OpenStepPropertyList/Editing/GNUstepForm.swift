extension PropertyList {
  /// Whether a valid dictionary's text has the form that GNUstep's reader takes (as run, base 1.28): UTF-8 without a mark, in
  /// braces, without NULs and single quotes, with a value behind each key, and without octal escapes above `\177`, which are
  /// other characters to it.
  ///
  /// - Complexity: linear in the length of the text.
  package static func isReadByGNUstep(text: [UInt8]) -> Bool {
    guard TextDecoding.isPlainUTF8(text), !text.contains(0), !hasOctalEscapes(inText: text) else {
      return false
    }
    var cursor = TextCursor(text.span)
    cursor.skipGap()
    guard cursor.byte == UInt8(ascii: "{") else { return false }
    /// For each open container, whether it is a dictionary.
    var containers: [Bool] = []
    var expectsKey = false
    while true {
      cursor.skipGap()
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
      case UInt8(ascii: "\""), UInt8(ascii: "<"),
        _ where TextCursor.isUnquoted(byte):
        cursor.skipValidValue()
        guard expectsKey else { continue }
        cursor.skipGap()
        guard cursor.byte == UInt8(ascii: "=") else { return false }
        expectsKey = false
      default: cursor.advance()
      }
    }
  }
}
