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

  /// The bytes after changes of a decoded text; nil if the form has no bytes for a new character.
  ///
  /// All other bytes stay, also those that stand for no character, such as half a surrogate pair.
  ///
  /// - Parameters:
  ///   - splices: The changes in the order of their places, at the boundaries of characters.
  ///   - text: What the bytes stand for, in UTF-8.
  ///   - newText: The text after the changes, in UTF-8.
  func applying(
    _ splices: [TextSplice], of text: [UInt8], giving newText: [UInt8], to bytes: [UInt8]
  ) -> [UInt8]? {
    if self == .utf8(hasMark: false) { return newText }
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    // A place in the text, the place in the bytes that it stands for, and the bytes that are copied so far.
    var (place, offset, copied) = (0, markCount, 0)
    func advance(to end: Int) {
      while place < end {
        let count = TextEncodingForm.count(ofCharacterWithLead: text[place])
        place += count
        offset += byteCount(ofUTF8Count: count)
      }
    }
    for splice in splices {
      advance(to: splice.range.lowerBound)
      result += bytes[copied..<offset]
      guard let new = encoded(splice.replacement) else { return nil }
      result += new
      advance(to: splice.range.upperBound)
      copied = offset
    }
    return result + bytes[copied...]
  }

  /// The number of bytes of a character in UTF-8, by its first byte.
  private static func count(ofCharacterWithLead byte: UInt8) -> Int {
    switch byte {
    case ..<0x80: 1
    case ..<0xE0: 2
    case ..<0xF0: 3
    default: 4
    }
  }

  /// The number of bytes in this form of a character with so many bytes in UTF-8.
  private func byteCount(ofUTF8Count count: Int) -> Int {
    switch self {
    case .utf8: count
    case .utf16: count == 4 ? 4 : 2
    case .utf32: 4
    case .eightBit: 1
    }
  }

  /// The bytes of a new text in this form; nil if the form has no bytes for a character.
  func encoded(_ text: [UInt8]) -> [UInt8]? {
    var bytes: [UInt8] = []
    switch self {
    case .utf8:
      return text
    case .utf16(let isLittleEndian, _):
      for unit in String(decoding: text, as: UTF8.self).utf16 {
        let (high, low) = (UInt8(unit >> 8), UInt8(truncatingIfNeeded: unit))
        bytes += isLittleEndian ? [low, high] : [high, low]
      }
    case .utf32(let isLittleEndian):
      for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
        let big = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: scalar.value >> $0) }
        bytes += isLittleEndian ? big.reversed() : big
      }
    case .eightBit:
      // Which of two character sets it is, the bytes do not tell; new text is ASCII.
      guard text.allSatisfy({ $0 < 0x80 }) else { return nil }
      return text
    }
    return bytes
  }
}
