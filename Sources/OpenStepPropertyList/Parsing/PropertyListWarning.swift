/// Something in a readable file that its author probably meant otherwise, and where it stands.
package struct PropertyListWarning: Hashable, Sendable {
  /// What a reader makes of the file without an error.
  package enum Kind: Hashable, Sendable {
    /// A type note behind a value of another type is a mere comment.
    case unfittingNote
    /// Half a surrogate pair stands for no character and is read as U+FFFD.
    case loneSurrogate
  }

  package let kind: Kind
  /// What is so, as a clause.
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

/// The places of a text that deserve a warning, in the order in which they were found.
struct WarningPlaces {
  /// How many are kept: finding the line of each takes a walk through the text.
  private static let limit = 20

  private(set) var places: [(offset: Int, kind: PropertyListWarning.Kind, message: String)] = []

  mutating func add(_ offset: Int, _ kind: PropertyListWarning.Kind, _ message: String) {
    if places.count < WarningPlaces.limit { places.append((offset, kind, message)) }
  }

  /// The warnings, sorted by place.
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
  /// Reads a text property list, and gives the first twenty places that deserve a warning.
  ///
  /// The value is that of ``init(parsing:options:)``, which tells of no such place.
  package static func parsingWithWarnings(
    _ bytes: [UInt8], options: ParsingOptions
  ) throws(PropertyListError) -> (value: PropertyList, warnings: [PropertyListWarning]) {
    var surrogates: [Int] = []
    let text = try TextDecoding.utf8(of: bytes, eightBitEncoding: options.eightBitEncoding) {
      surrogates.append($0)
    }
    return try PropertyListParser.parseWithWarnings(text, options: options, loneSurrogates: surrogates)
  }

  /// Reads a text, in which a byte order mark is a character like any other, and gives such places.
  package static func parsingWithWarnings(
    _ text: String, options: ParsingOptions
  ) throws(PropertyListError) -> (value: PropertyList, warnings: [PropertyListWarning]) {
    try PropertyListParser.parseWithWarnings(Array(text.utf8), options: options, loneSurrogates: [])
  }
}
