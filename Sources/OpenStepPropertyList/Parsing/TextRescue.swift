/// Reads the entries of a damaged text one by one, and passes over what cannot be read.
///
/// Where an entry is not whole, reading goes on at the next line end or semicolon behind which a key and `=`, or a
/// brace, stand at the depth of the outermost dictionary. In what is passed over a quoted string ends with its line
/// at the latest: a quote that is lost would turn all that follows inside out. It reads forwards, so that damage
/// never reaches an entry that ends before it. Between two stretches in which a brace may be damaged nothing is kept.
struct TextRescue: ~Copyable, ~Escapable {
  private(set) var parts: RescueParts
  /// Whether the text begins with the dictionary's brace.
  private(set) var hasOpeningBrace = false
  /// The place of the brace that ends the dictionary; nil if there is none.
  private(set) var closingBrace: Int?
  private var cursor: TextCursor
  private let options: PropertyList.ParsingOptions
  /// How many bytes may still be read in vain, so that the time is linear in the length of any text.
  private var room: Int

  /// - Parameters:
  ///   - text: The text, in UTF-8 but for the bytes that are not well-formed.
  ///   - illFormed: Their places, in ascending order.
  @_lifetime(copy text)
  init(_ text: Span<UInt8>, options: PropertyList.ParsingOptions, illFormed: [Int]) {
    cursor = TextCursor(text)
    self.options = options
    parts = RescueParts(illFormed: illFormed, allowsEqualKeys: true)
    room = 16 * text.count
  }

  /// Reads the whole text.
  mutating func run() {
    readParts()
    parts.dropDoubtfulEntries(endIsWhole: !hasOpeningBrace || closingBrace != nil)
  }

  private mutating func readParts() {
    cursor.skipGap()
    if cursor.byte == UInt8(ascii: "{") {
      hasOpeningBrace = true
      cursor.advance()
    }
    while true {
      let start = cursor.position
      if let comment = cursor.skipGapToOpenComment(), hasOpeningBrace {
        // It may have swallowed entries, and what was in it before is not known.
        return parts.lose(comment..<cursor.bytes.count, mayHideDictionary: true)
      }
      if isAtEnd { return }
      let place = cursor.position
      if cursor.byte == UInt8(ascii: "}") {
        cursor.advance()
        cursor.skipGap()
        if isAtEnd {
          closingBrace = place
          return
        }
        cursor.move(to: place + 1)
        passOver(from: place, isBrace: true)
      } else if !readEntry() {
        guard room > 0 else { return parts.lose(place..<cursor.bytes.count, mayHideDictionary: true) }
        passOver(from: place, isBrace: false)
      }
      assert(cursor.position > start, "the rescue of a text does not go on")
    }
  }

  /// Whether only the end, or NULs with which a file is filled up, are left.
  private var isAtEnd: Bool {
    var rest = cursor
    while rest.byte == 0 { rest.advance() }
    return rest.isAtEnd
  }

  // MARK: - Entries

  /// Reads the entry at the cursor; false if it is not whole, or if it may be the damaged end of a dictionary.
  private mutating func readEntry() -> Bool {
    let start = cursor.position
    let rest = cursor.bytes.extracting(start..<cursor.bytes.count)
    let (entry, count) = PropertyListParser.entry(inDamaged: rest, options: options)
    guard let entry, !parts.hasIllFormedByte(in: start..<start + count),
      count > 2 || !parts.mayHideDictionary
    else {
      room -= count
      return false
    }
    parts.add(entry, start..<start + count)
    cursor.move(to: start + count)
    return true
  }

  // MARK: - What is lost

  /// Loses what begins at a place, and moves the cursor to where reading goes on.
  ///
  /// - Parameter isBrace: Whether it is a brace that ends a dictionary, and not the text. Its opening brace may be in
  ///   any stretch that was lost before; what was read behind the first of them may belong to that dictionary, and is
  ///   lost as well.
  private mutating func passOver(from start: Int, isBrace: Bool) {
    if isBrace { parts.dropEntriesBehindLoss() }
    let end = resynchronize()
    parts.lose(start..<end, mayHideDictionary: isBrace || mayHideBrace(from: start))
  }

  /// Whether a damaged brace may stand between a place and the cursor: unless it is a key and its value, of words that
  /// are longer than a brace and of strings that are closed.
  private func mayHideBrace(from start: Int) -> Bool {
    var rest = TextCursor(cursor.bytes.extracting(start..<cursor.position))
    guard rest.skipToken(longerThan: 0) else { return true }
    rest.skipGap()
    guard rest.byte == UInt8(ascii: "=") else { return true }
    rest.advance()
    rest.skipGap()
    repeat {
      guard rest.skipToken(longerThan: 1) else { return true }
      rest.skipGap()
      if rest.isAtEnd { return false }
    } while rest.byte != UInt8(ascii: ";")
    rest.advance()
    rest.skipGap()
    return !rest.isAtEnd
  }

  /// Moves the cursor to where an entry can begin again; gives the end of what is passed over.
  private mutating func resynchronize() -> Int {
    var depth = 0
    while let byte = cursor.byte {
      switch byte {
      case UInt8(ascii: "{"):
        depth += 1
        cursor.advance()
      case UInt8(ascii: "}"):
        if depth == 0 { return cursor.position }
        depth -= 1
        cursor.advance()
      case UInt8(ascii: ";"):
        cursor.advance()
        if depth == 0, let end = endBeforeEntry() { return end }
      case 0x0A, 0x0D:
        guard depth == 0 else {
          cursor.advance()
          continue
        }
        if let end = endBeforeEntry() { return end }
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        cursor.skipStringInLine()
      case UInt8(ascii: "/"):
        if !cursor.skipTextComment() { cursor.advance() }
      default:
        cursor.advance()
      }
    }
    return cursor.bytes.count
  }

  /// Where the cursor is if an entry, a brace or the end follows; otherwise nil, and the cursor is behind the gap.
  private mutating func endBeforeEntry() -> Int? {
    let end = cursor.position
    cursor.skipGap()
    let gapEnd = cursor.position
    guard let byte = cursor.byte, byte != UInt8(ascii: "}") else {
      cursor.move(to: end)
      return end
    }
    if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
      cursor.skipStringInLine()
    } else {
      cursor.skipUnquoted()
    }
    let hasKey = cursor.position > gapEnd
    cursor.skipGap()
    let isEntry = hasKey && cursor.byte == UInt8(ascii: "=")
    cursor.move(to: isEntry ? end : gapEnd)
    return isEntry ? end : nil
  }
}

extension TextCursor {
  /// Moves over the word or the quoted string at the cursor; false if it is none that is longer than that, or is not
  /// closed in its line.
  fileprivate mutating func skipToken(longerThan count: Int) -> Bool {
    let start = position
    guard byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") else {
      skipUnquoted()
      return position > start + count
    }
    let quote = byte
    skipStringInLine()
    return position > start + 1 && bytes[position - 1] == quote
  }

  /// Moves over the quoted string at the cursor, up to the end of its line at most.
  fileprivate mutating func skipStringInLine() {
    let quote = byte
    advance()
    while let byte, byte != 0x0A, byte != 0x0D {
      advance()
      if byte == quote { return }
      if byte == UInt8(ascii: "\\"), let next = self.byte, next != 0x0A, next != 0x0D { advance() }
    }
  }
}
