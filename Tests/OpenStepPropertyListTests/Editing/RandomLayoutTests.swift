import TestSupport
import Testing

@testable import OpenStepPropertyList

/// Changes of dictionaries and arrays whose items stand among blanks, line ends and comments in every way.
@Suite(.enabled(if: Thoroughness.runsHere, Comment(rawValue: Thoroughness.elsewhere)))
struct RandomLayoutTests {
  /// What may stand between two tokens; often nothing.
  private static let gaps = [
    "", "", "", " ", "\n", "\n  ", " \n  ", "\t\r\n", " /*c*/ ", "/*c*/\n", " // c\n", "\n\n ", "\n/*c*/\n",
    "\n // d\n\n  ", "/**//**/",
  ]
  private static let oldValues = ["1", "(1, 2)", "\"two words\"", "{x = y; }"]
  private static let newValues: [PropertyList] = ["n", ["q", "r"], ["k": "v"]]

  private enum Kind: CaseIterable {
    case root, rootWithoutBraces, dictionary, array
  }

  /// A text, and a change of it.
  private struct Example {
    var text = ""
    var changes: [PropertyListKey: PropertyList?] = [:]

    init(_ generator: inout SeededGenerator) throws {
      func gap() -> String { gaps.randomElement(using: &generator) ?? "" }
      func isChosen(oneIn count: Int) -> Bool { Int.random(in: 0..<count, using: &generator) == 0 }
      func newValue() -> PropertyList { newValues.randomElement(using: &generator) ?? "" }
      let kind = Kind.allCases.randomElement(using: &generator) ?? .root
      let count = Int.random(in: 0...4, using: &generator)
      let keys = ["b", "d", "f", "h"].shuffled(using: &generator)
      var (old, elements): ([PropertyListKey: PropertyList], [PropertyList]) = ([:], [])
      var items = gap()
      for index in 0..<count {
        let value = oldValues.randomElement(using: &generator) ?? ""
        let isOpen = index + 1 == count && isChosen(oneIn: 2)
        if kind == .array {
          elements.append(try PropertyList(parsing: value))
          items += value + gap() + (isOpen ? "" : ",") + gap()
        } else {
          old[PropertyListKey(keys[index])] = try PropertyList(parsing: value)
          items += keys[index] + gap() + "=" + gap() + value + gap() + (isOpen ? "" : ";") + gap()
        }
      }
      // Some items go, some change, and some are new.
      var new = old.filter { _ in !isChosen(oneIn: 3) }
      for key in new.keys.sorted() where isChosen(oneIn: 4) { new[key] = newValue() }
      for key in ["a", "c", "e", "g", "i"] as [PropertyListKey] where isChosen(oneIn: 4) {
        new[key] = newValue()
      }
      elements.removeAll { _ in isChosen(oneIn: 3) }
      for index in elements.indices where isChosen(oneIn: 4) { elements[index] = newValue() }
      for _ in 0..<Int.random(in: 0...2, using: &generator) {
        elements.insert("new", at: Int.random(in: 0...elements.count, using: &generator))
      }
      switch kind {
      case .root, .rootWithoutBraces:
        text = gap() + (kind == .root ? "{\(items)}" : items) + gap()
        for key in Set(old.keys).union(new.keys) { changes[key] = .some(new[key]) }
      case .dictionary, .array:
        let container = kind == .array ? "(\(items))" : "{\(items)}"
        text = "{\(gap())W = \(container)\(gap())\(isChosen(oneIn: 2) ? "" : ";")\(gap())}\(gap())"
        changes["W"] = kind == .array ? .array(elements) : .dictionary(new)
      }
    }
  }

  @Test("any text of a dictionary can be edited, and holds what was meant", .timeLimit(.minutes(20)))
  func random() throws {
    let options = PropertyList.ParsingOptions.domainFile
    var count = 0
    for seed in 0..<UInt64(20_000) {
      var generator = SeededGenerator(seed: seed)
      let example = try Example(&generator)
      let bytes = Array(example.text.utf8)
      // An entry without braces may be a scalar, and white space alone is no domain.
      guard case .dictionary(var values)? = try? PropertyList(parsing: bytes, options: options) else {
        continue
      }
      count += 1
      for (key, value) in example.changes { values[key] = value }
      for checked in [DictionaryText(checking: bytes, options: options), nil] {
        let edited = try EditedDictionary(
          changing: bytes, checked: checked, by: example.changes, options: options, style: .openStep)
        let found = try edited.map { try PropertyList(parsing: $0.bytes, options: options) }
        #expect(found == .dictionary(values), "seed \(seed): \(example.text.debugDescription)")
      }
    }
    #expect(count > 15_000)
  }
}
