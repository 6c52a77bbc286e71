import OpenStepPropertyList
import Testing

/// An error says what is wrong, where, and shows it.
@Suite struct JSONErrorTests {
  @Test(
    "errors name the trouble and its place",
    arguments: [
      ("", "1:1: the text ends where a value was expected"),
      (" \n", "2:1: the text ends where a value was expected"),
      (
        "{\n  \"a\": [1, null]\n}",
        "2:12: property lists have no null; leave it out, or write a value in its place"
      ),
      ("null", "1:1: property lists have no null; leave it out, or write a value in its place"),
      ("[1,]", "1:4: found “]” where a value was expected"),
      ("[1 2]", "1:4: found “2” where “,” or “]” was expected"),
      ("[1}", "1:3: found “}” where “,” or “]” was expected"),
      ("[\n[1,", "2:4: the text ends where a value was expected; the “[” at 2:1 is not closed"),
      ("[[1],", "1:6: the text ends where a value was expected; the “[” at 1:1 is not closed"),
      ("[1", "1:3: the text ends where “,” or “]” was expected; the “[” at 1:1 is not closed"),
      (
        "{",
        "1:2: the text ends where a key in double quotes or “}” was expected; the “{” at 1:1 is not closed"
      ),
      ("{\"a\"", "1:5: the text ends where “:” was expected; the “{” at 1:1 is not closed"),
      ("{\"a\":1,}", "1:8: found “}” where a key in double quotes was expected"),
      ("{a:1}", "1:2: found “a” where a key in double quotes or “}” was expected"),
      ("{'a':1}", "1:2: found “'” where a key in double quotes or “}” was expected"),
      ("{\"a\" = 1}", "1:6: found “=” where “:” was expected"),
      ("{\"a\":1;}", "1:7: found “;” where “,” or “}” was expected"),
      ("[] x", "1:4: found “x” where the end of the text was expected"),
      ("/* c */ 1", "1:1: found “/” where a value was expected"),
      ("[NaN]", "1:2: found “N” where a value was expected"),
      ("[-Infinity]", "1:3: found “I” where a digit was expected"),
      ("[01]", "1:2: a number has no zero before its other digits"),
      ("-01", "1:2: a number has no zero before its other digits"),
      (
        "[1, 18446744073709551616]",
        "1:5: the whole number has more than 64 bits; write it with a fraction or an exponent, or as a string"
      ),
      (
        "-9223372036854775809",
        "1:1: the whole number has more than 64 bits; write it with a fraction or an exponent, or as a string"
      ),
      ("[1.]", "1:4: found “]” where a digit was expected"),
      ("[.5]", "1:2: found “.” where a value was expected"),
      ("[1e+]", "1:5: found “]” where a digit was expected"),
      ("[\"a\nb\"]", "1:4: found the end of the line inside a string, where it is written \\n"),
      ("[\"é\tb\"]", "1:4: found a tab inside a string, where it is written \\t"),
      ("[\"\u{1}\"]", "1:3: found U+0001 inside a string, where it is written \\u0001"),
      ("[\"\u{1F}\"]", "1:3: found U+001F inside a string, where it is written \\u001f"),
      ("[\n \"ab", "2:5: the text ends inside the string that begins at 2:2"),
      ("\"a\\", "1:4: the text ends where the character of an escape was expected"),
      (
        "\"a\\x\"",
        #"1:3: “\” begins none of \" \\ \/ \b \f \n \r \t \u0041; as a character it is written \\"#
      ),
      ("\"\\u12G4\"", "1:6: found “G” where one of the four hexadecimal digits of \\u was expected"),
      (
        "\"a\\ud800b\"",
        "1:3: \\ud800 is half a surrogate pair without the other half, which is no character"
      ),
      (
        "\"\\uDC00\\uD800\"",
        "1:2: \\udc00 is half a surrogate pair without the other half, which is no character"
      ),
      (
        "{\n\"a\": 1, \"b\": {\"a\": \"a\"},\n \"\\u0061\": 2}",
        "3:2: the key “a” stands here for the second time, after 2:1; remove one of the two"
      ),
      (
        "[{\"k\":[{\"k\":1},\"k\"],\"l\":\"k\",\"k\":\"\\\"k\\\":\",\"k\":0}]",
        "1:42: the key “k” stands here for the second time, after 1:29; remove one of the two"
      ),
      (
        "{\"a\":{\"b\":1,\"b\":2},\"a\":3}",
        "1:13: the key “b” stands here for the second time, after 1:7; remove one of the two"
      ),
    ])
  func descriptions(text: String, description: String) throws {
    let error = try #require(throws: PropertyListError.self) {
      try PropertyList(parsingJSON: Array(text.utf8))
    }
    #expect(error.description == description)
    #expect(error.object == nil && error.offset == nil)
  }

  @Test("the excerpt has a caret under the offending character")
  func excerpt() throws {
    let error = try #require(throws: PropertyListError.self) {
      try PropertyList(parsingJSON: Array("{\n\t\"né\": nul\n}".utf8))
    }
    #expect(error.excerpt == "\t\"né\": nul\n\t      ^")
    #expect(error.character == "n")
  }
}
