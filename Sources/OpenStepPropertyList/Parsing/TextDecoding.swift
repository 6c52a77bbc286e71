/// Converts a file's bytes to well-formed UTF-8 without a byte order mark.
enum TextDecoding {
  /// Decodes bytes in the form that ``TextEncodingForm`` recognises.
  ///
  /// Lone surrogates become U+FFFD, and so do numbers above U+10FFFF and bytes that an eight-bit set does not assign.
  ///
  /// - Parameter note: Receives each U+FFFD in the result that stands for no character.
  static func utf8(
    of bytes: [UInt8], eightBitEncoding: PropertyList.ParsingOptions.EightBitEncoding,
    noting note: (LostCharacter) -> Void = { _ in }
  ) throws(PropertyListError) -> [UInt8] {
    let form = TextEncodingForm(recognising: bytes, eightBitEncoding: eightBitEncoding)
    let rest = bytes.dropFirst(form.markCount)
    switch form {
    case .utf32(let isLittleEndian):
      return fromUTF32(rest, littleEndian: isLittleEndian, note)
    case .utf16(let isLittleEndian, _):
      return fromUTF16(rest, littleEndian: isLittleEndian, note)
    case .utf8(hasMark: true):
      let decoded = Array(rest)
      if let offset = firstIllFormedUTF8(in: decoded) { throw illFormed(decoded, at: offset) }
      return decoded
    case .utf8(hasMark: false):
      return bytes
    case .eightBit(let encoding):
      return fromEightBit(bytes, encoding: encoding, note)
    }
  }

