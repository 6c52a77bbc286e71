import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

/// What holds for every text and every change, on random texts.
@Suite(.enabled(if: Thoroughness.runsHere, Comment(rawValue: Thoroughness.elsewhere)))
struct EditingPropertiesTests {
  private static let count = Int(ProcessInfo.processInfo.environment["EDITED_TEXTS"] ?? "") ?? 1000

  private func dictionary(_ text: String) throws -> [PropertyListKey: PropertyList] {
    guard case .dictionary(let values) = try PropertyList(parsing: text, options: .domainFile) else {
      return [:]
    }
    return values
  }

  private func lines(_ text: String) -> [Substring] {
    text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r" || $0 == "\r\n" }
  }

  /// The markers of the comments, each of which is in a text once.
  private func comments(in text: String) -> Set<Substring> {
    Set(text.matches(of: /\/[\/*] (c[0-9]+)/).map(\.output.1))
  }

  @Test("a new scalar changes one line, and setting it back gives the first bytes")
  func setAndBack() throws {
    var texts = RandomTexts(seed: 1, isLoose: true)
    for _ in 0..<Self.count {
      let text = texts.text()
      let values = try dictionary(text)
      for (key, value) in values.sorted(by: { $0.key < $1.key }) {
        guard case .string = value else { continue }
        var editor = try PropertyListTextEditor(text, options: .domainFile)
        let new = texts.element(of: ["13", "Ohlfs"])
        try editor.set(.string(new), at: [.key(key)])
        var expected = values
        expected[key] = .string(new)
        #expect(try dictionary(editor.text) == expected, "\(text)")
        let (before, after) = (lines(text), lines(editor.text))
        #expect(before.count == after.count, "\(text)\n→\n\(editor.text)")
        #expect(zip(before, after).count { $0 != $1 } == (value == .string(new) ? 0 : 1), "\(text)")
        #expect(comments(in: editor.text) == comments(in: text))
        try editor.set(value, at: [.key(key)])
        // A single string may have had needless quotes; those of a string that needed them are not kept.
        if text.contains("\"") { continue }
        #expect(editor.text == text)
      }
    }
  }

  @Test("a value of any kind parses to what was meant, and no comment outside it is lost")
  func setAnything() throws {
    var texts = RandomTexts(seed: 2, isLoose: true)
    var values = RandomValues(seed: 2)
    for _ in 0..<Self.count {
      let text = texts.text()
      var expected = try dictionary(text)
      let keys = expected.keys.sorted()
      guard case .dictionary(let new) = values.dictionary() else { continue }
      var editor = try PropertyListTextEditor(text, options: .domainFile)
      for (key, value) in new {
        let key = texts.chance(50) ? key : keys.first ?? key
        let hasContainer = expected[key]?.isContainer ?? false
        let before = comments(in: editor.text)
        try editor.set(value, at: [.key(key)])
        expected[key] = value
        #expect(try dictionary(editor.text) == expected, "\(text)")
        if !hasContainer { #expect(comments(in: editor.text) == before, "\(text)\n→\n\(editor.text)") }
      }
    }
  }

  @Test("a new entry loses no comment, and removing it again gives the first bytes")
  func addAndRemove() throws {
    var texts = RandomTexts(seed: 3, isLoose: false)
    for _ in 0..<Self.count {
      let text = texts.text()
      var editor = try PropertyListTextEditor(text, options: .domainFile)
      let key = PropertyListKey(texts.element(of: ["A", "Font00", "k00", "zz", "two words"]))
      try editor.set("new", at: [.key(key)])
      #expect(comments(in: editor.text) == comments(in: text), "\(text)\n→\n\(editor.text)")
      try editor.remove(at: [.key(key)])
      #expect(editor.text == text)
    }
  }

  @Test("removing an entry leaves the others and the comments of others as they are")
  func remove() throws {
    var texts = RandomTexts(seed: 4, isLoose: true)
    for _ in 0..<Self.count {
      let text = texts.text()
      let values = try dictionary(text)
      for key in values.keys.sorted() {
        var editor = try PropertyListTextEditor(text, options: .domainFile)
        try editor.remove(at: [.key(key)])
        var expected = values
        expected[key] = nil
        #expect(try dictionary(editor.text) == expected, "\(text)\n→\n\(editor.text)")
      }
    }
  }

  @Test("several changes at once give the same values as one by one, in a text that is read again")
  func severalAtOnce() throws {
    var texts = RandomTexts(seed: 5, isLoose: true)
    var values = RandomValues(seed: 5)
    for _ in 0..<Self.count {
      let text = texts.text()
      var expected = try dictionary(text)
      var changes: [PropertyListKey: PropertyList?] = [:]
      for key in expected.keys.sorted() where texts.chance(40) { changes[key] = .some(nil) }
      if case .dictionary(let new) = values.dictionary() {
        for (key, value) in new {
          changes[texts.chance(30) ? expected.keys.sorted().first ?? key : key] = value
        }
      }
      let bytes = Array(text.utf8)
      let checked = DictionaryText(checking: bytes, options: .domainFile)
      let edited = try EditedDictionary(
        changing: bytes, checked: checked, by: changes, options: .domainFile, style: .openStep)
      for (key, value) in changes { expected[key] = value }
      let new = try #require(edited, "\(text)\n\(changes)").bytes
      let found = try PropertyList(parsing: new, options: .domainFile)
      #expect(found == .dictionary(expected), "\(text)\n→\n\(String(decoding: new, as: UTF8.self))")
    }
  }

  @Test("a text of this package's own stays as this package writes it")
  func canonical() throws {
    var values = RandomValues(seed: 6)
    var texts = RandomTexts(seed: 6, isLoose: false)
    for _ in 0..<Self.count {
      guard case .dictionary(var expected) = values.dictionary(), !expected.isEmpty else { continue }
      var bytes = try PropertyList.dictionary(expected).bytes()
      for _ in 0..<3 {
        var changes: [PropertyListKey: PropertyList?] = [:]
        for key in expected.keys.sorted() where texts.chance(20) { changes[key] = .some(nil) }
        if case .dictionary(let new) = values.dictionary() {
          for (key, value) in new {
            changes[texts.chance(50) ? expected.keys.sorted().first ?? key : key] = value
          }
        }
        for (key, value) in changes { expected[key] = value }
        let text = try #require(DictionaryText(checking: bytes, options: .domainFile))
        if expected.isEmpty {
          #expect(try text.applying(changes) == nil)
          break
        }
        let written = try PropertyList.dictionary(expected).bytes()
        let changed = try text.applying(changes)
        #expect(changed?.bytes == written)
        bytes = written
      }
    }
  }

  @Test("elements that are replaced at once are what one change after the other makes of them")
  func elementsAtOnce() throws {
    var texts = RandomTexts(seed: 9, isLoose: true)
    for _ in 0..<Self.count {
      let text = texts.arrayText()
      guard case .array(let old) = try PropertyList(parsing: text, options: .domainFile),
        case .array(let others) = try PropertyList(parsing: texts.arrayText(), options: .domainFile)
      else { continue }
      let start = texts.number(0..<old.count + 1)
      let range = start..<texts.number(start..<old.count + 1)
      let new = texts.chance(50) ? others : Array(others.prefix(2))
      let common = min(range.count, new.count)
      var (editor, expected) = (
        try PropertyListTextEditor(text, options: .domainFile),
        try PropertyListTextEditor(text, options: .domainFile)
      )
      for index in 0..<common { try expected.set(new[index], at: [.index(start + index)]) }
      for index in (start + common..<range.upperBound).reversed() { try expected.remove(at: [.index(index)]) }
      for index in common..<new.count { try expected.insert(new[index], at: [.index(start + index)]) }
      try editor.replaceElements(range, with: new)
      #expect(editor.text == expected.text, "\(text)\n\(range) → \(new)")
    }
  }
}

extension PropertyList {
  fileprivate var isContainer: Bool {
    switch self {
    case .array, .dictionary: true
    default: false
    }
  }
}
