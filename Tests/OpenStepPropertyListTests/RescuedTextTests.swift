import OpenStepPropertyList
import TestSupport
import Testing

/// What is kept of damaged texts.
@Suite(.enabled(if: Thoroughness.runsHere, Comment(rawValue: Thoroughness.elsewhere)))
struct RescuedTextTests {
  /// A text whose entries and their values are known one by one.
  struct Fixture: CustomTestStringConvertible, Sendable {
    let name: String
    let head: String
    let entries: [(source: String, key: String, value: PropertyList)]
    /// What stands behind each entry.
    let gap: String
    let tail: String
    let encode: @Sendable (String) -> [UInt8]

    var testDescription: String { name }

    var bytes: [UInt8] { encode(head + entries.map { $0.source + gap }.joined() + tail) }

    /// The number of bytes up to and with the entries so far, for each entry.
    var ends: [Int] {
      var text = head
      return entries.map { entry in
        text += entry.source
        let end = encode(text).count
        text += gap
        return end
      }
    }

    /// The values of the first entries.
    func values(_ count: Int) -> [PropertyListKey: PropertyList] {
      Dictionary(entries.prefix(count).map { (PropertyListKey($0.key), $0.value) }) { $1 }
    }
  }

  private static let mixed: [(source: String, key: String, value: PropertyList)] = [
    ("a = 1;", "a", "1"),
    ("\"two words\" = \"x;\\n} \\\"é\\\"\";", "two words", "x;\n} \"é\""),
    ("w = { x = 1; \"y\" = (1, { z = '}'; }); /* c; */ };", "w", ["x": "1", "y": ["1", ["z": "}"]]]),
    ("n = 5 /*integer*/;", "n", .integer(5)),
    ("k;", "k", "k"), ("e = ;", "e", ""), ("d = <0fbd 77>;", "d", .data([0x0F, 0xBD, 0x77])),
    ("\"日本\" = \"ü\" /* ; } */ ;", "日本", "ü"), ("z = ( ); // end = 1;\n", "z", []),
  ]

  private static let ascii = mixed.filter { $0.source.utf8.allSatisfy { $0 < 0x80 } }

