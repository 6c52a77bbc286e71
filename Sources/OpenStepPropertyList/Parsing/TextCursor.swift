/// A place in a text of well-formed UTF-8, with the steps that every part of the grammar needs.
///
/// This type holds the module's pointers: it reads the caller's buffer in place. It is safe because
/// a cursor lives only inside the `withUnsafeBufferPointer` call that makes it, and because every
/// read compares its place with the end first.
struct TextCursor {
  let bytes: UnsafeBufferPointer<UInt8>
  private(set) var position = 0

  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
  }

  /// The byte at the cursor, or nil at the end.
  var byte: UInt8? {
    position < bytes.count ? bytes[position] : nil
  }

  /// The byte some places further on, or nil beyond the end.
  func byte(ahead distance: Int) -> UInt8? {
    distance < bytes.count - position ? bytes[position + distance] : nil
  }

  var isAtEnd: Bool { position >= bytes.count }

  mutating func advance(by count: Int = 1) {
    position += count
  }

  mutating func moveToEnd() {
    position = bytes.count
  }

  /// Goes back to a place where the cursor has been.
  mutating func move(to earlier: Int) {
    position = earlier
  }

  /// Whether the text goes on with these ASCII characters.
  func starts(with text: StaticString) -> Bool {
    guard bytes.count - position >= text.utf8CodeUnitCount else { return false }
    for index in 0..<text.utf8CodeUnitCount where bytes[position + index] != text.utf8Start[index] {
      return false
    }
    return true
  }

  /// The bytes from an earlier place up to the cursor.
  func slice(from start: Int) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(rebasing: bytes[start..<position])
  }

  /// The text from an earlier place up to the cursor.
  func text(from start: Int) -> String {
    String(decoding: slice(from: start), as: UTF8.self)
  }
}

// MARK: - Runs

extension TextCursor {
  /// Moves over ASCII, eight bytes at a time.
  mutating func skipASCII() {
    let raw = UnsafeRawBufferPointer(bytes)
    while position + 8 <= bytes.count,
      raw.loadUnaligned(fromByteOffset: position, as: UInt64.self) & ByteClasses.topBits == 0
    {
      position += 8
    }
    while position < bytes.count, bytes[position] < 0x80 { position += 1 }
  }

  /// Moves to the next quote of that kind or backslash, or to the end.
  mutating func skipPlainText(until quote: UInt8) {
    let raw = UnsafeRawBufferPointer(bytes)
    while position + 8 <= bytes.count {
      let word = raw.loadUnaligned(fromByteOffset: position, as: UInt64.self).littleEndian
      let ends =
        ByteClasses.zeros(word ^ ByteClasses.every(quote))
        | ByteClasses.zeros(word ^ ByteClasses.every(UInt8(ascii: "\\")))
      if ends != 0 {
        position += ends.trailingZeroBitCount / 8
        return
      }
      position += 8
    }
    while position < bytes.count, bytes[position] != quote, bytes[position] != UInt8(ascii: "\\") {
      position += 1
    }
  }

  /// Moves over the characters that may stand without quotes, in GNUstep's set, which holds all others'.
  mutating func skipUnquoted() {
    let raw = UnsafeRawBufferPointer(bytes)
    var place = position
    while place + 8 <= bytes.count {
      let word = raw.loadUnaligned(fromByteOffset: place, as: UInt64.self).littleEndian
      let others = ByteClasses.notBare(word)
      guard others != 0 else {
        place += 8
        continue
      }
      // Most that stands without quotes are letters and digits.
      place += others.trailingZeroBitCount / 8
      guard TextCursor.isUnquoted(bytes[place]) else {
        position = place
        return
      }
      place += 1
    }
    while place < bytes.count, TextCursor.isUnquoted(bytes[place]) { place += 1 }
    position = place
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
    if position < bytes.count, bytes[position] == 0x20 { position += 1 }
    if position < bytes.count, bytes[position] > 0x2F, bytes[position] < 0x80 { return }
    skipLongGap()
  }

