extension PropertyList {
  /// Whether bytes begin like JSON and unlike any text property list: with `[`, or with `{`, a string and
  /// `:`.
  ///
  /// `{}` is the same value in both formats; a string or a word alone, which both
  /// formats have, is read as text.
  ///
  /// - Complexity: linear in the length of the white space and the first key; in UTF-16 and UTF-32, of the
  ///   whole.
  package static func isJSON(_ bytes: [UInt8]) -> Bool {
    let isWide =
      bytes.prefix(4).contains(0) || bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF])
    guard isWide else {
      let mark = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
      return beginsAsJSON(bytes.span.slice(from: mark))
    }
    do throws(PropertyListError) {
      return try XMLDecoding.withUTF8(of: bytes, readsDeclaration: false) { beginsAsJSON($0) }
    } catch {
      // It is not Unicode; the parser of text reports the reason.
      return false
    }
  }

  private static func beginsAsJSON(_ text: Span<UInt8>) -> Bool {
    var cursor = TextCursor(text)
    cursor.skipJSONSpace()
    guard cursor.byte == UInt8(ascii: "{") else { return cursor.byte == UInt8(ascii: "[") }
    cursor.advance()
    cursor.skipJSONSpace()
    guard cursor.byte == UInt8(ascii: "\"") else { return false }
    cursor.advance()
    while let byte = cursor.byte, byte != UInt8(ascii: "\"") {
      cursor.advance(by: byte == UInt8(ascii: "\\") ? 2 : 1)
    }
    cursor.advance()
    cursor.skipJSONSpace()
    return cursor.byte == UInt8(ascii: ":")
  }
}
