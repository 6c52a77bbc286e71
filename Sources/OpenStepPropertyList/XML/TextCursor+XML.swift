/// The steps over a text that XML's grammar needs.
extension TextCursor {
  /// The eight bytes some places further on, the first one lowest, or nil where the text has fewer.
  @inline(__always)
  func word(ahead distance: Int) -> UInt64? {
    guard bytes.count - position >= distance + 8 else { return nil }
    return UnsafeRawBufferPointer(bytes).loadUnaligned(fromByteOffset: position + distance, as: UInt64.self)
      .littleEndian
  }

  /// Moves over spaces, tabs and line ends.
  @inline(__always)
  mutating func skipXMLSpace() {
    while position < bytes.count, bytes[position].isXMLSpace { advance() }
  }

  /// Moves to the next of a byte, or to the end.
  @inline(__always)
  mutating func skip(to byte: UInt8) {
    while let word = word(ahead: 0) {
      let marks = ByteClasses.zeros(word ^ ByteClasses.every(byte))
      if marks != 0 { return advance(by: marks.trailingZeroBitCount / 8) }
      advance(by: 8)
    }
    while position < bytes.count, bytes[position] != byte { advance() }
  }

  /// Moves to the next `<` or `&`, or to the end.
  @inline(__always)
  mutating func skipCharacterData() {
    while let word = word(ahead: 0) {
      let marks =
        ByteClasses.zeros(word ^ ByteClasses.every(UInt8(ascii: "<")))
        | ByteClasses.zeros(word ^ ByteClasses.every(UInt8(ascii: "&")))
      if marks != 0 { return advance(by: marks.trailingZeroBitCount / 8) }
      advance(by: 8)
    }
    while position < bytes.count, bytes[position] != UInt8(ascii: "<"), bytes[position] != UInt8(ascii: "&") {
      advance()
    }
  }

  /// Moves behind a text that ends with `>`, such as `-->`; false where it does not stand in the rest.
  mutating func skip(past end: StaticString) -> Bool {
    let start = position
    let count = end.utf8CodeUnitCount
    while true {
      skip(to: UInt8(ascii: ">"))
      guard !isAtEnd else { return false }
      advance()
      if position - start >= count, hasSuffix(end) { return true }
    }
  }

  /// Whether a text stands right before the cursor.
  private func hasSuffix(_ text: StaticString) -> Bool {
    for index in 0..<text.utf8CodeUnitCount
    where bytes[position - text.utf8CodeUnitCount + index] != text.utf8Start[index] {
      return false
    }
    return true
  }
}

extension UInt8 {
  /// Whether this is what XML has for white space.
  @inline(__always)
  var isXMLSpace: Bool { self == 0x20 || self == 0x0A || self == 0x09 || self == 0x0D }
}
