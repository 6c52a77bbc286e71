import DefaultsDatabase
import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

@Suite struct DomainFileFormatTests {
  private func read(_ bytes: [UInt8]) throws(FormatError) -> PropertyList {
    try DomainFileFormat.propertyList(from: bytes).value
  }

  private static let exact: [PropertyList] = [
    "", "text", "é🦄", "<&>\"'", "a\nb\tc", "  spaces  ", .boolean(true), .boolean(false), .integer(0),
    .integer(1),
    .integer(-1), .integer(PropertyListInteger(Int64.max)), .integer(PropertyListInteger(Int64.min)),
    .integer(PropertyListInteger(exactly: UInt64.max) ?? 0),
    .integer(PropertyListInteger(exactly: UInt64(1) << 63) ?? 0), .real(0.1), .real(.leastNonzeroMagnitude),
    .real(1),
    .real(.infinity), .real(-.infinity), .real(.nan), .real(1.7976931348623157e308), .data([]),
    .data([0, 1, 255]),
    .date(PropertyListDate(secondsSinceReferenceDate: 0)),
    .date(PropertyListDate(secondsSinceReferenceDate: -63_113_904_000)), [], [:], [["a": [.boolean(true)]]],
    ["": "empty key", "é": "1", "\u{65}\u{301}x": "2"], .real(-0.0), "\r", "a\r\nb", "\u{FEFF}x",
    "\\U001B", ["[\\U00010000-\\U0010FFFF]": "\\U0001F600"],
  ]

  /// What Foundation takes for one key.
  private static let equivalentKeys: PropertyList = ["\u{E9}": "1", "e\u{301}": "2"]

  private static let beyondXML: [PropertyList] = [
    .float(0.1), "\u{1B}", "\u{0}", "\u{FFFE}",
    .date(PropertyListDate(secondsSinceReferenceDate: 0.125)),
    .date(PropertyListDate(secondsSinceReferenceDate: .nan)),
    .date(PropertyListDate(secondsSinceReferenceDate: .infinity)),
    .date(PropertyListDate(secondsSinceReferenceDate: 1e300)), ["\u{1}": "x"],
  ]

  @Test("XML and text give back exactly what was written", arguments: exact + [equivalentKeys])
  func roundTrip(value: PropertyList) throws {
    var options = PropertyList.ParsingOptions()
    options.honoursTypeNotes = true
    for format in [DomainFileFormat.openStep, .xml] {
      let found = try DomainFileFormat.propertyList(
        from: format.bytes(of: ["k": value]), textOptions: options)
      #expect(found.value == ["k": value])
      #expect(found.format == format)
    }
  }

  @Test("the binary format gives back exactly what was written", arguments: exact + beyondXML)
  func binaryRoundTrip(value: PropertyList) throws {
    let bytes = try DomainFileFormat.binary.bytes(of: ["k": value])
    #expect(try read(bytes) == ["k": value])
  }

  @Test("XML refuses what it cannot hold exactly", arguments: beyondXML)
  func beyond(value: PropertyList) throws {
    #expect(throws: FormatError.self) { try DomainFileFormat.xml.bytes(of: ["k": value]) }
  }

