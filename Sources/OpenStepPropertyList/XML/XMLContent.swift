/// Parses the contents and the end tag of a scalar's element.
///
/// Nearly all text is plain and is used in place in the document. Text with references, CDATA sections or
/// comments is assembled in a buffer that is kept for the next element.
struct XMLContent: ~Copyable {
  private var scratch = TextOutput()

  /// The location of an element's characters.
  private enum Location {
    case inPlace(from: Int, to: Int)
    case scratch
  }

  /// Parses the text of `<string>` or `<key>`, and the end tag.
  @inline(__always)
  mutating func string(
    _ cursor: inout TextCursor, _ element: XMLElement, _ options: PropertyList.XMLParsingOptions
  ) throws(PropertyListError) -> String {
    let start = cursor.position
    cursor.skipCharacterData()
    if options.undoesGNUstepEscapes || !cursor.starts(with: "</") {
      return try longString(&cursor, element, options, from: start)
    }
    let text = cursor.text(from: start)
    try cursor.skipEndTag(element, openedBefore: start)
    return text
  }

  private mutating func longString(
    _ cursor: inout TextCursor, _ element: XMLElement, _ options: PropertyList.XMLParsingOptions,
    from start: Int
  ) throws(PropertyListError) -> String {
    let location = try locate(&cursor, element, from: start)
    return withCharacters(at: location, of: cursor) { characters in
      if options.undoesGNUstepEscapes, let text = GNUstepEscapes.undone(in: characters) { return text }
      return String(utf8: characters)
    }
  }

  mutating func integer(_ cursor: inout TextCursor, isEmpty: Bool) throws(PropertyListError)
    -> PropertyListInteger
  {
    try scalar(&cursor, .integer, isEmpty, "a whole number from -2^63 to 2^64-1", XMLScalars.integer)
  }

  mutating func real(
    _ cursor: inout TextCursor, isEmpty: Bool, _ options: PropertyList.XMLParsingOptions
  ) throws(PropertyListError) -> Double {
    guard options.refusesOtherNumbers else {
      return try scalar(&cursor, .real, isEmpty, "a decimal number", DecimalReader.real)
    }
    return try scalar(&cursor, .real, isEmpty, "a decimal number of double precision") { text in
      DecimalReader.real(text).flatMap {
        PropertyList.real($0).otherNumber(than: String(utf8: text)) == nil ? $0 : nil
      }
    }
  }

  mutating func date(_ cursor: inout TextCursor, isEmpty: Bool) throws(PropertyListError) -> PropertyListDate
  {
    try scalar(&cursor, .date, isEmpty, "a date of the form 2001-12-31T23:59:59Z", XMLScalars.date)
  }

  /// Parses an element whose text, without the white space around it, is one value.
  @inline(__always)
  private mutating func scalar<Value>(
    _ cursor: inout TextCursor, _ element: XMLElement, _ isEmpty: Bool, _ what: String,
    _ read: (Span<UInt8>) -> Value?
  ) throws(PropertyListError) -> Value {
    let start = cursor.position
    guard !isEmpty else { throw cursor.error("<\(element.name)/> is empty; it should be \(what)", at: start) }
    cursor.skipCharacterData()
    let location = try locate(&cursor, element, from: start)
    let value = withCharacters(at: location, of: cursor) { read(XMLScalars.trimmed($0)) }
    guard let value else {
      let text = withCharacters(at: location, of: cursor) {
        String(utf8: XMLScalars.trimmed($0))
      }
      throw cursor.error(
        text.isEmpty
          ? "<\(element.name)> is empty; it should be \(what)" : "“\(TextCursor.shown(text))” is not \(what)",
        at: start)
    }
    return value
  }

  /// Parses base64 with white space anywhere.
  mutating func data(_ cursor: inout TextCursor) throws(PropertyListError) -> [UInt8] {
    let start = cursor.position
    cursor.skipCharacterData()
    let location = try locate(&cursor, .data, from: start)
    let result = withCharacters(at: location, of: cursor) { Base64.decoded($0) }
    switch result {
    case .success(let bytes): return bytes
    case .failure(let failure):
      // An offset in the digits is an offset in the document only if the digits are used in place.
      guard case .inPlace(let from, _) = location else { throw cursor.error(failure.message, at: start) }
      throw cursor.error(failure.message, at: from + failure.offset)
    }
  }

  /// Parses the end tag of `<true>` or `<false>`.
  mutating func nothing(_ cursor: inout TextCursor, _ element: XMLElement) throws(PropertyListError) {
    let start = cursor.position
    cursor.skipCharacterData()
    let location = try locate(&cursor, element, from: start)
    let isEmpty = withCharacters(at: location, of: cursor) { XMLScalars.trimmed($0).isEmpty }
    guard isEmpty else { throw cursor.error("<\(element.name)> has contents; it must be empty", at: start) }
  }

