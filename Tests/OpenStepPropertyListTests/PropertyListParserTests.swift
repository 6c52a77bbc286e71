import OpenStepPropertyList
import Testing

/// What the options change, and what the shared vectors cannot say.
@Suite
struct PropertyListParserTests {
  private var noting: PropertyList.ParsingOptions {
    var options = PropertyList.ParsingOptions()
    options.honoursTypeNotes = true
    return options
  }

  @Test("the first letter of a truth value counts, whatever mark stands on it")
  func truthWithMark() throws {
    #expect(try PropertyList(parsing: "<*BY\u{308}>") == .boolean(true))
    #expect(throws: PropertyListError.self) { try PropertyList(parsing: "<*Bx>") }
  }

  // MARK: Type notes

  @Test("type notes are mere comments unless they are asked for")
  func notesOff() throws {
    let text = "( 5 /*integer*/, YES /*boolean*/, 1.5 /*real*/ )"
    #expect(try PropertyList(parsing: text) == ["5", "YES", "1.5"])
    #expect(try PropertyList(parsing: text, options: noting) == [.integer(5), .boolean(true), .real(1.5)])
  }

  @Test(
    "a type note makes a text of that type a typed value",
    arguments: [
      ("5 /*integer*/", PropertyList.integer(5)), ("\"5\"/*integer*/", .integer(5)),
      ("5\n\t/*integer*/", .integer(5)),
      ("\"-9223372036854775808\" /*integer*/", .integer(PropertyListInteger(Int64.min))),
      ("1.5 /*real*/", .real(1.5)), ("5 /*real*/", .real(5)), ("\"-0\" /*real*/", .real(-0.0)),
      ("nan /*real*/", .real(.nan)),
      ("\"-inf\" /*real*/", .real(-.infinity)), ("12.34 /*float*/", .float(12.34)),
      ("NO /*boolean*/", .boolean(false)),
      (
        "\"2001-01-01 01:00:00.5 +0100\" /*date*/", .date(PropertyListDate(secondsSinceReferenceDate: 0.5))
      ),
      ("1e300 /*date*/", .date(PropertyListDate(secondsSinceReferenceDate: 1e300))),
    ])
  func notes(text: String, value: PropertyList) throws {
    #expect(try PropertyList(parsing: text, options: noting) == value)
    #expect(try PropertyList(parsing: "{ k = \(text); }", options: noting) == ["k": value])
    #expect(try PropertyList(parsing: "(\(text))", options: noting) == [value])
  }

  @Test(
    "a note that does not fit its text, or is not a note, is a mere comment",
    arguments: [
      ("five /*integer*/", "five"), ("5.5 /*integer*/", "5.5"), ("\" 5\" /*integer*/", " 5"),
      ("0x5 /*real*/", "0x5"),
      ("18446744073709551616 /*integer*/", "18446744073709551616"), ("1 /*boolean*/", "1"),
      ("yes /*boolean*/", "yes"),
      ("2001 /*Date*/", "2001"), ("5 /* integer */", "5"), ("5 //integer", "5"), ("5 /*c*/ /*integer*/", "5"),
      ("\"2001-02-29 00:00:00 +0000\" /*date*/", "2001-02-29 00:00:00 +0000"), ("\"\" /*integer*/", ""),
      ("/*integer*/ 5", "5"), ("5 /*integer", "5"),
    ])
  func noNotes(text: String, string: String) throws {
    #expect(try PropertyList(parsing: text, options: noting) == .string(string))
  }

  @Test("only a scalar value takes a note: not a key, data or a container")
  func notesElsewhere() throws {
    #expect(try PropertyList(parsing: "{ 5 /*integer*/ = x; }", options: noting) == ["5": "x"])
    #expect(try PropertyList(parsing: "5 /*integer*/ = x;", options: noting) == ["5": "x"])
    #expect(try PropertyList(parsing: "{ 5 /*integer*/; }", options: noting) == ["5": "5"])
    #expect(try PropertyList(parsing: "<05> /*integer*/", options: noting) == .data([5]))
    #expect(try PropertyList(parsing: "(5) /*integer*/", options: noting) == ["5"])
    #expect(try PropertyList(parsing: "5/*integer*/", options: noting) == "5/*integer*/")
  }

  // MARK: Form

  @Test(
    "a file of white space and comments is an empty dictionary, a domain's file without a token is damaged")
  func noToken() throws {
    for text in [" ", "\n\n", "// comment", "/* { a = b; }", "/* a */ // b"] {
      #expect(try PropertyList(parsing: text) == [:])
      #expect(throws: PropertyListError.self) { try PropertyList(parsing: text, options: .domainFile) }
      #expect(throws: PropertyListError.self) { try PropertyList(parsing: text, options: .argument) }
    }
    for form in [PropertyList.ParsingOptions(), .domainFile, .argument] {
      #expect(throws: PropertyListError.self) { try PropertyList(parsing: "", options: form) }
    }
  }

