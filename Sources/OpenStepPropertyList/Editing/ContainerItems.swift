/// One entry of a dictionary or element of an array, by its places in a text.
struct ContainerItem {
  /// Where its key or, in an array, its value begins.
  let start: Int
  /// The key as it is spelled; empty if it is missing, nil in an array.
  let key: Range<Int>?
  /// The place of `=`; nil in an array and in `key;`.
  let equals: Int?
  /// The value as it is spelled; empty if it is missing.
  let value: Range<Int>
  /// The end of the type note behind the value; the value's end if there is none.
  let noteEnd: Int
  /// The place of the `;` or `,` behind it; nil if there is none.
  let terminator: Int?

  /// Where it ends, with its terminator.
  var end: Int { terminator.map { $0 + 1 } ?? max(noteEnd, equals.map { $0 + 1 } ?? noteEnd) }
}

/// The entries or elements of a container in a text that is known to be valid.
struct ContainerItems {
  enum Kind { case dictionary, array, entriesWithoutBraces }

  let kind: Kind
  /// The place behind the opening bracket; 0 without braces.
  let opening: Int
  /// The place of the closing bracket; the end of the text, or of what is not padding, without braces.
  let closing: Int
  let items: [ContainerItem]

  /// The character behind each item.
  var terminator: UInt8 { kind == .array ? UInt8(ascii: ",") : UInt8(ascii: ";") }

  /// Finds the items of the container whose bracket is at an offset, or of a text without braces.
  ///
  /// - Complexity: linear in the length of the container.
  init(of text: [UInt8], at start: Int, hasBraces: Bool = true, honoursTypeNotes: Bool) {
    var scan = Scan(cursor: TextCursor(text.span), honoursTypeNotes: honoursTypeNotes)
    scan.cursor.move(to: start)
    if !hasBraces {
      kind = .entriesWithoutBraces
      opening = 0
    } else {
      kind = scan.cursor.byte == UInt8(ascii: "(") ? .array : .dictionary
      scan.cursor.advance()
      opening = scan.cursor.position
    }
    var items: [ContainerItem] = []
    while true {
      scan.cursor.skipGap()
      guard let byte = scan.cursor.byte, byte != 0, byte != UInt8(ascii: "}"), byte != UInt8(ascii: ")")
      else { break }
      items.append(kind == .array ? scan.element() : scan.entry())
    }
    closing = scan.cursor.position
    self.items = items
  }

  /// Whether a text's dictionary has items.
  static func exist(in text: [UInt8], hasBraces: Bool) -> Bool {
    var cursor = TextCursor(text.span)
    cursor.skipGap()
    if hasBraces {
      cursor.advance()
      cursor.skipGap()
    }
    return !cursor.isAtEnd && cursor.byte != 0 && cursor.byte != UInt8(ascii: "}")
  }

  /// A walk over the items.
  private struct Scan: ~Escapable {
    var cursor: TextCursor
    private let honoursTypeNotes: Bool

    @_lifetime(copy cursor)
    init(cursor: TextCursor, honoursTypeNotes: Bool) {
      self.cursor = cursor
      self.honoursTypeNotes = honoursTypeNotes
    }

    mutating func element() -> ContainerItem {
      let start = cursor.position
      cursor.skipValidValue()
      let value = start..<cursor.position
      let noteEnd = skipNote(behind: value)
      return ContainerItem(
        start: start, key: nil, equals: nil, value: value, noteEnd: noteEnd, terminator: terminator(","))
    }

    mutating func entry() -> ContainerItem {
      let start = cursor.position
      // A missing key is the empty key.
      if cursor.byte != UInt8(ascii: "=") { cursor.skipValidValue() }
      let key = start..<cursor.position
      cursor.skipGap()
      guard cursor.byte == UInt8(ascii: "=") else {
        return ContainerItem(
          start: start, key: key, equals: nil, value: key.upperBound..<key.upperBound,
          noteEnd: key.upperBound, terminator: terminator(";"))
      }
      let equals = cursor.position
      cursor.advance()
      cursor.skipGap()
      let place = cursor.position
      if cursor.byte == UInt8(ascii: ";") {
        return ContainerItem(
          start: start, key: key, equals: equals, value: place..<place, noteEnd: place,
          terminator: terminator(";"))
      }
      if cursor.byte == UInt8(ascii: "}") {
        return ContainerItem(
          start: start, key: key, equals: equals, value: equals + 1..<equals + 1, noteEnd: equals + 1,
          terminator: nil)
      }
      cursor.skipValidValue()
      let value = place..<cursor.position
      let noteEnd = skipNote(behind: value)
      return ContainerItem(
        start: start, key: key, equals: equals, value: value, noteEnd: noteEnd, terminator: terminator(";"))
    }

    /// Moves over the terminator if it comes next.
    private mutating func terminator(_ character: Unicode.Scalar) -> Int? {
      cursor.skipGap()
      guard cursor.byte == UInt8(ascii: character) else { return nil }
      let place = cursor.position
      cursor.advance()
      return place
    }

    /// Moves over a type note behind a string, whether it fits or not, and gives its end.
    private mutating func skipNote(behind value: Range<Int>) -> Int {
      guard honoursTypeNotes, !isBracket(cursor.bytes[value.lowerBound]) else { return value.upperBound }
      cursor.skipWhiteSpace()
      guard cursor.byte == UInt8(ascii: "/"), let note = TypeNote(at: cursor) else {
        cursor.move(to: value.upperBound)
        return value.upperBound
      }
      cursor.advance(by: note.comment.utf8.count)
      return cursor.position
    }

    private func isBracket(_ byte: UInt8) -> Bool {
      byte == UInt8(ascii: "{") || byte == UInt8(ascii: "(") || byte == UInt8(ascii: "<")
    }
  }
}

extension TextCursor {
  /// Moves over a value of a valid text, or over a key, without the gap behind it.
  mutating func skipValidValue() {
    var depth = 0
    while let byte {
      switch byte {
      case UInt8(ascii: "{"), UInt8(ascii: "("):
        depth += 1
        advance()
      case UInt8(ascii: "}"), UInt8(ascii: ")"):
        depth -= 1
        advance()
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        skipQuoted()
      case UInt8(ascii: "<"):
        // A valid text has no error here; if it had one, the cursor would go on behind the bracket.
        if (try? DataParsing.value(&self)) == nil { advance() }
      case _ where TextCursor.isUnquoted(byte):
        skipUnquoted()
      default:
        advance()
      }
      if depth == 0 { return }
      skipGap()
    }
  }

  /// Moves over a quoted string.
  private mutating func skipQuoted() {
    guard let quote = byte else { return }
    advance()
    while true {
      skipPlainText(until: quote)
      guard let stop = byte else { return }
      advance()
      if stop == quote { return }
      // The character after a backslash belongs to the string.
      if !isAtEnd { advance() }
    }
  }
}
