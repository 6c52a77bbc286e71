import OpenStepPropertyList
import Testing

/// What every reader has to accept and to refuse, as the collections of JSON tests have it.
@Suite struct JSONSuiteTests {
  @Test(
    "accepted by the grammar",
    arguments: [
      "[]", "{}", "[[]   ]", "[\"\"]", "[\"a\"]", "[false]", "[1\n]", " [1]", "[2] ", "[true]", "[]\n",
      " [] ",
      "[123e65]", "[0e+1]", "[0e1]", "[ 4]",
      "[-0.000000000000000000000000000000000000000000000000000000000000000000000000000001]",
      "[20e1]", "[-0]", "[-123]", "[-1]", "[1E22]", "[1E-2]", "[1E+2]", "[123e45]", "[123.456e78]", "[1e-2]",
      "[1e+2]", "[123]", "[123.456789]", "[1.0000000000000000000000000000000000000000000000000]", "[0.1e1]",
      "{\"asd\":\"sdf\", \"dfg\":\"fgh\"}", "{\"asd\":\"sdf\"}", "{\"\":0}", "{\"foo\\u0000bar\": 42}",
      "{ \"min\": -1.0e+28, \"max\": 1.0e+28 }", "{\"x\":[{\"id\": \"xxxxxxxxxx\"}], \"id\": \"xxxxxxxxxx\"}",
      "{\"a\":[]}", "{\"title\":\"\\u041f\\u043e\\u043b\\u0442\\u043e\\u0440\\u0430\" }",
      "{\n\"a\": \"b\"\n}",
      "[\"\\u0060\\u012a\\u12AB\"]", "[\"\\uD801\\udc37\"]", "[\"\\ud83d\\ude39\\ud83d\\udc8d\"]",
      "[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"]", "[\"\\\\u0000\"]", "[\"\\\"\"]", "[\"a/*b*/c/*d//e\"]",
      "[\"\\\\a\"]",
      "[\"\\\\n\"]", "[\"\\u0012\"]", "[\"\\uFFFF\"]", "[\"asd\"]", "[ \"asd\"]", "[\"\\uDBFF\\uDFFF\"]",
      "[\"new\\u00A0line\"]", "[\"\u{10FFFF}\"]", "[\"\u{FFFF}\"]", "[\"\\u0000\"]", "[\"\\u002c\"]",
      "[\"π\"]",
      "[\"\u{1BFFF}\"]", "[\"asd \"]", "\" \"", "[\"\\uD834\\uDd1e\"]", "[\"\\u0821\"]", "[\"\\u0123\"]",
      "[\"\u{2028}\"]", "[\"\u{2029}\"]", "[\"\\u0061\\u30af\\u30EA\\u30b9\"]", "[\"new\\u000Aline\"]",
      "[\"\u{7F}\"]", "[\"\\uA66D\"]", "[\"\\u005C\"]", "[\"⍂㈴⍂\"]", "[\"\\u0022\"]", "[\"\\u200B\"]",
      "[\"\\u2064\"]", "[\"\\uFDD0\"]", "[\"\\uFFFE\"]", "[\"€𝄞\"]", "[\"a\u{7F}a\"]", "false", "42", "-0.1",
      "\"asd\"", "true", "\"\"", "[\"a\"]\n", "[true]", " [] ", "\n\t\r 1 \n\t\r",
      "[1e-10000]", "[123123e-10000000]",
    ])
  func accepted(text: String) throws {
    let value = try PropertyList(parsingJSON: Array(text.utf8))
    #expect(try PropertyList(parsingJSON: try value.jsonBytes()) == value)
  }

