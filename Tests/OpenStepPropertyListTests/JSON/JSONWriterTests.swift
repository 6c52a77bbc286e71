import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

@Suite struct JSONWriterTests {
  private func text(
    _ value: PropertyList, style: PropertyList.JSONStyle = .indented
  ) throws(PropertyListError) -> String {
    String(decoding: try value.jsonBytes(style: style), as: UTF8.self)
  }

  @Test("one entry a line, keys in the order of their bytes, empty containers closed at once")
  func layout() throws {
    let value: PropertyList = [
      "b": [.integer(1), [], [:], [["c": .boolean(true)]], "x"], "a": .real(0.5), "\u{FF5E}": "wide",
      "🦄": "far",
      "": .boolean(false), "B": [:],
    ]
    #expect(
      try text(value) == """
        {
            "": false,
            "B": {},
            "a": 0.5,
            "b": [
                1,
                [],
                {},
                [
                    {
                        "c": true
                    }
                ],
                "x"
            ],
            "\u{FF5E}": "wide",
            "🦄": "far"
        }

        """)
    #expect(
      try text(value, style: .compact)
        == "{\"\":false,\"B\":{},\"a\":0.5,\"b\":[1,[],{},[{\"c\":true}],\"x\"],\"\u{FF5E}\":\"wide\",\"🦄\":\"far\"}"
    )
  }

  @Test(
    "scalars stand alone, and each is read back as what it is",
    arguments: [
      ("a", "\"a\""), (.boolean(true), "true"), (.boolean(false), "false"), (.integer(0), "0"),
      (.integer(-1), "-1"), (.integer(PropertyListInteger(.min)), "-9223372036854775808"),
      (.integer(PropertyListInteger(exactly: UInt64.max) ?? 0), "18446744073709551615"),
      (.real(0), "0.0"), (.real(-0.0), "-0.0"), (.real(1), "1.0"), (.real(0.1), "0.1"),
      (.real(1e16), "1e+16"),
      (.real(1e15), "1000000000000000.0"), (.real(-1.5e-7), "-1.5e-07"),
      (.real(.leastNonzeroMagnitude), "5e-324"),
      (.real(.greatestFiniteMagnitude), "1.7976931348623157e+308"), (.real(0x1p53), "9007199254740992.0"),
      (.real(1e21), "1e+21"), ([], "[]"), ([:], "{}"),
    ] as [(PropertyList, String)])
  func scalars(value: PropertyList, expected: String) throws {
    #expect(try text(value) == expected + "\n")
    #expect(try text(value, style: .compact) == expected)
    #expect(try PropertyList(parsingJSON: Array(expected.utf8)) == value)
    // Foundation takes the same for the same.
    let object = try JSONSerialization.jsonObject(with: Data("[\(expected)]".utf8))
    #expect((object as? NSArray) == ([value.foundationObject] as NSArray))
  }

  @Test(
    "a Float has the digits of a Float, and what is read back rounds to it",
    arguments: [
      (0.1, "0.1"), (1, "1.0"), (-0.0, "-0.0"), (16_777_216, "16777216.0"), (3.402_823_5e38, "3.4028235e+38"),
      (.leastNonzeroMagnitude, "1e-45"),
      // By way of a Double, the shortest digits would become the Float before.
      (7.038531e-26, "7.038531e-26"),
    ] as [(Float, String)])
  func floats(number: Float, expected: String) throws {
    let written = try text(.float(number), style: .compact)
    guard case .real(let read) = try PropertyList(parsingJSON: Array(written.utf8)) else {
      Issue.record("\(written) is no real")
      return
    }
    #expect(Float(read).bitPattern == number.bitPattern)
    if Double(expected).map({ Float($0) }) == number {
      #expect(written == expected)
    } else {
      #expect(written == Double(number).description)
    }
  }

  @Test(
    "control characters and what breaks lines are escapes, all else stands raw",
    arguments: [
      ("\"\\/", #"\"\\/"#), ("\u{8}\t\n\u{C}\r", #"\b\t\n\f\r"#),
      ("\0\u{1}\u{1F}\u{7F}", #"\u0000\u0001\u001f\u007f"#),
      ("\u{80}\u{85}\u{9F}\u{A0}", "\\u0080\\u0085\\u009f\u{A0}"),
      ("\u{2027}\u{2028}\u{2029}\u{202A}", "\u{2027}\\u2028\\u2029\u{202A}"),
      ("\u{FEFE}\u{FEFF}\u{FF00}", "\u{FEFE}\\ufeff\u{FF00}"), ("é日本🦄e\u{301}", "é日本🦄e\u{301}"),
      (
        "plain text of some length\u{2028}and more of it é",
        "plain text of some length\\u2028and more of it é"
      ),
      ("\u{FFFF}\u{10FFFF}", "\u{FFFF}\u{10FFFF}"), ("", ""),
    ])
  func strings(string: String, expected: String) throws {
    #expect(try text(.string(string), style: .compact) == "\"\(expected)\"")
    #expect(try text([PropertyListKey(string): "v"], style: .compact) == "{\"\(expected)\":\"v\"}")
    #expect(try PropertyList(parsingJSON: try PropertyList.string(string).jsonBytes()) == .string(string))
  }

  @Test("more characters are escapes where they are asked for, beyond U+FFFF as a pair")
  func escaping() throws {
    let value: PropertyList = ["kß": "a🦄\u{202E}b\"x"]
    let bytes = try value.jsonBytes(style: .compact) { $0.value > 0xFF || $0 == "x" }
    #expect(String(decoding: bytes, as: UTF8.self) == #"{"kß":"a\ud83e\udd84\u202eb\"\u0078"}"#)
    #expect(try PropertyList(parsingJSON: bytes) == value)
    #expect(try value.jsonBytes { _ in false } == value.jsonBytes())
  }

  @Test(
    "what JSON does not have is refused with the keys and indexes on the way to it",
    arguments: [
      (.data([]), "JSON cannot hold data"),
      (["a": ["b": ["x", .data([0])]]], "JSON cannot hold data at “a.b.1”"),
      (.date(PropertyListDate(secondsSinceReferenceDate: 0)), "JSON cannot hold a date"),
      (["a": "b", "c": .real(.nan)], "JSON cannot hold the number nan at “c”"),
      ([.real(-.infinity)], "JSON cannot hold the number -inf at “0”"),
      ([["a": .float(.infinity)]], "JSON cannot hold the number inf at “0.a”"),
      (["a": ["b": "c"], "d": .float(.nan)], "JSON cannot hold the number nan at “d”"),
    ] as [(PropertyList, String)])
  func refusals(value: PropertyList, message: String) throws {
    let error = try #require(throws: PropertyListError.self) { try value.jsonBytes() }
    #expect(error.description == message && error.line == 0)
  }

  @Test("large dictionaries are sorted, and a large text is whole")
  func large() throws {
    let keys = (0..<30_000).map { "the same beginning \($0 * 7919 % 100_003)" }
    let value = PropertyList.dictionary(
      [PropertyListKey: PropertyList](
        uniqueKeysWithValues: keys.map { (PropertyListKey($0), .array([.string($0), ["n": .real(0.5)]])) }))
    let expected = keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
      .map { "\"\($0)\":[\"\($0)\",{\"n\":0.5}]" }.joined(separator: ",")
    #expect(try text(value, style: .compact) == "{\(expected)}")
    #expect(try PropertyList(parsingJSON: try value.jsonBytes()) == value)
  }
}
