/// Validates a text by the grammar of ``PropertyListParser``, without making values.
///
/// It rejects a text about which it cannot decide; the parser then decides. A text can have errors in its
/// structure, in a string that is not closed, and in angle brackets, whose value is parsed and dropped.
/// Escapes and other strings cannot have errors.
struct DictionaryTextChecker: ~Escapable {
  private var cursor: TextCursor
  /// Whether each open container is a dictionary, from the outermost to the innermost.
  private var open: [Bool] = []
  private let depthBound: Int
  /// The number of values and keys that are still allowed; negative if there were too many.
  private var objectRoom: Int

  /// Finds the entries of the text's dictionary; nil unless it is certain that the text is a dictionary.
  static func entries(of text: [UInt8], bounds: PropertyList.Bounds) -> DictionaryTextEntries? {
    guard text.count < UInt32.max, text.count <= bounds.byteCount else { return nil }
    var checker = DictionaryTextChecker(cursor: TextCursor(text.span), bounds: bounds)
    guard let starts = checker.entryStarts(), checker.objectRoom >= 0 else { return nil }
    return DictionaryTextEntries(starts: starts, objectCount: bounds.objectCount - checker.objectRoom)
  }

  /// Finds the entries of a text that was made by changing a validated one, and validates only what the changes
  /// reach.
  ///
  /// Where an entry begins, only the text's own dictionary is open, and reading looks only ahead. So the rest of the
  /// text is read as before if the bytes before the changes are the same, if reading goes on from the start of an
  /// old entry, and if it ends exactly where the unchanged rest begins. No depth changes there, and objects are
  /// counted.
  ///
  /// - Parameters:
  ///   - text: The new text.
  ///   - splices: The changes, sorted and apart.
  ///   - bounds: Those with which the old text was validated.
  /// - Returns: The entries, and the indices of the old ones that the changes may reach; nil if this cannot be
  ///   decided without validating the whole text.
  static func entries(
    of text: [UInt8], changing old: DictionaryText, by splices: [TextSplice], bounds: PropertyList.Bounds
  ) -> (entries: DictionaryTextEntries, replaced: Range<Int>)? {
    guard text.count < UInt32.max, text.count <= bounds.byteCount,
      let firstChange = splices.first?.range.lowerBound,
      let endOfLastChange = splices.last?.range.upperBound
    else { return nil }
    let oldText = old.bytes
    let first = old.starts.indices.partitioningIndex { old.starts[$0] > firstChange } - 1
    let next = old.starts.indices.partitioningIndex { old.starts[$0] >= endOfLastChange }
    guard first >= 0 else { return nil }
    let start = Int(old.starts[first])
    let reachesEnd = next == old.starts.count
    let oldEnd = reachesEnd ? oldText.count : Int(old.starts[next])
    let newEnd = text.count - (oldText.count - oldEnd)
    guard newEnd >= start, text.span.slice(0..<start).hasEqualLongBytes(as: oldText.span.slice(0..<start)),
      text.span.slice(from: newEnd).hasEqualLongBytes(as: oldText.span.slice(from: oldEnd))
    else { return nil }
    var newChecker = DictionaryTextChecker(cursor: TextCursor(text.span), bounds: bounds)
    var oldChecker = DictionaryTextChecker(cursor: TextCursor(oldText.span), bounds: bounds)
    guard let found = newChecker.entryStarts(from: start, to: reachesEnd ? nil : newEnd),
      oldChecker.entryStarts(from: start, to: reachesEnd ? nil : oldEnd) != nil
    else { return nil }
    let objectCount = old.objectCount + oldChecker.objectRoom - newChecker.objectRoom
    // What was counted may be more than there are.
    guard objectCount <= bounds.objectCount else { return nil }
    var starts: [UInt32] = []
    starts.reserveCapacity(first + found.count + old.starts.count - next)
    starts += old.starts[..<first]
    starts += found
    for start in old.starts[next...] { starts.append(UInt32(Int(start) - oldEnd + newEnd)) }
    return (DictionaryTextEntries(starts: starts, objectCount: objectCount), first..<next)
  }

  @_lifetime(copy cursor)
  private init(cursor: TextCursor, bounds: PropertyList.Bounds) {
    self.cursor = cursor
    depthBound = min(bounds.depth, PropertyList.maximumDepth)
    // The text's own dictionary counts as a value.
    objectRoom = bounds.objectCount - 1
  }

  private mutating func entryStarts() -> [UInt32]? {
    cursor.skipGap()
    guard depthBound > 0, take("{") else { return nil }
    return entryStarts(from: cursor.position, to: nil)
  }