  private mutating func skipLongGap() {
    while position < bytes.count {
      let byte = bytes[position]
      if byte == 0x20 || (byte >= 0x09 && byte <= 0x0D) {
        position += 1
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
        position += 1
      } else if isAtSeparator {
        position += 3
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
      position += 3
      return true
    }
    guard byte == UInt8(ascii: "/") else { return false }
    switch byte(ahead: 1) {
    case UInt8(ascii: "/"):
      position += 2
      while let byte, byte != UInt8(ascii: "\n"), byte != UInt8(ascii: "\r"), !isAtSeparator {
        position += 1
      }
    case UInt8(ascii: "*"):
      position += 2
      while !starts(with: "*/") {
        // A comment that is never closed runs to the end.
        guard !isAtEnd else { return true }
        position += 1
      }
      position += 2
    default:
      return false
    }
    return true
  }
}

// MARK: - Errors

extension TextCursor {
  /// An error that says what stands at the cursor and what should.
  func error(expected: String) -> PropertyListError {
    guard let scalar = scalar(at: position) else {
      return error("the text ends where \(expected) was expected")
    }
    return error("found \(TextCursor.name(of: scalar)) where \(expected) was expected")
  }

  /// An error at a place, by default the cursor's.
  func error(_ message: String, at place: Int? = nil) -> PropertyListError {
    let offset = min(place ?? position, bytes.count)
    let (line, lineStart) = line(of: offset)
    let column = String(decoding: bytes[lineStart..<offset], as: UTF8.self).unicodeScalars.count + 1
    return PropertyListError(
      message: message, line: line, column: column, character: scalar(at: offset),
      excerpt: excerpt(around: offset, lineStart: lineStart))
  }

  /// Where a place lies, for use inside a message: `3:14`.
  func lineAndColumn(of place: Int) -> String {
    let place = error("", at: place)
    return "\(place.line):\(place.column)"
  }

  private func scalar(at offset: Int) -> Unicode.Scalar? {
    // Four bytes hold any character whole.
    let end = min(offset + 4, bytes.count)
    return offset < end ? String(decoding: bytes[offset..<end], as: UTF8.self).unicodeScalars.first : nil
  }

  /// A character as a message shows it: itself in quotation marks, or its number where it has no face.
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

  /// How many bytes long the line end at a place is, or 0.
  private func lineEnd(at offset: Int) -> Int {
    switch bytes[offset] {
    case UInt8(ascii: "\n"): 1
    case UInt8(ascii: "\r"): offset + 1 < bytes.count && bytes[offset + 1] == UInt8(ascii: "\n") ? 2 : 1
    case 0xE2:
      offset + 2 < bytes.count && bytes[offset + 1] == 0x80 && bytes[offset + 2] | 1 == 0xA9 ? 3 : 0
    default: 0
    }
  }

  /// The number of the line that a place lies in, and where that line begins.
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

  /// The source line around a place, at most 60 characters to either side, and a caret beneath.
  private func excerpt(around place: Int, lineStart: Int) -> String {
    var lineStop = place
    while lineStop < bytes.count, lineEnd(at: lineStop) == 0, lineStop - place < 480 { lineStop += 1 }
    let before = String(decoding: bytes[max(lineStart, place - 480)..<place], as: UTF8.self).unicodeScalars
    let after = String(decoding: bytes[place..<lineStop], as: UTF8.self).unicodeScalars
    let shownBefore = before.suffix(60).map(TextCursor.visible)
    let shownAfter = after.prefix(60).map(TextCursor.visible)
    let ellipsis = before.count > 60 || place - lineStart > 480 ? "…" : ""
    // Tabs are repeated above the caret, so that it stands under its character whatever their width.
    let indent = ellipsis.map { _ in " " } + shownBefore.map { $0 == "\t" ? "\t" : " " }
    return ellipsis + shownBefore.joined() + shownAfter.joined() + (after.count > 60 ? "…" : "") + "\n"
      + indent.joined() + "^"
  }

  /// A character of an excerpt; controls would move the terminal's cursor.
  private static func visible(_ scalar: Unicode.Scalar) -> String {
    scalar == "\t" || scalar.properties.generalCategory != .control ? String(Character(scalar)) : "\u{FFFD}"
  }
}
