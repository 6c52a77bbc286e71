import OpenStepPropertyList
import Testing

/// What RFC 8259 has, and which value it becomes.
@Suite struct JSONParserTests {
  private func read(
    _ text: String, bounds: PropertyList.Bounds = .init()
  ) throws(PropertyListError) -> PropertyList {
    try PropertyList(parsingJSON: Array(text.utf8), bounds: bounds)
  }

  @Test(
    "digits alone are an integer of 64 bits, signed or unsigned",
    arguments: [
      ("0", 0), ("7", 7), ("-5", -5), ("10", 10), ("123456789012345678", 123_456_789_012_345_678),
      ("9223372036854775807", PropertyListInteger(.max)),
      ("9223372036854775808", PropertyListInteger("9223372036854775808") ?? 0),
      ("10000000000000000000", PropertyListInteger("10000000000000000000") ?? 0),
      ("18446744073709551615", PropertyListInteger(exactly: UInt64.max) ?? 0),
      ("-9223372036854775807", PropertyListInteger(.min + 1)),
      ("-9223372036854775808", PropertyListInteger(.min)),
    ] as [(String, PropertyListInteger)])
  func integers(text: String, value: PropertyListInteger) throws {
    #expect(try read(text) == .integer(value))
    #expect(try read("[\(text)]") == [.integer(value)])
    #expect(try read(" {\"a\":\(text) }") == ["a": .integer(value)])
  }

  @Test(
    "a number with a fraction or an exponent is the nearest Double",
    arguments: [
      ("0.0", 0), ("-0", -0.0), ("-0.0", -0.0), ("-0e5", -0.0), ("1.0", 1), ("1e3", 1000), ("1E+3", 1000),
      ("5e-1", 0.5), ("0e0", 0), ("1.5", 1.5), ("-2.5e+2", -250), ("0.1", 0.1), ("1e00001", 10),
      ("18446744073709551616.0", 18_446_744_073_709_551_616), ("-9223372036854775809e0", -0x1p63),
      ("100000000000000000000000e0", 1e23), ("1e23", 1e23), ("8.41e21", 8.41e21),
      ("9007199254740993.0", 9_007_199_254_740_992), ("9007199254740993e0", 9_007_199_254_740_992),
      ("9007199254740993.00000000000000000000000000001", 9_007_199_254_740_994),
      ("1.7976931348623157e308", .greatestFiniteMagnitude),
      ("1.7976931348623158e308", .greatestFiniteMagnitude),
      ("4.9406564584124654e-324", .leastNonzeroMagnitude), ("2.4703282292062327e-324", 0),
      ("2.4703282292062328e-324", .leastNonzeroMagnitude),
      ("2.2250738585072011e-308", .leastNormalMagnitude.nextDown),
      ("1e-400", 0), ("-1e-400", -0.0), ("0e999999999999", 0), ("1e-99999999999999999999", 0),
      ("0.00000000000000000000000000000000000001e38", 1),
    ] as [(String, Double)])
  func reals(text: String, value: Double) throws {
    #expect(try read(text) == .real(value))
    #expect(try read("[\(text),\(text)]") == [.real(value), .real(value)])
  }

