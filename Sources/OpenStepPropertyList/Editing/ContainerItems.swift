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

/// An item after changes of its text.
struct MovedItem {
  let start: UInt32
  let isSpliced: Bool
}

/// The entries or elements of a container in a text that is known to be valid.
///
/// Only their starts are kept, since a text of 25 MB may have ten million items; the rest of an item is found
/// when it is asked for.
struct ContainerItems {
  enum Kind { case dictionary, array, entriesWithoutBraces }

  let kind: Kind
  /// The place behind the opening bracket; 0 without braces.
  let opening: Int
  /// Where each item begins, in ascending order.
  let starts: [UInt32]
  private let text: [UInt8]
  private let honoursTypeNotes: Bool
  private let knownClosing: Int?

  /// The character behind each item.
  var terminator: UInt8 { kind == .array ? UInt8(ascii: ",") : UInt8(ascii: ";") }

  /// Finds the items of the container whose bracket is at an offset, or of a text without braces.
  ///
  /// - Parameter text: A text of less than 4 GiB.
  /// - Complexity: linear in the length of the container.
  init(of text: [UInt8], at start: Int, hasBraces: Bool = true, honoursTypeNotes: Bool) {
    self.text = text
    self.honoursTypeNotes = honoursTypeNotes
    var scan = ContainerScan(cursor: TextCursor(text.span), honoursTypeNotes: honoursTypeNotes)
    scan.cursor.move(to: start)
    if !hasBraces {
      kind = .entriesWithoutBraces
      opening = 0
    } else {
      kind = scan.cursor.byte == UInt8(ascii: "(") ? .array : .dictionary
      scan.cursor.advance()
      opening = scan.cursor.position
    }
    var starts: [UInt32] = []
    while true {
      scan.cursor.skipGap()
      guard let byte = scan.cursor.byte, byte != 0, byte != UInt8(ascii: "}"), byte != UInt8(ascii: ")")
      else { break }
      starts.append(UInt32(scan.cursor.position))
      _ = scan.item(of: kind)
    }
    knownClosing = scan.cursor.position
    self.starts = starts
  }

  /// The entries of a text that was validated; nil for XML.
  init?(of dictionary: DictionaryText) {
    guard case .openStep(let options) = dictionary.form else { return nil }
    let text = dictionary.bytes
    self.text = text
    honoursTypeNotes = options.honoursTypeNotes
    kind = .dictionary
    var cursor = TextCursor(text.span)
    cursor.skipGap()
    opening = cursor.position + 1
    starts = dictionary.starts
    knownClosing = nil
  }

  var items: Items { Items(container: self) }

  /// The place of the closing bracket; the end of the text, or of what is not padding, without braces.
  var closing: Int {
    if let knownClosing { return knownClosing }
    var cursor = TextCursor(text.span)
    cursor.move(to: items.last?.end ?? opening)
    cursor.skipGap()
    return cursor.position
  }

  fileprivate func item(at index: Int) -> ContainerItem {
    var scan = ContainerScan(cursor: TextCursor(text.span), honoursTypeNotes: honoursTypeNotes)
    scan.cursor.move(to: Int(starts[index]))
    return scan.item(of: kind)
  }

  /// Where the bracket stands with which the value of an item begins; nil if it is no container.
  ///
  /// This does not need the end of the value.
  func bracket(ofItem index: Int) -> Int? {
    var cursor = TextCursor(text.span)
    cursor.move(to: Int(starts[index]))
    if kind != .array {
      if cursor.byte != UInt8(ascii: "=") { cursor.skipValidValue() }
      cursor.skipGap()
      guard cursor.byte == UInt8(ascii: "=") else { return nil }
      cursor.advance()
      cursor.skipGap()
    }
    return cursor.byte == UInt8(ascii: "{") || cursor.byte == UInt8(ascii: "(") ? cursor.position : nil
  }

