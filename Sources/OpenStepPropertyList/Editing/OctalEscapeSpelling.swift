/// Octal escapes above `\177`, of which a text's reader has to know whether they are NeXT's characters or bytes of UTF-8.
enum OctalEscapeSpelling {
  /// The changes of a valid text in UTF-8 that spell these escapes as the characters that they stand for.
  ///
  /// - Parameters:
  ///   - octalEscapes: What the escapes are.
  ///   - isASCII: Whether the characters are spelled as `\U` escapes, and not raw.
  static func splices(
    of text: [UInt8], _ octalEscapes: PropertyList.ParsingOptions.OctalEscapes, isASCII: Bool
  ) -> [TextSplice] {
    var splices: [TextSplice] = []
    forEachRun(in: text) { range, bytes in
      var string = ""
      switch octalEscapes {
      case .nextStep:
        string.unicodeScalars.append(contentsOf: bytes.map(NextStepEncoding.scalar))
      case .utf8Bytes: string = String(decoding: bytes, as: UTF8.self)
      }
      let spelled =
        isASCII ? string.utf16.map { "\\U" + hexadecimal($0) }.joined() : string
      splices.append(TextSplice(range: range, replacement: Array(spelled.utf8)))
      return true
    }
    return splices
  }

  /// Where the first of these escapes stands; nil if there is none.
  static func first(in text: [UInt8]) -> Int? {
    var place: Int?
    forEachRun(in: text) { range, _ in
      place = range.lowerBound
      return false
    }
    return place
  }

  private static func hexadecimal(_ unit: UInt16) -> String {
    let digits = String(unit, radix: 16, uppercase: true)
    return String(repeating: "0", count: 4 - digits.utf8.count) + digits
  }

  /// Finds the longest runs of these escapes, which together may be one character.
  ///
  /// - Parameter body: Receives the place and the bytes of each run, and says whether to go on.
  private static func forEachRun(in text: [UInt8], _ body: (Range<Int>, [UInt8]) -> Bool) {
    var cursor = TextCursor(text.span)
    while true {
      cursor.skipGap()
      let token = cursor.position
      guard let byte = cursor.byte else { return }
      switch byte {
      case UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "("), UInt8(ascii: ")"): cursor.advance()
      default: cursor.skipValidValue()
      }
      if cursor.position == token { cursor.advance() }
      guard byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") else { continue }
      var (place, start, bytes) = (token, token, [UInt8]())
      while place < cursor.position {
        let escape = octalEscape(in: text, at: place)
        if let escape, escape.byte >= 0x80 {
          if bytes.isEmpty { start = place }
          bytes.append(escape.byte)
          place += escape.length
          continue
        }
        if !bytes.isEmpty, !body(start..<place, bytes) { return }
        bytes = []
        // A backslash takes the character behind it along, which may be another backslash.
        place += escape?.length ?? (text[place] == UInt8(ascii: "\\") ? 2 : 1)
      }
    }
  }

  /// The byte of an octal escape, which is the value of its one to three digits modulo 256, and its length; nil for anything
  /// else.
  private static func octalEscape(in text: [UInt8], at place: Int) -> (byte: UInt8, length: Int)? {
    guard text[place] == UInt8(ascii: "\\") else { return nil }
    let digits = text[(place + 1)...].prefix(3).prefix {
      (UInt8(ascii: "0")...UInt8(ascii: "7")).contains($0)
    }
    guard !digits.isEmpty else { return nil }
    return (digits.reduce(0) { $0 << 3 | ($1 & 7) }, 1 + digits.count)
  }
}

extension PropertyList {
  /// A valid text with the characters themselves in place of octal escapes above `\177`, so that it is the same text to
  /// readers that take these for NeXT's characters and to those that take them for bytes of UTF-8. All else stays.
  ///
  /// - Parameter options: How the text is read.
  /// - Returns: nil if the text's encoding cannot take the characters.
  package static func spellingOutOctalEscapes(of bytes: [UInt8], options: ParsingOptions) -> [UInt8]? {
    guard let text = try? TextDecoding.utf8(of: bytes, eightBitEncoding: options.eightBitEncoding) else {
      return nil
    }
    let form = TextEncodingForm(recognising: bytes, eightBitEncoding: options.eightBitEncoding)
    // The set of an eight-bit text is not known for certain.
    let isASCII = if case .eightBit = form { true } else { false }
    let splices = OctalEscapeSpelling.splices(of: text, options.octalEscapes, isASCII: isASCII)
    return form.applying(splices, of: text, giving: splices.applied(to: text), to: bytes)
  }

  /// Whether a valid text has octal escapes above `\177`, which readers take for different characters.
  package static func hasOctalEscapes(inText bytes: [UInt8]) -> Bool {
    errorAtOctalEscape(inText: bytes, "") != nil
  }

  /// An error at a valid text's first octal escape above `\177`, which readers take for different characters; nil if there is
  /// none.
  package static func errorAtOctalEscape(
    inText bytes: [UInt8], _ message: String
  ) -> PropertyListError? {
    guard let text = try? TextDecoding.utf8(of: bytes, eightBitEncoding: .nextStep),
      let place = OctalEscapeSpelling.first(in: text)
    else { return nil }
    return TextCursor(text.span).error(message, at: place)
  }
}
