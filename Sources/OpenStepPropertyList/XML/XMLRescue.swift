/// Reads the entries of a damaged XML document's outermost dictionary one by one, and passes over what cannot be read.
///
/// Where an entry is not whole, reading goes on at the next `<key>` at the depth of the outermost dictionary. It reads
/// forwards, so that damage never reaches an entry that ends before it.
struct XMLRescue: ~Escapable {
  private(set) var parts: RescueParts
  private var cursor: TextCursor
  private let options: PropertyList.XMLParsingOptions
  /// Whether the dictionary lies in `<plist>`, whose end is then the end of the document.
  private var hasPlist = false
  /// How many bytes may still be read in vain, so that the time is linear in the length of any document.
  private var room: Int

  /// - Parameters:
  ///   - text: The document in UTF-8, without a byte order mark.
  ///   - illFormed: The places of the bytes that stand for what is no character, in ascending order.
  @_lifetime(copy text)
  init(_ text: Span<UInt8>, options: PropertyList.XMLParsingOptions, illFormed: [Int]) {
    cursor = TextCursor(text)
    self.options = options
    parts = RescueParts(illFormed: illFormed, allowsEqualKeys: false)
    room = 16 * text.count
  }

  /// Reads the whole document; false if it has no dictionary.
  mutating func run() -> Bool {
    guard enterRoot() else { return false }
    let endIsWhole = readEntries()
    parts.dropDoubtfulEntries(endIsWhole: endIsWhole)
    return true
  }

  /// Moves into the outermost dictionary: behind its tag, or to the first key if that tag is damaged.
  private mutating func enterRoot() -> Bool {
    var (hasDocumentType, damage): (Bool, Int?) = (false, nil)
    while true {
      guard cursor.skipClosedMarkup(), !cursor.isAtEnd else { return false }
      let place = cursor.position
      if !hasDocumentType, cursor.starts(with: "<!DOCTYPE") {
        hasDocumentType = true
        if (try? cursor.skipDocumentType(takesDeclarations: true)) != nil { continue }
      }
      let tag = try? cursor.xmlTagOrFault()
      switch (tag?.element, tag?.kind) {
      case (.plist, .start):
        hasPlist = true
      case (.dict, .start):
        if let damage { parts.lose(damage..<cursor.position, mayHideDictionary: true) }
        return true
      case (.key, .start):
        guard let damage else { return false }
        parts.lose(damage..<place, mayHideDictionary: true)
        cursor.move(to: place)
        return true
      case (nil, _), (.dict, .empty):
        if damage == nil { damage = place }
        cursor.move(to: place + 1)
        cursor.skip(to: UInt8(ascii: "<"))
      default:
        return false
      }
    }
  }

  /// Reads up to the end; false if the end of the outermost dictionary is not whole.
  private mutating func readEntries() -> Bool {
    while true {
      let isClosed = cursor.skipClosedMarkup()
      if cursor.isAtEnd { return false }
      let place = cursor.position
      guard isClosed, room > 0 else {
        // What is never closed may have swallowed entries.
        parts.lose(place..<cursor.bytes.count, mayHideDictionary: true)
        return false
      }
      if cursor.skipEndOfDictionary() {
        if let endIsWhole = isWholeEnd { return endIsWhole }
        parts.dropEntriesBehindLoss()
        passOver(from: place, endsDictionary: true)
      } else if !readEntry() {
        passOver(from: place, endsDictionary: false)
      }
    }
  }

  /// Whether the end of the document behind the outermost dictionary is whole; nil if this is not its end.
  private var isWholeEnd: Bool? {
    var rest = cursor
    guard rest.skipClosedMarkup() else { return nil }
    var closesPlist = false
    if rest.starts(with: "</"), let tag = try? rest.xmlTagOrFault() {
      guard tag.element == .plist else { return nil }
      closesPlist = true
      guard rest.skipClosedMarkup() else { return nil }
    }
    // With NULs a file is filled up.
    while rest.byte == 0 { rest.advance() }
    return rest.isAtEnd ? closesPlist || !hasPlist : nil
  }

  /// Reads the entry at the cursor; false if it is not whole.
  private mutating func readEntry() -> Bool {
    let start = cursor.position
    // The rest alone, since the line of an error is counted from the beginning.
    let rest = cursor.bytes.extracting(start..<cursor.bytes.count)
    var parser = XMLParser(rest, options: options, capacity: 0)
    guard (try? parser.enterRoot(movingTo: 0)) != nil, let entry = try? parser.entry() else {
      room -= max(1, parser.cursor.position)
      return false
    }
    let range = start..<start + parser.cursor.position
    if parts.hasIllFormedByte(in: range) {
      parts.lose(range)
    } else {
      parts.add(entry, range)
    }
    cursor.move(to: range.upperBound)
    return true
  }

  /// Loses what begins at a place, and moves the cursor to where reading goes on.
  ///
  /// - Parameter endsDictionary: Whether it begins with the end of a dictionary, behind which the cursor is.
  private mutating func passOver(from start: Int, endsDictionary: Bool) {
    var passage = XMLPassage(from: cursor, endsDictionary: endsDictionary)
    passage.run()
    cursor = passage.cursor
    parts.lose(start..<cursor.position, mayHideDictionary: passage.mayHideDictionary)
  }
}

extension TextCursor {
  /// Moves over white space, comments and processing instructions; false at one that is never closed.
  fileprivate mutating func skipClosedMarkup() -> Bool {
    while true {
      skipXMLSpace()
      let start = position
      guard let isClosed = skipEnclosedMarkup() else { return true }
      guard isClosed else {
        move(to: start)
        return false
      }
    }
  }

  /// Moves over the end tag of a dictionary; false if there is none.
  fileprivate mutating func skipEndOfDictionary() -> Bool {
    guard starts(with: "</dict") else { return false }
    let start = position
    if let tag = try? xmlTagOrFault(), tag.element == .dict { return true }
    move(to: start)
    return false
  }
}
