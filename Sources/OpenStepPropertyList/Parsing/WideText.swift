extension PropertyList {
  /// A text of UTF-16 or UTF-32 in UTF-8, without a byte order mark; nil for bytes that are neither.
  ///
  /// A lone surrogate becomes U+FFFD.
  package static func utf8(ofWideText bytes: [UInt8]) -> [UInt8]? {
    let encoding = ParsingOptions.EightBitEncoding.nextStep
    switch TextEncodingForm(recognising: bytes, eightBitEncoding: encoding) {
    case .utf16, .utf32: return try? TextDecoding.utf8(of: bytes, eightBitEncoding: encoding)
    case .utf8, .eightBit: return nil
    }
  }

  /// Whether a text of UTF-16 or UTF-32 has a lone surrogate, for which ``utf8(ofWideText:)`` has U+FFFD.
  package static func hasLoneSurrogate(inWideText bytes: [UInt8]) -> Bool {
    var isFound = false
    _ = try? TextDecoding.utf8(of: bytes, eightBitEncoding: .nextStep) { place in
      if place.kind == .loneSurrogate { isFound = true }
    }
    return isFound
  }

  /// The line of the first byte that is no UTF-8, in a text that has characters of UTF-8 as well; nil for other texts.
  ///
  /// Such a text is read in an eight-bit set, but is rather UTF-8 with a damaged byte. By chance an eight-bit text has hardly
  /// ever a character of UTF-8.
  package static func damagedLine(inUTF8Text bytes: [UInt8]) -> Int? {
    guard !isXML(bytes), !isBinary(bytes),
      case .eightBit = TextEncodingForm(recognising: bytes, eightBitEncoding: .nextStep)
    else { return nil }
    let found = TextDecoding.illFormedPlaces(in: bytes)
    guard found.characterCount > 0, let place = found.places.first else { return nil }
    return PropertyListPosition.positions(of: [place], in: bytes)[0].line
  }

  /// A text of UTF-8 in the encoding of another one of UTF-16 or UTF-32, with a byte order mark if that has one; nil
  /// where that has another encoding, and for bytes that are no UTF-8.
  package static func wideText(_ text: [UInt8], encodedAs other: [UInt8]) -> [UInt8]? {
    let form = TextEncodingForm(recognising: other, eightBitEncoding: .nextStep)
    switch form {
    case .utf16, .utf32:
      guard TextDecoding.firstIllFormedUTF8(in: text) == nil, let bytes = form.encoded(text) else {
        return nil
      }
      return other.prefix(form.markCount) + bytes
    case .utf8, .eightBit: return nil
    }
  }
}
