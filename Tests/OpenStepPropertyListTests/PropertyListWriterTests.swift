import OpenStepPropertyList
import TestSupport
import Testing

/// The layout and the spelling of each style.
///
/// What every living reader takes, and for OPENSTEP's and GNUstep's own readers their escapes and types.
@Suite
struct PropertyListWriterTests {
  // MARK: Layout

  @Test("a domain is written with one key a line, sorted, and type notes behind typed scalars")
  func domain() throws {
    let domain: PropertyList = [
      "Visible": .boolean(true),
      "Sizes": [.integer(1), .integer(2)],
      "Name": "five",
      "Launched": .date(PropertyListDate(secondsSinceReferenceDate: 816_880_560.125)),
      "Height": .real(1.5),
      "Ratio": .float(12.34),
      "Count": .integer(5),
    ]
    #expect(
      try domain.text() == """
        {
            Count = 5 /*integer*/;
            Height = 1.5 /*real*/;
            Launched = "2026-11-20 15:16:00.125 +0000" /*date*/;
            Name = five;
            Ratio = 12.34 /*float*/;
            Sizes = (1 /*integer*/, 2 /*integer*/);
            Visible = YES /*boolean*/;
        }

        """)
  }

  // Such a file was taken for a binary one from then on, and refused.
  @Test("a string that begins as a binary file does is written in quotes where the file would begin with it")
  func binaryHead() throws {
    for text in ["bplist", "bplist00", "bplist_x.1"] {
      let value = PropertyList.string(text)
      for style in [PropertyList.Style.openStep, .gnustep, .windowMaker] {
        let bytes = try value.bytes(style: style)
        #expect(bytes.first == UInt8(ascii: "\""))
        #expect(try PropertyList(parsing: bytes) == value)
      }
    }
    #expect(try PropertyList.array(["bplist00"]).text(style: .oneLine) == "(bplist00)")
  }

  @Test("the classic class's strings are written without a note")
  func classicDomain() throws {
    let domain: PropertyList = ["Flag": "YES", "Count": "5", "Name": "two words"]
    #expect(
      try domain.text() == """
        {
            Count = 5;
            Flag = YES;
            Name = "two words";
        }

        """)
  }

  @Test("containers are indented by four spaces a level, and empty ones stay on the line")
  func nesting() throws {
    let value: PropertyList = [
      "Empty": [:], "None": [], "Nothing": .data([]), "Inner": ["List": [["a": "1"], [], ["x", "y"], "z"]],
    ]
    #expect(
      try value.text() == """
        {
            Empty = {};
            Inner = {
                List = (
                    {
                        a = 1;
                    },
                    (),
                    (x, y),
                    z
                );
            };
            None = ();
            Nothing = <>;
        }

        """)
  }

  @Test("an array of scalars stands on one line while it ends by column 78, else one element stands on each")
  func arrayWidth() throws {
    // Four spaces, "a = (", 65 letters, ", ", and the parenthesis: 78 columns with b, 79 with bb.
    let long = String(repeating: "x", count: 65)
    let fitting: PropertyList = ["a": [.string(long), "b"]]
    #expect(try fitting.text() == "{\n    a = (\(long), b);\n}\n")
    let wide: PropertyList = ["a": [.string(long), "bb"]]
    #expect(try wide.text() == "{\n    a = (\n        \(long),\n        bb\n    );\n}\n")
    // Columns are characters: this is far more than 78 bytes.
    let accented = String(repeating: "é", count: 63)
    let narrow: PropertyList = ["a": [.string(accented), "b"]]
    #expect(try narrow.text() == "{\n    a = (\"\(accented)\", b);\n}\n")
  }

  @Test("an array with a line feed in a string has one element a line")
  func arrayWithLineFeed() throws {
    #expect(try (["a\nb", "c"] as PropertyList).text() == "(\n    \"a\nb\",\n    c\n)\n")
  }

  @Test("many keys are in the order of their bytes, whatever they have in common", arguments: 0..<40)
  func manyKeys(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let beginning = String(repeating: "é", count: Int.random(in: 0...6, using: &random))
    let letters: [Character] = ["a", "b", "\u{0}", "\u{7F}", "é", "\u{10FFFF}"]
    let texts = (0..<Int.random(in: 1...200, using: &random)).map { _ in
      beginning
        + String(
          (0..<Int.random(in: 0...12, using: &random)).map { _ in letters.randomElement(using: &random) ?? "a"
          })
    }
    let bytes = Set(texts.map { Array($0.utf8) }).sorted { $0.lexicographicallyPrecedes($1) }
    let values = bytes.enumerated().map { index, key in
      (PropertyListKey(String(decoding: key, as: UTF8.self)), PropertyList.string("\(index)"))
    }
    let text = try PropertyList.dictionary(Dictionary(uniqueKeysWithValues: values)).text()
    // Each line ends with the number that its key has in the order.
    let numbers = text.split(separator: "\n").compactMap { line in
      line.hasSuffix(";") ? line.dropLast().split(separator: " ").last.flatMap { Int($0) } : nil
    }
    #expect(numbers == Array(0..<bytes.count))
  }

  @Test("keys are sorted by code point")
  func keyOrder() throws {
    let value: PropertyList = [
      "b": "", "a1": "", "É": "", "B": "", "10": "", "9": "", "\u{FFFF}": "", "😀": "", "e\u{301}": "",
      "é": "",
    ]
    let keys = try value.text().split(separator: "\n").dropFirst().dropLast()
      .map { $0.split(separator: " ").first.map(String.init) }
    let expected = [
      "10", "9", "B", "a1", "b", "\"e\u{301}\"", "\"É\"", "\"é\"", "\"\u{FFFF}\"", "\"😀\"",
    ]
    #expect(keys == expected)
  }

  // MARK: Strings

  @Test("only ASCII letters, digits, the underscore and the dot stand without quotes")
  func unquoted() throws {
    for value in UInt8.min...0x7F {
      let scalar = Unicode.Scalar(value)
      let isPlain =
        scalar == "_" || scalar == "." || scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
      let text = try PropertyList.string(String(scalar)).text()
      #expect(text.hasPrefix("\"") == !isPlain, "U+\(String(value, radix: 16))")
    }
    #expect(try PropertyList.string("").text() == "\"\"\n")
    #expect(try PropertyList.string("é").text() == "\"é\"\n")
    #expect(try PropertyList.string("com.example.App_1").text() == "com.example.App_1\n")
  }

  @Test("a quoted string holds every character raw but quote, backslash, carriage return and NUL")
  func openStepStrings() throws {
    let spellings = [
      "a\"b": #""a\"b""#, #"C:\n"#: #""C:\\n""#, "a\r\nb": "\"a\\r\nb\"", "\0" + "7": #""\0007""#,
      "\t\u{1}\u{7F}": "\"\t\u{1}\u{7F}\"", "it's": "\"it's\"", "\u{FEFF}a": "\"\u{FEFF}a\"",
      "日本\u{2028}😀": "\"日本\u{2028}😀\"", "/* no comment */": "\"/* no comment */\"",
    ]
    for (string, spelling) in spellings {
      #expect(try PropertyList.string(string).text() == spelling + "\n")
    }
  }

  @Test(
    "for OPENSTEP and GNUstep everything outside printable ASCII is an escape",
    arguments: [
      PropertyList.Style.ascii, .gnustep,
    ])
  func asciiStrings(style: PropertyList.Style) throws {
    let spellings = [
      "café": #""caf\U00E9""#, "😀": #""\UD83D\UDE00""#, "\u{FEFF}a": #""\UFEFFa""#, "日": #""\U65E5""#,
      "\u{7}\u{8}\t\n\u{B}\u{C}\r": #""\a\b\t\n\v\f\r""#, "\0\u{1}\u{1B}\u{7F}": #""\000\001\033\177""#,
      "a\"\\": #""a\"\\""#, "plain": "plain", "two words": #""two words""#,
    ]
    for (string, spelling) in spellings {
      #expect(try PropertyList.string(string).text(style: style) == spelling + "\n")
      #expect(try (["k": .string(string)] as PropertyList).bytes(style: style).allSatisfy { $0 < 0x80 })
    }
  }

  // MARK: Data

  @Test("data is written as lower-case digits in groups of four bytes")
  func data() throws {
    #expect(try PropertyList.data([0x0F, 0xBD, 0x01, 0x02, 0x03]).text() == "<0fbd0102 03>\n")
    #expect(try PropertyList.data([0xAB, 0xCD, 0xEF, 0x00]).text() == "<abcdef00>\n")
  }

  // MARK: One line

  @Test("the style of one line has no line end of any kind, not even at the end")
  func oneLine() throws {
    let value: PropertyList = [
      "a": "1", "b": ["x", "two words"], "c": [:], "d": [], "e": ["k": .data([1])],
      "f": [.integer(1), .integer(2)],
    ]
    let expected =
      #"{a = 1; b = (x, "two words"); c = {}; d = (); e = {k = <01>; }; f = (1 /*integer*/, 2 /*integer*/); }"#
    #expect(try value.text(style: .oneLine) == expected)
    let breaks = PropertyList.string("a\nb\rc\u{B}\u{C}\u{85}d\u{2028}\u{2029}é")
    #expect(try breaks.text(style: .oneLine) == #""a\nb\rc\v\f\U0085d\U2028\U2029é""#)
  }

  // MARK: GNUstep

  @Test("typed scalars are written for GNUstep in its own form")
  func gnustepScalars() throws {
    let reference = PropertyListDate(secondsSinceReferenceDate: 0)
    let forms: [(PropertyList, String)] = [
      (.integer(5), "<*I5>"), (.integer(-7), "<*I-7>"), (.real(0.1), "<*R0.1>"), (.real(3), "<*R3>"),
      (.real(1e21), "<*R1e+21>"), (.real(.infinity), "<*Rinf>"), (.real(.nan), "<*Rnan>"),
      (.boolean(true), "<*BY>"), (.boolean(false), "<*BN>"),
      (.date(reference), "<*D2001-01-01 00:00:00 +0000>"),
      // The exact value of a single-precision 0.1.
      (.float(0.1), "<*R0.10000000149011612>"),
    ]
    for (value, form) in forms {
      #expect(try value.text(style: .gnustep) == form + "\n")
    }
    let largest = try #require(PropertyListInteger(exactly: UInt64.max))
    #expect(try PropertyList.integer(largest).text(style: .gnustep) == "<*I18446744073709551615>\n")
  }

  @Test("a date that GNUstep's format cannot hold is refused, with its place and what to do")
  func gnustepDates() throws {
    let fraction = PropertyList.date(PropertyListDate(secondsSinceReferenceDate: 0.5))
    let value: PropertyList = ["App": ["List": ["x", fraction]]]
    let error = #expect(throws: PropertyListError.self) { try value.text(style: .gnustep) }
    #expect(
      error?.description
        == "the date “2001-01-01 00:00:00.5 +0000” at “App.List” does not fit GNUstep's format, "
        + "which has whole seconds in the years 1 to 9999; round it first")
    for seconds in [252_423_993_600, -63_113_904_001, 1e300, .infinity, .nan] {
      let date = PropertyList.date(PropertyListDate(secondsSinceReferenceDate: seconds))
      #expect(throws: PropertyListError.self) { try date.text(style: .gnustep) }
      #expect(throws: Never.self) { try date.text() }
    }
  }
}
