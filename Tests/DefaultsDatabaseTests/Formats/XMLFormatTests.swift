import DefaultsDatabase
import OpenStepPropertyList
import TestSupport
import Testing

@Suite struct XMLFormatTests {
  private func read(_ text: String) throws(FormatError) -> PropertyList {
    try DomainFileFormat.propertyList(from: Array(text.utf8)).value
  }

  private func plist(_ body: String) -> String {
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<plist version=\"1.0\">\n\(body)\n</plist>\n"
  }

  @Test(
    "well-formed values are read exactly",
    arguments: [
      ("<integer>9223372036854775807</integer>", PropertyList.integer(9_223_372_036_854_775_807)),
      ("<integer>-9223372036854775808</integer>", .integer(-9_223_372_036_854_775_808)),
      ("<integer>18446744073709551615</integer>", .integer(PropertyListInteger("18446744073709551615") ?? 0)),
      ("<integer>1</integer>", .integer(1)), ("<true/>", .boolean(true)), ("<real>1</real>", .real(1)),
      ("<real>-0.0</real>", .real(-0.0)), ("<real>nan</real>", .real(.nan)), ("<string/>", ""),
      ("<string>&lt;&amp;&#233;</string>", "<&é"), ("<string><![CDATA[<a>]]></string>", "<a>"),
      ("<date>2001-01-01T00:00:01Z</date>", .date(PropertyListDate(secondsSinceReferenceDate: 1))),
      ("<data>\n\tAAEC\n\t</data>", .data([0, 1, 2])), ("<array/>", []),
      ("<dict><key>a</key><!-- <dict> --><string>b</string></dict>", ["a": "b"]),
      ("<string>\\U001B \\U0001F600</string>", "\\U001B \\U0001F600"),
      ("<string>\u{FEFF}a<!-- c -->b</string>", "\u{FEFF}ab"), ("<integer> 0x1F </integer>", .integer(31)),
      ("<dict><key>CF$UID</key><integer>5</integer></dict>", ["CF$UID": .integer(5)]),
    ] as [(String, PropertyList)])
  func wellFormed(body: String, value: PropertyList) throws {
    #expect(try read(plist(body)) == value)
  }

  @Test("GNUstep's escapes stand for characters in its directories, and nowhere else")
  func escapes() throws {
    let home = try TemporaryHome()
    let body =
      "<dict><key>\\U0000</key><string>\\U001B\\U0041 \\UD83E\\UDD84 \\UDD84 \\U0001F600</string></dict>"
    try home.write(plist(body), to: "App.plist")
    for (dialect, values) in [
      (DatabaseDialect.gnustep, ["\0": "\u{1B}\\U0041 🦄 \\UDD84 \u{1}F600"]),
      (.openStep, ["\\U0000": "\\U001B\\U0041 \\UD83E\\UDD84 \\UDD84 \\U0001F600"]),
    ] as [(DatabaseDialect, [PropertyListKey: PropertyList])] {
      let database = UserDatabase(directory: home.path, dialect: dialect)
      #expect(try database.load(DomainName("App")).values == values)
    }
    // Another key is set, and the text stays.
    var changes = DomainChanges()
    changes.set(.integer(1), for: "n")
    let database = UserDatabase(directory: home.path)
    _ = try database.commit(changes, to: DomainName("App"), onDamage: .refuse)
    #expect(try home.text(of: "App.plist").contains("\\U0001F600"))
    #expect(DomainFileFormat(recognising: try home.bytes(of: "App.plist")) == .xml)
  }

  @Test("an instruction whose name begins with xml is no declaration")
  func stylesheet() throws {
    #expect(try read("<?xml-stylesheet encoding=\"iso-8859-1\"?><plist><string>é</string></plist>") == "é")
  }

  @Test("a value of a thousand levels is no thousand times as large as without its indentation")
  func indentation() throws {
    let rows = PropertyList.array([PropertyList](repeating: ["a": "b"], count: 1000))
    let value = (0..<900).reduce(rows) { value, _ in [value] }
    for format in [DomainFileFormat.openStep, .xml] {
      let (deep, flat) = (try format.bytes(of: value).count, try format.bytes(of: rows).count)
      #expect(deep < 40 * flat)
      #expect(try DomainFileFormat.propertyList(from: format.bytes(of: value)).value == value)
    }
    #expect(try value.jsonBytes().count < 40 * rows.jsonBytes().count)
  }

