/// One line of batch input, split into its tokens.
struct TokenLine: Hashable {
  /// The number of the first line that it occupies, counted from 1.
  let number: Int
  /// Where its first token begins in the input.
  let offset: Int
  /// The tokens' texts, without their quotes; at least one.
  let tokens: [String]

  /// The domain and the key that the first two tokens mean, and the texts of the others.
  var words: [String] { tokens.prefix(2).map(DefaultLine.name(of:)) + tokens.dropFirst(2) }

  /// Splits a text into lines, and the lines into tokens, and calls a body with each line that has tokens.
  ///
  /// A token in quotes may extend over several lines, as GNUstep's `defaults read` prints it.
  ///
  /// - Throws: what the body throws, and ``CommandError`` for a quote that is not closed, for a closing quote
  ///   without white space after it, and for bytes that are not UTF-8.
  /// - Complexity: linear in the length of the text; one line at a time is in memory beside the text.
  static func forEach(of bytes: [UInt8], _ body: (TokenLine) throws -> Void) throws {
    var bytes = bytes[...]
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
    var tokenizer = Tokenizer(rest: bytes, number: 1)
    while let line = try tokenizer.nextLine() {
      if !line.tokens.isEmpty { try body(line) }
    }
  }

  /// The domain of a line that ``forEach(of:_:)`` has given.
  ///
  /// - Complexity: linear in the length of the line's first token.
  static func domain(atOffset offset: Int, of bytes: [UInt8]) throws(CommandError) -> String {
    var tokenizer = Tokenizer(rest: bytes[offset...], number: 1)
    return DefaultLine.name(of: try tokenizer.nextToken() ?? "")
  }

  /// An error in a line of the standard input.
  static func error(line: Int, _ code: ExitCode, _ message: String) -> CommandError {
    CommandError(code, "standard input:\(line): \(message)")
  }
}

extension TokenLine {
  /// Reads again a line that ``forEach(of:_:)`` has given.
  ///
  /// - Parameters:
  ///   - number: The line's ``number``.
  ///   - offset: The line's ``offset``.
  init(number: Int, offset: Int, of bytes: [UInt8]) throws(CommandError) {
    var tokenizer = Tokenizer(rest: bytes[offset...], number: number)
    self = try tokenizer.nextLine() ?? TokenLine(number: number, offset: offset, tokens: [])
  }
}

/// Splits batch input byte by byte.
private struct Tokenizer {
  var rest: ArraySlice<UInt8>
  /// The number of the line at the beginning of the rest.
  var number: Int

  /// The tokens up to the next line end outside quotes, or nil at the end of the input.
  mutating func nextLine() throws(CommandError) -> TokenLine? {
    guard !rest.isEmpty else { return nil }
    skipSpace()
    let (number, offset) = (number, rest.startIndex)
    var tokens: [String] = []
    while let token = try nextToken() { tokens.append(token) }
    if !rest.isEmpty {
      rest.removeFirst()
      self.number += 1
    }
    return TokenLine(number: number, offset: offset, tokens: tokens)
  }

  /// The next token, or nil before a line end outside quotes and at the end of the input.
  mutating func nextToken() throws(CommandError) -> String? {
    skipSpace()
    guard let byte = rest.first, byte != UInt8(ascii: "\n") else { return nil }
    if byte == UInt8(ascii: "'") { return try quotedToken() }
    let token = rest.prefix { !isWhiteSpace($0) }
    rest = rest[token.endIndex...]
    return try string(of: token)
  }

  /// Skips white space up to the line end.
  private mutating func skipSpace() {
    while let byte = rest.first, byte != UInt8(ascii: "\n"), isWhiteSpace(byte) { rest.removeFirst() }
  }

  private mutating func quotedToken() throws(CommandError) -> String {
    let start = number
    var token: [UInt8] = []
    rest.removeFirst()
    while let byte = rest.popFirst() {
      if byte != UInt8(ascii: "'") {
        if byte == UInt8(ascii: "\n") { number += 1 }
        token.append(byte)
      } else if rest.first == byte {
        rest.removeFirst()
        token.append(byte)
      } else if let next = rest.first, !isWhiteSpace(next) {
        throw TokenLine.error(
          line: number, .usage,
          "white space is missing after a closing quote; write '' for a quote inside quotes")
      } else {
        return try string(of: token[...])
      }
    }
    throw TokenLine.error(line: start, .usage, "the quote that opens here is not closed")
  }

  private func string(of bytes: ArraySlice<UInt8>) throws(CommandError) -> String {
    let text = String(decoding: bytes, as: UTF8.self)
    // Decoding replaces bytes that are not UTF-8; the result then differs from them.
    guard text.utf8.elementsEqual(bytes) else {
      throw TokenLine.error(line: number, .usage, "this is not UTF-8")
    }
    return text
  }

  private func isWhiteSpace(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || (0x09...0x0D).contains(byte)
  }
}
