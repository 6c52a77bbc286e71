/// Parses the contents of angle brackets: data in hexadecimal or base64, or one of GNUstep's typed values.
enum DataParsing {
  /// Parses the value whose `<` is at the cursor.
  ///
  /// - Parameters:
  ///   - refusesOtherNumbers: See ``PropertyList/ParsingOptions/refusesOtherNumbers``.
  ///   - isDamaged: Whether the text may be damaged, so that the closing bracket must not be searched for in advance:
  ///     in a text in which it is missing many times, that would take quadratic time.
  static func value(
    _ cursor: inout TextCursor, refusingOtherNumbers refusesOtherNumbers: Bool = false,
    inDamaged isDamaged: Bool = false
  ) throws(PropertyListError) -> PropertyList {
    switch cursor.byte(ahead: 1) {
    case UInt8(ascii: "*"): try typedValue(&cursor, refusingOtherNumbers: refusesOtherNumbers)
    case UInt8(ascii: "["): .data(try base64(&cursor))
    default: .data(try hexadecimal(&cursor, inDamaged: isDamaged))
    }
  }

  static func hexDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte &- UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte &- UInt8(ascii: "A") &+ 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte &- UInt8(ascii: "a") &+ 10
    default: nil
    }
  }

  // MARK: - Data

  /// Parses `<0fbd 7a>`: white space and comments are allowed anywhere, and the number of digits is even.
  private static func hexadecimal(
    _ cursor: inout TextCursor, inDamaged isDamaged: Bool
  ) throws(PropertyListError) -> [UInt8] {
    let opening = cursor.position
    cursor.advance()
    var closing = cursor
    if !isDamaged { closing.skipPlainText(until: UInt8(ascii: ">")) }
    let capacity = (closing.position - cursor.position) / 2
    var output = TextOutput(capacity: 0)
    return try output.array(capacity: capacity) { (result) throws(PropertyListError) in
      if !isDamaged { cursor.appendHexadecimalGroups(to: &result, atMost: capacity) }
      try appendHexadecimal(&cursor, openedAt: opening, to: &result)
    }
  }

  private static func appendHexadecimal(
    _ cursor: inout TextCursor, openedAt opening: Int, to result: inout TextOutput
  ) throws(PropertyListError) {
    var high: UInt8?
    while true {
      while let byte = cursor.byte, let digit = hexDigit(byte) {
        if let first = high {
          result.append(first << 4 | digit)
          high = nil
        } else {
          high = digit
        }
        cursor.advance()
      }
      cursor.skipGap()
      guard let byte = cursor.byte else {
        throw cursor.error("the data that begins here is never closed", at: opening)
      }
      if byte == UInt8(ascii: ">") {
        guard high == nil else {
          throw cursor.error("the data ends after an odd number of digits; a byte has two")
        }
        return cursor.advance()
      }
      guard hexDigit(byte) != nil else { throw cursor.error(expected: "a hexadecimal digit or “>”") }
    }
  }

  /// Parses `<[AAEC]>`: characters outside the alphabet are skipped, and padding may be missing.
  private static func base64(_ cursor: inout TextCursor) throws(PropertyListError) -> [UInt8] {
    let opening = cursor.position
    cursor.advance(by: 2)
    var result: [UInt8] = []
    var bits: UInt32 = 0
    var digits = 0
    while let byte = cursor.byte, byte != UInt8(ascii: "]") {
      if let digit = base64Digit(byte) {
        bits = bits << 6 | UInt32(digit)
        digits += 1
        if digits % 4 != 1 {
          // Every digit except the first of each four completes a byte.
          let surplus = UInt32(6 - 2 * ((digits - 1) % 4))
          result.append(UInt8(truncatingIfNeeded: bits >> surplus))
        }
      }
      cursor.advance()
    }
    guard !cursor.isAtEnd else {
      throw cursor.error("the data that begins here is never closed", at: opening)
    }
    guard digits % 4 != 1 else {
      throw cursor.error("the base64 data has one digit too many or some too few")
    }
    cursor.advance()
    guard cursor.byte == UInt8(ascii: ">") else { throw cursor.error(expected: "“>”") }
    cursor.advance()
    return result
  }

  private static func base64Digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0") + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }

  // MARK: - Typed values

  /// Parses GNUstep's `<*I5>`, `<*R0.5>`, `<*BY>` and `<*D2001-01-01 00:00:00 +0000>`.
  private static func typedValue(
    _ cursor: inout TextCursor, refusingOtherNumbers refusesOtherNumbers: Bool
  ) throws(PropertyListError) -> PropertyList {
    let opening = cursor.position
    cursor.advance(by: 2)
    guard let letter = cursor.byte, "IRBD".utf8.contains(letter) else {
      throw cursor.error(expected: "one of the letters I, R, B and D for a type")
    }
    cursor.advance()
    let start = cursor.position
    while let byte = cursor.byte, byte != UInt8(ascii: ">") { cursor.advance() }
    guard !cursor.isAtEnd else {
      throw cursor.error("the typed value that begins here is never closed", at: opening)
    }
    let text = unquoted(cursor.text(from: start))
    cursor.advance()
    let value: PropertyList?
    let kind: String
    switch letter {
    case UInt8(ascii: "I"):
      (kind, value) = ("whole number from -2^63 to 2^64-1", PropertyList(text: text, note: .integer))
    case UInt8(ascii: "R"):
      (kind, value) = ("decimal number", PropertyList(text: text, note: .real))
    case UInt8(ascii: "B"):
      let truth: PropertyList? =
        switch text.unicodeScalars.first {
        case "Y": .boolean(true)
        case "N": .boolean(false)
        default: nil
        }
      (kind, value) = ("truth value, which begins with Y or N", truth)
    default:
      (kind, value) = (
        "date of the form 2001-12-31 23:59:59 +0000",
        PropertyListDate(calendarText: text).map { .date($0) }
      )
    }
    guard let value else { throw cursor.error("“\(shown(text))” is no \(kind)", at: start) }
    if refusesOtherNumbers, let reason = value.otherNumber(than: text) {
      throw cursor.error(reason, at: start)
    }
    return value
  }

  /// A text for a message: only its beginning if the closing bracket is far away.
  private static func shown(_ text: String) -> String {
    let beginning = text.unicodeScalars.prefix(60)
    return beginning.endIndex == text.endIndex ? text : String(String.UnicodeScalarView(beginning)) + "…"
  }

  /// A text without the white space around it and without a pair of double quotes.
  private static func unquoted(_ text: String) -> String {
    let trimmed = trimmed(text[...])
    let quote = UInt8(ascii: "\"")
    if trimmed.utf8.count >= 2, trimmed.utf8.first == quote, trimmed.utf8.last == quote {
      return String(self.trimmed(Substring(trimmed.utf8.dropFirst().dropLast())))
    }
    return String(trimmed)
  }

  private static func trimmed(_ text: Substring) -> Substring {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
    let utf8 = text.utf8
    guard let first = utf8.firstIndex(where: { !isSpace($0) }),
      let last = utf8.lastIndex(where: { !isSpace($0) })
    else { return "" }
    return text[first...last]
  }
}

extension TextCursor {
  /// Moves over groups of eight digits with at most one space between them, as every writer writes data, and
  /// appends their bytes.
  fileprivate mutating func appendHexadecimalGroups(to result: inout TextOutput, atMost byteCount: Int) {
    var rest = self
    result.append(atMost: byteCount) { room in
      while let word = rest.word(ahead: 0), ByteClasses.notHexadecimal(word) == 0 {
        room.append(word: UInt64(ByteClasses.bytes(ofHexadecimal: word)), count: 4)
        rest.advance(by: 8)
        if rest.byte == UInt8(ascii: " ") { rest.advance() }
      }
    }
    self = rest
  }
}
