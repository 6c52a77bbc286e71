/// Converts an XML document's bytes to well-formed UTF-8 without a byte order mark.
///
/// The encoding is detected as in XML 1.0, appendix F: by a byte order mark, otherwise by the NULs in the
/// first characters, otherwise by the declaration; without all of these it is UTF-8. Bytes that are no
/// character of the encoding are an error, and are never read as another character.
enum XMLDecoding {
  /// What is done about bytes that are no character, by what was decoded before them; then U+001A stands for them.
  private typealias Complaint = (_ message: String, _ decoded: [UInt8]) throws(PropertyListError) -> Void

  private enum Encoding {
    case utf8
    case utf16(isLittleEndian: Bool)
    case utf32(isLittleEndian: Bool)
    case ascii, isoLatin1, windows1252
  }

  /// Whether bytes begin as an XML property list does: with a declaration, a comment, a
  /// document type or an element.
  ///
  /// Data in a text begins with `<` too, but never with the name of an element.
  static func recognises(_ bytes: [UInt8]) -> Bool {
    // Most files are texts, and tell it by their first character: it is neither “<” nor part of a mark or a wide
    // character.
    switch bytes.first(where: { !$0.isXMLSpace }) {
    case nil: return false
    case 0?, 0xEF?, 0xFE?, 0xFF?, UInt8(ascii: "<")?: break
    default: return false
    }
    let (encoding, markLength) = encodingBySight(of: bytes)
    var start = bytes[markLength...].prefix(512)
    if case .utf8 = encoding {} else { start = start.filter { $0 != 0 }[...] }
    start = start.drop { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
    guard start.popFirst() == UInt8(ascii: "<"), let first = start.first else { return false }
    if first == UInt8(ascii: "?") || first == UInt8(ascii: "!") { return true }
    let name = start.prefix { (0x61...0x7A).contains($0 | 0x20) }
    return XMLElement(name: String(decoding: name, as: UTF8.self)) != nil
  }

  /// Runs a body with a document's text in UTF-8.
  ///
  /// - Parameter readsDeclaration: Whether the document may declare its encoding, which JSON never does, and a string does
  ///   in vain.
  static func withUTF8<Result>(
    of bytes: [UInt8], readsDeclaration: Bool = true,
    _ body: (Span<UInt8>) throws(PropertyListError) -> Result
  ) throws(PropertyListError) -> Result {
    var (encoding, markLength) = encodingBySight(of: bytes)
    if readsDeclaration, case .utf8 = encoding, markLength == 0 {
      encoding = try declaredEncoding(of: bytes)
    }
    if case .utf8 = encoding {
      let text = bytes.span.slice(from: markLength)
      if let offset = TextDecoding.firstIllFormedUTF8(in: text) {
        throw TextCursor(text).error("the byte \(hexadecimal(text[offset])) is not UTF-8", at: offset)
      }
      return try body(text)
    }
    let decoded = try utf8(of: bytes[markLength...], in: encoding) {
      (message, decoded) throws(PropertyListError) in
      throw TextCursor(decoded.span).error(message, at: decoded.count)
    }
    return try body(decoded.span)
  }

  /// A damaged document's text in UTF-8, and the places in it where U+001A stands for what is no character.
  ///
  /// No tag and no markup has that character, so that only what it stands in cannot be read. A document whose
  /// declaration names an encoding that is not read is taken for UTF-8.
  static func damagedUTF8(of bytes: [UInt8]) -> (text: [UInt8], illFormed: [Int]) {
    var (encoding, markLength) = encodingBySight(of: bytes)
    if case .utf8 = encoding, markLength == 0 {
      encoding = (try? declaredEncoding(of: bytes)) ?? .utf8
    }
    var places: [Int] = []
    let rest = bytes[markLength...]
    switch encoding {
    case .utf16, .utf32, .isoLatin1, .windows1252:
      let text = try? utf8(of: rest, in: encoding) { (_, decoded) in places.append(decoded.count) }
      if let text { return (text, places) }
    case .utf8, .ascii: break
    }
    var text = Array(rest)
    places = TextDecoding.utf8Evidence(in: text).places
    for place in places { text[place] = substitute }
    return (text, places)
  }

  /// U+001A, which stands for what is no character.
  private static let substitute: UInt8 = 0x1A

  private static func utf8(
    of bytes: ArraySlice<UInt8>, in encoding: Encoding, _ complain: Complaint
  ) throws(PropertyListError) -> [UInt8] {
    switch encoding {
    case .utf8: Array(bytes)
    case .utf16(let isLittleEndian): try utf16(bytes, isLittleEndian: isLittleEndian, complain)
    case .utf32(let isLittleEndian): try utf32(bytes, isLittleEndian: isLittleEndian, complain)
    case .ascii: try eightBit(bytes, "US-ASCII", complain) { _ in nil }
    case .isoLatin1: try eightBit(bytes, "ISO-8859-1", complain) { Unicode.Scalar($0) }
    case .windows1252: try eightBit(bytes, "Windows-1252", complain, windows1252)
    }
  }

  // MARK: - Detection

  /// The encoding by a byte order mark or by NULs, and the length of the mark.
  private static func encodingBySight(of bytes: [UInt8]) -> (Encoding, markLength: Int) {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return (.utf8, 3) }
    // Before UTF-16, whose mark is the beginning of this one; NUL is not a character of XML.
    if bytes.starts(with: [0xFF, 0xFE, 0, 0]) { return (.utf32(isLittleEndian: true), 4) }
    if bytes.starts(with: [0, 0, 0xFE, 0xFF]) { return (.utf32(isLittleEndian: false), 4) }
    if bytes.starts(with: [0xFF, 0xFE]) { return (.utf16(isLittleEndian: true), 2) }
    if bytes.starts(with: [0xFE, 0xFF]) { return (.utf16(isLittleEndian: false), 2) }
    let nuls = bytes.prefix(4).map { $0 == 0 }
    if nuls == [true, true, true, false] { return (.utf32(isLittleEndian: false), 0) }
    if nuls == [false, true, true, true] { return (.utf32(isLittleEndian: true), 0) }
    if nuls.starts(with: [true, false]) { return (.utf16(isLittleEndian: false), 0) }
    if nuls.starts(with: [false, true]) { return (.utf16(isLittleEndian: true), 0) }
    return (.utf8, 0)
  }