  static let fixtures: [Fixture] = [
    Fixture(
      name: "lines", head: "// head = 1;\n{\n  ",
      entries: mixed.filter { $0.key != "日本" && $0.key != "two words" },
      gap: "\n  ", tail: "\n}\n", encode: { Array($0.utf8) }),
    Fixture(name: "UTF-8", head: "{", entries: mixed, gap: " ", tail: "}", encode: { Array($0.utf8) }),
    Fixture(
      name: "UTF-8 with its mark", head: "{", entries: mixed, gap: "\r\n", tail: "}",
      encode: { [0xEF, 0xBB, 0xBF] + Array($0.utf8) }),
    Fixture(
      name: "without braces", head: "/* strings */\n", entries: mixed, gap: "\n\n", tail: "",
      encode: { Array($0.utf8) }),
    Fixture(
      name: "UTF-16", head: "{ ", entries: mixed, gap: "\n", tail: "}",
      encode: { [0xFF, 0xFE] + $0.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] } }),
    Fixture(
      name: "UTF-32", head: "{ ", entries: mixed, gap: "\n", tail: "}",
      encode: { text in
        [0, 0, 0xFE, 0xFF]
          + text.unicodeScalars.flatMap { scalar in
            [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: scalar.value >> $0) }
          }
      }),
    Fixture(
      name: "NeXT's set", head: "{ ",
      entries: [("u = \"M\u{F6}ller\";", "u", "Müller"), ("m = \"\u{DE}\";", "m", "ê")] + ascii, gap: "\n",
      tail: "}", encode: { $0.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } }),
  ]

  /// The keys that only inner dictionaries of the fixtures have.
  private static let innerKeys: Set<PropertyListKey> = ["x", "y"]

  /// Why what is rescued of damaged bytes is wrong; nil if it is right.
  ///
  /// - Parameter before: The entries before the damage.
  private func fault(_ bytes: [UInt8], _ before: [PropertyListKey: PropertyList]) -> String? {
    let options = PropertyList.ParsingOptions.domainFile
    guard let rescued = RescuedText(bytes, options: options) else { return "it is taken for no text" }
    if case .dictionary(let whole)? = try? PropertyList(parsing: bytes, options: options) {
      // In a text that is valid again a key that was damaged into an earlier one counts.
      return rescued.values == whole ? nil : "a valid text loses something"
    }
    for (key, value) in before where rescued.values[key] != value { return "“\(key)” is lost" }
    for key in keysBehindLoss(in: rescued) where RescuedTextTests.innerKeys.contains(key) {
      return "“\(key)” is no key of the outermost dictionary"
    }
    guard let rest = rescued.remainder else { return nil }
    let read = try? PropertyList(parsing: rest, options: options)
    return read == .dictionary(rescued.values) ? nil : "the rest is another value"
  }

  /// The keys behind the first stretch that is lost; before it, nothing tells that a dictionary was ended too early.
  private func keysBehindLoss(in rescued: RescuedText) -> [PropertyListKey] {
    rescued.parts.drop { $0.key != nil }.compactMap(\.key)
  }

  /// The entries before the damage, for each fixture and each place.
  private func entries(_ fixture: Fixture) -> [[PropertyListKey: PropertyList]] {
    let (ends, prefixes) = (fixture.ends, (0...fixture.entries.count).map(fixture.values))
    return fixture.bytes.indices.map { place in prefixes[ends.count { $0 <= place }] }
  }

  @Test("of a text without damage everything is kept, each entry at its place", arguments: fixtures)
  func whole(_ fixture: Fixture) throws {
    let rescued = try #require(RescuedText(fixture.bytes, options: .domainFile))
    #expect(rescued.values == fixture.values(fixture.entries.count))
    #expect(rescued.parts.map(\.key) == fixture.entries.map { PropertyListKey($0.key) })
    #expect(rescued.keptCount == fixture.entries.count)
  }

  @Test("a text that is cut off at any byte keeps every entry before the cut", arguments: fixtures)
  func cut(_ fixture: Fixture) {
    let bytes = fixture.bytes
    for (count, before) in entries(fixture).enumerated() {
      if let fault = fault(Array(bytes.prefix(count)), before) { Issue.record("\(count): \(fault)") }
    }
  }

  @Test("a text of which any byte is another keeps every entry before it", arguments: fixtures)
  func flip(_ fixture: Fixture) {
    let bytes = fixture.bytes
    // Where a character has several bytes, most of the signs are others.
    let signs = bytes.count < 400 ? Array("\"';{}()=/*\n\0".utf8) + [0xFF] : []
    let entries = entries(fixture)
    for place in Thoroughness.numbers(below: entries.count, unoptimized: 5) {
      let before = entries[place]
      for byte in [0, 4, 7].map({ bytes[place] ^ (1 << $0) }) + signs where byte != bytes[place] {
        var damaged = bytes
        damaged[place] = byte
        if let fault = fault(damaged, before) { Issue.record("\(byte) at \(place): \(fault)") }
      }
    }
  }

  @Test("what is lost, and with what reading goes on")
  func losses() throws {
    for (text, keys, lost) in [
      ("{ a = 1; b = ( ; c = 3; }", ["a", "c"], ["1:10-1:17"]),
      // A semicolon, and a quote, that are missing.
      ("{\n  a = 1\n  b = 2;\n}", ["b"], ["2:3-2:8"]),
      ("{\n  a = \"1;\n  b = \"2\";\n  c = 3;\n}", ["b", "c"], ["2:3-2:10"]),
      // What is inside a container is lost with it.
      ("{ w = { x = 1; y = ( ; z = 3; }; c = 3; }", ["c"], ["1:3-1:33"]),
      ("{ a = 1; w = x = 1; y = 2; }; c = 3; }", ["a", "c"], ["1:10-1:30"]),
      ("{ y = 1; w = x = 1; y = 2; q = 5; }; c = 3; }", ["y", "c"], ["1:10-1:37"]),
      ("{ w = {\n x = );\n };\n c = 3; }", ["c"], ["1:3-3:4"]),
      // Also behind a second stretch that is lost, of which the brace need not be.
      ("{ y = 1; w = x = 1; p = 4; y = 2; q = 5; }; c = 3; }", ["y", "c"], ["1:10-1:44"]),
      ("{ w = x = 1; p = 4; r = ); q = 5; }; c = 3; }", ["c"], ["1:3-1:37"]),
      ("{ w = v = x = 1; p = 4; }; q = 5; }; c = 3; }", ["c"], ["1:3-1:37"]),
      // Between two stretches that may hide the braces of an inner dictionary; a word is longer than a brace.
      ("{ a = 1; w =   x = 1; p = 4; ); c = 3; }", ["a", "c"], ["1:10-1:32"]),
      ("{ a = 1; w =   x = 1; p = 4; X; c = 3; }", ["a", "c"], ["1:10-1:32"]),
      ("{ a = 1; w =   x = 1; p = 4; ; c = 3; }", ["a", "c"], ["1:10-1:31"]),
      ("{ a = 1; w = \" x = 1;\n p = 4;\n }; c = 3; }", ["a", "c"], ["1:10-3:4"]),
      ("{ a = 1; w = ( x = 1; p = 4; q = 5", ["a"], ["1:10-1:35"]),
      (
        "{\n a = 12\n b = 3;\n c = \"x\" yy \"z\";\n d = 4;\n k;\n e = two words;\n}", ["b", "d", "k"],
        ["2:2-2:8", "4:2-4:17", "7:2-7:16"]
      ),
      // A brace too many.
      ("{ a = 1; }; b = 2; }", ["a", "b"], ["1:10-1:12"]),
      ("{ a = 1; b = { x = 1; ", ["a"], ["1:10-1:23"]),
      ("{ a = 1; /* b = 2; c = 3; }", ["a"], ["1:10-1:28"]),
      ("{ a = 1; b = \0\0\0\0", ["a"], ["1:10-1:18"]),
      ("(a, b", [], ["1:1-1:6"]), ("", [], []), ("\u{FF}\u{FE}", [], ["1:1-1:3"]),
      // Of equal keys the last one counts, but none behind damage.
      ("{ a = 1; a = 2; b = ); a = 3; }", ["a", "a"], ["1:17-1:30"]),
    ] as [(String, [PropertyListKey], [String])] {
      let rescued = try #require(RescuedText(Array(text.utf8), options: .domainFile))
      #expect(rescued.parts.compactMap(\.key) == keys, "\(text)")
      let ranges = rescued.parts.filter { $0.key == nil }.map {
        "\($0.start.line):\($0.start.column)-\($0.end.line):\($0.end.column)"
      }
      #expect(ranges == lost, "\(text)")
    }
    let equal = try #require(RescuedText(Array("{ a = 1; a = 2; b = ); a = 3; }".utf8), options: .domainFile))
    #expect(equal.values == ["a": "2"])
  }

  @Test("whatever a byte becomes, no inner key behind what is lost becomes one of the domain")
  func innerKeys() throws {
    // The inner “y” is lost by itself, because there is one before it.
    let text = Array("{ y = 1; w = { x = 1; p = 4; y = 2; q = 5; }; c = 3; }".utf8)
    for place in text.indices {
      for byte in UInt8.min ... .max {
        var damaged = text
        damaged[place] = byte
        if (try? PropertyList(parsing: damaged, options: .domainFile)) != nil { continue }
        let rescued = try #require(RescuedText(damaged, options: .domainFile))
        let inner = keysBehindLoss(in: rescued).filter { ["x", "p", "q"].contains($0) }
        if !inner.isEmpty { Issue.record("\(byte) at \(place): \(inner)") }
      }
    }
  }

  @Test("whatever both braces of an inner dictionary become, none of its keys becomes one of the domain")
  func innerKeysBetweenLosses() throws {
    let text = Array("{\n  a = 1;\n  w = {\n    xx = 1;\n    pp = 4;\n    qq = 5;\n  };\n  c = 3;\n}\n".utf8)
    let (open, close) = (try #require(text.lastIndex(of: 0x7B)), try #require(text.firstIndex(of: 0x7D)))
    let signs = Array("\"'`;{}()[]<>=/*,.:#%\\\n\r\t\0 1zZ".utf8) + [0x7F, 0x80, 0xC3, 0xFB, 0xFF]
    var faults: [String] = []
    for first in UInt8.min ... .max {
      for second in signs {
        var damaged = text
        (damaged[open], damaged[close]) = (first, second)
        if (try? PropertyList(parsing: damaged, options: .domainFile)) != nil { continue }
        let rescued = try #require(RescuedText(damaged, options: .domainFile))
        let inner = keysBehindLoss(in: rescued).filter { ["xx", "pp", "qq"].contains($0) }
        if !inner.isEmpty { faults.append("\(first), \(second): \(inner)") }
        if rescued.values["a"] != "1" { faults.append("\(first), \(second): a is lost") }
      }
    }
    #expect(faults.isEmpty, "\(faults.count): \(faults.prefix(20))")
  }

  @Test("the places are known where U+FFFD stands for half of a character in what is left")
  func halves() throws {
    let text = "{ a = \"x?\"; b = (?; c = \"\u{FFFD}\"; /* ? */ }"
    let units: [UInt16] = text.utf16.map { $0 == 0x3F ? 0xDC00 : $0 }
    let bytes: [UInt8] = [0xFE, 0xFF] + units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    let rescued = try #require(RescuedText(bytes, options: .domainFile))
    #expect(rescued.values == ["a": "x\u{FFFD}", "c": "\u{FFFD}"])
    // The second half is lost with its entry.
    let columns = rescued.replacedHalves.map(\.column)
    #expect(columns == [9, 33] && rescued.replacedHalves.allSatisfy { $0.line == 1 }, "\(columns)")
    for fixture in RescuedTextTests.fixtures {
      #expect(try #require(RescuedText(fixture.bytes, options: .domainFile)).replacedHalves.isEmpty)
    }
  }

  // They became other characters, and counted as kept: “Köln” was “Kˆ¶ln”.
  @Test("damage that is lost makes no other characters of the entries that are kept")
  func characters() throws {
    let town = Array("Town = \"Köln\";\n".utf8)
    for damage in [
      Array("Lost = x".utf8) + [0x8A, 0x22] + Array(";\n".utf8),
      Array("Lost = \"".utf8) + [0x8A] + Array("\"; (;\n".utf8),
      Array("Lost = (".utf8) + (0x80...0xFF).map { $0 } + Array(";\n".utf8),
    ] {
      for bytes in [damage + town, town + damage] {
        let rescued = try #require(RescuedText([0x7B] + bytes + [0x7D], options: .domainFile))
        #expect(rescued.source == .utf8)
        #expect(rescued.values == ["Town": "Köln"], "\(bytes)")
      }
    }
    // Hebrew letters of two bytes, of which the second could be punctuation in NeXT's set; the first one is damaged.
    // Greek letters alone in a text that was cut off inside one.
    let greek = Array("{ Unit = \"\u{3A9}\"; x = \"\u{3C0} r\"; Name = \"".utf8) + [0xCE]
    #expect(
      try #require(RescuedText(greek, options: .domainFile)).values == ["Unit": "\u{3A9}", "x": "\u{3C0} r"])
    let hebrew =
      Array("{ Lost = \"\u{5D0}".utf8) + [0xFF]
      + Array("\"; A = \"\u{5E9}\u{5DC}\u{5D5}\u{5DD}\"; B = (; }".utf8)
    #expect(try #require(RescuedText(hebrew, options: .domainFile)).source == .utf8)
    // In NeXT's set 0xDD is é, and 0xD9 0x84 would be one character of UTF-8.
    let next = Array("{ Lost = (; A = \"caf".utf8) + [0xDD] + Array("\"; B = \"".utf8) + [0xDD, 0x74, 0xDD]
    for (tail, end) in [([UInt8](), ""), ([0xD9, 0x84], "äÃ")] {
      let bytes = next + tail + Array("\"; }".utf8)
      let rescued = try #require(RescuedText(bytes, options: .domainFile))
      #expect(rescued.source == .otherText)
      #expect(rescued.values == ["A": "café", "B": .string("été" + end)], "\(rescued.values)")
    }
    // So would be 0xDD 0xBC, which is “é…”: “Sécurité…” was lost, and “Qualité…” became “Qualitݼ”.
    let menu = Array("Item = \"S".utf8) + [0xDD] + Array("curit".utf8) + [0xDD, 0xBC] + Array("\"; }".utf8)
    for start in [Array("{ Lost = (caf".utf8) + [0xDD] + Array("; ".utf8), Array("{ Lost = (; ".utf8)] {
      let rescued = try #require(RescuedText(start + menu, options: .domainFile))
      #expect(rescued.source == .otherText)
      #expect(rescued.values == ["Item": "Sécurité…"], "\(rescued.values)")
    }
  }

  @Test("what is left of a text has its comments and its layout")
  func remainder() throws {
    for (text, rest) in [
      (
        "// mine\n{\n  a = 1; // one\n  b = (;\n  c = 3; // three\n}\n",
        "// mine\n{\n  a = 1; // one\n  \n  c = 3; // three\n}\n"
      ),
      ("{\n  a = 1;\n  b = ", "{\n  a = 1;\n  \n}\n"),
      ("a = 1;\nb = (;\nc = 3;\n", "a = 1;\n\nc = 3;\n"),
    ] {
      let rescued = try #require(RescuedText(Array(text.utf8), options: .domainFile))
      #expect(rescued.remainder.map { String(decoding: $0, as: UTF8.self) } == rest)
    }
  }

  @Test("XML without a dictionary, binary property lists and JSON have no entries to rescue")
  func otherFormats() throws {
    for text in ["<?xml version=\"1.0\"?><plist>", "<plist><array><dict>", "bplist00xyz"] {
      #expect(RescuedText(Array(text.utf8), options: .domainFile) == nil)
    }
    let json = "{\"a\": 1,\n\"b\": {\"c\": \"d = e;\"},\n\"f\": [1, 2"
    let rescued = try #require(RescuedText(Array(json.utf8), options: .domainFile))
    #expect(rescued.keptCount == 0)
  }

  @Test("damaged texts are read in linear time, also those that are made to be read again and again")
  func time() throws {
    let units = [
      "key = ( ;\n", "k = { x = 1; }; l = \"a\n", "a = { x = \"\n}; \"; \n", "a = '\n", "}; ", "{ a = 1; ",
      "a = \"\\\n",
      "a = { y = \"; };\nb = { x = \"\n}; \n", "\n", ";", "/* x */ ", "a = 1; ",
    ]
    for unit in units {
      let growth = try growth(from: 500, to: 4000, bound: 30) { count in
        let text = Array(("{ " + String(repeating: unit, count: count) + " \"").utf8)
        let start = threadTime()
        _ = try #require(RescuedText(text, options: .domainFile))
        return threadTime() - start
      }
      #expect(growth < 30, "\(unit)")
    }
  }
}
