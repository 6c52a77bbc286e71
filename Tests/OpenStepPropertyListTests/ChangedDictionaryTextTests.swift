import TestSupport
import Testing

@testable import OpenStepPropertyList

/// A text that is validated only where it changed, beside the same text validated as a whole.
struct ChangedDictionaryTextTests {
  private let options = PropertyList.ParsingOptions.domainFile

  /// - Returns: Whether the text was decided without validating all of it.
  private func check(_ old: DictionaryText, _ splices: [TextSplice]) -> Bool {
    var splices = splices
    splices.sortByPlace()
    guard splices.areApart else { return false }
    let new = splices.applied(to: old.bytes)
    let whole = DictionaryText(checking: new, options: options)
    let part = ChangedDictionaryText(checking: new, changedFrom: old, by: splices, options: options)
    let place: Comment =
      "\(String(decoding: old.bytes, as: UTF8.self))\n→\n\(String(decoding: new, as: UTF8.self))"
    #expect(part?.text.starts == whole?.starts, place)
    let local =
      TextDecoding.isPlainUTF8(new)
      ? DictionaryTextChecker.entries(of: new, changing: old, by: splices, bounds: options.bounds) : nil
    if let local { #expect(local.entries.starts == whole?.starts, place) }
    guard let part, let whole else { return local != nil }
    #expect(part.text.objectCount == whole.objectCount, place)
    // Outside the replaced entries both texts have the same ones.
    #expect(part.newEntries.lowerBound == part.oldEntries.lowerBound, place)
    #expect(
      old.starts.count - part.oldEntries.upperBound == whole.starts.count - part.newEntries.upperBound, place)
    func isSame(_ index: Int, as oldIndex: Int) -> Bool {
      whole.entry(at: whole.starts[index]) == old.entry(at: old.starts[oldIndex])
    }
    #expect((0..<part.oldEntries.lowerBound).allSatisfy { isSame($0, as: $0) }, place)
    let growth = whole.starts.count - old.starts.count
    #expect((part.oldEntries.upperBound..<old.starts.count).allSatisfy { isSame($0 + growth, as: $0) }, place)
    return local != nil
  }

  @Test("the same texts are accepted, with the same entries, whatever is put where")
  func hostileChanges() throws {
    var texts = RandomTexts(seed: 7, isLoose: true)
    let pieces = [
      "}", "{", ";", "=", "(", ")", ",", "\"", "'", "\\", "/", "*", "//", "/*", "*/", "\n", " ", "x",
      "a = 1;",
      " b = {c = (1, 2);}; ", "<", ">", "<0f>", "// c\n", "/* c */", "\u{2028}", "é", "\0", "k0 = 2",
    ]
    var (tried, localCount) = (0, 0)
    while tried < 3000 {
      guard let old = DictionaryText(checking: Array(texts.text().utf8), options: options) else { continue }
      tried += 1
      let count = texts.number(0..<4)
      let isLocal = check(
        old,
        (0..<count).map { _ in
          // At the boundaries of entries as often as within them.
          let start =
            texts.chance(50) && !old.starts.isEmpty
            ? Int(texts.element(of: old.starts)) : texts.number(0..<old.bytes.count + 1)
          let end = min(start + (texts.chance(50) ? 0 : texts.number(0..<6)), old.bytes.count)
          let piece = texts.chance(20) ? "" : texts.element(of: pieces)
          return TextSplice(range: start..<end, replacement: Array(piece.utf8))
        })
      if isLocal { localCount += 1 }
    }
    // The rest are the unchanged, the damaged and those that change before the first entry.
    #expect(localCount > 300)
  }

  @Test("a text of the largest number of objects may still change, and not grow")
  func objectBound() throws {
    var options = options
    options.bounds.objectCount = 7
    let old = try #require(DictionaryText(checking: Array("{a = 1; b = 2; c = 3; }".utf8), options: options))
    func change(_ range: Range<Int>, _ text: String) -> DictionaryText? {
      let splice = TextSplice(range: range, replacement: Array(text.utf8))
      return ChangedDictionaryText(
        checking: [splice].applied(to: old.bytes), changedFrom: old, by: [splice], options: options)?.text
    }
    #expect(change(12..<13, "5")?.starts.count == 3)
    #expect(change(8..<8, "d = 4; ") == nil)
    #expect(change(12..<13, "(5)") == nil)
    #expect(change(8..<15, "") != nil)
  }

  @Test("a key is found in every spelling, with an escape at every place, among keys that begin like it")
  func spellings() throws {
    for count in 1...18 {
      let key = String("Window frame width".prefix(count))
      let others = [
        key + "x", String(key.dropLast()) + "!", "\\" + key, key + "\\", String(key.dropFirst()) + "y",
      ]
      var spellings = ["\"\(key)\"", "'\(key)'"]
      for place in key.indices {
        let scalar = try #require(key[place].unicodeScalars.first)
        let digits = String(scalar.value, radix: 16)
        let escape = "\\U" + String(repeating: "0", count: 4 - digits.count) + digits
        spellings.append("\"\(key[..<place])\(escape)\(key[key.index(after: place)...])\"")
      }
      if !key.contains(" ") { spellings.append(key) }
      for spelling in spellings {
        let entries = others.map { "\"\($0.replacing("\\", with: "\\\\"))\" = 0;" }
        let text = "{\n" + (entries + ["\(spelling) = 0;"] + entries).joined(separator: "\n") + "\n}\n"
        let checked = try #require(DictionaryText(checking: Array(text.utf8), options: options))
        let edited = try EditedDictionary(
          changing: checked.bytes, checked: checked, by: [PropertyListKey(key): "7"], options: options,
          style: .openStep)
        let expected = text.replacing("\(spelling) = 0;", with: "\(spelling) = 7;")
        #expect(edited.map { String(decoding: $0.bytes, as: UTF8.self) } == expected)
      }
    }
  }
}
