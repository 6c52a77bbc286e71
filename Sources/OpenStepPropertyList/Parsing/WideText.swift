extension PropertyList {
  /// A text of UTF-16 or UTF-32 in UTF-8, without a byte order mark; nil for bytes that are neither.
  ///
  /// What stands for no character becomes U+FFFD.
  package static func utf8(ofWideText bytes: [UInt8]) -> [UInt8]? {
    let encoding = ParsingOptions.EightBitEncoding.nextStep
    switch TextEncodingForm(recognising: bytes, eightBitEncoding: encoding) {
    case .utf16, .utf32: return try? TextDecoding.utf8(of: bytes, eightBitEncoding: encoding)
    case .utf8, .eightBit: return nil
    }
  }

  /// Why ``utf8(ofWideText:)`` has U+FFFD for a place of a text of UTF-16 or UTF-32, as a clause; nil if it has none.
  package static func reasonOfLoss(inWideText bytes: [UInt8]) -> String? {
    var reason: String?
    _ = try? TextDecoding.utf8(of: bytes, eightBitEncoding: .nextStep) { place in
      if place.kind != .unassignedByte { reason = reason ?? place.kind.reasonOfLoss }
    }
    return reason
  }

  /// The line of the first byte that is no UTF-8, in a text that has characters of UTF-8 as well; nil for other texts.
  ///
  /// Such a text is read in an eight-bit set, but is rather UTF-8 with a damaged byte.
  package static func damagedLine(inUTF8Text bytes: [UInt8]) -> Int? {
    guard !isXML(bytes), !isBinary(bytes),
      case .eightBit = TextEncodingForm(recognising: bytes, eightBitEncoding: .nextStep)
    else { return nil }
    let found = TextDecoding.utf8Evidence(in: bytes, maximumPlaceCount: 1)
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
