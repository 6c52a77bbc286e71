/// Converts a file's bytes to well-formed UTF-8 without a byte order mark.
enum TextDecoding {
  /// Decodes bytes in the form that ``TextEncodingForm`` recognises.
  ///
  /// Lone surrogates become U+FFFD, and so do bytes that an eight-bit set does not assign.
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
      if (0xD800...0xDFFF).contains(value) { note(LostCharacter(.loneSurrogate, at: result.count)) }
      result.append(utf8Of: Unicode.Scalar(value) ?? "\u{FFFD}")
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
        if UTF16.isSurrogate(first) { note(LostCharacter(.loneSurrogate, at: result.count)) }
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
        if !NextStepEncoding.assigns(byte) { note(LostCharacter(.unassignedByte, at: result.count)) }
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

  /// The places of the bytes that are not UTF-8, how many runs they form, and how many characters beyond ASCII the
  /// others form.
  static func illFormedPlaces(
    in bytes: [UInt8]
  ) -> (places: [Int], runCount: Int, characterCount: Int) {
    var (places, runCount, characterCount): ([Int], Int, Int) = ([], 0, 0)
    var (rest, position) = (bytes.makeIterator(), 0)
    var parser = Unicode.UTF8.ForwardParser()
    while true {
      switch parser.parseScalar(from: &rest) {
      case .valid(let encoded):
        if encoded.count > 1 { characterCount += 1 }
        position += encoded.count
      case .error(let length):
        if places.last != position - 1 || places.isEmpty { runCount += 1 }
        places += position..<position + length
        position += length
      case .emptyInput:
        return (places, runCount, characterCount)
      }
    }
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
