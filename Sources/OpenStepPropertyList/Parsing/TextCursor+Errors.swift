/// Errors with their positions in a text.
extension TextCursor {
  /// An error that names the character at the cursor and what was expected.
  func error(expected: String) -> PropertyListError {
    guard let scalar = scalar(at: position) else {
      return error("the text ends where \(expected) was expected")
    }
    return error("found \(TextCursor.name(of: scalar)) where \(expected) was expected")
  }

  /// An error at an offset, by default the cursor's.
  func error(_ message: String, at place: Int? = nil) -> PropertyListError {
    let offset = min(place ?? position, bytes.count)
    let (line, lineStart) = line(of: offset)
    let column = String(utf8: bytes.slice(lineStart..<offset)).unicodeScalars.count + 1
    return PropertyListError(
      message: message, line: line, column: column, character: scalar(at: offset),
      excerpt: excerpt(around: offset, lineStart: lineStart))
  }

  /// The error of a value or a key for which the bounds have no room.
  func tooManyObjects(_ bound: Int, at place: Int? = nil) -> PropertyListError {
    var error = error("more than \(bound) values and keys are not read", at: place)
    error.exceedsObjectCount = true
    return error
  }

  /// The line and the column of an offset, for use in a message: `3:14`.
  func lineAndColumn(of place: Int) -> String {
    let place = error("", at: place)
    return "\(place.line):\(place.column)"
  }

  private func scalar(at offset: Int) -> Unicode.Scalar? {
    // Four bytes suffice for any character.
    let end = min(offset + 4, bytes.count)
    return offset < end ? String(utf8: bytes.slice(offset..<end)).unicodeScalars.first : nil
  }

  /// A character for a message: in quotation marks, or as its code point if it is not visible.
  static func name(of scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\n", "\r", "\u{2028}", "\u{2029}": return "the end of the line"
    case " ": return "a space"
    case "\t": return "a tab"
    default: break
    }
    switch scalar.properties.generalCategory {
    case .control, .format, .unassigned, .privateUse, .surrogate, .spaceSeparator, .lineSeparator,
      .paragraphSeparator, .nonspacingMark, .enclosingMark, .spacingMark:
      let hex = String(scalar.value, radix: 16, uppercase: true)
      return "U+" + String(repeating: "0", count: max(0, 4 - hex.count)) + hex
    default:
      return "“\(scalar)”"
    }
  }

  /// The length in bytes of the line end at an offset; 0 if there is none.
  private func lineEnd(at offset: Int) -> Int {
    switch bytes[offset] {
    case UInt8(ascii: "\n"): 1
    case UInt8(ascii: "\r"): offset + 1 < bytes.count && bytes[offset + 1] == UInt8(ascii: "\n") ? 2 : 1
    case 0xE2:
      offset + 2 < bytes.count && bytes[offset + 1] == 0x80 && bytes[offset + 2] | 1 == 0xA9 ? 3 : 0
    default: 0
    }
  }

  /// The number of the line that contains an offset, and the offset of the line.
  private func line(of place: Int) -> (number: Int, start: Int) {
    var (number, start, offset) = (1, 0, 0)
    while offset < place {
      let length = lineEnd(at: offset)
      // The line feed of a CRLF belongs to the line that it ends.
      if length > 0, offset + length <= place {
        number += 1
        start = offset + length
      }
      offset += max(length, 1)
    }
    return (number, start)
  }

  /// The source line around an offset, at most 60 characters on either side, with a caret below it.
  private func excerpt(around place: Int, lineStart: Int) -> String {
    var lineStop = place
    while lineStop < bytes.count, lineEnd(at: lineStop) == 0, lineStop - place < 480 { lineStop += 1 }
    let before = String(utf8: bytes.slice(max(lineStart, place - 480)..<place)).unicodeScalars
    let after = String(utf8: bytes.slice(place..<lineStop)).unicodeScalars
    let shownBefore = before.suffix(60).map(TextCursor.visible)
    let shownAfter = after.prefix(60).map(TextCursor.visible)
    let ellipsis = before.count > 60 || place - lineStart > 480 ? "…" : ""
    // Tabs are repeated before the caret, so that it is under its character with any tab width.
    let indent = ellipsis.map { _ in " " } + shownBefore.map { $0 == "\t" ? "\t" : " " }
    return ellipsis + shownBefore.joined() + shownAfter.joined() + (after.count > 60 ? "…" : "") + "\n"
      + indent.joined() + "^"
  }

  /// A character of an excerpt, without controls, which would move the terminal's cursor.
  private static func visible(_ scalar: Unicode.Scalar) -> String {
    scalar == "\t" || scalar.properties.generalCategory != .control ? String(Character(scalar)) : "\u{FFFD}"
  }
}
