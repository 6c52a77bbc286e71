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
}
