import OpenStepPropertyList
import TestSupport
import Testing

/// Nothing that a text can hold brings the reader down, or gives a part of the data.
@Suite(.enabled(if: Thoroughness.runsHere, Comment(rawValue: Thoroughness.elsewhere)))
struct HostileInputTests {
  /// A bit of everything that the grammar has.
  private let fixture = """
    // A comment\r
    {
        Plain = word_1.2; "Quoted key" = "a \\"b\\" \\\\ \\n\\t\\101\\303 \\U00e9\\UD83D\\UDE00 \\u00e9"; 'single' = 'q"';
        Data = <0fbd 7a /* c */ 02>; Base64 = <[AAEC/+==]>; Empty = (); None = {}; Nothing = <>;
        Typed = (<*I-5>, <*R1.5e3>, <*BY>, <*D2001-02-03 04:05:06 +0100>, <*I"7">);
        Notes = (5 /*integer*/, "1.5" /*real*/, 2 /*float*/, YES /*boolean*/, "2001-01-01 00:00:00 +0000" /*date*/);
        Nested = { a = (b, (c, { d = e; }), ); f; = g; h = ; i = "é日本😀\u{2028}" };\u{2029}
    }
    """

  private let allOptions: [PropertyList.ParsingOptions] = [.init(), .domainFile, .argument]

  /// Reads bytes by all options; whatever comes out must be whole, or an error with a place.
  private func read(_ bytes: [UInt8]) -> Bool {
    var isFine = true
    for options in allOptions {
      do throws(PropertyListError) {
        let value = try PropertyList(parsing: bytes, options: options)
        isFine = isFine && value == value
      } catch {
        isFine = isFine && error.line > 0 && error.column > 0 && !error.message.isEmpty
      }
    }
    return isFine
  }

