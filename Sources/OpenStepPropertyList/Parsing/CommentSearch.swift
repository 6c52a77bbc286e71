/// Looks for what a file has besides its values: comments, and spellings of types.
enum CommentSearch {
  /// What is looked for in a text.
  enum Wanted {
    /// A comment that is no note of a type.
    case comment
    /// A value with GNUstep's spelling of its type, such as `<*I7>`.
    case typedValue
    /// A comment, a note of a type or a value with its type: what Window Maker refuses.
    case commentOrType
  }

  /// Whether a valid text in UTF-8 has what is looked for.
  static func finds(_ wanted: Wanted, in text: Span<UInt8>) -> Bool {
    var cursor = TextCursor(text)
    while true {
      cursor.skipWhiteSpace()
      let token = cursor.position
      guard let byte = cursor.byte else { return false }
      switch byte {
      case UInt8(ascii: "/"):
        if let note = TypeNote(at: cursor) {
          if wanted == .commentOrType { return true }
          cursor.advance(by: note.comment.utf8.count)
        } else if cursor.skipTextComment() {
          if wanted != .typedValue { return true }
        } else {
          cursor.skipValidValue()
        }
      case UInt8(ascii: "<") where wanted != .comment && cursor.byte(ahead: 1) == UInt8(ascii: "*"):
        return true
      case UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "("), UInt8(ascii: ")"): cursor.advance()
      default: cursor.skipValidValue()
      }
      if cursor.position == token { cursor.advance() }
    }
  }

  /// Whether a valid document in UTF-8 has comments.
  static func findsComment(inXML text: Span<UInt8>) -> Bool {
    var cursor = TextCursor(text)
    while true {
      cursor.skip(to: UInt8(ascii: "<"))
      if cursor.isAtEnd { return false }
      if cursor.starts(with: "<!--") { return true }
      if cursor.starts(with: "<![CDATA["), cursor.skip(past: "]]>") { continue }
      cursor.advance()
    }
  }
}

extension PropertyList {
  /// Whether the bytes of a valid property list, text or XML, have comments besides notes of types.
  ///
  /// - Complexity: linear in the number of bytes.
  package static func hasComments(_ bytes: [UInt8]) -> Bool {
    if isBinary(bytes) { return false }
    // The bytes are valid, and the places of comments do not depend on the eight-bit set.
    if isXML(bytes) {
      return
        (try? XMLDecoding.withUTF8(of: bytes) { (text) throws(PropertyListError) in
          CommentSearch.findsComment(inXML: text)
        }) ?? false
    }
    guard let text = try? TextDecoding.utf8(of: bytes, eightBitEncoding: .nextStep) else { return false }
    return CommentSearch.finds(.comment, in: text.span)
  }

  /// Whether the bytes of a valid text have values with GNUstep's spelling of their type, such as `<*I7>`.
  ///
  /// - Complexity: linear in the number of bytes.
  package static func hasTypedValues(inText bytes: [UInt8]) -> Bool {
    guard let text = try? TextDecoding.utf8(of: bytes, eightBitEncoding: .nextStep) else { return false }
    return CommentSearch.finds(.typedValue, in: text.span)
  }

  /// Whether the bytes of a valid text have a comment, a note of a type or a value with its type.
  ///
  /// - Complexity: linear in the number of bytes.
  package static func hasCommentsOrTypes(inText bytes: [UInt8]) -> Bool {
    guard let text = try? TextDecoding.utf8(of: bytes, eightBitEncoding: .nextStep) else { return false }
    return CommentSearch.finds(.commentOrType, in: text.span)
  }
}
