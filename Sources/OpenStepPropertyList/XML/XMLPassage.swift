/// Passes over what cannot be read of a damaged XML document, up to the next key, or the next end of a dictionary, at
/// the depth of the outermost dictionary.
///
/// It finds out whether a tag of a dictionary may stand in it, damaged. A damaged tag is none of these if it and a tag
/// of a scalar belong together, as in `<strXng>1</string>` and `<string>1</strXng>`.
struct XMLPassage: ~Escapable {
  private(set) var cursor: TextCursor
  private(set) var mayHideDictionary: Bool
  /// Where the key of the entry that cannot be read may stand.
  private let firstKey: Int?
  private var depth = 0
  /// Whether the start tag of a scalar or a key was read, and nothing that ends it.
  private var isInScalar = false
  /// Whether something stands before the cursor that may be a damaged start tag.
  private var hasUnreadTag = false

  /// The longest text that cannot be `<dict>` with the first or the last character damaged into a space.
  private static let longestStrayText = 4

  /// - Parameter endsDictionary: Whether the end of a dictionary that begins in what is lost stands before the cursor;
  ///   otherwise an entry that cannot be read stands at the cursor.
  @_lifetime(copy cursor)
  init(from cursor: TextCursor, endsDictionary: Bool) {
    self.cursor = cursor
    mayHideDictionary = endsDictionary
    firstKey = endsDictionary ? nil : cursor.position
  }

  mutating func run() {
    while true {
      skipText()
      let place = cursor.position
      if cursor.isAtEnd { return }
      if let isClosed = cursor.skipEnclosedMarkup(takesSections: true) {
        // What is never closed swallows the rest.
        if !isClosed { return cursor.move(to: cursor.bytes.count) }
      } else if let tag = try? cursor.xmlTagOrFault() {
        if ends(at: tag, place) {
          cursor.move(to: place)
          if hasUnreadTag { mayHideDictionary = true }
          return
        }
      } else {
        skipDamagedTag(from: place)
      }
    }
  }

  /// Moves to the next tag.
  private mutating func skipText() {
    let textStart = cursor.position
    cursor.skip(to: UInt8(ascii: "<"))
    let text = cursor.slice(from: textStart)
    var (section, comment) = (TextCursor(text), TextCursor(text))
    // They end what begins damaged, and would otherwise have been passed over.
    if section.skip(past: "]]>") || comment.skip(past: "-->") { mayHideDictionary = true }
    if !isInScalar, XMLScalars.trimmed(text).count > XMLPassage.longestStrayText { noteUnreadTag() }
  }

  private mutating func noteUnreadTag() {
    if hasUnreadTag { mayHideDictionary = true }
    hasUnreadTag = true
  }

  /// Takes notice of a tag that was read; true if reading can go on at it.
  private mutating func ends(at tag: XMLTag, _ place: Int) -> Bool {
    switch (tag.element, tag.kind) {
    case (.key, .start) where depth == 0 && place != firstKey, (.dict, .end) where depth == 0: return true
    case (.plist, _), (_, .empty): break
    case (.dict, .start), (.array, .start):
      depth += 1
      isInScalar = false
      if hasUnreadTag { mayHideDictionary = true }
    case (.array, .end) where depth == 0: endScalar()
    case (.dict, .end), (.array, .end):
      depth -= 1
      if hasUnreadTag { mayHideDictionary = true }
    case (_, .start): isInScalar = true
    case (_, .end): endScalar()
    }
    return false
  }

  /// Ends what was begun last; without such a thing, the tag belongs to one that lies before this stretch.
  private mutating func endScalar() {
    if !isInScalar, !hasUnreadTag { mayHideDictionary = true }
    if isInScalar { isInScalar = false } else { hasUnreadTag = false }
  }

  /// Moves over a tag that cannot be read, at most up to the next one.
  private mutating func skipDamagedTag(from place: Int) {
    cursor.move(to: place + 1)
    let (isEnd, isDeclaration) = (cursor.byte == UInt8(ascii: "/"), cursor.byte == UInt8(ascii: "!"))
    while let byte = cursor.byte, byte != UInt8(ascii: "<"), byte != UInt8(ascii: ">") { cursor.advance() }
    let isEmpty = cursor.hasBehind("/")
    if cursor.byte == UInt8(ascii: ">") { cursor.advance() }
    if isDeclaration {
      mayHideDictionary = true
    } else if isEnd || isInScalar {
      endScalar()
    } else if !isEmpty {
      noteUnreadTag()
    }
  }
}

extension TextCursor {
  /// Moves over the comment, the processing instruction or the CDATA section at the cursor; false if it is never
  /// closed, nil if there is none.
  mutating func skipEnclosedMarkup(takesSections: Bool = false) -> Bool? {
    if starts(with: "<!--") { return (try? skipComment()) != nil }
    if starts(with: "<?") { return (try? skipInstruction()) != nil }
    if takesSections, starts(with: "<![CDATA[") {
      advance(by: 9)
      return skip(past: "]]>")
    }
    return nil
  }
}
