/// The pieces from which writers compose texts.
extension TextOutput {
  /// Appends an ASCII character.
  @inline(__always)
  mutating func append(ascii scalar: Unicode.Scalar) {
    append(UInt8(ascii: scalar))
  }

  /// Appends a short text.
  mutating func append(text: String) {
    for byte in text.utf8 { append(byte) }
  }

  /// Appends a character in UTF-8.
  mutating func append(scalar: Unicode.Scalar) {
    for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter { append(byte) }
  }

  /// Appends spaces.
  @inline(__always)
  mutating func appendSpaces(_ spaceCount: Int) {
    append(UInt8(ascii: " "), count: spaceCount)
  }

  /// Appends tabs.
  @inline(__always)
  mutating func append(tabs tabCount: Int) {
    append(UInt8(ascii: "\t"), count: tabCount)
  }

  /// Appends a whole number in decimal.
  mutating func append(_ number: PropertyListInteger) {
    guard let value = number.exactly(as: Int64.self) else { return append(text: number.description) }
    if value < 0 { append(ascii: "-") }
    append(digits: value.magnitude, count: 1)
  }

  /// Appends bytes if every reader accepts them without quotes; otherwise appends nothing and gives false.
  mutating func appendIfBare(_ bytes: Span<UInt8>) -> Bool {
    !bytes.isEmpty && append(bytes, filledWith: UInt8(ascii: "0")) { word in ByteClasses.notBare(word) }
  }

  /// Appends bytes up to the first NUL, carriage return, double quote or backslash, and gives their number.
  mutating func appendPlain(_ bytes: Span<UInt8>) -> Int {
    append(bytes) { word in ByteClasses.escaped(word) }
  }
}
