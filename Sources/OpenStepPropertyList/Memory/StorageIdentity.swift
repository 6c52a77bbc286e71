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
