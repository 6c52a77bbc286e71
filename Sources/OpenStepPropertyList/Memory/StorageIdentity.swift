/// Whether two collections share their storage, so that they are equal without a look at their elements.
extension [PropertyList] {
  func sharesStorage(with other: [PropertyList]) -> Bool {
    span.isIdentical(to: other.span)
  }
}

extension [PropertyListKey: PropertyList] {
  func sharesStorage(with other: [PropertyListKey: PropertyList]) -> Bool {
    // A dictionary is the reference to its storage, and nothing more, on every system.
    unsafeBitCast(self, to: UInt.self) == unsafeBitCast(other, to: UInt.self)
  }
}

extension PropertyList {
  /// Whether two values are equal without a look at what is in them: containers and data that share their storage, and equal
  /// other values.
  package func isIdentical(to other: PropertyList) -> Bool {
    switch (self, other) {
    case (.array(let elements), .array(let others)): elements.sharesStorage(with: others)
    case (.dictionary(let entries), .dictionary(let others)): entries.sharesStorage(with: others)
    case (.data(let bytes), .data(let others)): bytes.span.isIdentical(to: others.span)
    case (.array, _), (.dictionary, _), (.data, _): false
    case (.string, _), (.integer, _), (.real, _), (.float, _), (.boolean, _), (.date, _): self == other
    }
  }
}
