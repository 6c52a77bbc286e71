/// Why there is no tag at a place; its line, which takes time to be counted, is found for a message only.
enum XMLTagFault: Error {
  /// What should stand at the cursor.
  case expected(StaticString)
  case unknown(name: String, at: Int)
  case neverClosed(at: Int)
  case lessThanSign
}

/// Tags, comments, processing instructions and document types.
extension TextCursor {
  /// Parses the tag whose `<` is at the cursor; its attributes are checked and ignored.
  mutating func xmlTag() throws(PropertyListError) -> XMLTag {
    do throws(XMLTagFault) {
      return try xmlTagOrFault()
    } catch {
      switch error {
      case .expected(let what): throw self.error(expected: "\(what)")
      case .unknown(let name, let place):
        throw self.error("no property list has an element “\(TextCursor.shown(name))”", at: place)
      case .neverClosed(let place): throw neverClosed("tag", at: place)
      case .lessThanSign: throw self.error("“<” stands in an attribute's value")
      }
    }
  }

  /// Parses a tag as ``xmlTag()`` does.
  mutating func xmlTagOrFault() throws(XMLTagFault) -> XMLTag {
    let opening = position
    guard byte == UInt8(ascii: "<") else { throw .expected("an element") }
    advance()
    let isEnd = byte == UInt8(ascii: "/")
    if isEnd { advance() }
    let start = position
    while let byte, byte.isXMLNameByte { advance() }
    let name = slice(from: start)
    guard let element = XMLElement(name: String(utf8: name)) else {
      guard !isAtEnd else { throw .neverClosed(at: opening) }
      guard !name.isEmpty else { throw .expected("the name of an element") }
      throw .unknown(name: String(utf8: name), at: opening)
    }
    while true {
      let before = position
      skipXMLSpace()
      guard let byte else { throw .neverClosed(at: opening) }
      if byte == UInt8(ascii: ">") {
        advance()
        return XMLTag(element: element, kind: isEnd ? .end : .start)
      }
      if byte == UInt8(ascii: "/"), self.byte(ahead: 1) == UInt8(ascii: ">"), !isEnd {
        advance(by: 2)
        return XMLTag(element: element, kind: .empty)
      }
      guard !isEnd, position > before, byte.isXMLNameByte else { throw .expected("“>”") }
      try skipAttribute(of: opening)
    }
  }

  /// Moves over `name="value"`.
  private mutating func skipAttribute(of tag: Int) throws(XMLTagFault) {
    while let byte, byte.isXMLNameByte { advance() }
    skipXMLSpace()
    guard byte == UInt8(ascii: "=") else { throw .expected("“=” and the attribute's value") }
    advance()
    skipXMLSpace()
    guard let quote = byte, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
      throw .expected("the attribute's value in quotes")
    }
    advance()
    while let byte, byte != quote {
      if byte == UInt8(ascii: "<") { throw .lessThanSign }
      advance()
    }
    guard !isAtEnd else { throw .neverClosed(at: tag) }
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

  /// Moves over the document type that begins at the cursor, or stays there.
  ///
  /// - Parameter takesDeclarations: Whether declarations of its own, such as entities, are passed over; otherwise they
  ///   are an error.
  mutating func skipDocumentType(takesDeclarations: Bool = false) throws(PropertyListError) {
    let start = position
    var isInDeclarations = false
    while let byte {
      switch byte {
      case UInt8(ascii: ">") where !isInDeclarations:
        advance()
        return
      case UInt8(ascii: "["):
        guard takesDeclarations else {
          throw error("the document type has declarations of its own, such as entities, which are refused")
        }
        isInDeclarations = true
        advance()
      case UInt8(ascii: "]"):
        isInDeclarations = false
        advance()
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        advance()
        skip(to: byte)
        advance()
      case UInt8(ascii: "<") where starts(with: "<!--"): try skipComment()
      case UInt8(ascii: "<") where starts(with: "<?"): try skipInstruction()
      default: advance()
      }
    }
    move(to: start)
    throw error("the document type that begins here is never closed")
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
