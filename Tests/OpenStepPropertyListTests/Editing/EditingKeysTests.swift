import OpenStepPropertyList
import TestSupport
import Testing

/// How an edit finds entries by their keys, however these are spelled.
struct EditingKeysTests {
  /// Texts with one entry each, and the entry's key.
  static let spellings: [(text: String, key: PropertyListKey)] = [
    ("{ plain = 1; }", "plain"),
    ("{ \"quoted\" = 1; }", "quoted"),
    ("{ 'single' = 1; }", "single"),
    ("{ \"a\\\"b\" = 1; }", "a\"b"),
    ("{ 'a\"b' = 1; }", "a\"b"),
    ("{ \"a\\\\b\" = 1; }", "a\\b"),
    ("{ \"\\U00e9t\\U00e9\" = 1; }", "été"),
    ("{ \"été\" = 1; }", "été"),
    ("{ \"\\141bc\" = 1; }", "abc"),
    ("{ \"ab\\143\" = 1; }", "abc"),
    ("{ \"\" = 1; }", ""),
    ("{ = 1; }", ""),
    ("{ \"=\" = 1; }", "="),
    ("{ \";\" = 1; }", ";"),
    ("{ a/b = 1; }", "a/b"),
    ("{ key /* of a value */ = 1; }", "key"),
  ]

  @Test("an entry is found by its key, and by no other key", arguments: spellings)
  func found(text: String, key: PropertyListKey) throws {
    let old = try PropertyList(parsing: text)
    try #require(old == .dictionary([key: "1"]))
    var editor = try PropertyListTextEditor(text)
    try editor.set("2", at: [.key(key)])
    #expect(editor.text == text.replacingFirst("1;", with: "2;"))
    #expect(try editor.value(at: [.key(key)]) == "2")
    for other in EditingKeysTests.spellings where other.key != key {
      #expect(try editor.value(at: [.key(other.key)]) == nil, "\(other.key.text) is not \(key.text)")
      #expect(try !editor.remove(at: [.key(other.key)]))
    }
    #expect(try editor.value(at: [.key(PropertyListKey(key.text + "x"))]) == nil)
    #expect(try editor.value(at: [.key(PropertyListKey(String(key.text.dropLast()) + "~"))]) == nil)
    #expect(try editor.remove(at: [.key(key)]))
    #expect(try editor.value == [:])
  }

  @Test("the same keys are found by a save of a domain's text")
  func saved() throws {
    for (text, key) in EditingKeysTests.spellings {
      let bytes = Array(text.utf8)
      guard let checked = DictionaryText(checking: bytes, options: .domainFile) else { continue }
      for other in EditingKeysTests.spellings.map(\.key) {
        let edited = try EditedDictionary(
          changing: bytes, checked: checked, by: [other: "2"], options: .domainFile, style: .openStep)
        let values = try PropertyList(parsing: try #require(edited).bytes, options: .domainFile)
        let expected: PropertyList =
          other == key ? .dictionary([key: "2"]) : .dictionary([key: "1", other: "2"])
        #expect(values == expected, "\(text), \(other.text)")
      }
    }
  }

  @Test("a change in one container leaves what is before and behind it, however deep it is")
  func nested() throws {
    let text = "{ a = { x = 1; }; b = ( { x = 1; }, { x = 1; } ); \"\\142\" = { x = ( 1, { x = 1; } ); }; }"
    var editor = try PropertyListTextEditor(text)
    // Of two entries with one key the last counts.
    try editor.set("2", at: ["b", "x", 1, "x"])
    #expect(editor.text == text.replacingLast("x = 1", with: "x = 2"))
    try editor.set("0", at: ["a", "x"])
    #expect(editor.text == text.replacingLast("x = 1", with: "x = 2").replacingFirst("1", with: "0"))
  }

  @Test("an eight-bit text that would be UTF-8 without what is removed is left as it is")
  func eightBit() throws {
    // 0xC3 0xA9 is U+00E9 in UTF-8; 0xFF is what makes the text an eight-bit one.
    let bytes =
      Array("{ a = \"".utf8) + [0xC3, 0xA9] + Array("\"; b = \"".utf8) + [0xFF] + Array("\"; }".utf8)
    var editor = try PropertyListTextEditor(bytes)
    #expect(throws: PropertyListError.self) { try editor.remove(at: ["b"]) }
    #expect(editor.bytes == bytes)
    try editor.remove(at: ["a"])
    #expect(editor.bytes == Array("{ b = \"".utf8) + [0xFF] + Array("\"; }".utf8))
  }

  @Test("the last lines of a text without a line end go with the blank line between them")
  func lastLines() throws {
    let bytes = Array("a = 1;\nb = 2;\n \t\nc = 3;".utf8)
    let edited = try EditedDictionary(
      changing: bytes, checked: nil, by: ["b": nil, "c": nil], options: .domainFile, style: .openStep)
    #expect(edited?.bytes == Array("a = 1;".utf8))
  }

  @Test(
    "an entry that is added on a line of its own before a bracket leaves no line when it goes",
    arguments: [
      "{ a = 1;\n  b = (1,\n    2); }", "{\n  a = 1;\n  b = 2; }", "{ a = 1;\n  b = 2; /* two */ }",
    ])
  func lineBeforeBracket(text: String) throws {
    var editor = try PropertyListTextEditor(text)
    try editor.set("x", at: ["c"])
    #expect(editor.text.contains("\n  c = x;"))
    try editor.remove(at: ["c"])
    #expect(editor.text == text)
  }

  @Test("a bracket does not get into a comment, and lines that go together are removed together")
  func bracketBehindComment() throws {
    var editor = try PropertyListTextEditor("{ a = 1; // one\n  b = 2; }")
    try editor.remove(at: ["b"])
    #expect(editor.text == "{ a = 1; // one\n  }")
    let bytes = Array("{\n  a = 1;\n  b = 2;\n  c = 3; }".utf8)
    let edited = try EditedDictionary(
      changing: bytes, checked: DictionaryText(checking: bytes, options: .domainFile),
      by: ["b": nil, "c": nil], options: .domainFile, style: .openStep)
    #expect(try PropertyList(parsing: try #require(edited).bytes) == ["a": "1"])
  }

  @Test("one key of an object among many is set in linear time, and among many more levels of siblings too")
  func manyObjects() throws {
    let growth = try growth(from: 2000, to: 20_000, bound: 40) { count in
      let objects = (0..<count).map { "  o\($0) /* of \($0) */ = { isa = Thing; name = \"n \($0)\"; };\n" }
      let text = "{\n objects = {\n\(objects.joined()) };\n}\n"
      var editor = try PropertyListTextEditor(text)
      let start = threadTime()
      try editor.set("new", at: ["objects", .key(PropertyListKey("o\(count / 2)")), "name"])
      try editor.set("new", at: ["objects", "added"])
      try editor.remove(at: ["objects", "o1"])
      try editor.rename(["objects", "o2"], to: "renamed")
      return threadTime() - start
    }
    #expect(growth < 40)
  }
}

extension String {
  fileprivate func replacingFirst(_ old: String, with new: String) -> String {
    guard let range = firstRange(of: old) else { return self }
    return replacingCharacters(range, with: new)
  }

  fileprivate func replacingLast(_ old: String, with new: String) -> String {
    guard let range = ranges(of: old).last else { return self }
    return replacingCharacters(range, with: new)
  }

  private func replacingCharacters(_ range: Range<Index>, with new: String) -> String {
    String(self[..<range.lowerBound]) + new + String(self[range.upperBound...])
  }
}