  // MARK: - Characters

  private func withCharacters<Result>(
    at location: Location, of cursor: TextCursor, _ body: (Span<UInt8>) -> Result
  ) -> Result {
    switch location {
    case .inPlace(let from, let to):
      body(cursor.bytes.slice(from..<to))
    case .scratch:
      body(scratch.contents)
    }
  }

  /// Parses the rest of an element from the first `<` or `&` in it to the end tag.
  @inline(__always)
  private mutating func locate(
    _ cursor: inout TextCursor, _ element: XMLElement, from start: Int
  ) throws(PropertyListError) -> Location {
    guard cursor.starts(with: "</") else {
      try gather(&cursor, element, from: start)
      return .scratch
    }
    let end = cursor.position
    try cursor.skipEndTag(element, openedBefore: start)
    return .inPlace(from: start, to: end)
  }

  private mutating func gather(
    _ cursor: inout TextCursor, _ element: XMLElement, from start: Int
  ) throws(PropertyListError) {
    scratch.truncate(to: 0)
    scratch.append(cursor.slice(from: start))
    while let byte = cursor.byte {
      if byte == UInt8(ascii: "&") {
        scratch.append(scalar: try cursor.xmlReference())
      } else if cursor.starts(with: "</") {
        return try cursor.skipEndTag(element, openedBefore: start)
      } else if cursor.starts(with: "<![CDATA[") {
        try appendSection(&cursor)
      } else if cursor.starts(with: "<!--") {
        try cursor.skipComment()
      } else if cursor.starts(with: "<?") {
        try cursor.skipInstruction()
      } else {
        throw cursor.error("found “<” inside <\(element.name)>; as a character it is written &lt;")
      }
      let plainStart = cursor.position
      cursor.skipCharacterData()
      scratch.append(cursor.slice(from: plainStart))
    }
    throw cursor.unclosed(element, openedBefore: start)
  }

  private mutating func appendSection(_ cursor: inout TextCursor) throws(PropertyListError) {
    let opening = cursor.position
    cursor.advance(by: 9)
    var end = cursor
    guard end.skip(past: "]]>") else { throw cursor.neverClosed("CDATA section", at: opening) }
    let start = cursor.position
    cursor.move(to: end.position - 3)
    scratch.append(cursor.slice(from: start))
    cursor.move(to: end.position)
  }
}

extension TextCursor {
  /// Moves over an element's end tag.
  @inline(__always)
  fileprivate mutating func skipEndTag(
    _ element: XMLElement, openedBefore start: Int
  ) throws(PropertyListError) {
    let name = element.name
    let count = name.utf8CodeUnitCount
    // The cursor is at the two characters `</`.
    if byte(ahead: 2 + count) == UInt8(ascii: ">"), stands(name, ahead: 2) { return advance(by: count + 3) }
    let place = position
    let tag = try xmlTag()
    guard tag.element == element else {
      throw error("</\(tag.element.name)> stands where </\(name)> was expected", at: place)
    }
  }

  fileprivate func unclosed(_ element: XMLElement, openedBefore start: Int) -> PropertyListError {
    error("the text ends inside <\(element.name)>, which begins at \(lineAndColumn(of: max(0, start - 1)))")
  }

  /// Parses the reference whose `&` is at the cursor.
  fileprivate mutating func xmlReference() throws(PropertyListError) -> Unicode.Scalar {
    let opening = position
    let entities: [(StaticString, Unicode.Scalar)] = [
      ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"), ("&apos;", "'"), ("&quot;", "\""),
    ]
    for (reference, scalar) in entities where starts(with: reference) {
      advance(by: reference.utf8CodeUnitCount)
      return scalar
    }
    guard byte(ahead: 1) == UInt8(ascii: "#") else {
      throw error(
        "“&” begins none of &lt; &gt; &amp; &apos; &quot; and no number such as &#233;; as a character it is written &amp;"
      )
    }
    let isHexadecimal = byte(ahead: 2) == UInt8(ascii: "x")
    advance(by: isHexadecimal ? 3 : 2)
    var value: UInt32 = 0
    var digits = 0
    while let byte, let digit = DataParsing.hexDigit(byte), isHexadecimal || digit < 10 {
      // A number beyond the last code point is not increased, so that it cannot overflow.
      value = min(value * (isHexadecimal ? 16 : 10) + UInt32(digit), 0x110000)
      digits += 1
      advance()
    }
    guard digits > 0, byte == UInt8(ascii: ";") else {
      throw error(expected: digits > 0 ? "“;” or a digit" : "a digit")
    }
    advance()
    guard let scalar = Unicode.Scalar(value), XMLCharacters.contains(value) else {
      throw error("the reference is to a number that is no character of XML", at: opening)
    }
    return scalar
  }
}