  // GNUstep writes both, and Foundation has one of them: the whole domain was taken for damaged, and moved aside.
  @Test("two spellings of the same characters are two keys of XML, and one spelling twice is damage")
  func equivalentKeysRead() throws {
    func document(_ entries: String) -> [UInt8] {
      Array("<?xml version=\"1.0\"?><plist><dict>\(entries)</dict></plist>".utf8)
    }
    func entry(_ key: String, _ value: String) -> String { "<key>\(key)</key><string>\(value)</string>" }
    let found = try read(
      document(
        entry("\u{E9}", "1") + entry("e\u{301}", "2") + entry("\u{301}", "3") + entry("<![CDATA[a:b]]>", "4")
          + entry("&lt;\\U001B", "5") + entry("&lt;\u{1B}", "8") + "<!--<key>x</key>--><key/><dict>"
          + entry("\u{E9}", "6") + "</dict>"
          + entry(" 0:", "7")))
    #expect(
      found == [
        "\u{E9}": "1", "e\u{301}": "2", "\u{301}": "3", "a:b": "4", "<\\U001B": "5", "<\u{1B}": "8",
        "": ["\u{E9}": "6"],
        " 0:": "7",
      ])
    for key in ["a", "\u{E9}", ""] {
      #expect {
        try read(document(entry(key, "1") + entry("e\u{301}", "2") + entry(key, "3")))
      } throws: {
        "\($0)".hasPrefix("1:35: the key “\(key)” stands here and again further on in the dictionary")
      }
    }
  }

  @Test(
    "a file's format is told by its first bytes",
    arguments: [
      ("{ a = b; }", DomainFileFormat.openStep), ("<0a0b>", .openStep), ("<dead>", .openStep),
      ("<*I5>", .openStep),
      ("<[AAEC]>", .openStep), ("", .openStep), ("<?xml version=\"1.0\"?><plist><true/></plist>", .xml),
      ("<!-- x --><plist><true/></plist>", .xml), (" \n<plist version=\"1.0\"><true/></plist>", .xml),
      ("<dict/>", .xml), ("<data>AAEC</data>", .xml), ("<date>2001-01-01T00:00:00Z</date>", .xml),
      ("\u{FEFF}<plist><true/></plist>", .xml), ("bplist00", .binary),
    ])
  func recognised(text: String, format: DomainFileFormat) {
    #expect(DomainFileFormat(recognising: Array(text.utf8)) == format)
  }

  @Test("every prefix and every changed byte of a file is a value or an error", arguments: [true, false])
  func hostile(isBinary: Bool) throws {
    let object: [String: Any] = [
      "array": [1, 2.5, true, "x", Data([1, 2, 3]), Date(timeIntervalSinceReferenceDate: 5), UInt64.max]
        as [Any],
      "dict": ["nested": ["é": "🦄"]], "long": String(repeating: "y", count: 40), "n": -5,
    ]
    let bytes = [UInt8](
      try PropertyListSerialization.data(
        fromPropertyList: object, format: isBinary ? .binary : .xml, options: 0))
    #expect(throws: Never.self) { try read(bytes) }
    var refused = 0
    func feed(_ bytes: [UInt8]) {
      do throws(FormatError) {
        _ = try read(bytes)
      } catch {
        refused += 1
        if error.description.contains("\n") { Issue.record("\(error)") }
      }
    }
    // Shorter ones of a binary file are a word of text.
    let prefixes = 6..<bytes.count
    for count in prefixes { feed(Array(bytes[..<count])) }
    // An XML file cut before its last line end is whole.
    #expect(refused >= prefixes.count - 1)
    for index in bytes.indices {
      for value: UInt8 in [0, 1, 0x7F, 0x80, 0xFF, bytes[index] ^ 1, bytes[index] ^ 0x10, UInt8(ascii: "<")] {
        var changed = bytes
        changed[index] = value
        feed(changed)
      }
    }
  }

  // MARK: In a database

  private func domain(after value: PropertyList, in format: DomainFileFormat) throws -> (
    TemporaryHome, Commit
  ) {
    let home = try TemporaryHome()
    try home.write(format.bytes(of: ["old": .integer(5), "flag": .boolean(true)]), to: "App.plist")
    var changes = DomainChanges()
    changes.set(value, for: "new")
    let commit = try UserDatabase(directory: home.path).commit(
      changes, to: DomainName("App"), onDamage: .refuse)
    return (home, commit)
  }

  @Test("a file's format is kept", arguments: [DomainFileFormat.xml, .binary, .openStep])
  func kept(format: DomainFileFormat) throws {
    let (home, commit) = try domain(after: .real(0.1), in: format)
    #expect(DomainFileFormat(recognising: try home.bytes(of: "App.plist")) == format)
    let expected: [PropertyListKey: PropertyList] = [
      "old": .integer(5), "flag": .boolean(true), "new": .real(0.1),
    ]
    #expect(commit.after.values == expected)
    #expect(try UserDatabase(directory: home.path).load(DomainName("App")).values == expected)
  }

  @Test("a domain becomes text where its format cannot hold a value", arguments: beyondXML)
  func fallsBack(value: PropertyList) throws {
    let (home, _) = try domain(after: value, in: .xml)
    #expect(DomainFileFormat(recognising: try home.bytes(of: "App.plist")) == .openStep)
    #expect(
      try UserDatabase(directory: home.path).load(DomainName("App")).values
        == ["old": .integer(5), "flag": .boolean(true), "new": value])
  }
}