  /// Whether ``utf8(of:eightBitEncoding:)`` would give the same bytes.
  static func isPlainUTF8(_ bytes: [UInt8]) -> Bool {
    // The byte order marks of UTF-16 and UTF-32 are not UTF-8.
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return false }
    if bytes.count >= 2, (bytes[0] == 0) != (bytes[1] == 0) { return false }
    return firstIllFormedUTF8(in: bytes) == nil
  }

  /// An error for a byte that is not UTF-8: after the mark of UTF-8 it is damage, and
  /// not another character set.
  private static func illFormed(_ bytes: [UInt8], at offset: Int) -> PropertyListError {
    let hex = String(bytes[offset], radix: 16, uppercase: true)
    return TextCursor(bytes.span).error(
      "the byte 0x\(hex) is not UTF-8, which the byte order mark names", at: offset)
  }

  private static func fromUTF32(
    _ bytes: ArraySlice<UInt8>, littleEndian: Bool, _ note: (LostCharacter) -> Void
  ) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count / 2)
    var index = bytes.startIndex
    while index + 4 <= bytes.endIndex {
      let unit = bytes[index..<index + 4]
      let value = (littleEndian ? Array(unit.reversed()) : Array(unit)).reduce(UInt32(0)) {
        $0 << 8 | UInt32($1)
      }
      let scalar = Unicode.Scalar(value)
      if scalar == nil {
        note(LostCharacter(value > 0x10FFFF ? .numberTooLarge : .loneSurrogate, value, at: result.count))
      }
      result.append(utf8Of: scalar ?? "\u{FFFD}")
      index += 4
    }
    return result
  }

  private static func fromUTF16(
    _ bytes: ArraySlice<UInt8>, littleEndian: Bool, _ note: (LostCharacter) -> Void
  ) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    let low = littleEndian ? 0 : 1
    // A last single byte is half a unit; it is ignored, as other readers do.
    func unit(at index: Int) -> UInt16? {
      index + 2 <= bytes.endIndex ? UInt16(bytes[index + low]) | UInt16(bytes[index + 1 - low]) << 8 : nil
    }
    var index = bytes.startIndex
    while let first = unit(at: index) {
      index += 2
      if UTF16.isLeadSurrogate(first), let second = unit(at: index), UTF16.isTrailSurrogate(second) {
        index += 2
        result.append(utf8Of: Unicode.Scalar(lead: first, trail: second))
      } else {
        if UTF16.isSurrogate(first) { note(LostCharacter(.loneSurrogate, UInt32(first), at: result.count)) }
        result.append(utf8Of: Unicode.Scalar(first) ?? "\u{FFFD}")
      }
    }
    return result
  }

  private static func fromEightBit(
    _ bytes: [UInt8], encoding: PropertyList.ParsingOptions.EightBitEncoding,
    _ note: (LostCharacter) -> Void
  ) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count + bytes.count / 8)
    for byte in bytes {
      switch encoding {
      case .nextStep:
        if !NextStepEncoding.assigns(byte) {
          note(LostCharacter(.unassignedByte, UInt32(byte), at: result.count))
        }
        result.append(utf8Of: NextStepEncoding.scalar(of: byte))
      case .isoLatin1: result.append(utf8Of: Unicode.Scalar(byte))
      }
    }
    return result
  }

  /// The offset of the first byte that does not begin a well-formed UTF-8 sequence; nil if there is none.
  ///
  /// Overlong forms, encoded surrogates and values above U+10FFFF are ill-formed.
  static func firstIllFormedUTF8(in bytes: [UInt8]) -> Int? {
    firstIllFormedUTF8(in: bytes.span)
  }

  static func firstIllFormedUTF8(in bytes: Span<UInt8>) -> Int? {
    var cursor = TextCursor(bytes)
    while true {
      cursor.skipASCII()
      guard let lead = cursor.byte else { return nil }
      let start = cursor.position
      // The range of the second byte excludes overlong forms, surrogates and values above U+10FFFF.
      let (length, second): (Int, ClosedRange<UInt8>)
      switch lead {
      case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
      case 0xE0: (length, second) = (3, 0xA0...0xBF)
      case 0xED: (length, second) = (3, 0x80...0x9F)
      case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
      case 0xF0: (length, second) = (4, 0x90...0xBF)
      case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
      case 0xF4: (length, second) = (4, 0x80...0x8F)
      default: return start
      }
      guard let byte = cursor.byte(ahead: 1), second.contains(byte) else { return start }
      for ahead in 2..<max(length, 2) {
        guard let byte = cursor.byte(ahead: ahead), byte & 0xC0 == 0x80 else { return start }
      }
      cursor.advance(by: length)
    }
  }

  /// What speaks for and against that bytes are UTF-8.
  struct UTF8Evidence {
    /// The places of the bytes that are not UTF-8, in ascending order; the first ones, where no more are asked for.
    var places: [Int] = []
    /// How many runs these bytes form.
    var runCount = 0
    /// How many characters beyond ASCII an eight-bit text would not have by chance.
    var characterCount = 0
    /// The place of the first of these characters.
    var firstCharacter: Int?
  }

  /// Whether bytes look like UTF-8, of which some are damaged, or like a text in an eight-bit set.
  ///
  /// Some pairs of characters of an eight-bit set are a character of UTF-8: NeXT's “é…” is U+077C. Such characters say
  /// nothing, unless they follow each other directly.
  ///
  /// - Parameter maximumPlaceCount: How many places are listed; a list of all takes many times the memory of the bytes.
  static func utf8Evidence(in bytes: [UInt8], maximumPlaceCount: Int = .max) -> UTF8Evidence {
    var evidence = UTF8Evidence()
    var (rest, position, endOfLast, endOfRun) = (bytes.makeIterator(), 0, -1, -1)
    var parser = Unicode.UTF8.ForwardParser()
    while true {
      switch parser.parseScalar(from: &rest) {
      case .valid(let encoded):
        if encoded.count > 1 {
          if endOfLast == position || !isLetterWithPunctuation(encoded) {
            evidence.characterCount += 1
            evidence.firstCharacter = evidence.firstCharacter ?? position
          }
          endOfLast = position + encoded.count
        }
        position += encoded.count
      case .error(let length):
        if endOfRun != position { evidence.runCount += 1 }
        let room = maximumPlaceCount - evidence.places.count
        evidence.places += position..<position + min(length, room)
        position += length
        endOfRun = position
      case .emptyInput:
        return evidence
      }
    }
  }

  /// Whether the bytes of a character of UTF-8 are a letter or dash with the punctuation behind it in NeXT's set: quotation
  /// marks, ellipses and symbols lie at A0 to BF, a space that does not break at 80. Bytes below D0 are accents there that
  /// stand for no letter.
  private static func isLetterWithPunctuation(_ encoded: Unicode.UTF8.EncodedScalar) -> Bool {
    guard let lead = encoded.first, (0xD0...0xEF).contains(lead) else { return false }
    return encoded.dropFirst().allSatisfy { $0 >= 0xA0 || $0 == 0x80 && encoded.count == 2 }
  }
}

extension Unicode.Scalar {
  /// The character of a surrogate pair.
  init(lead: UInt16, trail: UInt16) {
    let value = 0x10000 + (UInt32(lead & 0x3FF) << 10 | UInt32(trail & 0x3FF))
    self = Unicode.Scalar(value) ?? "\u{FFFD}"
  }
}

extension [UInt8] {
  mutating func append(utf8Of scalar: Unicode.Scalar) {
    append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
  }
}