  @Test("the fixture is a good file")
  func fixtureIsGood() throws {
    let value = try PropertyList(parsing: fixture, options: .domainFile)
    guard case .dictionary(let entries) = value else {
      Issue.record("not a dictionary")
      return
    }
    #expect(entries.count == 11)
    #expect(entries["Quoted key"] == "a \"b\" \\ \n\tA\u{2C6} é😀 é")
    #expect(
      entries["Nested"] == ["a": ["b", ["c", ["d": "e"]]], "f": "f", "": "g", "h": "", "i": "é日本😀\u{2028}"])
    #expect(entries["Data"] == .data([0x0F, 0xBD, 0x7A, 0x02]))
    #expect(entries["Base64"] == .data([0, 1, 2, 0xFF]))
  }

  @Test("a file cut at any byte before its last bracket is an error, never a part")
  func truncation() throws {
    let bytes = Array(fixture.utf8)
    let end = try #require(bytes.lastIndex(of: UInt8(ascii: "}")))
    for count in 0...bytes.count {
      let cut = Array(bytes[..<count])
      #expect(read(cut), "\(count)")
      // Cut inside the comment's opening, the text is the string "/", which no domain is.
      let isDictionary =
        if case .dictionary? = try? PropertyList(parsing: cut, options: .domainFile) { true } else { false }
      #expect(isDictionary == (count > end), "\(count)")
    }
  }

  @Test("a file with any one bit of any byte flipped is read or refused")
  func flips() {
    let bytes = Array(fixture.utf8)
    for index in bytes.indices {
      for bit in 0..<8 {
        var damaged = bytes
        damaged[index] ^= 1 << bit
        if !read(damaged) { Issue.record("bit \(bit) of byte \(index)") }
      }
    }
  }

  @Test("a file with any byte made NUL, 0xFF, a quote, a bracket or a slash is read or refused")
  func replacements() {
    let bytes = Array(fixture.utf8)
    for index in bytes.indices {
      for byte in [0, 0xFF, 0xC3] + Array("\"'\\/*<>{}()=;,".utf8) {
        var damaged = bytes
        damaged[index] = byte
        if !read(damaged) { Issue.record("byte \(index) made \(byte)") }
      }
    }
  }

  @Test("every text of up to three of the grammar's marks is read or refused")
  func smallWorlds() {
    let marks = Array("{}()<>=;,\"'\\/*a[ \n".utf8)
    var texts: [[UInt8]] = [[]]
    for _ in 0..<3 {
      texts = texts.flatMap { text in marks.map { text + [$0] } }
      for text in texts where !read(text) { Issue.record("\(String(decoding: text, as: UTF8.self))") }
    }
  }

  @Test(
    "100,000 nested containers are an error in the place of the one too many",
    arguments: ["(", "{a=", "{a=(", "({=", "a={", "{ a = {b =\n"])
  func deepNesting(opening: String) throws {
    let text = String(repeating: opening, count: 100_000)
    let error = try #require(#expect(throws: PropertyListError.self) { try PropertyList(parsing: text) })
    #expect(error.message == "more than 1000 containers are nested here")
    #expect(error.character == "(" || error.character == "{")
  }

  @Test("a thousand nested containers are read, one more is refused", arguments: [("(", ")"), ("{a=", ";}")])
  func depthLimit(opening: String, closing: String) throws {
    func text(_ count: Int) -> String {
      String(repeating: opening, count: count) + (opening == "(" ? "" : "x")
        + String(repeating: closing, count: count)
    }
    #expect(throws: Never.self) { try PropertyList(parsing: text(1000)) }
    #expect(throws: PropertyListError.self) { try PropertyList(parsing: text(1001)) }
  }

  @Test("many containers side by side are not deep")
  func wide() throws {
    let text = "(" + String(repeating: "{a=(b);},", count: 20_000) + ")"
    guard case .array(let elements) = try PropertyList(parsing: text) else { return }
    #expect(elements.count == 20_000)
  }

  @Test(
    "a long run of anything is read or refused in linear time",
    arguments: [
      "\"", "'", "/", "*", "\\", "(", ")", "{", "}", "<", ">", "=", ";", ",", "a", " ", "\0", "/*", "*/",
      "//\n", "\"\\",
      "<*", "<[", "\\U", "\r\n", "\u{2028}", "a;", "a=", "a=b;", "\"\" ", "5/**/", "5 /*", "( /*", "<0",
      "<[A", "\u{FEFF}",
    ])
  func longRuns(unit: String) {
    let bytes = Array(String(repeating: unit, count: 100_000).utf8)
    #expect(read(bytes))
    #expect(read(Array("{ a = ".utf8) + bytes))
    #expect(read(Array("\"".utf8) + bytes))
    #expect(read(Array("<".utf8) + bytes + Array(">".utf8)))
  }

  @Test("raw NULs in a string are kept, elsewhere they are an error but for padding at the end")
  func nuls() throws {
    #expect(try PropertyList(parsing: "{ a = \"b\0c\"; }") == ["a": "b\0c"])
    for text in ["{ a\0 = b; }", "{ a = b\0; }", "{ a = \0b; }", "(<0\0>)", "( \0 )", "{ a = b; }\0\0x"] {
      #expect(throws: PropertyListError.self, "\(text)") { try PropertyList(parsing: text) }
    }
    #expect(try PropertyList(parsing: "{ a = b; }\0\0\0") == ["a": "b"])
  }

  @Test("lone surrogates become one U+FFFD each, escaped or raw")
  func loneSurrogates() throws {
    let escapes = [
      #"\UD83D"#: "\u{FFFD}", #"\UDE00"#: "\u{FFFD}", #"\UDE00\UD83D"#: "\u{FFFD}\u{FFFD}",
      #"\UD83D\UD83D\UDE00"#: "\u{FFFD}😀", #"\UD83Dx\UDE00"#: "\u{FFFD}x\u{FFFD}", #"\uD83D\UDE00"#: "😀",
      #"\UD83D\n"#: "\u{FFFD}\n", #"\UD83D\\UDE00"#: "\u{FFFD}\\UDE00",
    ]
    for (escape, text) in escapes {
      #expect(try PropertyList(parsing: "\"\(escape)\"") == .string(text), "\(escape)")
    }
    let units: [UInt16] = [0xFEFF, 0x22, 0xDE00, 0xD83D, 0x41, 0xD83D, 0x22]
    let bytes = units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    #expect(try PropertyList(parsing: bytes) == "\u{FFFD}\u{FFFD}A\u{FFFD}")
    // Half a unit at the end is ignored.
    #expect(try PropertyList(parsing: bytes + [0x22]) == "\u{FFFD}\u{FFFD}A\u{FFFD}")
  }

  @Test(
    "UTF-8 that is overlong, beyond Unicode, a surrogate or cut short is not UTF-8",
    arguments: [
      [0xC0, 0xAF], [0xC1, 0x81], [0xE0, 0x80, 0xAF], [0xF0, 0x80, 0x80, 0xAF], [0xED, 0xA0, 0x80],
      [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF], [0x80], [0xC3], [0xE2, 0x80],
      [0xF0, 0x9F, 0x98],
    ] as [[UInt8]])
  func illFormedUTF8(sequence: [UInt8]) throws {
    let bytes = Array("(\"a".utf8) + sequence + Array("\")".utf8)
    // Behind a mark it is damage; without one every byte is a character of NeXT's set.
    #expect(throws: PropertyListError.self) { try PropertyList(parsing: [0xEF, 0xBB, 0xBF] + bytes) }
    guard case .array(let elements) = try PropertyList(parsing: bytes),
      case .string(let text)? = elements.first
    else {
      Issue.record("not an array with a string")
      return
    }
    #expect(text.unicodeScalars.count == 1 + sequence.count)
  }

  @Test("random bytes are read or refused")
  func randomBytes() {
    var random = RandomValues(seed: 8)
    for _ in 0..<2000 {
      let text = (0..<8).map { _ in random.string() }.joined()
      if !read(Array(text.utf8)) { Issue.record("\(text)") }
    }
  }

  @Test(
    "a scalar with many combining marks is none, in time that grows with its length",
    arguments: [
      ("1", " /*real*/"), ("1", " /*float*/"), ("YES", " /*boolean*/"), ("2026", " /*date*/"),
      ("1", " /*integer*/"), ("<*R1", ">"), ("<*BY", ">"), ("<*D2026", ">"), ("<*I1", ">"), ("\"1", "\""),
    ])
  func combiningMarks(start: String, end: String) {
    var options = PropertyList.ParsingOptions()
    options.honoursTypeNotes = true
    let ratio = growth(from: 4_000, to: 32_000, bound: 24) { count in
      // Two classes of marks, which a comparison by canonical equivalence would have to sort.
      let marks = String(repeating: "\u{301}", count: count) + String(repeating: "\u{316}", count: count)
      let bytes = Array("{ k = \(start)\(marks)\(end); }".utf8)
      let before = threadTime()
      let value = try? PropertyList(parsing: bytes, options: options)
      _ = value.map { try? $0.bytes() }
      return threadTime() - before
    }
    #expect(ratio < 24)
  }
}