  @Test(
    "what is no property list is refused",
    arguments: [
      "<date>2001-13-41T00:00:00Z</date>", "<data>AAE</data>", "<data>A*AA</data>", "<key>a</key>",
      "<string>a</string><string>b</string>", "<array><true/></array></plist><plist><false/>",
      "<string>a</string></plist>junk<plist>", "<string>a &foo; b</string>", "<array>junk</array>", "<array>",
      "<array><dict></array></dict>", "<foo/>",
      "<integer>18446744073709551616</integer>", "<integer>1.5</integer>", "<!-- open", "",
      "<dict><key>\u{E9}</key><true/><key>\u{E9}</key><true/></dict>",
      "<string><array/></string>", "<string>&#1;</string>", "<string>&#;</string>",
    ])
  func misread(body: String) {
    #expect(throws: FormatError.self) { try read(plist(body)) }
  }

  @Test("a document that defines entities is refused before they expand")
  func entities() throws {
    var laughs = "<!DOCTYPE plist [<!ENTITY a0 \"ha\">"
    for level in 1...40 { laughs += "<!ENTITY a\(level) \"&a\(level - 1);&a\(level - 1);\">" }
    let error = try #require(throws: FormatError.self) {
      try read("<?xml version=\"1.0\"?>\n\(laughs)]>\n<plist><string>&a40;</string></plist>")
    }
    #expect(error.description.contains("entities") && error.description.hasPrefix("2:"))
  }

  @Test("deep nesting is an error", arguments: [1001, 100_000])
  func deep(depth: Int) throws {
    let text = plist(String(repeating: "<array>", count: depth) + String(repeating: "</array>", count: depth))
    let error = try #require(throws: FormatError.self) { try read(text) }
    #expect(error.description.contains("more than 1000 containers are nested here"))
  }

  @Test("a thousand levels are read and written", arguments: [false, true])
  func depth(inDictionaries: Bool) throws {
    let value = nested(1000, inDictionaries: inDictionaries)
    #expect(try DomainFileFormat.propertyList(from: DomainFileFormat.xml.bytes(of: value)).value == value)
  }

  @Test("what is no markup does not count as nesting") func notNested() throws {
    let noise = "<!-- \(String(repeating: "<array>", count: 2000)) -->"
    #expect(
      try read(plist(noise + "<string><![CDATA[\(String(repeating: "<dict>", count: 2000))]]></string>"))
        == .string(String(repeating: "<dict>", count: 2000)))
  }

  @Test("Apple's document type is accepted") func documentType() throws {
    let text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <plist version="1.0"><dict><key>é</key><true/></dict></plist>
      """
    #expect(try read(text) == ["é": .boolean(true)])
  }

  @Test("XML in UTF-16, with a mark or without, and with a mark in UTF-8 is read")
  func encodings() throws {
    let text = "<?xml version=\"1.0\" encoding=\"UTF-16\"?>\n<plist><string>é🦄</string></plist>"
    let little = text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    let big = text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    for bytes in [little, [0xFF, 0xFE] + little, big, [0xFE, 0xFF] + big] {
      let found = try DomainFileFormat.propertyList(from: bytes)
      #expect(found.value == "é🦄" && found.format == .xml)
    }
    #expect(try read("\u{FEFF}" + plist("<string>é</string>")) == "é")
  }

  @Test("the declared encoding is honoured or refused, never guessed") func declared() throws {
    let head = "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><plist><string>"
    #expect(
      try DomainFileFormat.propertyList(from: Array(head.utf8) + [0xE9] + Array("</string></plist>".utf8))
        .value
        == "é")
    for name in ["UTF-7", "UTF-16", "IBM037"] {
      let error = try #require(throws: FormatError.self) {
        try read("<?xml version=\"1.0\" encoding=\"\(name)\"?><plist><true/></plist>")
      }
      #expect(error.description.contains("encoding"))
    }
    #expect(throws: FormatError.self) {
      try DomainFileFormat.propertyList(from: Array("<plist><string>".utf8) + [0xE9, 0x3C])
    }
  }

  @Test("text that only looks like XML is still text") func notXML() throws {
    #expect(try read("<dead beef>") == .data([0xDE, 0xAD, 0xBE, 0xEF]))
  }
}
