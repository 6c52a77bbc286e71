/// A place in a text that stands for no character, and is read as U+FFFD.
struct LostCharacter {
  /// What stands there; a kind that has a ``PropertyListWarning/Kind/reasonOfLoss``.
  let kind: PropertyListWarning.Kind
  /// The offset of the escape, or of U+FFFD in the text that is read.
  let offset: Int
  /// The number that stands there; nil for several ones.
  let number: UInt32?

  init(_ kind: PropertyListWarning.Kind, _ number: UInt32?, at offset: Int) {
    (self.kind, self.number, self.offset) = (kind, number, offset)
  }
}

/// The places of a text that stand for no character: how many there are, and those of which warnings can tell.
struct LostCharacterList {
  private(set) var first: [LostCharacter] = []
  /// What stands there, in the order of the text.
  private(set) var numbers: [UInt32?] = []

  var count: Int { numbers.count }

  /// Adds a place. Of each kind the first is kept, because a caller may refuse a text for a kind.
  mutating func append(_ place: LostCharacter) {
    numbers.append(place.number)
    if first.count < PropertyListWarning.limit || !first.contains(where: { $0.kind == place.kind }) {
      first.append(place)
    }
  }
}

extension PropertyListWarning.Kind {
  /// Why U+FFFD is read, as a clause; nil for other warnings.
  var reasonOfLoss: String? {
    switch self {
    case .loneSurrogate: "half a surrogate pair stands for no character"
    case .numberTooLarge: "a number above 0x10FFFF stands for no character"
    case .unassignedByte: "the byte 0xFE or 0xFF stands for no character in NeXT's set"
    case .illFormedEscapes: "an octal escape that is not UTF-8 stands for no character"
    case .unfittingNote, .misspeltNote, .equalKeys, .windowMaker: nil
    }
  }
}
