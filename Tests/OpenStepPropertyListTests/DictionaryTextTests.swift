import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

/// A text that is checked as a whole beside the parser, which says what is in it.
@Suite(.enabled(if: Thoroughness.runsHere, Comment(rawValue: Thoroughness.elsewhere)))
struct DictionaryTextTests {
  private static let options = [PropertyList.ParsingOptions(), .domainFile]

  /// Whether a text is accepted, after comparing it with what the parser makes of it.
  private func accepts(_ bytes: [UInt8], _ options: PropertyList.ParsingOptions = .domainFile) -> Bool {
    guard let text = DictionaryText(checking: bytes, options: options) else { return false }
    do throws(PropertyListError) {
      let value = try PropertyList(parsing: bytes, options: options)
      #expect(.dictionary(text.values) == value, "\(String(decoding: bytes, as: UTF8.self))")
    } catch {
      Issue.record("accepted, but \(error): \(String(decoding: bytes, as: UTF8.self))")
    }
    return true
  }

  @Test(
    "what is accepted has the parser's keys and values, in every vector and wherever it is cut or changed")
  func vectors() throws {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("Fixtures/text-plist-vectors.jsonl")
    var random = SeededGenerator(seed: 1)
    var acceptedCount = 0
    for line in try Data(contentsOf: file).split(separator: UInt8(ascii: "\n")) {
      let text = try #require(JSONValue(parsing: line)["input_base64"]?.string)
      let bytes = Array(try #require(Data(base64Encoded: text)))
      for options in DictionaryTextTests.options {
        if accepts(bytes, options) { acceptedCount += 1 }
        // Also as a value among others, and with a closing missing or another byte anywhere.
        if bytes.count < 10_000 {
          _ = accepts(Array("{a = ".utf8) + bytes + Array("; b = c; }".utf8), options)
        }
      }
      guard bytes.count < 400, !bytes.isEmpty else { continue }
      for _ in 0..<40 {
        var other = bytes
        let place = Int.random(in: 0..<other.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: other.remove(at: place)
        case 1: other[place] = DictionaryTextTests.bytes.randomElement(using: &random) ?? 0
        default: other.insert(DictionaryTextTests.bytes.randomElement(using: &random) ?? 0, at: place)
        }
        _ = accepts(other)
      }
    }
    #expect(acceptedCount > 100)
  }

  /// The bytes that mean something to the grammar, and some that do not.
  private static let bytes = Array("{}()<>\"'\\=;,/*[] \n\u{0}aU01é".utf8)

  @Test("texts of random values, written by this package, are accepted in every style that is a file's")
  func written() throws {
    var random = RandomValues(seed: 11)
    for _ in 0..<500 {
      let value = random.dictionary()
      for style in PropertyList.Style.keepingValues {
        guard let bytes = try? value.bytes(style: style) else { continue }
        #expect(accepts(bytes))
      }
    }
  }

  @Test("of two entries with one key, however it is spelled, the last counts")
  func doubleKeys() throws {
    let bytes = Array(#"{ a = 1; "b" = 2; "\U0061" = 3; 'b' = 4; = 5; "" = 6; }"#.utf8)
    let text = try #require(DictionaryText(checking: bytes, options: .domainFile))
    #expect(text.values == ["a": "3", "b": "4", "": "6"])
    #expect(text.starts.count == 6)
    #expect(
      text.starts.map { start in text.withKey(at: start) { [UInt8]($0) } } == [
        [97], [98], [97], [98], [], [],
      ])
  }

  @Test("a text is accepted up to the depth that the parser takes, and no deeper")
  func depth() {
    for (depth, isAccepted) in [(999, true), (1000, false)] {
      for brackets in [("(", ")"), ("{k = ", ";}")] {
        let inner =
          String(repeating: brackets.0, count: depth) + "x" + String(repeating: brackets.1, count: depth)
        let bytes = Array("{a = \(inner); }".utf8)
        #expect(accepts(bytes) == isAccepted)
        let isRead = (try? PropertyList(parsing: bytes)) != nil
        #expect(isRead == isAccepted)
      }
    }
  }

  @Test("as many values, keys, levels and bytes are accepted as the bounds say, and not one more")
  func bounds() {
    for (text, depth, count) in [
      ("{a = b; }", 1, 3), ("{a = (b, c); }", 2, 5), ("{ = x; b = (); c = {d = <00>; }; }", 2, 9),
    ] {
      let bytes = Array(text.utf8)
      for (fewer, isAccepted) in [(0, true), (1, false)] {
        var options = PropertyList.ParsingOptions.domainFile
        options.bounds.depth = depth - fewer
        #expect(accepts(bytes, options) == isAccepted)
        options = .domainFile
        options.bounds.objectCount = count - fewer
        #expect(accepts(bytes, options) == isAccepted)
        options = .domainFile
        options.bounds.byteCount = bytes.count - fewer
        #expect(accepts(bytes, options) == isAccepted)
      }
    }
  }

  // MARK: - Writing

  private func written(_ values: [PropertyListKey: PropertyList]) throws -> DictionaryText {
    let bytes = try PropertyList.dictionary(values).bytes()
    return try #require(DictionaryText(written: bytes, options: .domainFile))
  }

  @Test("a text after any changes is the text of the changed values, byte for byte", arguments: 0..<20)
  func applying(seed: Int) throws {
    var random = RandomValues(seed: UInt64(seed) + 100)
    var choice = SeededGenerator(seed: UInt64(seed))
    var values: [PropertyListKey: PropertyList] = ["kept": "x"]
    var text = try written(values)
    let keys = ["", "a", "ab", "a b", "\"", "é", "e\u{301}", "\u{10FFFF}", "z\n", "10", "9"].map {
      PropertyListKey($0)
    }
    for _ in 0..<200 {
      var changes: [PropertyListKey: PropertyList?] = [:]
      for _ in 0..<Int.random(in: 0...4, using: &choice) {
        let key = keys.randomElement(using: &choice) ?? ""
        let value: PropertyList? = Int.random(in: 0..<3, using: &choice) == 0 ? nil : random.dictionary()
        changes[key] = .some(value)
        values[key] = value
      }
      text = try #require(try text.applying(changes))
      let whole = try written(values)
      guard text.bytes == whole.bytes, text.starts == whole.starts else {
        Issue.record("\(changes) gave \(String(decoding: text.bytes, as: UTF8.self))")
        return
      }
    }
  }

  @Test("long values come and go anywhere, byte for byte as in the text of all", arguments: ["a", "m", "z"])
  func longValues(key: String) throws {
    let key = PropertyListKey(key)
    var values: [PropertyListKey: PropertyList] = ["b": "1", "n": ["x", "y"], "y": ["k": "v"]]
    var text = try written(values)
    let data = PropertyList.data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    let changes: [PropertyList?] = [
      data, .string(String(repeating: "two words ", count: 50_000)), [data, ["k": data]], "short", data,
      nil,
    ]
    for value in changes {
      values[key] = value
      text = try #require(try text.applying([key: value]))
      let whole = try written(values)
      #expect(text.bytes == whole.bytes)
      #expect(text.starts == whole.starts)
      #expect(try text.applying([key: value]) === text)
    }
  }

  @Test("where nothing differs the text is the same object")
  func nothingApplied() throws {
    let text = try written(["a": "1", "b": ["x"]])
    #expect(try text.applying([:]) === text)
    #expect(try text.applying(["a": "1", "b": ["x"], "c": nil]) === text)
    #expect(try text.applying(["a": .integer(1)]) !== text)
  }

  @Test("without entries before or after, or in a text of another's making, nothing is changed line by line")
  func notApplied() throws {
    #expect(try written([:]).applying(["a": "1"]) == nil)
    #expect(try written(["a": "1"]).applying(["a": nil]) == nil)
    let foreign = try #require(DictionaryText(checking: Array("{ a = 1; }".utf8), options: .domainFile))
    #expect(try foreign.applying(["a": "2"]) == nil)
    #expect(foreign.values == ["a": "1"])
  }

  @Test("a value that nests too deep to be read back is refused")
  func tooDeep() throws {
    var value: PropertyList = "x"
    for _ in 0..<PropertyList.maximumDepth { value = [value] }
    let text = try written(["a": "1"])
    #expect(throws: PropertyListError.self) { try text.applying(["b": value]) }
  }

  @Test("no more values and keys are written line by line than are read")
  func tooMany() throws {
    var options = PropertyList.ParsingOptions.domainFile
    options.bounds.objectCount = 5
    let text = try #require(
      DictionaryText(written: PropertyList.dictionary(["a": "1"]).bytes(), options: options))
    #expect(try text.applying(["b": "1"]) != nil)
    #expect(throws: PropertyListError.self) { try text.applying(["b": "1", "c": "1"]) }
    var builder = DictionaryTextBuilder(options: options, maximumByteCount: 1000)
    for key in ["a", "b"] { try builder.append(PropertyListKey(key), "1") }
    let other = try #require(try builder.text())
    #expect(try other.merging(text).values == ["a": "1", "b": "1"])
    try builder.append("c", "1")
    #expect(throws: PropertyListError.self) { try builder.text() }
    let third = try #require(try other.applying(["a": nil, "c": "1"]))
    #expect(throws: PropertyListError.self) { try text.merging(third) }
  }
}
