import OpenStepPropertyList
import TestSupport
import Testing

/// Octal escapes above `\177`, spelled so that all readers take them for the same characters.
struct OctalEscapeTests {
  typealias OctalEscapes = PropertyList.ParsingOptions.OctalEscapes

  private func options(_ octalEscapes: OctalEscapes) -> PropertyList.ParsingOptions {
    var options = PropertyList.ParsingOptions()
    options.octalEscapes = octalEscapes
    return options
  }

  private func spelled(_ text: String, _ octalEscapes: OctalEscapes) -> String? {
    PropertyList.spellingOutOctalEscapes(of: Array(text.utf8), options: options(octalEscapes))
      .map { String(decoding: $0, as: UTF8.self) }
  }

  @Test(
    "the characters take the escapes' place, and nothing else changes",
    arguments: [
      ("{ a = \"\\303\\244\"; }", OctalEscapes.utf8Bytes, "{ a = \"ä\"; }"),
      ("{ a = \"\\303\\244\"; }", .nextStep, "{ a = \"\u{2C6}\u{2044}\"; }"),
      ("{ \"\\331\" = '\\331'; }", .nextStep, "{ \"ä\" = 'ä'; }"),
      // Another backslash before it, a line end behind it, ASCII, and escapes of other kinds.
      (
        "(\"\\\\303\", \"\\\n\\331\\\n\", \"\\101\\5\\U00e4\\t\")", .nextStep,
        "(\"\\\\303\", \"\\\nä\\\n\", \"\\101\\5\\U00e4\\t\")"
      ),
      // Three digits at most, of which the low eight bits count.
      ("(\"\\3311\", \"\\731x\", \"\\33\")", .nextStep, "(\"ä1\", \"äx\", \"\\33\")"),
      ("(\"a\\360\\237\\230\\200\\012\\303\\244b\")", .utf8Bytes, "(\"a😀\\012äb\")"),
      // Comments, data and unquoted strings have none.
      (
        "{ /* \"\\331\" */ a = \"\\331\"; // \"\\331\"\n b = <05>; }", .nextStep,
        "{ /* \"\\331\" */ a = \"ä\"; // \"\\331\"\n b = <05>; }"
      ),
      ("a = \"\\331\";", .nextStep, "a = \"ä\";"),
    ])
  func spelling(text: String, octalEscapes: OctalEscapes, expected: String) throws {
    let result = try #require(spelled(text, octalEscapes))
    #expect(result == expected)
    let meant = try PropertyList(parsing: text, options: options(octalEscapes))
    for other in [OctalEscapes.nextStep, .utf8Bytes] {
      #expect(try PropertyList(parsing: result, options: options(other)) == meant)
    }
  }

  @Test("a text keeps its encoding, and an eight-bit one gets ASCII, since its set is not known")
  func encodings() throws {
    func wide(_ text: String) -> [UInt8] {
      [0xFF, 0xFE] + text.utf16.flatMap { unit in [UInt8(unit & 0xFF), UInt8(unit >> 8)] }
    }
    #expect(
      PropertyList.spellingOutOctalEscapes(of: wide("{ a = \"\\331\"; }"), options: options(.nextStep))
        == wide("{ a = \"ä\"; }"))
    let eightBit = Array("{ a = \"\\331\"; b = \"".utf8) + [0xD9] + Array("\"; }".utf8)
    #expect(
      PropertyList.spellingOutOctalEscapes(of: eightBit, options: options(.nextStep))
        == Array("{ a = \"\\U00E4\"; b = \"".utf8) + [0xD9] + Array("\"; }".utf8))
  }

  @Test("an error names the place of the first escape that readers take for different characters")
  func place() throws {
    let text = "{ /* \"\\331\" */\n  a = \"\\101\";\n  b = \"x\\331\"; }"
    let error = try #require(PropertyList.errorAtOctalEscape(inText: Array(text.utf8), "is one"))
    #expect(error.message == "is one" && error.line == 3 && error.column == 9)
    #expect(PropertyList.errorAtOctalEscape(inText: Array("{ a = \"\\101\\\\331\"; }".utf8), "") == nil)
  }
}
