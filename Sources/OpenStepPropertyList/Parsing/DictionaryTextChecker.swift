/// Goes over a text without making values, by the grammar of ``PropertyListParser``.
///
/// It gives up where it is not sure, since the parser has the last word. What can be wrong with a text is
/// its structure, a string that is not closed, and what stands in angle brackets, which is made and
/// thrown away; no escape and no other string can be wrong.
struct DictionaryTextChecker: ~Escapable {
  private var cursor: TextCursor
  /// Whether each open container is a dictionary, from outside to inside.
  private var open: [Bool] = []
  private let depthBound: Int
  /// How many more values and keys there may be; below zero where there were too many.
  private var objectRoom: Int

  /// Where the entries of the text's dictionary begin, or nil where it is not certain that there is one.
  static func entries(of text: [UInt8], bounds: PropertyList.Bounds) -> DictionaryTextEntries? {
    guard text.count < UInt32.max, text.count <= bounds.byteCount else { return nil }
    var checker = DictionaryTextChecker(cursor: TextCursor(text.span), bounds: bounds)
    guard let starts = checker.entryStarts(), checker.objectRoom >= 0 else { return nil }
    return DictionaryTextEntries(starts: starts, objectCount: bounds.objectCount - checker.objectRoom)
  }

  @_lifetime(copy cursor)
  private init(cursor: TextCursor, bounds: PropertyList.Bounds) {
    self.cursor = cursor
    depthBound = min(bounds.depth, PropertyList.maximumDepth)
    // One is the text's own dictionary.
    objectRoom = bounds.objectCount - 1
  }

  private mutating func entryStarts() -> [UInt32]? {
    var starts: [UInt32] = []
    cursor.skipGap()
    guard depthBound > 0, take("{") else { return nil }
    while true {
      cursor.skipGap()
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
    // Some tools fill a block with NULs.
    while cursor.byte == 0 { cursor.advance() }
    return cursor.isAtEnd ? starts : nil
  }

  @inline(__always)
  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard cursor.byte == UInt8(ascii: character) else { return false }
    cursor.advance()
    return true
  }

  /// Moves over a key and the `=` behind it, to where the value begins.
  ///
  /// What is rare, as `key;`, is left to the parser.
  private mutating func skipKey() -> Bool {
    objectRoom -= 1
    // A missing key is the empty one.
    if cursor.byte != UInt8(ascii: "=") {
      guard skipString() else { return false }
      cursor.skipGap()
    }
    guard take("=") else { return false }
    cursor.skipGap()
    // A missing value.
    return cursor.byte != UInt8(ascii: ";") && cursor.byte != UInt8(ascii: "}")
  }

  /// Moves over a string; false where none begins, or where it is not closed.
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
      // A backslash: whatever follows belongs to the string, and no escape reaches over a quote.
      guard !cursor.isAtEnd else { return false }
      cursor.advance()
    }
  }

  /// Moves over a value with all that it contains.
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

  /// Moves on from the end of a value: true where no container is open any more, false where another value begins.
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
          // One comma more than needed is allowed.
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

  /// Moves over what stands in angle brackets.
  private mutating func skipBrackets() -> Bool {
    // Data as all programs write it needs no making: digits and spaces.
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

/// What was found in the text of a dictionary.
struct DictionaryTextEntries {
  /// Where the entries begin.
  let starts: [UInt32]
  /// How many values and keys there are at most, the dictionary among them.
  let objectCount: Int
}
