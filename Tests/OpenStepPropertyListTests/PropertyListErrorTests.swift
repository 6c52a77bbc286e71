import OpenStepPropertyList
import Testing

/// Errors say what is wrong, where, and show the place.
@Suite
struct PropertyListErrorTests {
  private func error(
    _ text: String, options: PropertyList.ParsingOptions = .init(),
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> PropertyListError {
    try #require(
      #expect(throws: PropertyListError.self, sourceLocation: sourceLocation) {
        try PropertyList(parsing: text, options: options)
      }, sourceLocation: sourceLocation)
  }

  // MARK: Place

  @Test("a text that ends too early is damaged at its end")
  func truncated() throws {
    let error = try error("{ a = b; c = ")
    #expect((error.line, error.column) == (1, 14))
    #expect(error.character == nil)
    #expect(error.description.hasPrefix("1:14: the text ends where a value was expected"))
    #expect(error.description.contains("1:1"), "the bracket that is still open is named")
    #expect(error.excerpt == "{ a = b; c = \n             ^")
  }

  @Test("the offending character is named, with what was expected")
  func character() throws {
    let error = try error("{\n    a = (x, y;\n}\n")
    #expect((error.line, error.column) == (2, 14))
    #expect(error.character == ";")
    #expect(error.description == "2:14: found “;” where “,” or “)” was expected")
    #expect(error.excerpt == "    a = (x, y;\n             ^")
  }

  @Test(
    "each kind of damage has its place",
    arguments: [
      // The input, line, column.
      ("{ a = 1 b = 2; }", 1, 9), ("( a b )", 1, 5), ("( , a )", 1, 3), ("( a,, b )", 1, 5),
      ("{ (a) = 1; }", 1, 3),
      ("{ ; }", 1, 3), ("{ a = 1;; }", 1, 9), ("<0g>", 1, 3), ("<012>", 1, 5), ("a = 1; ) b = 2;", 1, 8),
      ("{ a = 1; } x", 1, 12), (")", 1, 1), ("\n\n  ]", 3, 3), ("<*X5>", 1, 3), ("<*I5x>", 1, 4),
      ("{ a = é; }", 1, 7), ("(é)", 1, 2), ("(\"日本\" x)", 1, 7), ("(\"😀e\u{301}\" x)", 1, 8),
    ])
  func place(text: String, line: Int, column: Int) throws {
    let error = try error(text)
    #expect((error.line, error.column) == (line, column), "\(error)")
  }

  @Test("a long typed value is shown by its beginning")
  func longValue() throws {
    let error = try error("<*I\(String(repeating: "9", count: 10_000))>")
    #expect((error.line, error.column) == (1, 4))
    #expect(
      error.message.contains("“\(String(repeating: "9", count: 60))…”") && error.message.utf8.count < 200)
    #expect(try self.error("<*I5x>").message.contains("“5x”"))
  }

  @Test(
    "what is never closed is shown where it begins",
    arguments: [
      ("{ a = \"b; }", 1, 7), ("(x,\n <0102", 2, 2), ("'x", 1, 1), ("( <[AAEC )", 1, 3), ("<*I5", 1, 1),
    ])
  func unclosed(text: String, line: Int, column: Int) throws {
    let error = try error(text)
    #expect((error.line, error.column) == (line, column), "\(error)")
    #expect(error.message.contains("never closed"))
  }

  @Test(
    "lines end at LF, CR, CRLF and the two separators, and columns count characters",
    arguments: ["\n", "\r", "\r\n", "\u{2028}", "\u{2029}"])
  func lineEnds(end: String) throws {
    let error = try error("(\(end)é,\(end)x ]\(end))".replacing("é", with: "\"é\""))
    #expect((error.line, error.column) == (3, 3))
    #expect(error.character == "]")
    #expect(error.excerpt == "x ]\n  ^")
  }

  @Test("a place after a byte order mark, and in UTF-16, is counted in characters")
  func encodings() throws {
    let text = "{ a = \"é😀\"; ]"
    let utf16: [UInt8] = [0xFE, 0xFF] + text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    let utf8 = Array(text.utf8)
    for bytes in [utf8, [0xEF, 0xBB, 0xBF] + utf8, utf16] {
      let error = try #require(#expect(throws: PropertyListError.self) { try PropertyList(parsing: bytes) })
      #expect((error.line, error.column) == (1, 13))
    }
  }

  // MARK: Excerpt

  @Test("tabs stand above the caret as tabs")
  func tabs() throws {
    #expect(try error("{\n\ta\t= );\n}").excerpt == "\ta\t= );\n\t \t  ^")
  }

  @Test("a wide line is shortened on both sides, and the caret stands under its character")
  func wide() throws {
    let text = "(" + String(repeating: "a, ", count: 1000) + "];" + String(repeating: " b", count: 1000)
    let error = try error(text)
    #expect(error.column == 3002)
    let lines = error.excerpt.split(separator: "\n").map { Array($0.unicodeScalars) }
    try #require(lines.count == 2)
    #expect(lines[0].count <= 160)
    #expect(lines[0].first == "…" && lines[0].last == "…")
    #expect(lines[1].last == "^" && lines[0][lines[1].count - 1] == "]")
  }

  @Test("control characters in an excerpt are replaced, so that they cannot steer a terminal")
  func controls() throws {
    let error = try error("(\"\u{1B}[2J\u{7}\", ]")
    #expect(error.excerpt == "(\"\u{FFFD}[2J\u{FFFD}\", ]\n          ^")
  }

  @Test(
    "a character without a face is named by its number or its name",
    arguments: [
      ("(\u{1B})", "U+001B"), ("(\u{FEFF}a)", "U+FEFF"), ("(\u{A0}a)", "U+00A0"), ("(a\nb)", "“b”"),
      ("(\0)", "U+0000"),
      ("(\u{301})", "U+0301"),
    ])
  func faceless(text: String, name: String) throws {
    #expect(try error(text).message.contains(name))
  }

  // MARK: Other messages

  @Test("a typed value that is none says what it should have been")
  func typed() throws {
    #expect(try error("<*I5x>").message == "“5x” is no whole number from -2^63 to 2^64-1")
    #expect(try error("<*R3,14>").message == "“3,14” is no decimal number")
    #expect(try error("<*BX>").message == "“X” is no truth value, which begins with Y or N")
    #expect(
      try error("<*D2001-13-45 00:00:00 +0000>").message
        == "“2001-13-45 00:00:00 +0000” is no date of the form 2001-12-31 23:59:59 +0000")
    #expect(try error("<012>").message == "the data ends after an odd number of digits; a byte has two")
  }

  @Test("broken UTF-8 behind a byte order mark is shown at its place")
  func illFormedUTF8() throws {
    let bytes: [UInt8] = [0xEF, 0xBB, 0xBF] + Array("{ a = \"".utf8) + [0xC3, 0x28]
    let error = try #require(#expect(throws: PropertyListError.self) { try PropertyList(parsing: bytes) })
    #expect((error.line, error.column) == (1, 8))
    #expect(error.message.contains("0xC3"))
  }
}
