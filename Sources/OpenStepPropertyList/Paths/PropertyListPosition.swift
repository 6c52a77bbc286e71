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

extension PropertyListPosition {
  private init(line: Int, column: Int) {
    (self.line, self.column) = (line, column)
  }

  /// The positions of bytes of a text in UTF-8, found in one pass.
  ///
  /// - Parameter offsets: The places in ascending order.
  static func positions(of offsets: [Int], in text: [UInt8]) -> [PropertyListPosition] {
    var positions: [PropertyListPosition] = []
    positions.reserveCapacity(offsets.count)
    var (line, column, index) = (1, 1, 0)
    for offset in offsets {
      while index < offset {
        let length = lineEnd(at: index, in: text)
        if length > 0, index + length <= offset {
          (line, column) = (line + 1, 1)
          index += length
        } else {
          // All other bytes of a character have these two bits.
          if text[index] & 0xC0 != 0x80 { column += 1 }
          index += 1
        }
      }
      positions.append(PropertyListPosition(line: line, column: column))
    }
    return positions
  }

  /// The length of the line end at an offset; 0 if there is none.
  private static func lineEnd(at offset: Int, in text: [UInt8]) -> Int {
    switch text[offset] {
    case 0x0A: 1
    case 0x0D: offset + 1 < text.count && text[offset + 1] == 0x0A ? 2 : 1
    case 0xE2: offset + 2 < text.count && text[offset + 1] == 0x80 && text[offset + 2] | 1 == 0xA9 ? 3 : 0
    default: 0
    }
  }
}
