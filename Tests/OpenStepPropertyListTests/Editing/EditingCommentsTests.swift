import OpenStepPropertyList
import TestSupport
import Testing

/// Comments in places where an edit could lose them, take them for a part of a value, or give them to others.
struct EditingCommentsTests {
  /// Changes keys as a save of a domain does.
  private func saved(
    _ text: String, _ changes: [PropertyListKey: PropertyList?]
  ) throws -> String? {
    let bytes = Array(text.utf8)
    let checked = DictionaryText(checking: bytes, options: .domainFile)
    if let whole = try checked?.applying(changes) { return String(decoding: whole.bytes, as: UTF8.self) }
    let edited = try EditedDictionary(
      changing: bytes, checked: checked, by: changes, options: .domainFile, style: .openStep)
    return edited.map { String(decoding: $0.bytes, as: UTF8.self) }
  }

  @Test("a setting that is commented out is no entry of this package's layout")
  func commentedOut() throws {
    let text = "{\n    A = 1;\n    // Old = 2;\n    B = 3;\n}\n"
    #expect(try saved(text, ["A": nil]) == "{\n    // Old = 2;\n    B = 3;\n}\n")
    #expect(try saved(text, ["AA": "5"]) == "{\n    A = 1;\n    AA = 5;\n    // Old = 2;\n    B = 3;\n}\n")
    #expect(try saved(text, ["B": nil]) == "{\n    A = 1;\n}\n")
    let last = "{\n    A = 1;\n    B = 3;\n    // Old = 2;\n}\n"
    #expect(try saved(last, ["B": nil]) == "{\n    A = 1;\n    // Old = 2;\n}\n")
    #expect(try saved(last, ["C": "1"]) == "{\n    A = 1;\n    B = 3;\n    C = 1;\n    // Old = 2;\n}\n")
    let behind = "{\n    A = 1; // one;\n    B = \"http://b\";\n}\n"
    #expect(try saved(behind, ["A": nil]) == "{\n    B = \"http://b\";\n}\n")
    #expect(try saved(behind, ["B": "x"]) == "{\n    A = 1; // one;\n    B = x;\n}\n")
  }

  @Test("a text is not edited into what would be recognised as a binary property list")
  func formats() throws {
    #expect(try saved("c = 1;\n", ["bplist00": "2"]) == nil)
    #expect(try saved("a = 1;\nbplist00 = 2;\n", ["a": nil]) == nil)
    var editor = try PropertyListTextEditor("c = 1;\n")
    #expect(throws: PropertyListError.self) { try editor.set("2", at: ["bplist00"]) }
    #expect(editor.text == "c = 1;\n")
  }

