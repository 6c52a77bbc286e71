import OpenStepPropertyList
import TestSupport
import Testing

/// Texts that are deep, long or damaged.
@Suite(.enabled(if: Thoroughness.runsHere, Comment(rawValue: Thoroughness.elsewhere)))
struct JSONHostileTests {
  private static func deep(_ depth: Int, inDictionaries: Bool) -> [UInt8] {
    let (open, close) = inDictionaries ? ("{\"k\":", "}") : ("[", "]")
    return Array(
      (String(repeating: open, count: depth) + "\"x\"" + String(repeating: close, count: depth)).utf8)
  }

  @Test(
    "1000 levels are read and written where the stack is small, and 1001 are refused",
    arguments: [false, true])
  func depth(inDictionaries: Bool) async throws {
    let limit = PropertyList.maximumDepth
    #expect(limit == 1000)
    let isRead = await onThread {
      let text = Self.deep(limit, inDictionaries: inDictionaries)
      guard let value = try? PropertyList(parsingJSON: text),
        let compact = try? value.jsonBytes(style: .compact), let indented = try? value.jsonBytes()
      else { return false }
      return compact == text && (try? PropertyList(parsingJSON: indented)) == value
        && value == nested(limit, inDictionaries: inDictionaries)
    }
    #expect(isRead)
    let error = try #require(throws: PropertyListError.self) {
      try PropertyList(parsingJSON: Self.deep(limit + 1, inDictionaries: inDictionaries))
    }
    #expect(error.message == "more than 1000 containers are nested here")
    #expect(error.column == (inDictionaries ? 5001 : 1001))
    #expect(throws: PropertyListError.self) {
      try nested(limit + 1, inDictionaries: inDictionaries).jsonBytes()
    }
  }

  @Test("to read and to write the deepest value takes hardly any stack", arguments: [false, true])
  func smallestStack(inDictionaries: Bool) async throws {
    let text = Self.deep(PropertyList.maximumDepth, inDictionaries: inDictionaries)
    // It is let go of here, which takes more.
    let value = try #require(await onThread(stack: 64 << 10) { try? PropertyList(parsingJSON: text) })
    #expect(await onThread(stack: 64 << 10) { try? value.jsonBytes(style: .compact) } == text)
  }

  @Test("a text that opens without end is refused with a short excerpt")
  func endless() throws {
    for piece in [
      "[", "{\"a\":", "[[],", "[1,[", "\"", "\"\\", "-", "1", "{", "[{\"a\":\"", " ", "{\"a\":1,", "[\"\\u00",
    ] {
      let text = String(repeating: piece, count: 100_000)
      let error = try #require(throws: PropertyListError.self) {
        try PropertyList(parsingJSON: Array(text.utf8))
      }
      #expect(error.excerpt.utf8.count < 1000)
    }
  }

  @Test("a byte that is changed, added or taken away makes a value or an error with a place")
  func mutations() throws {
    let text = Array(
      #"{"a": [1, -2.5e+10, "x\"\u00e9\ud83e\udd84é", true], "b": {"c": {}, "d": false}}"#.utf8)
    func check(_ bytes: [UInt8]) throws {
      do throws(PropertyListError) {
        let value = try PropertyList(parsingJSON: bytes)
        #expect(try PropertyList(parsingJSON: try value.jsonBytes()) == value)
      } catch {
        #expect(error.line >= 1 && error.column >= 1 && error.line <= bytes.count + 1)
      }
    }
    for place in text.indices {
      for byte in 0...255 as ClosedRange<UInt8> {
        var bytes = text
        bytes[place] = byte
        try check(bytes)
      }
      var bytes = text
      bytes.remove(at: place)
      try check(bytes)
      for byte in Array("{}[]\",:\\0-\u{0}".utf8) {
        var bytes = text
        bytes.insert(byte, at: place)
        try check(bytes)
      }
    }
  }

  @Test(
    "time grows with the size, whatever the text consists of",
    arguments: [
      ("[", "1,", "1]"), ("[", "\"\\n\\u0041é\",", "1]"), ("\"", "a\\n", "\""), ("", " ", "1"), ("", "1", ""),
      ("1.", "5", ""),
      ("0.", "0", "1"), ("1e", "0", "1"), ("[", "[],", "1]"), ("[", "{\"a\":1},", "1]"),
      ("[\n", "1,\n", "null]"),
      ("[", "1.2345678901234567e-300,", "1]"), ("{\"a\":0,\"b\":[", "{\"a\":[\"a\"]},", "0],\"a\":0}"),
    ])
  func growthWithSize(start: String, piece: String, end: String) throws {
    let ratio = growth(from: 20_000, to: 160_000, bound: 24) { count in
      let bytes = Array((start + String(repeating: piece, count: count) + end).utf8)
      let before = threadTime()
      // Numbers of so many digits are too large; that is an answer, too.
      let value = try? PropertyList(parsingJSON: bytes)
      _ = value.map { try? $0.jsonBytes() }
      return threadTime() - before
    }
    #expect(ratio < 24)
  }

  @Test("time grows with the number of keys in one object")
  func growthWithKeys() {
    let ratio = growth(from: 5_000, to: 100_000, bound: 160) { count in
      let entries = (0..<count).map { "\"key number \($0)\":\($0)" }.joined(separator: ",")
      let bytes = Array("{\(entries)}".utf8)
      let before = threadTime()
      let value = try? PropertyList(parsingJSON: bytes)
      _ = value.map { try? $0.jsonBytes() }
      return threadTime() - before
    }
    #expect(ratio < 160)
  }
}
