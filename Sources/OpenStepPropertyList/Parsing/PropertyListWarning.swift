/// A warning about a valid file whose author probably meant something else, with its position.
package struct PropertyListWarning: Hashable, Sendable {
  /// The kinds of warnings.
  package enum Kind: Hashable, Sendable {
    /// A type note after a value of another type, which is an ordinary comment.
    case unfittingNote
    /// A comment after a value that was probably meant as a type note, and is none.
    case misspeltNote
    /// An entry whose key stands in the same dictionary again, behind it, so that its value does not count.
    case equalKeys
    /// A lone surrogate, which is no character and is read as U+FFFD.
    case loneSurrogate
    /// A number of UTF-32 that is no character and is read as U+FFFD.
    case numberTooLarge
    /// A byte that NeXT's set assigns to no character and that is read as U+FFFD.
    case unassignedByte
    /// A string whose octal escapes, which are bytes of UTF-8, are ill-formed and are read as U+FFFD.
    case illFormedEscapes
    /// What Window Maker's reader refuses in a file of its own, or reads differently.
    case windowMaker
  }

  /// The maximum number of warnings about one file, because finding the line of each takes a pass through the
  /// text.
  package static let limit = 20

  package let kind: Kind
  /// The reason of the warning, as a clause.
  package let message: String
  /// The line and the column, counted as in ``PropertyListError``; 0 in a binary property list.
  package let line: Int
  package let column: Int
  /// The number of the object and the offset of the byte in a binary property list; nil in a text.
  package let object: Int?
  package let offset: Int?

  init(
    kind: Kind, message: String, line: Int = 0, column: Int = 0, object: Int? = nil, offset: Int? = nil
  ) {
    self.kind = kind
    self.message = message
    self.line = line
    self.column = column
    self.object = object
    self.offset = offset
  }
}

extension PropertyListWarning: CustomStringConvertible {
  /// One line: `3:14: the note /*date*/ does not fit the value before it`, or `object 5, byte 120: …`.
  package var description: String {
    PropertyListError(message: message, line: line, column: column, object: object, offset: offset)
      .description
  }
}

/// The warnings about a text, with byte offsets, in the order in which they were found.
struct WarningPlaces {
  private(set) var places: [(offset: Int, kind: PropertyListWarning.Kind, message: String)] = []

  /// Adds a warning if there is room. The first of each kind is always added, because a caller may refuse a text
  /// for a kind.
  mutating func add(_ offset: Int, _ kind: PropertyListWarning.Kind, _ message: String) {
    if places.count >= PropertyListWarning.limit {
      guard !places.contains(where: { $0.kind == kind }),
        let last = places.lastIndex(where: { place in places.count { $0.kind == place.kind } > 1 })
      else { return }
      places.remove(at: last)
    }
    places.append((offset, kind, message))
  }

  /// The warnings, sorted by offset.
  func warnings(in text: Span<UInt8>) -> [PropertyListWarning] {
    let cursor = TextCursor(text)
    return places.sorted { $0.offset < $1.offset }.map { place in
      let error = cursor.error(place.message, at: place.offset)
      return PropertyListWarning(
        kind: place.kind, message: place.message, line: error.line, column: error.column)
    }
  }
}

extension PropertyList {
  /// Parses a text property list, and gives at most twenty warnings.
  ///
  /// The value is the same as from ``init(parsing:options:)``, which gives no warnings.
  package static func parsingWithWarnings(
    _ bytes: [UInt8], options: ParsingOptions
  ) throws(PropertyListError) -> (value: PropertyList, warnings: [PropertyListWarning]) {
    var lost = LostCharacterList()
    let text = try TextDecoding.utf8(of: bytes, eightBitEncoding: options.eightBitEncoding) {
      lost.append($0)
    }
    return try PropertyListParser.parseWithWarnings(text, options: options, lost: lost.first)
  }

  /// Parses a text, in which a byte order mark is an ordinary character, and gives at most twenty warnings.
  package static func parsingWithWarnings(
    _ text: String, options: ParsingOptions
  ) throws(PropertyListError) -> (value: PropertyList, warnings: [PropertyListWarning]) {
    try PropertyListParser.parseWithWarnings(Array(text.utf8), options: options, lost: [])
  }
}
