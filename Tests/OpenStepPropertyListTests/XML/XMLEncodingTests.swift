import OpenStepPropertyList
import TestSupport
import Testing

@Suite struct XMLEncodingTests {
  private func document(_ text: String, encoding: String? = nil) -> String {
    "<?xml version=\"1.0\"\(encoding.map { " encoding=\"\($0)\"" } ?? "")?>\n<plist><string>\(text)</string></plist>"
  }

  @Test("UTF-8, UTF-16 and UTF-32 are told by a mark or by their first bytes, whatever is declared")
  func unicode() throws {
    let text = document("é🦄\u{FEFF}\u{FFFD}", encoding: "UTF-16")
    let expected: PropertyList = "é🦄\u{FEFF}\u{FFFD}"
    let encoded = [
      utf16(text, isBig: true), [0xFE, 0xFF] + utf16(text, isBig: true),
      utf16(text, isBig: false),
      [0xFF, 0xFE] + utf16(text, isBig: false), utf32(text, isBig: true),
      [0, 0, 0xFE, 0xFF] + utf32(text, isBig: true), utf32(text, isBig: false),
      [0xFF, 0xFE, 0, 0] + utf32(text, isBig: false), [0xEF, 0xBB, 0xBF] + Array(text.utf8),
    ]
    for bytes in encoded {
      #expect(try PropertyList(parsingXML: bytes) == expected)
      #expect(PropertyList.isXML(bytes))
    }
  }

  @Test(
    "eight-bit encodings are read where they are declared",
    arguments: [
      ("ISO-8859-1", [0xE9, 0x85], "é\u{85}"), ("iso-8859-1", [0xFF], "ÿ"), ("latin1", [0xE9], "é"),
      ("windows-1252", [0x80, 0x93, 0xE9, 0x94, 0x9F], "€“é”Ÿ"), ("CP1252", [0x8A], "Š"),
      ("US-ASCII", [0x41], "A"),
      ("utf-8", [0xC3, 0xA9], "é"), ("UTF8", [0xC3, 0xA9], "é"),
    ] as [(String, [UInt8], PropertyList)])
  func eightBit(name: String, bytes: [UInt8], expected: PropertyList) throws {
    let parts = document("|", encoding: name).split(separator: "|")
    #expect(try PropertyList(parsingXML: Array(parts[0].utf8) + bytes + Array(parts[1].utf8)) == expected)
    let quoted = String(parts[0]).replacing(
      "encoding=\"\(name)\"", with: "encoding = '\(name)' standalone='yes'")
    #expect(try PropertyList(parsingXML: Array(quoted.utf8) + bytes + Array(parts[1].utf8)) == expected)
  }

  @Test(
    "bytes that an encoding does not have are an error with a place",
    arguments: [
      ("US-ASCII", [0xE9]), ("windows-1252", [0x81]), ("windows-1252", [0x9D]), ("UTF-8", [0xE9]),
      ("UTF-8", [0xC0, 0x80]),
      ("UTF-8", [0xED, 0xA0, 0x80]), ("UTF-8", [0xF4, 0x90, 0x80, 0x80]), ("UTF-8", [0xFF]),
    ] as [(String, [UInt8])])
  func illFormed(name: String, bytes: [UInt8]) throws {
    let parts = document("ab|", encoding: name).split(separator: "|")
    let error = try #require(throws: PropertyListError.self) {
      try PropertyList(parsingXML: Array(parts[0].utf8) + bytes + Array(parts[1].utf8))
    }
    #expect(error.line == 2 && error.column == 18)
  }

  @Test("half a surrogate pair and half a unit are an error with a place")
  func brokenUnits() throws {
    let start = document("ab").replacing("</string></plist>", with: "")
    for tail: [UInt8] in [[0xD8, 0x00], [0xDC, 0x00], [0xD8, 0x00, 0x00, 0x41], [0x00]] {
      let error = try #require(throws: PropertyListError.self) {
        try PropertyList(parsingXML: utf16(start, isBig: true) + tail)
      }
      #expect(error.line == 2 && error.column == 18)
    }
    for tail: [UInt8] in [[0, 0, 0xD8, 0], [0, 0x11, 0, 0], [0, 0, 0]] {
      let error = try #require(throws: PropertyListError.self) {
        try PropertyList(parsingXML: utf32(start, isBig: true) + tail)
      }
      #expect(error.line == 2 && error.column == 18)
    }
  }

  @Test(
    "another encoding is named and refused, never guessed",
    arguments: ["UTF-7", "UTF-16", "utf-32le", "IBM037", "EUC-JP", ""])
  func unknown(name: String) throws {
    let error = try #require(throws: PropertyListError.self) {
      try PropertyList(parsingXML: Array(document("a", encoding: name).utf8))
    }
    #expect(error.message.contains("“\(name)”") && error.line == 1 && error.column == 31)
  }

  @Test(
    "XML is told from text by its first characters",
    arguments: [
      ("<?xml version=\"1.0\"?>", true), (" \n<plist>", true), ("<!-- c -->", true),
      ("<!DOCTYPE plist>", true), ("<dict/>", true),
      ("<data>AAEC</data>", true), ("<date>", true), ("<dict version='1'>", true), ("\u{FEFF}<plist>", true),
      ("", false), ("<", false), ("<0a0b>", false), ("<dead>", false), ("<da>", false), ("<*I5>", false),
      ("<[AAEC]>", false), ("<>", false),
      ("{ a = b; }", false), ("// <plist>", false), ("bplist00", false),
    ])
  func recognised(text: String, isXML: Bool) {
    #expect(PropertyList.isXML(Array(text.utf8)) == isXML)
  }
}
