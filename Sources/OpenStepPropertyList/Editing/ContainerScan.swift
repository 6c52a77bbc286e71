/// A walk over the items of a container, in a text that is known to be valid.
struct ContainerScan: ~Escapable {
  var cursor: TextCursor
  private let honoursTypeNotes: Bool

  @_lifetime(copy cursor)
  init(cursor: TextCursor, honoursTypeNotes: Bool) {
    self.cursor = cursor
    self.honoursTypeNotes = honoursTypeNotes
  }

  /// Moves over an item.
  mutating func item(of kind: ContainerItems.Kind) -> ContainerItem { kind == .array ? element() : entry() }

  /// Moves behind the brace with which an entry's value begins; false, without a move, if it is no dictionary.
  mutating func enterDictionary() -> Bool {
    let start = cursor.position
    if cursor.byte != UInt8(ascii: "=") { cursor.skipValidValue() }
    cursor.skipGap()
    if cursor.byte == UInt8(ascii: "=") {
      cursor.advance()
      cursor.skipGap()
      if cursor.byte == UInt8(ascii: "{") {
        cursor.advance()
        return true
      }
    }
    cursor.move(to: start)
    return false
  }

  /// Moves over the closing brace of an entry's dictionary and what belongs to the entry behind it, and gives the
  /// entry's end.
  mutating func leaveDictionary() -> Int {
    cursor.advance()
    let end = cursor.position
    return terminator(";").map { $0 + 1 } ?? end
  }

  private mutating func element() -> ContainerItem {
    let start = cursor.position
    cursor.skipValidValue()
    let value = start..<cursor.position
    let noteEnd = skipNote(behind: value)
    return ContainerItem(
      start: start, key: nil, equals: nil, value: value, noteEnd: noteEnd, terminator: terminator(","))
  }

  private mutating func entry() -> ContainerItem {
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
