/// How the bytes of a text stand for characters.
enum TextEncodingForm: Equatable {
  case utf8(hasMark: Bool)
  case utf16(isLittleEndian: Bool, hasMark: Bool)
  /// UTF-32, which is recognised by its mark only.
  case utf32(isLittleEndian: Bool)
  case eightBit(PropertyList.ParsingOptions.EightBitEncoding)

  /// The number of bytes of the byte order mark.
  var markCount: Int {
    switch self {
    case .utf8(let hasMark): hasMark ? 3 : 0
    case .utf16(_, let hasMark): hasMark ? 2 : 0
    case .utf32: 4
    case .eightBit: 0
    }
  }

  /// Recognises the form by the byte order mark, or by the bytes if there is none: UTF-16 if exactly one of the
  /// first two bytes is NUL, otherwise UTF-8 if the whole text is well-formed, otherwise the eight-bit set.
  init(
    recognising bytes: [UInt8], eightBitEncoding: PropertyList.ParsingOptions.EightBitEncoding
  ) {
    if bytes.count % 4 == 0, bytes.starts(with: [0xFF, 0xFE, 0, 0]) {
      self = .utf32(isLittleEndian: true)
    } else if bytes.count % 4 == 0, bytes.starts(with: [0, 0, 0xFE, 0xFF]) {
      self = .utf32(isLittleEndian: false)
    } else if bytes.starts(with: [0xFF, 0xFE]) {
      self = .utf16(isLittleEndian: true, hasMark: true)
    } else if bytes.starts(with: [0xFE, 0xFF]) {
      self = .utf16(isLittleEndian: false, hasMark: true)
    } else if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
      self = .utf8(hasMark: true)
    } else if bytes.count >= 2, (bytes[0] == 0) != (bytes[1] == 0) {
      self = .utf16(isLittleEndian: bytes[1] == 0, hasMark: false)
    } else if TextDecoding.firstIllFormedUTF8(in: bytes) == nil {
      self = .utf8(hasMark: false)
    } else {
      self = .eightBit(eightBitEncoding)
    }
  }

  /// The bytes of a text in this form, with the mark; nil if the form has no bytes for a character.
  func bytes(of text: [UInt8]) -> [UInt8]? {
    switch self {
    case .utf8(let hasMark):
      return hasMark ? [0xEF, 0xBB, 0xBF] + text : text
    case .utf16(let isLittleEndian, let hasMark):
      var bytes: [UInt8] = []
      bytes.reserveCapacity(2 * text.count + 2)
      func append(_ unit: UInt16) {
        let (high, low) = (UInt8(unit >> 8), UInt8(truncatingIfNeeded: unit))
        bytes += isLittleEndian ? [low, high] : [high, low]
      }
      if hasMark { append(0xFEFF) }
      for unit in String(decoding: text, as: UTF8.self).utf16 { append(unit) }
      return bytes
    case .utf32(let isLittleEndian):
      var bytes: [UInt8] = []
      bytes.reserveCapacity(4 * text.count + 4)
      func append(_ value: UInt32) {
        let big = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
        bytes += isLittleEndian ? big.reversed() : big
      }
      append(0xFEFF)
      for scalar in String(decoding: text, as: UTF8.self).unicodeScalars { append(scalar.value) }
      return bytes
    case .eightBit(let encoding):
      var bytes: [UInt8] = []
      bytes.reserveCapacity(text.count)
      for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
        guard let byte = TextEncodingForm.byte(of: scalar, in: encoding) else { return nil }
        bytes.append(byte)
      }
      return bytes
    }
  }

  private static func byte(
    of scalar: Unicode.Scalar, in encoding: PropertyList.ParsingOptions.EightBitEncoding
  ) -> UInt8? {
    if scalar.isASCII { return UInt8(scalar.value) }
    switch encoding {
    case .isoLatin1: return UInt8(exactly: scalar.value)
    // The two bytes without a character are read as U+FFFD, which does not say which of them it was.
    case .nextStep: return (0x80...0xFD).first { NextStepEncoding.scalar(of: $0) == scalar }
    }
  }
}
