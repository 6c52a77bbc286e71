/// Tags, comments and processing instructions.
extension TextCursor {
  /// Parses the tag whose `<` is at the cursor; its attributes are checked and ignored.
  mutating func xmlTag() throws(PropertyListError) -> XMLTag {
    let opening = position
    guard byte == UInt8(ascii: "<") else { throw error(expected: "an element") }
    advance()
    let isEnd = byte == UInt8(ascii: "/")
    if isEnd { advance() }
    let start = position
    while let byte, byte.isXMLNameByte { advance() }
    let name = slice(from: start)
    guard let element = XMLElement(name: String(utf8: name)) else {
      guard !isAtEnd else { throw neverClosed("tag", at: opening) }
      guard !name.isEmpty else { throw error(expected: "the name of an element") }
      let shown = TextCursor.shown(String(utf8: name))
      throw error("no property list has an element “\(shown)”", at: opening)
    }
    while true {
      let before = position
      skipXMLSpace()
      guard let byte else { throw neverClosed("tag", at: opening) }
      if byte == UInt8(ascii: ">") {
        advance()
        return XMLTag(element: element, kind: isEnd ? .end : .start)
      }
      if byte == UInt8(ascii: "/"), self.byte(ahead: 1) == UInt8(ascii: ">"), !isEnd {
        advance(by: 2)
        return XMLTag(element: element, kind: .empty)
      }
      guard !isEnd, position > before, byte.isXMLNameByte else { throw error(expected: "“>”") }
      try skipAttribute(of: opening)
    }
  }

  /// Moves over `name="value"`.
  private mutating func skipAttribute(of tag: Int) throws(PropertyListError) {
    while let byte, byte.isXMLNameByte { advance() }
    skipXMLSpace()
    guard byte == UInt8(ascii: "=") else { throw error(expected: "“=” and the attribute's value") }
    advance()
    skipXMLSpace()
    guard let quote = byte, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
      throw error(expected: "the attribute's value in quotes")
    }
    advance()
    while let byte, byte != quote {
      if byte == UInt8(ascii: "<") { throw error("“<” stands in an attribute's value") }
      advance()
    }
    guard !isAtEnd else { throw neverClosed("tag", at: tag) }
    advance()
  }

  /// Moves over the comment that begins at the cursor.
  mutating func skipComment() throws(PropertyListError) {
    let opening = position
    advance(by: 4)
    if !skip(past: "-->") { throw neverClosed("comment", at: opening) }
  }

  /// Moves over the processing instruction that begins at the cursor.
  mutating func skipInstruction() throws(PropertyListError) {
    let opening = position
    advance(by: 2)
    if !skip(past: "?>") { throw neverClosed("processing instruction", at: opening) }
  }

  func neverClosed(_ what: String, at opening: Int) -> PropertyListError {
    error("the \(what) that begins here is never closed", at: opening)
  }

  /// A text for a message: only its beginning if it is long.
  static func shown(_ text: String) -> String {
    let beginning = text.unicodeScalars.prefix(60)
    return beginning.endIndex == text.unicodeScalars.endIndex
      ? text : String(String.UnicodeScalarView(beginning)) + "…"
  }
}

extension UInt8 {
  /// Whether this byte can be part of a name in XML; all bytes outside of ASCII are accepted.
  fileprivate var isXMLNameByte: Bool {
    switch self {
    case 0x61...0x7A, 0x41...0x5A, 0x30...0x39, 0x80...0xFF, UInt8(ascii: ":"), UInt8(ascii: "_"),
      UInt8(ascii: "-"), UInt8(ascii: "."):
      true
    default: false
    }
  }
}
