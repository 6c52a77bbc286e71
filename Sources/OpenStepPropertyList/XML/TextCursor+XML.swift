/// The movements that XML's grammar needs.
extension TextCursor {
  /// Moves over spaces, tabs and line ends.
  @inline(__always)
  mutating func skipXMLSpace() {
    while let byte, byte.isXMLSpace { advance() }
  }

  /// Moves to the next occurrence of a byte, or to the end.
  @inline(__always)
  mutating func skip(to byte: UInt8) {
    skip { word in ByteClasses.zeros(word ^ ByteClasses.every(byte)) }
  }

  /// Moves to the next `<` or `&`, or to the end.
  @inline(__always)
  mutating func skipCharacterData() {
    skip { word in
      ByteClasses.zeros(word ^ ByteClasses.every(UInt8(ascii: "<")))
        | ByteClasses.zeros(word ^ ByteClasses.every(UInt8(ascii: "&")))
    }
  }

  /// Moves behind the next occurrence of a text that ends with `>`, such as `-->`; false if there is none.
  mutating func skip(past end: StaticString) -> Bool {
    let start = position
    let count = end.utf8CodeUnitCount
    while true {
      skip(to: UInt8(ascii: ">"))
      guard !isAtEnd else { return false }
      advance()
      if position - start >= count, hasBehind(end) { return true }
    }
  }
}

extension UInt8 {
  /// Whether this is white space in XML.
  @inline(__always)
  var isXMLSpace: Bool { self == 0x20 || self == 0x0A || self == 0x09 || self == 0x0D }
}
