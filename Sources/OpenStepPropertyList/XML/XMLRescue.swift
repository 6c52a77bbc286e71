/// Reads the entries of a damaged XML document's outermost dictionary one by one, and passes over what cannot be read.
///
/// Where an entry is not whole, reading goes on at the next `<key>` at the depth of the outermost dictionary. It reads
/// forwards, so that damage never reaches an entry that ends before it.
struct XMLRescue: ~Escapable {
  private(set) var parts: [TextRescue.Part] = []
  private var cursor: TextCursor
  private let options: PropertyList.XMLParsingOptions
  /// The keys of the entries that are kept.
  private var keys: Set<PropertyListKey> = []
  /// The index of the last part that is lost.
  private var lastLoss: Int?
  /// How many bytes may still be read in vain, so that the time is linear in the length of any document.
  private var room: Int

  /// - Parameter text: The document in UTF-8, without a byte order mark.
  @_lifetime(copy text)
  init(_ text: Span<UInt8>, options: PropertyList.XMLParsingOptions) {
    cursor = TextCursor(text)
    self.options = options
    room = 16 * text.count
  }

  /// The document in UTF-8; what stands before the first byte that is not, if it claims to be UTF-8.
  static func decoded(_ bytes: [UInt8]) -> [UInt8] {
    let whole = try? XMLDecoding.withUTF8(of: bytes) { (text) throws(PropertyListError) -> [UInt8] in
      text.withUnsafeBufferPointer { Array($0) }
    }
    if let whole { return whole }
    let end = TextDecoding.firstIllFormedUTF8(in: bytes.span) ?? bytes.count
    return Array(bytes[..<end].drop { $0 >= 0x80 })
  }

  /// Reads the whole document; false if it has no dictionary.
  mutating func run() -> Bool {
    guard enterRoot() else { return false }
    while true {
      skipMarkup()
      if cursor.isAtEnd { return true }
      let place = cursor.position
      if cursor.starts(with: "<!--") {
        // It is never closed, and may have swallowed entries.
        lose(place..<cursor.bytes.count)
        return true
      }
      if cursor.starts(with: "</dict>") {
        cursor.advance(by: 7)
        if isAtEndOfDocument { return true }
        dropEntriesBehindLoss()
        passOver(from: place)
      } else if !readEntry() {
        guard room > 0 else {
          lose(place..<cursor.bytes.count)
          return true
        }
        passOver(from: place)
      }
    }
  }

  /// Moves behind the tag of the outermost dictionary.
  private mutating func enterRoot() -> Bool {
    while true {
      skipMarkup()
      if cursor.starts(with: "<dict>") {
        cursor.advance(by: 6)
        return true
      }
      guard cursor.starts(with: "<!DOCTYPE") || cursor.starts(with: "<plist"), skipTag() else { return false }
    }
  }

  /// Moves behind the tag or the document type at the cursor; false if it is never closed.
  private mutating func skipTag() -> Bool {
    while let byte = cursor.byte {
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        cursor.advance()
        cursor.skip(to: byte)
      }
      cursor.advance()
      if byte == UInt8(ascii: ">") { return true }
    }
    return false
  }

  /// Moves over white space, comments and processing instructions that are closed.
  private mutating func skipMarkup() {
    while true {
      cursor.skipXMLSpace()
      let start = cursor.position
      let isSkipped =
        cursor.starts(with: "<!--")
        ? cursor.skip(past: "-->") : cursor.starts(with: "<?") ? cursor.skip(past: "?>") : false
      guard isSkipped else { return cursor.move(to: start) }
    }
  }

  private var isAtEndOfDocument: Bool {
    var rest = self
    rest.skipMarkup()
    if rest.cursor.starts(with: "</plist>") { rest.cursor.advance(by: 8) }
    rest.skipMarkup()
    return rest.cursor.isAtEnd
  }

  /// Reads the entry at the cursor; false if it is not whole, or has the key of an entry before it.
  private mutating func readEntry() -> Bool {
    let start = cursor.position
    var parser = XMLParser(cursor.bytes, options: options, capacity: 0)
    guard (try? parser.enterRoot(movingTo: start)) != nil, let entry = try? parser.entry() else {
      room -= max(1, parser.cursor.position - start)
      return false
    }
    let end = parser.cursor.position
    if keys.insert(entry.key).inserted {
      parts.append(TextRescue.Part(entry: entry, range: start..<end))
    } else {
      // A document in which a key stands twice is refused, and the first one was whole before.
      lose(start..<end)
    }
    cursor.move(to: end)
    return true
  }

  // MARK: - What is lost

  /// Notes a stretch that is lost, as one with a stretch right before it.
  private mutating func lose(_ range: Range<Int>) {
    if let last = parts.last, last.entry == nil {
      parts[parts.count - 1].range = last.range.lowerBound..<range.upperBound
    } else {
      lastLoss = parts.count
      parts.append(TextRescue.Part(entry: nil, range: range))
    }
  }

  /// Drops what was read behind the last loss: a dictionary ends, whose beginning is lost, and to which it belongs.
  private mutating func dropEntriesBehindLoss() {
    guard let loss = lastLoss else { return }
    for part in parts[(loss + 1)...] { if let entry = part.entry { keys.remove(entry.key) } }
    parts.removeSubrange((loss + 1)...)
  }

  /// Loses what begins at a place, and moves the cursor to where reading goes on.
  private mutating func passOver(from start: Int) {
    resynchronize(from: start)
    lose(start..<cursor.position)
  }

  /// Moves the cursor behind a place to the next key, or end of a dictionary, at the depth of the outermost one.
  private mutating func resynchronize(from start: Int) {
    var depth = 0
    cursor.move(to: start)
    if !cursor.isAtEnd { cursor.advance() }
    while true {
      cursor.skip(to: UInt8(ascii: "<"))
      if cursor.isAtEnd { return }
      if cursor.starts(with: "<!--") {
        if cursor.skip(past: "-->") { continue }
        return cursor.move(to: cursor.bytes.count)
      }
      if cursor.starts(with: "<dict>") || cursor.starts(with: "<array>") {
        depth += 1
      } else if cursor.starts(with: "</dict>") || cursor.starts(with: "</array>") {
        if depth == 0, cursor.starts(with: "</dict>") { return }
        depth = max(0, depth - 1)
      } else if depth == 0, cursor.starts(with: "<key>") {
        return
      }
      cursor.advance()
    }
  }
}