  @Test(
    "refused by the grammar",
    arguments: [
      "", " ", "[1 true]", "[\"\": 1]", "[\"\"],", "[,1]", "[1,,2]", "[\"x\",,]", "[\"x\"]]", "[\"\",]",
      "[\"x\"",
      "[x", "[3[4]]", "[1:2]", "[,]", "[-]", "[   , \"\"]", "[\"a\",\n4\n,1,", "[1,]", "[1,,]",
      "[\"\u{B}a\"\\f]",
      "[*]", "[1,\n1\n,1", "[{}", "[fals]", "[nul]", "[tru]", "[++1234]", "[+1]", "[+Inf]", "[-01]",
      "[-1.0.]",
      "[-2.]", "[-NaN]", "[.-1]", "[.2e-3]", "[0.1.2]", "[0.3e+]", "[0.3e]", "[0.e1]", "[0E+]", "[0E]",
      "[0e+]",
      "[0e]", "[1.0e+]", "[1.0e-]", "[1.0e]", "[1 000.0]", "[1eE2]", "[2.e+3]", "[2.e-3]", "[2.e3]", "[9.e+]",
      "[Inf]", "[NaN]", "[１]", "[1+2]", "[0x1]", "[0x42]", "[Infinity]", "[0e+-1]", "[-123.123foo]",
      "[-Infinity]", "[-foo]", "[- 1]", "[-012]", "[-.123]", "[-1x]", "[1ea]", "[1.]", "[.123]", "[1.2a-3]",
      "[1.8011670033376514H-308]", "[012]", "[\"x\", truth]", "{[: \"x\"}", "{\"x\", null}", "{\"x\"::\"b\"}",
      "{🇨🇭}", "{\"a\":\"a\" 123}", "{key: 'value'}", "{\"a\" b}", "{:\"b\"}", "{\"a\" \"b\"}", "{\"a\":",
      "{\"a\"",
      "{1:1}", "{9999E9999:1}", "{null:null,null:null}", "{\"id\":0,,,,,}", "{'a':0}", "{\"id\":0,}",
      "{\"a\":\"b\"}/**/", "{\"a\":\"b\"}/**//", "{\"a\":\"b\"}//", "{\"a\":\"b\"}/",
      "{\"a\":\"b\",,\"c\":\"d\"}",
      "{a: \"b\"}", "{\"a\":\"a", "{ \"foo\" : \"bar\", \"a\" }", "{\"a\":\"b\"}#", "[\"\\uD800\\\"]",
      "[\"\\uD800\\u\"]", "[\"\\uD800\\u1\"]", "[\"\\uD800\\u1x\"]", "[é]", "[\"\\x00\"]", "[\"\\\\\\\"]",
      "[\"\\\t\"]", "[\"\\🌀\"]", "[\"\\\"]", "[\"\\u00A\"]", "[\"\\uD834\\uDd\"]", "[\"\\uD800\\uD800\\x\"]",
      "[\"\\a\"]", "[\"\\uqqqq\"]", "[\\u0020\"asd\"]", "[\\n]", "\"", "['single quote']", "abc", "[\"\\",
      "[\"a\0a\"]", "[\"new\nline\"]", "[\"\t\"]", "\"\\UA66D\"", "\"\"x", "<.>", "[<null>]", "[1]x", "[1]]",
      "[\"asd]", "aå", "[True]", "1]", "{\"x\": true,", "[][]", "]", "2@", "{}}", "{\"\":",
      "{\"a\":/*c*/\"b\"}",
      "{\"a\": true} \"x\"", "['", "[,", "[{", "[\"a", "[\"a\"", "{", "{]", "{,", "{[", "{\"a", "{'a'",
      "[\"\\{[\"\\{",
      "*", "{\"a\":\"b\"}#{}", "[\\u000A\"\"]", "[1", "[ false, nul", "[ true, fals", "[ false, tru",
      "{\"asd\":\"asd\"",
      "å", "[\u{2060}]", "\u{FEFF}", "[\u{C}]", "[\u{A0}1]", "\u{FEFF}\u{FEFF}1", "[1]\0", "\0", "--1", "1 2",
      "tru", "truee",
      "TRUE", "nulll", "undefined", "[1;2]", "(1, 2)", "{\"a\" = 1;}", "[1.5.5]", "1e5.5", "1e1e1", "0b1",
      "1_000",
      "٣", "[\"\\u+123\"]", "[\"\\u 123\"]", "[\"\\u-123\"]", "[\"\\u0x1\"]",
      // What JSON has and property lists, strings or Doubles have not.
      "null", "[null]", "{\"a\":null}", "[\"\\uD800\"]", "[\"\\uDFAA\"]", "[\"\\ud800abc\"]",
      "[\"\\uDd1e\\uD834\"]",
      "[\"\\uD888\\u1234\"]", "[\"\\uD800\\uD800\\uDC00\"]", "[\"\\uDADA\"]", "[\"\\uD800\\n\"]", "[1e9999]",
      "[-1e+9999]",
      "[0.4e00669999999999999999999999999999999999999999999999999999999999999999999999999969999999006]",
      "{\"a\":\"b\",\"a\":\"b\"}", "{\"a\":1,\"\\u0061\":2}", "{\"\":1,\"\":1}",
    ])
  func refused(text: String) throws {
    let error = try #require(throws: PropertyListError.self) {
      try PropertyList(parsingJSON: Array(text.utf8))
    }
    #expect(error.line >= 1 && error.column >= 1 && !error.message.isEmpty)
  }

  @Test("every prefix of a text is refused, unless it is a number")
  func prefixes() throws {
    let text = #"""
       {"a": [1, -2.5e+10, "x\"\\\u00e9\ud83e\udd84 é🦄", true, false, {}, [], [[{"b": {"c": "d"}}]]],
        "number": 18446744073709551615 , "last" : ""}
      """#
    let bytes = Array(text.utf8)
    _ = try PropertyList(parsingJSON: bytes)
    for count in 0..<bytes.count {
      #expect(throws: PropertyListError.self) { try PropertyList(parsingJSON: Array(bytes[..<count])) }
    }
    for text in ["true", "false", "\"a\\n\"", "[5]", "{\"a\":5}"] {
      for count in 0..<text.utf8.count {
        #expect(throws: PropertyListError.self) {
          try PropertyList(parsingJSON: Array(text.utf8.prefix(count)))
        }
      }
    }
    for (text, good) in [("-120", [2, 3, 4]), ("0.25e-10", [1, 3, 4, 7, 8]), ("10E5", [1, 2, 4])] {
      for count in 0...text.utf8.count {
        let value = try? PropertyList(parsingJSON: Array(text.utf8.prefix(count)))
        #expect((value != nil) == good.contains(count), "\(text.prefix(count))")
      }
    }
  }
}