  @Test("several entries that share lines are removed at once, and what belongs to none of them stays")
  func sharedLines() throws {
    #expect(
      try saved("{\n  x = 0; a = 1;\n\n  /* free */\n\n  b = 2; c = 3;\n}", ["a": nil, "b": nil])
        == "{\n  x = 0;\n\n  /* free */\n\n  c = 3;\n}")
    let removed = try saved("{\n a = 1;\n\n b = 2; c = 3;\n}", ["a": nil, "b": nil, "c": nil])
    #expect(try PropertyList(parsing: try #require(removed)) == [:])
    let emptied = try saved("{x = (\n 1,\n\n 2, 3\n);}", ["x": []])
    #expect(try PropertyList(parsing: try #require(emptied)) == ["x": []])
    let headed = try saved("{\n  /* head */\n  a = 1;\n  b = 2; c = 3;\n}", ["a": nil, "b": nil])
    #expect(headed == "{\n  /* head */\n  c = 3;\n}")
  }

  @Test(
    "an unquoted string keeps apart from a comment that follows directly",
    arguments: [
      ("{a = \"x y\"/* c */;}", "{a = five /* c */;}"), ("{a = (1)/* c */;}", "{a = five /* c */;}"),
      ("{a = <00>/* c */;}", "{a = five /* c */;}"), ("{a = \"x y\"// c\n;}", "{a = five // c\n;}"),
      ("{\n  a = (1, 2)// c\n}", "{\n  a = five // c\n}"),
    ])
  func adjacentComment(before: String, after: String) throws {
    #expect(try saved(before, ["a": "five"]) == after)
  }

  @Test("a comma that goes, a key that is renamed and a missing value leave a comment a comment")
  func seams() throws {
    for text in ["(a,// c\n  b\n)", "(a,/* c */\n b\n)"] {
      var editor = try PropertyListTextEditor(text)
      try editor.remove(at: [1])
      #expect(try editor.value == ["a"], "\(editor.text)")
      #expect(editor.text.contains(" c"))
    }
    var editor = try PropertyListTextEditor("{\"a b\"/* c */ = 1;}")
    try editor.rename(["a b"], to: "ab")
    #expect(editor.text == "{ab /* c */ = 1;}")
    #expect(try saved("{a =/* c */}", ["a": "five"]).map { try PropertyList(parsing: $0) } == ["a": "five"])
  }

  @Test(
    "what is added behind a comment of one line leaves the comment when it goes",
    arguments: ["{ a = 1; /* about a */ }", "{ a = 1 /* about a */; }"])
  func addedOnOneLine(text: String) throws {
    var editor = try PropertyListTextEditor(text)
    try editor.set("2", at: ["b"])
    try editor.remove(at: ["b"])
    #expect(editor.text == text)
    var array = try PropertyListTextEditor("(a, b /* c */)")
    try array.insert("d", at: [2])
    try array.remove(at: [2])
    #expect(array.text == "(a, b /* c */)")
  }

  @Test("a comment of the last entry of a line does not become that of another that takes its place")
  func replacedOnOneLine() throws {
    #expect(
      try saved("{W = {x = 10; /* left */ y = 20;};}", ["W": ["x": "10", "z": "1"]])
        == "{W = {x = 10; z = 1;};}")
  }

  @Test(
    "nothing gets into a comment that U+2028 ends",
    arguments: ["{ a = 1; // c\u{2028}}", "{ a = 1 // c\u{2028}}", "{ // c\u{2028}}"])
  func separator(text: String) throws {
    var expected = try PropertyList(parsing: text)
    guard case .dictionary(var values) = expected else { return }
    values["b"] = "2"
    expected = .dictionary(values)
    let added = try #require(try saved(text, ["b": "2"]))
    #expect(try PropertyList(parsing: added) == expected, "\(added)")
    #expect(added.contains("// c\u{2028}"))
  }

  @Test("a missing key is written out where a text without braces then begins with it")
  func missingKey() throws {
    var editor = try PropertyListTextEditor("a=1;\n =b;\nc=d;")
    try editor.remove(at: ["a"])
    #expect(try editor.value == ["": "b", "c": "d"])
  }

  @Test("many empty containers on one long line are filled in linear time", arguments: ["()", "{}"])
  func emptyContainers(empty: String) throws {
    let growth = try growth(from: 500, to: 5000, bound: 40) { count in
      let keys = (0..<count).map { PropertyListKey("k\($0)") }
      let text = "{" + keys.map { "\($0.text)=\(empty);" }.joined() + "\n}"
      let value: PropertyList = empty == "()" ? ["x"] : ["x": "y"]
      let checked = try #require(DictionaryText(checking: Array(text.utf8), options: .domainFile))
      let start = threadTime()
      let edited = try EditedDictionary(
        changing: checked.bytes, checked: checked,
        by: Dictionary(uniqueKeysWithValues: keys.map { ($0, value) }), options: .domainFile, style: .openStep
      )
      #expect(edited != nil)
      return threadTime() - start
    }
    #expect(growth < 40)
  }

  @Test("a path of more steps than can be read is an error")
  func longPath() throws {
    var editor = try PropertyListTextEditor("{}")
    #expect(throws: PropertyListError.self) {
      try editor.set("x", at: Array(repeating: .key("a"), count: 100_000))
    }
    #expect(editor.text == "{}")
  }

  @Test("comments are taken over from the entry that counts, and only from those that the other list has not")
  func takenOver() throws {
    let commented = """
      w = {
        // earlier
        c = 1; // c
        a = 1;
      };
      /* of x */ x = 1;
      w = {
        a = 1; // later
        // above b
        b = 2; d = 3;
        /* before n */ n = { e = 1; };
      };

      """
    let plain = "w = {\n  a = 1;\n  b = 2;\n  c = 1;\n  d = 3;\n  n = { e = 1; };\n};\nx = 1;\n"
    let value = try PropertyList(parsing: plain)
    let entries = EntryTree(addedFrom: ["w": ["n": [:]]], to: value, missingIn: ["w": ["a": "0"]])
    // The entries b, c, d, e and x.
    #expect(entries.count == 5)
    let comments = try PropertyListTextEditor(commented).comments(of: entries)
    #expect(comments.count { $0 != nil } == 1)
    var editor = try PropertyListTextEditor(plain)
    try editor.add(comments, to: entries)
    #expect(editor.text == plain.replacing("x = 1;", with: "/* of x */ x = 1;"))
    let all = EntryTree(addedFrom: ["w": [:]], to: value, missingIn: nil)
    try editor.add(PropertyListTextEditor(commented).comments(of: all), to: all)
    #expect(
      editor.text
        == plain.replacing("x = 1;", with: "/* of x */ x = 1;")
        .replacing("a = 1;", with: "a = 1; // later").replacing("  n = ", with: "  /* before n */ n = "))
    #expect(EntryTree(addedFrom: value, to: value, missingIn: nil).count == 0)
    #expect(EntryTree(addedFrom: "x", to: value, missingIn: nil).count == 0)
  }
}
