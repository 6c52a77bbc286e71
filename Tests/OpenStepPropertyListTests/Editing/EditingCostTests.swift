import OpenStepPropertyList
import TestSupport
import Testing

/// What an edit costs in stack and time, on texts that are made to cost much.
struct EditingCostTests {
  @Test(
    "a value of 900 levels is changed at its innermost one on a small stack, and its comments stay as far as levels are compared",
    arguments: [true, false])
  func deep(inDictionaries: Bool) async throws {
    let depth = 900
    let (front, back) = inDictionaries ? ("{k=", ";}") : ("(", ")")
    let text =
      "{ K = /* c */ \(String(repeating: front, count: depth))x\(String(repeating: back, count: depth)); }"
    let edited = await onThread(stack: 512 << 10) { () -> String? in
      let value = nested(depth, inDictionaries: inDictionaries)
      guard var editor = try? PropertyListTextEditor(text) else { return nil }
      guard (try? editor.set(value, at: ["K"])) != nil, editor.text == text else { return nil }
      var new: PropertyList = "y"
      for _ in 0..<depth { new = inDictionaries ? ["k": new] : [new] }
      guard (try? editor.set(new, at: ["K"])) != nil else { return nil }
      return editor.text
    }
    let after = try #require(edited)
    #expect(after.hasPrefix("{ K = /* c */ \(front)\(front)"))
    var expected: PropertyList = "y"
    for _ in 0..<depth { expected = inDictionaries ? ["k": expected] : [expected] }
    #expect(try PropertyList(parsing: after) == ["K": expected])
  }

  /// The processor time for changing a dictionary's text as a save does.
  private func time(
    of text: String, _ changes: [PropertyListKey: PropertyList?]
  ) throws -> Duration {
    let bytes = Array(text.utf8)
    let checked = try #require(DictionaryText(checking: bytes, options: .domainFile))
    let start = threadTime()
    let edited = try EditedDictionary(
      changing: bytes, checked: checked, by: changes, options: .domainFile, style: .openStep)
    let time = threadTime() - start
    #expect(edited != nil)
    return time
  }

  private func keys(_ count: Int) -> [PropertyListKey] { (0..<count).map { PropertyListKey("key\($0)") } }

  @Test("many containers on one long line are replaced, and many are added to it, in linear time")
  func longLine() throws {
    let growth = try growth(from: 200, to: 4000, bound: 150) { count in
      let keys = keys(count)
      let text = "{\n" + keys.map { "\($0.text) = word; " }.joined() + "\n}\n"
      let changes = keys.map { ($0, PropertyList?.some(["a", ["b"]])) }
      let added = self.keys(2 * count).dropFirst(count).map { ($0, PropertyList?.some("new")) }
      return try time(of: text, Dictionary(uniqueKeysWithValues: changes + added))
    }
    #expect(growth < 150)
  }

  @Test("many blocks of lines are removed behind a long comment in linear time")
  func longComment() throws {
    let growth = try growth(from: 200, to: 4000, bound: 150) { count in
      let keys = keys(count)
      let lines = keys.map { "  \($0.text) = 1;\n\n" }.joined()
      let text = "{ /* \(String(repeating: "long ", count: 20 * count)) */\n\(lines)}\n"
      let removed = keys.enumerated().filter { $0.offset % 2 == 0 }.map { ($0.element, PropertyList?.none) }
      return try time(of: text, Dictionary(uniqueKeysWithValues: removed))
    }
    #expect(growth < 150)
  }

  @Test(
    "many elements of the outermost array are replaced, removed and inserted in linear time",
    arguments: [
      (before: "(\n", around: "  ", between: ",\n", after: "\n)\n"),
      (before: "(\n", around: "  // c\n  ", between: ",\n", after: "\n)\n"),
      (before: "( ", around: "", between: ", ", after: " )\n"),
      (before: "(\n  ", around: "", between: ", ", after: "\n)\n"),
    ])
  func manyElements(layout: (before: String, around: String, between: String, after: String)) throws {
    func elements(_ mark: String, _ count: Int) -> [PropertyList] {
      (0..<count).map { .string("\(mark)\($0)") }
    }
    func text(_ count: Int) -> String {
      layout.before + (0..<count).map { "\(layout.around)a\($0)" }.joined(separator: layout.between)
        + layout.after
    }
    func growth(_ old: (Int) -> Int, _ new: (Int) -> Int) throws -> Double {
      try TestSupport.growth(from: 200, to: 4000, bound: 150) { count in
        var editor = try PropertyListTextEditor(text(old(count)))
        let expected = elements("b", new(count))
        let start = threadTime()
        try editor.replaceElements(0..<old(count), with: expected)
        let time = threadTime() - start
        #expect(try editor.value == .array(expected))
        return time
      }
    }
    #expect(try growth({ $0 }, { $0 }) < 150)
    #expect(try growth({ $0 }, { _ in 2 }) < 150)
    #expect(try growth({ _ in 2 }, { $0 }) < 150)
  }

  @Test(
    "the comments of many entries, each in a dictionary of its own, are taken over in linear time",
    arguments: [true, false])
  func manyComments(nested: Bool) throws {
    func text(_ count: Int, with entry: String) -> String {
      // As many levels at most as can be read.
      let depth = nested ? count / 10 : 1
      let chain =
        String(repeating: "{\n\(entry)  n = ", count: depth) + "{\n\(entry)}"
        + String(repeating: ";\n}", count: depth)
      return "{\n" + (0..<count / depth).map { "  k\($0) = \(chain);\n" }.joined() + "}\n"
    }
    let growth = try growth(from: 200, to: 4000, bound: 150) { count in
      let plain = text(count, with: "  a = 1;\n")
      let commented = text(count, with: "  // above\n  a = 1; // behind\n")
      let value = try PropertyList(parsing: plain)
      let old = try PropertyList(parsing: text(count, with: ""))
      let start = threadTime()
      let entries = EntryTree(addedFrom: old, to: value, missingIn: nil)
      var editor = try PropertyListTextEditor(plain)
      try editor.add(PropertyListTextEditor(commented).comments(of: entries), to: entries)
      let time = threadTime() - start
      #expect(editor.text == commented)
      return time
    }
    #expect(growth < 150)
  }
}