  /// The encoding that `<?xml … encoding="…"?>` names at the very beginning; UTF-8 if there is none.
  private static func declaredEncoding(of bytes: [UInt8]) throws(PropertyListError) -> Encoding {
    // A declaration is short; a long one is treated like one without an encoding.
    let start = bytes.prefix(1024)
    // The names of other instructions can begin like this.
    guard start.starts(with: "<?xml".utf8), start.count > 5, start[5].isXMLSpace,
      let end = start.firstIndex(of: UInt8(ascii: ">"))
    else {
      return .utf8
    }
    let declaration = String(decoding: start[..<end], as: UTF8.self)
    guard let word = declaration.utf8.range(of: "encoding") else { return .utf8 }
    let value = declaration.utf8[word.upperBound...].drop { $0 <= 0x20 || $0 == UInt8(ascii: "=") }
    guard let quote = value.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
      return .utf8
    }
    let name = Substring(value.dropFirst().prefix { $0 != quote })
    // No encoding has a longer name. Of a long one the comparison takes a time that grows with the square of its combining
    // marks.
    let known = name.utf8.count <= 32 ? name.lowercased() : ""
    switch known {
    case "utf-8", "utf8": return .utf8
    case "us-ascii", "ascii", "ansi_x3.4-1968", "iso646-us": return .ascii
    case "iso-8859-1", "iso_8859-1", "iso8859-1", "iso88591", "latin1", "l1": return .isoLatin1
    case "windows-1252", "cp1252", "cp-1252": return .windows1252
    default: break
    }
    let place = declaration.utf8.distance(from: declaration.startIndex, to: name.startIndex)
    let isWide = known.hasPrefix("utf-16") || known.hasPrefix("utf-32")
    throw TextCursor(bytes.span.slice(0..<end + 1)).error(
      isWide
        ? "the encoding is said to be “\(name)”, but the bytes are not; correct the declaration"
        : "the encoding “\(name)” is not read; convert the file to UTF-8", at: place)
  }

  // MARK: - Decoding

  private static func utf16(
    _ bytes: ArraySlice<UInt8>, isLittleEndian: Bool, _ complain: Complaint
  ) throws(PropertyListError) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    let low = isLittleEndian ? 0 : 1
    func unit(at index: Int) -> UInt16 {
      UInt16(bytes[index + low]) | UInt16(bytes[index + 1 - low]) << 8
    }
    var index = bytes.startIndex
    while index + 2 <= bytes.endIndex {
      let first = unit(at: index)
      index += 2
      if first < 0x80 {
        result.append(UInt8(truncatingIfNeeded: first))
      } else if let scalar = Unicode.Scalar(first) {
        result.append(utf8Of: scalar)
      } else if UTF16.isLeadSurrogate(first), index + 2 <= bytes.endIndex,
        UTF16.isTrailSurrogate(unit(at: index))
      {
        result.append(utf8Of: Unicode.Scalar(lead: first, trail: unit(at: index)))
        index += 2
      } else {
        try complain("half a surrogate pair stands here, which is no character", result)
        result.append(substitute)
      }
    }
    if index < bytes.endIndex {
      try complain("the text ends with half a unit of UTF-16", result)
      result.append(substitute)
    }
    return result
  }

  private static func utf32(
    _ bytes: ArraySlice<UInt8>, isLittleEndian: Bool, _ complain: Complaint
  ) throws(PropertyListError) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count / 4)
    var index = bytes.startIndex
    while index + 4 <= bytes.endIndex {
      var value: UInt32 = 0
      for place in 0..<4 { value = value << 8 | UInt32(bytes[index + (isLittleEndian ? 3 - place : place)]) }
      if let scalar = Unicode.Scalar(value) {
        result.append(utf8Of: scalar)
      } else {
        try complain("a number that is no character stands here", result)
        result.append(substitute)
      }
      index += 4
    }
    if index < bytes.endIndex {
      try complain("the text ends with a part of a unit of UTF-32", result)
      result.append(substitute)
    }
    return result
  }

  private static func eightBit(
    _ bytes: ArraySlice<UInt8>, _ name: String, _ complain: Complaint, _ scalar: (UInt8) -> Unicode.Scalar?
  ) throws(PropertyListError) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count + bytes.count / 8)
    for byte in bytes {
      if byte < 0x80 {
        result.append(byte)
      } else if let scalar = scalar(byte) {
        result.append(utf8Of: scalar)
      } else {
        try complain("the byte \(hexadecimal(byte)) is not \(name), which the declaration names", result)
        result.append(substitute)
      }
    }
    return result
  }

  /// The character of a byte; nil for the bytes that are not assigned, which Windows'
  /// own readers read differently.
  private static func windows1252(_ byte: UInt8) -> Unicode.Scalar? {
    guard byte < 0xA0 else { return Unicode.Scalar(byte) }
    let scalar = windows1252Scalars[Int(byte) - 0x80]
    return scalar == "\0" ? nil : scalar
  }

  private static let windows1252Scalars = Array("€\0‚ƒ„…†‡ˆ‰Š‹Œ\0Ž\0\0‘’“”•–—˜™š›œ\0žŸ".unicodeScalars)

  private static func hexadecimal(_ byte: UInt8) -> String {
    "0x" + String(byte, radix: 16, uppercase: true)
  }
}

extension Substring.UTF8View {
  /// The first occurrence of an ASCII word.
  fileprivate func range(of word: StaticString) -> Range<Index>? {
    var rest = self
    let count = word.utf8CodeUnitCount
    return word.withUTF8Buffer { word in
      while let start = rest.firstIndex(of: word[0]) {
        rest = rest[start...]
        if rest.starts(with: word) { return start..<rest.index(start, offsetBy: count) }
        rest.removeFirst()
      }
      return nil
    }
  }
}

extension String.UTF8View {
  fileprivate func range(of word: StaticString) -> Range<Index>? {
    Substring(self[...]).utf8.range(of: word)
  }
}