  @Test(
    "a number too large for a Double is refused",
    arguments: ["1e309", "-1e309", "1.7976931348623159e308", "1e99999999999999999999", "123e4567"])
  func tooLarge(text: String) throws {
    let error = try #require(throws: PropertyListError.self) { try read("[\n \(text)]") }
    #expect(
      error.description == "2:2: the number \(text) is too large: a Double ends at 1.7976931348623157e308")
    // A fraction does not make it smaller.
    #expect(throws: PropertyListError.self) { try read("1" + String(repeating: "0", count: 309) + ".0") }
    #expect(try read("1" + String(repeating: "0", count: 308) + ".0") == .real(1e308))
  }

  @Test(
    "strings keep every character, and escapes stand for one each",
    arguments: [
      (#""""#, ""), (#""a""#, "a"), (#"" a b ""#, " a b "), (#""é日本🦄""#, "é日本🦄"),
      (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), (#""\u0041\u00e9\u00E9\u65e5""#, "Aéé日"),
      (#""\ud83e\udd84 \uD83E\uDD84""#, "🦄 🦄"), (#""\ud800\udc00\udbff\udfff""#, "\u{10000}\u{10FFFF}"),
      (#""a\u0000b""#, "a\0b"), (#""\u0000""#, "\0"),
      (#""\u001f\u007f\u0080\uffff\ufeff""#, "\u{1F}\u{7F}\u{80}\u{FFFF}\u{FEFF}"),
      (
        "\"\u{7F}\u{80}\u{2028}\u{2029}\u{FEFF}\u{FFFE}\u{10FFFF}\"",
        "\u{7F}\u{80}\u{2028}\u{2029}\u{FEFF}\u{FFFE}\u{10FFFF}"
      ),
      (#""12345678901234567890\n12345678901234567890""#, "12345678901234567890\n12345678901234567890"),
      (#""//""#, "//"), (#""\\u0041""#, "\\u0041"), (#""\\\"""#, "\\\""), (#""'[]{},:""#, "'[]{},:"),
      ("\"e\u{301}\"", "e\u{301}"), (#""1234567\u0038""#, "12345678"), (#""12345678\\""#, "12345678\\"),
    ] as [(String, PropertyList)])
  func strings(text: String, value: PropertyList) throws {
    #expect(try read(text) == value)
    guard case .string(let key) = value else { return }
    #expect(try read("{\(text):[\(text)]}") == [PropertyListKey(key): [value]])
  }

  @Test(
    "containers, truth values and white space",
    arguments: [
      ("[]", []), ("{}", [:]), ("[ ]", []), ("{ }", [:]), ("[[]]", [[]]), ("[{}]", [[:]]),
      ("true", .boolean(true)), ("false", .boolean(false)), (" true\n", .boolean(true)),
      ("[true,false]", [.boolean(true), .boolean(false)]), ("\t[\r\n\"a\" , [ ] ,{} ]", ["a", [], [:]]),
      ("{\"a\":1,\"b\":[{\"c\":{}}]}", ["a": .integer(1), "b": [["c": [:]]]]),
      ("{ \"a\"\n:\t1 , \"b\" :2\r}", ["a": .integer(1), "b": .integer(2)]),
      ("{\"\":\"\"}", ["": ""]), ("[[[1],2],3]", [[[.integer(1)], .integer(2)], .integer(3)]),
      ("[\n                    1\n                    ]", [.integer(1)]),
      ("{\"a\":{\"a\":{\"a\":1}}}", ["a": ["a": ["a": .integer(1)]]]),
      // Equal to Swift's strings, but other bytes.
      (
        "{\"\u{E9}\":1,\"e\u{301}\":2,\"\\u212b\":3,\"\\u00c5\":4}",
        ["\u{E9}": .integer(1), "e\u{301}": .integer(2), "\u{212B}": .integer(3), "\u{C5}": .integer(4)]
      ),
    ] as [(String, PropertyList)])
  func containers(text: String, value: PropertyList) throws {
    #expect(try read(text) == value)
  }

  @Test("bounds: what reaches one is read, what passes it is refused")
  func bounds() throws {
    var bounds = PropertyList.Bounds()
    bounds.byteCount = 5
    #expect(try read("[1,2]", bounds: bounds) == [.integer(1), .integer(2)])
    let tooLong = try #require(throws: PropertyListError.self) { try read("[1,2] ", bounds: bounds) }
    #expect(tooLong.description == "the file has 6 bytes; at most 5 are read")

    bounds = PropertyList.Bounds()
    bounds.depth = 2
    #expect(try read("[[1],{\"a\":2}]", bounds: bounds) == [[.integer(1)], ["a": .integer(2)]])
    let tooDeep = try #require(throws: PropertyListError.self) {
      try read("[[1],{\"a\":[]}]", bounds: bounds)
    }
    #expect(tooDeep.description == "1:11: more than 2 containers are nested here")

    bounds = PropertyList.Bounds()
    bounds.objectCount = 5
    #expect(try read("{\"a\":[1,2]}", bounds: bounds) == ["a": [.integer(1), .integer(2)]])
    for text in [
      "{\"a\":[1,2,3]}", "{\"a\":[1,2],\"b\":1}", "[1,2,3,4,[]]", "[1,2,3,4,true]", "[1,2,3,4,{}]",
    ] {
      let error = try #require(throws: PropertyListError.self) { try read(text, bounds: bounds) }
      #expect(error.message == "more than 5 values and keys are not read")
    }
    bounds.objectCount = 0
    #expect(throws: PropertyListError.self) { try read("1", bounds: bounds) }
    bounds.objectCount = 1
    bounds.depth = 0
    #expect(try read("1", bounds: bounds) == .integer(1))
    #expect(throws: PropertyListError.self) { try read("[]", bounds: bounds) }
  }
}
