/// The characters of an XML document, whichever way they are encoded.
enum XMLText {
  private enum Encoding {
    case utf8, utf16LittleEndian, utf16BigEndian, isoLatin1
  }

  /// The document in UTF-8, without a byte order mark and without the XML declaration.
  ///
  /// The declaration names the encoding that the document had; line numbers stay.
  static func utf8(_ bytes: [UInt8]) throws(FormatError) -> [UInt8] {
    let (detected, markLength) = encoding(of: bytes)
    let content = bytes[markLength...]
    var text: [UInt8]
    switch detected {
    case .utf16LittleEndian, .utf16BigEndian:
      text = try utf16(content, isBigEndian: detected == .utf16BigEndian)
    case .utf8, .isoLatin1:
      text = Array(content)
    }
    guard let declaration = declaration(in: text) else { return try checkedUTF8(text) }
    if detected == .utf8, try declaredEncoding(declaration) == .isoLatin1 {
      text = Array(String(text.map { Character(Unicode.Scalar($0)) }).utf8)
    }
    text.removeSubrange(..<(declaration.endIndex))
    return try checkedUTF8(text)
  }

  /// The beginning of a document in ASCII, enough to recognise it; nil where it is no text.
  static func start(of bytes: [UInt8]) -> ArraySlice<UInt8>? {
    let (encoding, markLength) = encoding(of: bytes)
    let content = bytes[markLength...].prefix(512)
    switch encoding {
    case .utf8, .isoLatin1: return content
    case .utf16LittleEndian, .utf16BigEndian: return content.filter { $0 != 0 }[...]
    }
  }

  /// What the first bytes tell, and how many of them are a mark.
  private static func encoding(of bytes: [UInt8]) -> (Encoding, markLength: Int) {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return (.utf8, 3) }
    if bytes.starts(with: [0xFF, 0xFE]) { return (.utf16LittleEndian, 2) }
    if bytes.starts(with: [0xFE, 0xFF]) { return (.utf16BigEndian, 2) }
    guard bytes.count >= 2 else { return (.utf8, 0) }
    if bytes[0] != 0 && bytes[1] == 0 { return (.utf16LittleEndian, 0) }
    if bytes[0] == 0 && bytes[1] != 0 { return (.utf16BigEndian, 0) }
    return (.utf8, 0)
  }

  private static func utf16(_ bytes: ArraySlice<UInt8>, isBigEndian: Bool) throws(FormatError) -> [UInt8] {
    var units: [UInt16] = []
    units.reserveCapacity(bytes.count / 2)
    var index = bytes.startIndex
    while index + 1 < bytes.endIndex {
      let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
      units.append(isBigEndian ? first << 8 | second : second << 8 | first)
      index += 2
    }
    let text = String(decoding: units, as: UTF16.self)
    guard text.utf16.elementsEqual(units) else { throw FormatError("is XML that is not well-formed UTF-16") }
    return Array(text.utf8)
  }

  private static func checkedUTF8(_ bytes: [UInt8]) throws(FormatError) -> [UInt8] {
    // Piece by piece, so that there is never a second copy of a long document.
    var rest = bytes[...]
    while !rest.isEmpty {
      var piece = rest.prefix(1 << 16)
      // No character is cut in two; of bytes that are none of a character's, four are enough to tell.
      while piece.endIndex < rest.endIndex, rest[piece.endIndex] & 0xC0 == 0x80, piece.count > (1 << 16) - 4 {
        piece.removeLast()
      }
      guard Array(String(decoding: piece, as: UTF8.self).utf8) == Array(piece) else {
        throw FormatError("is XML that is not well-formed UTF-8")
      }
      rest = rest[piece.endIndex...]
    }
    return bytes
  }

  /// `<?xml … ?>` at the very beginning.
  private static func declaration(in bytes: [UInt8]) -> ArraySlice<UInt8>? {
    guard bytes.starts(with: "<?xml".utf8), bytes.count > 5, bytes[5].isXMLSpace,
      let end = bytes.firstIndex(of: UInt8(ascii: ">"))
    else { return nil }
    return bytes[...end]
  }

  private static func declaredEncoding(_ declaration: ArraySlice<UInt8>) throws(FormatError) -> Encoding {
    let text = String(decoding: declaration, as: UTF8.self).lowercased()
    let parts = text.split(separator: "encoding", maxSplits: 1)
    guard parts.count == 2 else { return .utf8 }
    let value = parts[1].drop { $0 == " " || $0 == "=" || $0 == "\t" || $0 == "\n" || $0 == "\r" }
    guard let quote = value.first, quote == "\"" || quote == "'" else { return .utf8 }
    let name = value.dropFirst().prefix { $0 != quote }
    switch name {
    case "utf-8", "utf8", "us-ascii", "ascii": return .utf8
    case "iso-8859-1", "latin1": return .isoLatin1
    default: throw FormatError("is XML in the encoding \(name), which is not read; convert it to UTF-8")
    }
  }
}
