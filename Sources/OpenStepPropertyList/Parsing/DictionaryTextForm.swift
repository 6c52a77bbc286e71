/// The format of a dictionary's text.
enum DictionaryTextForm: Sendable, Equatable {
  case openStep(PropertyList.ParsingOptions)
  case xml(PropertyList.XMLParsingOptions)

  /// The layout of a text that this package writes.
  ///
  /// An entry starts after its `indentation`, which begins with a line break, and ends before the next
  /// entry's indentation or the tail.
  struct Layout {
    /// The text before the first entry.
    let head: [UInt8]
    let indentation: [UInt8]
    /// The text after the last entry.
    let tail: [UInt8]
  }

  private static let openStepLayout = Layout(
    head: Array("{".utf8), indentation: Array("\n    ".utf8), tail: Array("\n}\n".utf8))
  private static let xmlLayout = Layout(
    head: XMLWriter.head.withUTF8Buffer { Array($0) } + Array("<dict>".utf8),
    indentation: Array("\n\t".utf8),
    tail: Array("\n</dict>\n".utf8) + XMLWriter.tail.withUTF8Buffer { Array($0) })

  var layout: Layout {
    switch self {
    case .openStep: DictionaryTextForm.openStepLayout
    case .xml: DictionaryTextForm.xmlLayout
    }
  }

  /// The bounds of the parser.
  private var bounds: PropertyList.Bounds {
    switch self {
    case .openStep(let options): options.bounds
    case .xml(let options): options.bounds
    }
  }

  /// Whether one key is written before another.
  func precedes(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
    switch self {
    case .openStep: left.precedes(right)
    case .xml: left.precedesByUTF16(right)
    }
  }

  func precedes(_ left: PropertyListKey, _ right: PropertyListKey) -> Bool {
    left.text.withBytes { left in right.text.withBytes { precedes(left, $0) } }
  }

  // MARK: Reading

  /// Parses an entry of a text that was validated.
  func entry(
    in text: Span<UInt8>, at start: Int
  ) -> (key: PropertyListKey, value: PropertyList) {
    switch self {
    case .openStep(let options): PropertyListParser.entry(in: text, at: start, options: options)
    case .xml(let options): XMLParser.entry(in: text, at: start, options: options)
    }
  }

  /// The bytes of an entry's key; nil if the key has escapes.
  @inline(__always)
  @_lifetime(copy text)
  func plainKey(in text: Span<UInt8>, at start: Int) -> Span<UInt8>? {
    var cursor = TextCursor(text)
    cursor.advance(by: start)
    switch self {
    case .openStep: return cursor.plainKey()
    case .xml: return cursor.plainXMLKey()
    }
  }

  // MARK: Writing

  /// Appends an entry as this package writes it, with the line break before it.
  ///
  /// - Parameter maximumCount: How many bytes the output may have then.
  /// - Throws: `PropertyListError` if the format cannot represent the value, or not in so many bytes.
  func append(
    _ key: PropertyListKey, _ value: PropertyList, to output: inout TextOutput, within maximumCount: Int
  ) throws(PropertyListError) {
    switch self {
    case .openStep: try PropertyListWriter.append(key, value, to: &output, within: maximumCount)
    case .xml:
      let line = try line(of: key, value, within: maximumCount)
      guard line.count <= maximumCount - output.count else { throw WritingBounds.tooLong(maximumCount) }
      output.append(line.span)
    }
  }

  /// The bytes that ``append(_:_:to:within:)`` appends.
  ///
  /// - Parameter maximumCount: How many bytes a text with nothing else may have. With its indentation a value can take a
  ///   hundred times as much memory.
  /// - Throws: `PropertyListError` if the format cannot represent the value, or not in so many bytes.
  func line(
    of key: PropertyListKey, _ value: PropertyList, within maximumCount: Int = .max
  ) throws(PropertyListError) -> ArraySlice<UInt8> {
    let dictionary = PropertyList.dictionary([key: value])
    let text =
      switch self {
      case .openStep: try dictionary.bytes(style: .openStep, within: maximumCount)
      case .xml: try dictionary.xmlBytes(style: .apple, within: maximumCount)
      }
    return text[layout.head.count..<text.count - layout.tail.count]
  }

  /// An upper bound for the number of values and keys in a text whose lines were written separately.
  ///
  /// - Parameter estimate: An upper bound that the caller knows.
  /// - Throws: `PropertyListError` if there are more than the parser accepts.
  /// - Complexity: constant; linear in the length of the text if it may have too many.
  func objectCount(of text: [UInt8], atMost estimate: Int) throws(PropertyListError) -> Int {
    // Each takes at least two bytes: one of its own and a separator.
    let estimate = min(estimate, text.count / 2)
    if estimate <= bounds.objectCount { return estimate }
    let found =
      switch self {
      case .openStep: DictionaryTextChecker.entries(of: text, bounds: bounds)
      case .xml(let options): XMLDictionaryChecker.entries(of: text, options: options)
      }
    if let found { return found.objectCount }
    throw PropertyListError(
      message: "the value has more than \(bounds.objectCount) values and keys, too many to be read back")
  }
}

extension TextCursor {
  /// Moves over a key without escapes and gives its bytes; nil if the key has escapes.
  @_lifetime(copy self)
  mutating func plainKey() -> Span<UInt8>? {
    guard let byte else { return nil }
    var start = position
    if TextCursor.isUnquoted(byte) {
      skipUnquoted()
      return slice(from: start)
    }
    // A missing key is the empty key.
    if byte == UInt8(ascii: "=") { return slice(from: start) }
    start += 1
    advance()
    skipPlainText(until: byte)
    guard self.byte == byte else { return nil }
    let key = slice(from: start)
    advance()
    return key
  }

  /// Moves over `<key>`, a key without references, and `</key>`, and gives the key's bytes; nil if the key
  /// has references or other markup.
  @_lifetime(copy self)
  mutating func plainXMLKey() -> Span<UInt8>? {
    advance(by: "<key>".utf8.count)
    let start = position
    skipCharacterData()
    guard starts(with: "</key>") else { return nil }
    let key = slice(from: start)
    advance(by: "</key>".utf8.count)
    return key
  }
}