  /// Finds the entries from a place between two of them up to another such place, or up to the end of the text.
  private mutating func entryStarts(from start: Int, to end: Int?) -> [UInt32]? {
    var starts: [UInt32] = []
    cursor.move(to: start)
    while true {
      cursor.skipGap()
      if let end, cursor.position >= end { return cursor.position == end ? starts : nil }
      if take("}") { break }
      starts.append(UInt32(cursor.position))
      guard skipKey(), skipValue() else { return nil }
      cursor.skipGap()
      guard take(";") else {
        // The last semicolon may be missing.
        guard take("}") else { return nil }
        break
      }
    }
    cursor.skipGap()
    // Some tools pad a file with NULs.
    while cursor.byte == 0 { cursor.advance() }
    return cursor.isAtEnd && end == nil ? starts : nil
  }

  @inline(__always)
  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard cursor.byte == UInt8(ascii: character) else { return false }
    cursor.advance()
    return true
  }

  /// Moves over a key and the `=` after it to the start of the value.
  ///
  /// Rare forms, such as `key;`, are left to the parser.
  private mutating func skipKey() -> Bool {
    objectRoom -= 1
    // A missing key is the empty key.
    if cursor.byte != UInt8(ascii: "=") {
      guard skipString() else { return false }
      cursor.skipGap()
    }
    guard take("=") else { return false }
    cursor.skipGap()
    // A missing value is left to the parser.
    return cursor.byte != UInt8(ascii: ";") && cursor.byte != UInt8(ascii: "}")
  }

  /// Moves over a string; false if there is none, or if it is not closed.
  private mutating func skipString() -> Bool {
    guard let byte = cursor.byte else { return false }
    if TextCursor.isUnquoted(byte) {
      cursor.skipUnquoted()
      return true
    }
    guard byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") else { return false }
    cursor.advance()
    while true {
      cursor.skipPlainText(until: byte)
      guard let stop = cursor.byte else { return false }
      cursor.advance()
      if stop == byte { return true }
      // The character after a backslash belongs to the string, and the rest of an escape contains no quote.
      guard !cursor.isAtEnd else { return false }
      cursor.advance()
    }
  }

  /// Moves over a value and its contents.
  private mutating func skipValue() -> Bool {
    while true {
      objectRoom -= 1
      switch cursor.byte {
      case UInt8(ascii: "{"):
        guard push(isDictionary: true) else { return false }
        cursor.skipGap()
        if !take("}") {
          guard skipKey() else { return false }
          continue
        }
        open.removeLast()
      case UInt8(ascii: "("):
        guard push(isDictionary: false) else { return false }
        cursor.skipGap()
        if !take(")") { continue }
        open.removeLast()
      case UInt8(ascii: "<"):
        guard skipBrackets() else { return false }
      default:
        guard skipString() else { return false }
      }
      if open.isEmpty { return true }
      guard let isComplete = closeContainers() else { return false }
      if isComplete { return true }
    }
  }

  /// Moves from the end of a value to the next value and gives false; true if no container is open any more;
  /// nil if the text is rejected.
  private mutating func closeContainers() -> Bool? {
    while let isDictionary = open.last {
      cursor.skipGap()
      if isDictionary {
        if take(";") {
          cursor.skipGap()
          if cursor.byte != UInt8(ascii: "}") { return skipKey() ? false : nil }
        }
        guard take("}") else { return nil }
      } else {
        if take(",") {
          cursor.skipGap()
          // A trailing comma is allowed.
          if cursor.byte != UInt8(ascii: ")") { return false }
        }
        guard take(")") else { return nil }
      }
      open.removeLast()
    }
    return true
  }

  private mutating func push(isDictionary: Bool) -> Bool {
    // The text's own dictionary is one level.
    guard open.count < depthBound - 1 else { return false }
    open.append(isDictionary)
    cursor.advance()
    return true
  }

  /// Moves over angle brackets and their contents.
  private mutating func skipBrackets() -> Bool {
    // Data as all programs write it, in digits and spaces, needs no parsing.
    var rest = cursor
    rest.advance()
    var digitCount = 0
    while let byte = rest.byte, byte == UInt8(ascii: " ") || DataParsing.hexDigit(byte) != nil {
      digitCount += byte == UInt8(ascii: " ") ? 0 : 1
      rest.advance()
    }
    if rest.byte == UInt8(ascii: ">"), digitCount % 2 == 0 {
      rest.advance()
      cursor = rest
      return true
    }
    do throws(PropertyListError) {
      _ = try DataParsing.value(&cursor)
      return true
    } catch {
      return false
    }
  }
}

/// The result of validating a dictionary's text.
struct DictionaryTextEntries {
  /// The offsets of the entries.
  let starts: [UInt32]
  /// An upper bound for the number of values and keys, including the dictionary.
  let objectCount: Int
}
