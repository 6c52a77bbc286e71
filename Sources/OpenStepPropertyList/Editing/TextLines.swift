/// The lines, blanks and comments of a text that is being edited.
struct TextLines {
  let text: [UInt8]

  static func isLineEnd(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }

  /// Whether a line ends at an offset.
  func endsLine(at place: Int) -> Bool { place < text.count && TextLines.isLineEnd(text[place]) }

  /// The end of the blanks from an offset on, which may include other white space than line ends.
  func skippingBlanks(_ place: Int) -> Int {
    var place = place
    while place < text.count {
      if text[place] == 0x20 || text[place] == 0x09 || text[place] == 0x0B || text[place] == 0x0C {
        place += 1
      } else if isSeparator(at: place) {
        place += 3
      } else {
        break
      }
    }
    return place
  }

  /// U+2028 and U+2029 are white space, but the text's lines are not counted by them.
  private func isSeparator(at place: Int) -> Bool {
    text[place] == 0xE2 && place + 2 < text.count && text[place + 1] == 0x80
      && (text[place + 2] == 0xA8 || text[place + 2] == 0xA9)
  }

  /// The end of the line end at an offset.
  func behindLineEnd(at place: Int) -> Int {
    guard endsLine(at: place) else { return place }
    let isPair = text[place] == 0x0D && place + 1 < text.count && text[place + 1] == 0x0A
    return place + (isPair ? 2 : 1)
  }

  /// The start of the line end that ends right before an offset; the offset if there is none.
  func beforeLineEnd(endingAt place: Int) -> Int {
    guard place > 0, TextLines.isLineEnd(text[place - 1]) else { return place }
    let isPair = text[place - 1] == 0x0A && place > 1 && text[place - 2] == 0x0D
    return place - (isPair ? 2 : 1)
  }

  /// The start of the line that an offset is in.
  func lineStart(of place: Int) -> Int {
    var place = place
    while place > 0, !TextLines.isLineEnd(text[place - 1]) { place -= 1 }
    return place
  }

  /// The blanks with which the line of an offset begins.
  func indentation(of place: Int) -> ArraySlice<UInt8> {
    let start = lineStart(of: place)
    return text[start..<min(skippingBlanks(start), place)]
  }

  /// The end of the comment at an offset; nil if there is none.
  ///
  /// U+2028 or U+2029 that ends a comment belongs to it, since what comes before is in the comment.
  private func endOfComment(at place: Int) -> Int? {
    var cursor = TextCursor(text.span)
    cursor.move(to: place)
    guard cursor.skipTextComment() else { return nil }
    let end = cursor.position
    return text[place + 1] == UInt8(ascii: "/") && end < text.count && isSeparator(at: end) ? end + 3 : end
  }

  /// The end of blanks and comments from an offset on, and the end of the last comment.
  func skippingTrivia(_ place: Int) -> (behindComments: Int, end: Int) {
    var (behind, place) = (place, skippingBlanks(place))
    while let end = endOfComment(at: place) {
      behind = end
      place = skippingBlanks(end)
    }
    return (behind, place)
  }

  /// Whether one of the comments that follow an offset ends with its line.
  func hasLineComment(behind place: Int) -> Bool {
    var place = skippingBlanks(place)
    while let end = endOfComment(at: place) {
      if text[place + 1] == UInt8(ascii: "/") { return true }
      place = skippingBlanks(end)
    }
    return false
  }

  /// The first line end in a range; nil if it has none.
  func firstLineEnd(in range: Range<Int>) -> ArraySlice<UInt8>? {
    guard let place = text[range].firstIndex(where: TextLines.isLineEnd) else { return nil }
    return text[place..<behindLineEnd(at: place)]
  }
}
