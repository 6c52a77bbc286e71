import OpenStepPropertyList
import TestSupport
import Testing

/// An XML document that is checked as a whole beside the parser, which says what is in it.
@Suite(.enabled(if: Thoroughness.runsHere, Comment(rawValue: Thoroughness.elsewhere)))
struct XMLDictionaryTextTests {
  /// Whether a document is accepted, after comparing it with what the parser makes of it.
  private func accepts(
    _ bytes: [UInt8], _ options: PropertyList.XMLParsingOptions = PropertyList.XMLParsingOptions()
  ) -> Bool {
    guard let text = DictionaryText(checkingXML: bytes, options: options) else { return false }
    do throws(PropertyListError) {
      let value = try PropertyList(parsingXML: bytes, options: options)
      #expect(.dictionary(text.values) == value, "\(String(decoding: bytes, as: UTF8.self))")
      #expect(text.starts.count == text.values.count)
    } catch {
      Issue.record("accepted, but \(error): \(String(decoding: bytes, as: UTF8.self))")
    }
    return true
  }

  private func document(_ entries: String) -> [UInt8] {
    Array(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <plist version="1.0">
      <dict>
      \(entries)</dict>
      </plist>

      """.utf8)
  }

  @Test(
    "documents of random values are accepted; with any byte changed, they have the parser's values if they are"
  )
  func written() throws {
    var random = RandomValues(seed: 12, range: .xml)
    var choice = SeededGenerator(seed: 12)
    let bytes = Array("<>/&;\"\n\t akey0é".utf8)
    var acceptedCount = 0
    let count = Thoroughness.isComplete ? 300 : 60
    for _ in 0..<count {
      let value = random.dictionary()
      guard value != .dictionary([:]) else { continue }
      let document = try value.xmlBytes()
      #expect(accepts(document), "\(String(decoding: document, as: UTF8.self))")
      for _ in 0..<100 {
        var other = document
        let place = Int.random(in: 0..<other.count, using: &choice)
        let byte = bytes.randomElement(using: &choice) ?? 0
        switch Int.random(in: 0..<3, using: &choice) {
        case 0: other.remove(at: place)
        case 1: other[place] = byte
        default: other.insert(byte, at: place)
        }
        if accepts(other) { acceptedCount += 1 }
      }
    }
    #expect(acceptedCount > count * 10 / 3)
  }

  @Test(
    "a document of another layout is left to the parser",
    arguments: [
      "\t<key>b</key>\n\t<true/>\n\t<key>a</key>\n\t<true/>\n",
      "\t<key>a</key>\n\t<true/>\n\t<key>a</key>\n\t<true/>\n",
      "\t<key>a&amp;</key>\n\t<true/>\n\t<key>&#97;&#38;</key>\n\t<true/>\n",
      "\t<key>a</key> <true/>\n<key>b</key>\n\t<true/>\n", "  <key>a</key>\n  <true/>\n",
      "\t<key>a</key>\n\t<true/>\n\t<!-- b -->\n", "\t<key>a</key>\n\t<true/>\n\n", "",
      "\t<key>a</key>\n", "\t<key>a</key>\n\t<string>&#1;</string>\n",
      "\t<key>a</key>\n\t<dict>\n\t\t<key>b</key>\n\t\t<true/>\n\t\t<key>b</key>\n\t\t<true/>\n\t</dict>\n",
    ])
  func otherLayout(_ entries: String) {
    #expect(!accepts(document(entries)))
  }

  @Test(
    "what other programs write otherwise inside of an entry is accepted",
    arguments: [
      "\t<key>a</key>\n\t<array> <true/>  </array>\n", "\t<key>a</key><!-- x -->\n\t<string>x</string>\n",
      "\t<key>a<!-- x --></key>\n\t<string><![CDATA[<]]>&lt;</string>\n",
      "\t<key>a</key>\n\t<real> 1e3 </real>\n\t<key>a&amp;</key>\n\t<integer>0x10</integer>\n",
      "\t<key>😀</key>\n\t<true/>\n\t<key>\u{FFFD}</key>\n\t<dict/>\n",
    ])
  func otherEntries(_ entries: String) {
    #expect(accepts(document(entries)))
  }

  @Test("as many containers and values are accepted as the bounds say, and not one more")
  func bounds() {
    let nested = document("\t<key>a</key>\n\t<array><array><true/></array></array>\n")
    let flat = document("\t<key>a</key>\n\t<string>x</string>\n\t<key>b</key>\n\t<true/>\n")
    for (bytes, depth, count) in [(nested, 3, 5), (flat, 1, 5)] {
      for (fewer, isAccepted) in [(0, true), (1, false)] {
        var options = PropertyList.XMLParsingOptions()
        options.bounds.depth = depth - fewer
        #expect(accepts(bytes, options) == isAccepted)
        options = PropertyList.XMLParsingOptions()
        options.bounds.objectCount = count - fewer
        #expect(accepts(bytes, options) == isAccepted)
        options = PropertyList.XMLParsingOptions()
        options.bounds.byteCount = bytes.count - fewer
        #expect(accepts(bytes, options) == isAccepted)
      }
    }
  }

  // MARK: - Writing

  @Test("a document after any changes is that of the changed values, byte for byte", arguments: 0..<20)
  func applying(seed: Int) throws {
    var random = RandomValues(seed: UInt64(seed) + 100, range: .xml)
    var choice = SeededGenerator(seed: UInt64(seed))
    var values: [PropertyListKey: PropertyList] = ["kept": "x"]
    var text = try #require(DictionaryText(checkingXML: PropertyList.dictionary(values).xmlBytes()))
    let keys = [
      "", "a", "ab", "a b", "&", "&amp;", "<", "é", "e\u{301}", "\u{FFFD}", "\u{10FFFF}", "\u{E000}", "z\n",
      "\r",
    ].map { PropertyListKey($0) }
    for _ in 0..<200 {
      var changes: [PropertyListKey: PropertyList?] = [:]
      for _ in 0..<Int.random(in: 0...4, using: &choice) {
        let key = keys.randomElement(using: &choice) ?? ""
        let value: PropertyList? = Int.random(in: 0..<3, using: &choice) == 0 ? nil : random.dictionary()
        changes[key] = .some(value)
        values[key] = value
      }
      text = try #require(try text.applying(changes))
      let whole = try PropertyList.dictionary(values).xmlBytes()
      guard text.bytes == whole, text.starts == DictionaryText(checkingXML: whole)?.starts else {
        Issue.record("\(changes) gave \(String(decoding: text.bytes, as: UTF8.self))")
        return
      }
    }
  }

  @Test("entries that are not changed keep the lines that another program wrote")
  func keptLines() throws {
    let bytes = document(
      "\t<key>a</key>\n\t<array> <true/> </array>\n\t<key>b</key>\n\t<integer>1</integer>\n")
    let text = try #require(DictionaryText(checkingXML: bytes))
    let changed = try #require(try text.applying(["b": .integer(2)]))
    let expected = String(decoding: bytes, as: UTF8.self).replacing("<integer>1", with: "<integer>2")
    #expect(String(decoding: changed.bytes, as: UTF8.self) == expected)
  }

  @Test("what XML has no form for is refused, and no more values and keys are written than are read")
  func refused() throws {
    var options = PropertyList.XMLParsingOptions()
    options.bounds.objectCount = 5
    let bytes = try PropertyList.dictionary(["a": "x"]).xmlBytes()
    let text = try #require(DictionaryText(checkingXML: bytes, options: options))
    for value in [.float(1), "\u{1}"] as [PropertyList] {
      #expect(throws: PropertyListError.self) { try text.applying(["b": value]) }
    }
    #expect(try text.applying(["b": "x"]) != nil)
    #expect(throws: PropertyListError.self) { try text.applying(["b": ["x"]]) }
  }

  @Test(
    "no more bytes are written than are asked for, of a value that is nested or not",
    arguments: [true, false])
  func bound(isXML: Bool) throws {
    let old: PropertyList = ["a": "x"]
    let text = try #require(
      isXML
        ? DictionaryText(checkingXML: old.xmlBytes())
        : DictionaryText(written: old.bytes(), options: PropertyList.ParsingOptions()))
    let leaves: PropertyList = .array(Array(repeating: "a long string that needs quotes", count: 5000))
    for value in [leaves, ["b": [leaves, leaves]], "short", .data(Array(repeating: 1, count: 100_000))] {
      let whole: PropertyList = ["a": "x", "b": value]
      let bytes = try isXML ? whole.xmlBytes() : whole.bytes()
      #expect(try text.applying(["b": value], within: bytes.count)?.bytes == bytes)
      for count in [bytes.count - 1, 10] {
        let error = #expect(throws: PropertyListError.self) {
          try text.applying(["b": value], within: count)
        }
        #expect(error?.isTooLong(for: count) == true, "\(error as Any)")
      }
    }
  }
}
