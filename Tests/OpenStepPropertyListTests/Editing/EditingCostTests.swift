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
    let growth = try growth(from: 300, to: 3000, bound: 40) { count in
      let keys = keys(count)
      let text = "{\n" + keys.map { "\($0.text) = word; " }.joined() + "\n}\n"
      let changes = keys.map { ($0, PropertyList?.some(["a", ["b"]])) }
      let added = self.keys(2 * count).dropFirst(count).map { ($0, PropertyList?.some("new")) }
      return try time(of: text, Dictionary(uniqueKeysWithValues: changes + added))
    }
    #expect(growth < 40)
  }

  @Test("many blocks of lines are removed behind a long comment in linear time")
  func longComment() throws {
    let growth = try growth(from: 300, to: 3000, bound: 40) { count in
      let keys = keys(count)
      let lines = keys.map { "  \($0.text) = 1;\n\n" }.joined()
      let text = "{ /* \(String(repeating: "long ", count: 20 * count)) */\n\(lines)}\n"
      let removed = keys.enumerated().filter { $0.offset % 2 == 0 }.map { ($0.element, PropertyList?.none) }
      return try time(of: text, Dictionary(uniqueKeysWithValues: removed))
    }
    #expect(growth < 40)
  }
}
