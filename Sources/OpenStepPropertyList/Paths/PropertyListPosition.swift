/// The place of a value in a text, as editors count it.
package struct PropertyListPosition: Hashable, Sendable {
  /// The line, from 1 on.
  package let line: Int
  /// The column in the line, from 1 on, in Unicode scalars.
  package let column: Int

  /// Finds the value at a path of a text.
  ///
  /// - Parameters:
  ///   - path: The steps from the outermost container.
  ///   - bytes: A whole text, in one of the encodings that are read.
  ///   - options: How it is read.
  /// - Returns: nil if there is no such value, and for bytes that are not a text of that kind.
  /// - Complexity: linear in the length of the text.
  package init?(
    of path: [PropertyListPathStep], in bytes: [UInt8], options: PropertyList.ParsingOptions
  ) {
    guard let text = try? TextDecoding.utf8(of: bytes, eightBitEncoding: options.eightBitEncoding),
      text.count < UInt32.max, (try? PropertyList(parsing: bytes, options: options)) != nil
    else { return nil }
    let edit = TextEdit(of: text, checked: nil, options: options, style: .openStep)
    var container = edit.rootItems()
    var offset: Int?
    for step in path {
      guard let items = container, let index = edit.index(of: step, in: items) else { return nil }
      let item = items.items[index]
      offset = item.value.isEmpty ? item.start : item.value.lowerBound
      container = edit.container(ofItem: index, in: items)
    }
    guard let offset else { return nil }
    self.init(at: offset, in: text)
  }

  /// The position of a byte of a UTF-8 text; lines end at LF, CR, CRLF, U+2028 and U+2029.
  private init(at offset: Int, in text: [UInt8]) {
    var (line, column) = (1, 1)
    var index = 0
    for scalar in String(decoding: text[..<offset], as: UTF8.self).unicodeScalars {
      index += UTF8.width(scalar)
      switch scalar {
      case "\r" where index < text.count && text[index] == 0x0A: break
      case "\n", "\r", "\u{2028}", "\u{2029}": (line, column) = (line + 1, 1)
      default: column += 1
      }
    }
    (self.line, self.column) = (line, column)
  }
}
