import OpenStepPropertyList
import TestSupport
import Testing

@Suite struct JSONEncodingTests {
  /// A text in all encodings that JSON may have.
  private static func encodings(of text: String) -> [[UInt8]] {
    [
      Array(text.utf8), [0xEF, 0xBB, 0xBF] + Array(text.utf8),
      utf16(text, isBig: true), [0xFE, 0xFF] + utf16(text, isBig: true),
      utf16(text, isBig: false), [0xFF, 0xFE] + utf16(text, isBig: false),
      utf32(text, isBig: true), [0, 0, 0xFE, 0xFF] + utf32(text, isBig: true),
      utf32(text, isBig: false), [0xFF, 0xFE, 0, 0] + utf32(text, isBig: false),
    ]
  }

  @Test(
    "UTF-8, UTF-16 and UTF-32 are told by a mark or by their first bytes",
    arguments: [
      ("{\"é🦄\":\"\u{FEFF}\u{FFFD}日\\u0000\"}", ["é🦄": "\u{FEFF}\u{FFFD}日\0"]),
      (" [\"é\"]", ["é"]), ("\"é\"", "é"), ("5", .integer(5)), ("[]", []), ("15", .integer(15)),
    ] as [(String, PropertyList)])
  func unicode(text: String, value: PropertyList) throws {
    for bytes in Self.encodings(of: text) {
      #expect(try PropertyList(parsingJSON: bytes) == value, "\(bytes)")
    }
  }

  @Test("JSON is recognised in every encoding, where no property list's text begins so")
  func recognition() {
    for text in [
      "[", "[]", " \n\t[1]", "{\"a\":1}", "{ \"a\" : 1}", "\r\n{\n\"é\\\"\\\\\" \n:", "{\"\":", "{\"🦄Ɂ\":1}",
    ] {
      for bytes in Self.encodings(of: text) where bytes.count > 2 {
        #expect(PropertyList.isJSON(bytes), "\(text.debugDescription) \(bytes)")
      }
    }
    for text in [
      "", " ", "{", "{}", "{ }", "{\"", "{\"a\"", "{\"a\\\":", "{ \"a\" = 1; }", "{a: 1}", "{ \"a\"; }", "(",
      "<5b>", "<[", "5",
      "\"a\"", "true", "null", "a = b;", "/* [ */ {}", "<?xml?>", "bplist00[", "{ \"a:\" = b; }", "{'a':1}",
    ] {
      for bytes in Self.encodings(of: text) {
        #expect(!PropertyList.isJSON(bytes), "\(text.debugDescription) \(bytes)")
      }
    }
  }

  @Test(
    "bytes that are not UTF-8 are an error with a place",
    arguments: [
      [0xE9], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xFF], [0xE2, 0x82], [0x80],
      [0xFE], [0xF8, 0x88, 0x80, 0x80, 0x80],
    ] as [[UInt8]])
  func illFormed(bytes: [UInt8]) throws {
    let text = Array("[1,\n\"é".utf8) + bytes + Array("\"]".utf8)
    let error = try #require(throws: PropertyListError.self) { try PropertyList(parsingJSON: text) }
    #expect(error.line == 2 && error.column == 3)
    let hexadecimal = String(bytes[0], radix: 16, uppercase: true)
    #expect(error.message == "the byte 0x\(hexadecimal) is not UTF-8")
    #expect(throws: PropertyListError.self) { try PropertyList(parsingJSON: bytes) }
  }

  @Test(
    "half a unit, half a surrogate pair and a second byte order mark are refused",
    arguments: [
      [0xFF, 0xFE, 0x5B, 0, 0x5D], [0xFF, 0xFE, 0x22, 0, 0x00, 0xD8, 0x22, 0],
      [0xFE, 0xFF, 0, 0x22, 0xDC, 0x00, 0, 0x22], [0xFF, 0xFE, 0x22, 0, 0x00, 0xD8],
      [0, 0, 0xFE, 0xFF, 0, 0, 0, 0x5B, 0, 0, 0], [0, 0, 0xFE, 0xFF, 0, 0x11, 0, 0],
      [0xEF, 0xBB, 0xBF, 0xEF, 0xBB, 0xBF, 0x31], [0xEF, 0xBB, 0xBF], [0xFF, 0xFE], [0xFF, 0xFE, 0, 0],
      [0xEF, 0xBB, 0x31], [0x31, 0, 0],
    ] as [[UInt8]])
  func halves(bytes: [UInt8]) {
    #expect(throws: PropertyListError.self) { try PropertyList(parsingJSON: bytes) }
  }

  @Test("a declaration of XML's names no encoding here")
  func declaration() throws {
    for encoding in ["ISO-8859-1", "EBCDIC"] {
      let text = "<?xml version=\"1.0\" encoding=\"\(encoding)\"?>[]"
      let error = try #require(throws: PropertyListError.self) {
        try PropertyList(parsingJSON: Array(text.utf8))
      }
      #expect(error.description == "1:1: found “<” where a value was expected")
    }
  }
}