  /// The indices of the entries with a key, among some.
  ///
  /// - Parameter hasKey: Whether the entry at an index has the key; asked if it has escapes.
  func indices(ofKey key: PropertyListKey, in range: Range<Int>, hasKey: (Int) -> Bool) -> [Int] {
    var found: [Int] = []
    key.text.withBytes { key in
      let firstWord = key.firstWord
      var cursor = TextCursor(text.span)
      for index in range {
        cursor.move(to: Int(starts[index]))
        if cursor.hasOtherStart(than: firstWord) { continue }
        if cursor.hasKey(key) ?? hasKey(index) { found.append(index) }
      }
    }
    return found
  }

  /// Where some items begin after changes of the text, and whether these reach into them or the gaps behind them.
  ///
  /// How an item is read does not depend on what is before it: one that no change reaches has the same key and
  /// value as before if it is an item at this place of the new text.
  ///
  /// - Parameters:
  ///   - range: The indices of the items.
  ///   - splices: The changes in the order of their places.
  /// - Complexity: linear in the number of these items and the changes.
  func moved(_ range: Range<Int>, by splices: [TextSplice]) -> [MovedItem] {
    var (splice, shift) = (0, 0)
    return range.map { index in
      let start = Int(starts[index])
      while splice < splices.count, splices[splice].range.upperBound <= start {
        shift += splices[splice].replacement.count - splices[splice].range.count
        splice += 1
      }
      let end = index + 1 < starts.count ? Int(starts[index + 1]) : text.count
      let isSpliced = splice < splices.count && splices[splice].range.lowerBound < end
      return MovedItem(start: UInt32(truncatingIfNeeded: start + shift), isSpliced: isSpliced)
    }
  }

  /// Whether a text's dictionary has items.
  static func exist(in text: [UInt8]) -> Bool {
    var cursor = TextCursor(text.span)
    cursor.skipGap()
    if cursor.byte == UInt8(ascii: "{") {
      cursor.advance()
      cursor.skipGap()
    }
    return !cursor.isAtEnd && cursor.byte != 0 && cursor.byte != UInt8(ascii: "}")
  }

  /// The items, each of which is found when it is asked for.
  struct Items: RandomAccessCollection {
    fileprivate let container: ContainerItems
    var startIndex: Int { 0 }
    var endIndex: Int { container.starts.count }
    subscript(index: Int) -> ContainerItem { container.item(at: index) }
  }
}

extension TextCursor {
  /// Whether the key at the cursor differs from another in its first eight bytes; false if that is not certain.
  @inline(__always)
  func hasOtherStart(than key: (bytes: UInt64, mask: UInt64)) -> Bool {
    guard let first = byte else { return false }
    let isQuoted = first == UInt8(ascii: "\"") || first == UInt8(ascii: "'")
    guard let word = word(ahead: isQuoted ? 1 : 0), (word ^ key.bytes) & key.mask != 0 else { return false }
    // An escape may stand for the key's characters.
    return !isQuoted || ByteClasses.zeros(word ^ ByteClasses.every(UInt8(ascii: "\\"))) == 0
  }

  /// Whether the key at the cursor is another; nil if it has to be read for that, because it has escapes.
  func hasKey(_ key: Span<UInt8>) -> Bool? {
    guard let quote = byte else { return false }
    let isQuoted = quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'")
    let start = isQuoted ? 1 : 0
    var count = 0
    while count < key.count, let byte = byte(ahead: start + count), byte == key[count] {
      let isOrdinary =
        isQuoted ? byte != quote && byte != UInt8(ascii: "\\") : TextCursor.isUnquoted(byte)
      guard isOrdinary else { break }
      count += 1
    }
    guard let next = byte(ahead: start + count) else { return !isQuoted && count == key.count }
    if isQuoted, next == UInt8(ascii: "\\") { return nil }
    return count == key.count && (isQuoted ? next == quote : !TextCursor.isUnquoted(next))
  }

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
        if (try? DataParsing.value(&self, inDamaged: true)) == nil { advance() }
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
