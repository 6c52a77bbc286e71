/// The text of a message, in which only the beginning of a long quotation is repeated.
///
/// A key or a value may have megabytes, which would hide what the message says.
enum MessageText {
  /// How many bytes a quotation without a slash has at most; a domain's name never has more.
  private static let quotationLimit = 300
  /// How many bytes a quotation with a slash has at most, which may be a path.
  private static let pathLimit = 4096
  /// How many bytes the text between two quotations has at most: two paths and what is said about them.
  private static let plainLimit = 3 * pathLimit
  /// How many bytes are left of what is too long.
  private static let shownCount = 100

  private static let openingMark = Array("“".utf8)
  private static let closingMark = Array("”".utf8)

  /// The message with its long quotations cut, each to its beginning and “…”; a message that is still long, because
  /// what it quotes has quotation marks itself, is cut in its middle.
  ///
  /// - Complexity: linear in the length of the message.
  static func shortened(_ message: String) -> String {
    let bytes = Array(message.utf8)
    guard bytes.count > quotationLimit else { return message }
    var result: [UInt8] = []
    var rest = bytes[...]
    var isQuotation = false
    while !rest.isEmpty {
      let end = place(of: isQuotation ? closingMark : openingMark, in: rest) ?? rest.endIndex
      result +=
        isQuotation ? quotation(rest[..<end]) : cut(rest[..<end], over: plainLimit, keeping: 2 * shownCount)
      let behind = min(end + openingMark.count, rest.endIndex)
      result += rest[end..<behind]
      rest = rest[behind...]
      isQuotation.toggle()
    }
    result = Array(cut(result[...], over: 2 * plainLimit, keeping: plainLimit))
    return String(decoding: result, as: UTF8.self)
  }

  private static func quotation(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard bytes.count > quotationLimit,
      bytes.count > pathLimit || !bytes.contains(UInt8(ascii: "/"))
    else { return bytes }
    return bytes[..<boundary(before: bytes.startIndex + shownCount, in: bytes)] + "…".utf8
  }

  /// What is longer than a limit, with “…” in the place of its middle.
  ///
  /// - Parameter count: How many bytes are left at its end; at its beginning there are half as many.
  private static func cut(
    _ bytes: ArraySlice<UInt8>, over limit: Int, keeping count: Int
  ) -> ArraySlice<UInt8> {
    guard bytes.count > limit else { return bytes }
    let head = bytes[..<boundary(before: bytes.startIndex + count / 2, in: bytes)]
    return head + "…".utf8 + bytes[boundary(before: bytes.endIndex - count, in: bytes)...]
  }

  /// The nearest place at or before an index where a character begins.
  private static func boundary(before index: Int, in bytes: ArraySlice<UInt8>) -> Int {
    var index = index
    while index > bytes.startIndex, bytes[index] & 0xC0 == 0x80 { index -= 1 }
    return index
  }

  private static func place(of mark: [UInt8], in bytes: ArraySlice<UInt8>) -> Int? {
    var rest = bytes
    while let index = rest.firstIndex(of: mark[0]) {
      rest = rest[index...]
      if rest.starts(with: mark) { return index }
      rest = rest.dropFirst()
    }
    return nil
  }
}

extension String {
  /// The text as the line of a message: with its long quotations cut, and on one line.
  var messageLine: String { MessageText.shortened(self).onOneLine }

  /// The text with each control character and line separator as `\u{…}`.
  ///
  /// A domain's or file's name may contain them; in a message they would break the line or control the
  /// terminal.
  ///
  /// - Complexity: linear in the length of the text.
  var onOneLine: String {
    guard unicodeScalars.contains(where: \.breaksLines) else { return self }
    var text = ""
    for scalar in unicodeScalars {
      if scalar.breaksLines {
        text += "\\u{\(String(scalar.value, radix: 16))}"
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}

extension Unicode.Scalar {
  /// Whether this is a control character, a line or paragraph separator, or a byte order mark.
  var breaksLines: Bool {
    switch value {
    case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029, 0xFEFF: true
    default: false
    }
  }
}