  @Test("a domain's file may lack outer braces and may be padded with NULs")
  func domainFile() throws {
    #expect(try PropertyList(parsing: "a = 1; b;", options: .domainFile) == ["a": "1", "b": "b"])
    #expect(try PropertyList(parsing: "{a = 1;}\0\0\0", options: .domainFile) == ["a": "1"])
  }

  @Test(
    "what only a file may leave out or add makes an argument no property list",
    arguments: ["'a b'", "{ a; }", "{ a = 1 }", "a = 1;", "a;", "{ a = 'b'; }", "{a = 1;}\0"])
  func strictArgument(text: String) throws {
    #expect(throws: PropertyListError.self) { try PropertyList(parsing: text, options: .argument) }
    #expect(throws: Never.self) { try PropertyList(parsing: text) }
  }

  @Test("an argument is one value and nothing else", arguments: ["a b", "{ a = 1; } x", "(a) b", "a, b"])
  func oneArgument(text: String) throws {
    #expect(throws: PropertyListError.self) { try PropertyList(parsing: text, options: .argument) }
  }

  @Test("an argument may be any value")
  func argument() throws {
    #expect(try PropertyList(parsing: "five", options: .argument) == "five")
    #expect(try PropertyList(parsing: " \"a b\" ", options: .argument) == "a b")
    #expect(try PropertyList(parsing: "{ a = (1, <05>); }", options: .argument) == ["a": ["1", .data([5])]])
    #expect(try PropertyList(parsing: "<*I5>", options: .argument) == .integer(5))
    #expect(try PropertyList(parsing: "(5 /*integer*/)", options: .argument) == [.integer(5)])
  }

  // MARK: Character sets

  @Test("eight-bit text is NeXT's unless Latin 1 is named")
  func eightBit() throws {
    let bytes = Array("(\"caf".utf8) + [0xE9, 0xFE, 0xFF] + Array("\")".utf8)
    #expect(try PropertyList(parsing: bytes) == ["cafØ\u{FFFD}\u{FFFD}"])
    var latin1 = PropertyList.ParsingOptions()
    latin1.eightBitEncoding = .isoLatin1
    #expect(try PropertyList(parsing: bytes, options: latin1) == ["caféþÿ"])
    // Well-formed UTF-8 is UTF-8 whatever is named.
    #expect(try PropertyList(parsing: Array("(\"café\")".utf8), options: latin1) == ["café"])
  }

  @Test("octal escapes are NeXT's characters, or bytes where the file is Window Maker's")
  func octal() throws {
    let text = #"("caf\303\251", "\235\273", "\101\0", "\303", "\377")"#
    #expect(
      try PropertyList(parsing: text)
        == ["caf\u{2C6}\u{2019}", "\u{B5}\u{BB}", "A\0", "\u{2C6}", "\u{FFFD}"])
    var bytes = PropertyList.ParsingOptions()
    bytes.octalEscapes = .utf8Bytes
    #expect(
      try PropertyList(parsing: text, options: bytes)
        == ["café", "\u{FFFD}\u{FFFD}", "A\0", "\u{FFFD}", "\u{FFFD}"])
  }

  @Test("Window Maker's octal bytes may be mixed with raw text and with other escapes")
  func mixedOctal() throws {
    var bytes = PropertyList.ParsingOptions()
    bytes.octalEscapes = .utf8Bytes
    let text = #""é\303\251\U00E9\n\303x\251""#
    #expect(try PropertyList(parsing: text, options: bytes) == "ééé\n\u{FFFD}x\u{FFFD}")
  }

  // MARK: Keys

  @Test("keys that are only canonically equivalent are two keys, equal ones are one and the last value wins")
  func keys() throws {
    let value = try PropertyList(
      parsing: "{ \"\u{E9}\" = 1; \"e\u{301}\" = 2; a = 3; \"\\141\" = 4; A = 5; }")
    #expect(value == ["\u{E9}": "1", "e\u{301}": "2", "a": "4", "A": "5"])
    guard case .dictionary(let entries) = value else { return }
    #expect(entries.count == 4)
  }

  @Test("a domain of design's layout has the types that its notes name")
  func domain() throws {
    let text = """
      {
          Count = 5 /*integer*/;
          Height = 1.5 /*real*/;
          Launched = "2026-11-20 15:16:00.125 +0000" /*date*/;
          Name = "five";
          Sizes = (1 /*integer*/, 2 /*integer*/);
          Visible = YES /*boolean*/;
      }
      """
    let expected: PropertyList = [
      "Count": .integer(5), "Height": .real(1.5), "Name": "five", "Sizes": [.integer(1), .integer(2)],
      "Launched": .date(PropertyListDate(secondsSinceReferenceDate: 816_880_560.125)),
      "Visible": .boolean(true),
    ]
    #expect(try PropertyList(parsing: text, options: .domainFile) == expected)
  }
}
