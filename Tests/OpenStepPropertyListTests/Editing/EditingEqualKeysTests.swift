import OpenStepPropertyList
import TestSupport
import Testing

/// How the entries are removed whose key stands in the same dictionary again.
struct EditingEqualKeysTests {
  @Test(
    "of equal keys the last entry stays, at every depth, and comments go with their entries",
    arguments: [
      (
        "// mine\n{\n  // first\n  a = 1; // one\n\n  b = 2;\n  // second\n  a = 3; // two\n}\n",
        "// mine\n{\n  b = 2;\n  // second\n  a = 3; // two\n}\n", 1
      ),
      ("{ a = 1; b = 2; a = 3; /* c */ }", "{ b = 2; a = 3; /* c */ }", 1),
      // The inner keys of an entry that goes do not count.
      (
        "{ w = { x = 1; x = 2; }; l = ( { y = 1; \"y\" = 2; }, 3 ); w = { x = 1; z = 2; x = 3; }; }",
        "{ l = ( { \"y\" = 2; }, 3 ); w = { z = 2; x = 3; }; }", 3
      ),
      ("({ a = 1; a = { b; b = 2 } })", "({ a = { b = 2 } })", 2),
      ("a = 1;\nb = 2;\na = 3;\n", "b = 2;\na = 3;\n", 1),
      ("{ a = 1; \"\\141\" = 2; 'a' = 3; }", "{ 'a' = 3; }", 2),
      ("{ a = 1; b = 1; w = { a = 1; }; l = (1, 1); }", "{ a = 1; b = 1; w = { a = 1; }; l = (1, 1); }", 0),
      ("text", "text", 0),
    ])
  func removal(text: String, rest: String, count: Int) throws {
    var editor = try PropertyListTextEditor(text, options: .domainFile)
    #expect(try editor.removeEqualKeys() == count)
    #expect(editor.text == rest)
    #expect(
      try PropertyList(parsing: rest, options: .domainFile)
        == PropertyList(parsing: text, options: .domainFile))
    #expect(try editor.removeEqualKeys() == 0)
    #expect(editor.text == rest)
  }

  /// The encodings that a text can have, with their marks.
  static let encodings: [@Sendable (String) -> [UInt8]] = [
    { [0xEF, 0xBB, 0xBF] + Array($0.utf8) }, { [0xFF, 0xFE] + utf16($0, isBig: false) },
    { [0xFE, 0xFF] + utf16($0, isBig: true) }, { utf16($0, isBig: true) },
    { [0, 0, 0xFE, 0xFF] + utf32($0, isBig: true) },
    // NeXT's set.
    { $0.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } },
  ]

  @Test("the encoding and the mark stay", arguments: encodings.indices)
  func encoding(index: Int) throws {
    let encode = EditingEqualKeysTests.encodings[index]
    var editor = try PropertyListTextEditor(
      encode("{\n  a = \"\u{F6}\";\n  u = \"\u{F6}\u{DE}\";\n  a = 2;\n}\n"), options: .domainFile)
    #expect(try editor.removeEqualKeys() == 1)
    #expect(editor.bytes == encode("{\n  u = \"\u{F6}\u{DE}\";\n  a = 2;\n}\n"))
  }

  @Test("an eight-bit text stays as it is where it would be taken for UTF-8 without the entry")
  func otherEncoding() throws {
    let bytes = "{ a = \"\u{F6}\"; u = \"\u{C3}\u{BC}\"; a = 1; }".unicodeScalars.map { UInt8($0.value) }
    var editor = try PropertyListTextEditor(bytes, options: .domainFile)
    #expect(throws: PropertyListError.self) { _ = try editor.removeEqualKeys() }
    #expect(editor.bytes == bytes)
  }

  @Test("a random text keeps its value and loses its equal keys, and is never changed twice")
  func randomTexts() throws {
    var texts = RandomTexts(seed: 11, isLoose: true)
    var removedCount = 0
    for _ in 0..<1000 {
      // The names end in the number of the entry.
      let text = texts.text().replacing(/(k|Font|Wide key|a\.b|é)[1-9]/) { "\($0.output.1)0" }
      var editor = try PropertyListTextEditor(text, options: .domainFile)
      let count = try editor.removeEqualKeys()
      removedCount += count
      if count == 0 { #expect(editor.text == text) }
      let (value, warnings) = try PropertyList.parsingWithWarnings(editor.text, options: .domainFile)
      #expect(try value == PropertyList(parsing: text, options: .domainFile), "\(text)\n→\n\(editor.text)")
      #expect(!warnings.contains { $0.kind == .equalKeys }, "\(text)\n→\n\(editor.text)")
      let new = editor.text
      #expect(try editor.removeEqualKeys() == 0)
      #expect(editor.text == new)
    }
    #expect(removedCount > 200)
  }
}
