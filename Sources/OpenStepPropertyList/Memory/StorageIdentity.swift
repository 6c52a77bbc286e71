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
  /// Whether two containers, or data, share their storage; false for other values.
  package func sharesStorage(with other: PropertyList) -> Bool {
    switch (self, other) {
    case (.array(let elements), .array(let others)): elements.sharesStorage(with: others)
    case (.dictionary(let entries), .dictionary(let others)): entries.sharesStorage(with: others)
    case (.data(let bytes), .data(let others)): bytes.span.isIdentical(to: others.span)
    default: false
    }
  }
}
