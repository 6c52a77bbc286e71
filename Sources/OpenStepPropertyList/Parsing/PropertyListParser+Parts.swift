/// Reads a key, a value or an entry of a text, at an offset.
extension PropertyListParser {
  /// Parses one entry of a text that ``DictionaryTextChecker`` accepted.
  static func entry(
    in text: Span<UInt8>, at start: Int, options: PropertyList.ParsingOptions
  ) -> (key: PropertyListKey, value: PropertyList) {
    readingValid(text, at: start, options) { (parser) throws(PropertyListError) in
      let key = try parser.key()
      parser.cursor.skipGap()
      parser.cursor.advance()
      parser.cursor.skipGap()
      return (key, try parser.value())
    }
  }

  /// Parses the key at an offset of a valid text.
  static func key(
    in text: Span<UInt8>, at start: Int, options: PropertyList.ParsingOptions
  ) -> PropertyListKey {
    readingValid(text, at: start, options) { (parser) throws(PropertyListError) in try parser.key() }
  }

  /// Parses the value at an offset of a valid text.
  static func value(
    in text: Span<UInt8>, at start: Int, options: PropertyList.ParsingOptions
  ) -> PropertyList {
    readingValid(text, at: start, options) { (parser) throws(PropertyListError) in try parser.value() }
  }

  /// Reads the entry with which a text begins that may be damaged.
  ///
  /// - Returns: the entry, or nil if it is not whole, and where reading stopped: behind the entry's semicolon, or at
  ///   the brace that ends its dictionary.
  static func entry(
    inDamaged text: Span<UInt8>, options: PropertyList.ParsingOptions
  ) -> (entry: (key: PropertyListKey, value: PropertyList)?, end: Int) {
    var parser = PropertyListParser(text, options: options, capacity: 0)
    parser.isDamaged = true
    do throws(PropertyListError) {
      let entry = try parser.wholeEntry()
      return (entry, parser.cursor.position)
    } catch {
      return (nil, parser.cursor.position)
    }
  }

  /// Reads an entry, up to behind its semicolon or up to the brace that ends its dictionary.
  private mutating func wholeEntry() throws(PropertyListError) -> (key: PropertyListKey, value: PropertyList)
  {
    var key: String?
    if cursor.byte != UInt8(ascii: "=") {
      key = try string()
      guard key != nil else { throw unexpected("a key") }
      cursor.skipGap()
    }
    var value = PropertyList.string(key ?? "")
    if key == nil || cursor.byte == UInt8(ascii: "=") {
      cursor.advance()
      cursor.skipGap()
      if cursor.byte == UInt8(ascii: ";") || cursor.byte == UInt8(ascii: "}") {
        value = ""
      } else {
        value = try self.value()
        cursor.skipGap()
      }
      if cursor.byte == UInt8(ascii: "}") { return (PropertyListKey(key ?? ""), value) }
    }
    guard cursor.byte == UInt8(ascii: ";") else { throw unexpected("“;”") }
    cursor.advance()
    return (PropertyListKey(key ?? ""), value)
  }

  /// Reads from an offset of a text that was accepted before, and so has no errors.
  private static func readingValid<Result>(
    _ text: Span<UInt8>, at start: Int, _ options: PropertyList.ParsingOptions,
    _ body: (inout PropertyListParser) throws(PropertyListError) -> Result
  ) -> Result {
    var parser = PropertyListParser(text, options: options, capacity: 0)
    parser.cursor.advance(by: start)
    do throws(PropertyListError) {
      return try body(&parser)
    } catch {
      preconditionFailure("a text that was checked cannot be read: \(error)")
    }
  }

  /// Reads a key; a missing one is the empty key.
  private mutating func key() throws(PropertyListError) -> PropertyListKey {
    PropertyListKey(try string() ?? "")
  }
}
