import OpenStepPropertyList
import Testing

@Suite struct XMLParserTests {
  private func read(
    _ body: String, options: PropertyList.XMLParsingOptions = .init()
  ) throws(PropertyListError) -> PropertyList {
    try PropertyList(
      parsingXML: Array(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<plist version=\"1.0\">\n\(body)\n</plist>\n".utf8),
      options: options)
  }

  private static let greatest = PropertyListInteger(exactly: UInt64.max) ?? 0

  @Test(
    "numbers are read exactly",
    arguments: [
      ("<integer>0</integer>", .integer(0)), ("<integer>-0</integer>", .integer(0)),
      ("<integer>007</integer>", .integer(7)), ("<integer>+5</integer>", .integer(5)),
      ("<integer> 5\n</integer>", .integer(5)), ("<integer>0x1F</integer>", .integer(31)),
      ("<integer>-0X1f</integer>", .integer(-31)),
      ("<integer>0xFFFFFFFFFFFFFFFF</integer>", .integer(greatest)),
      ("<integer>-0x8000000000000000</integer>", .integer(PropertyListInteger(.min))),
      ("<integer>9223372036854775807</integer>", .integer(PropertyListInteger(.max))),
      ("<integer>9223372036854775808</integer>", .integer(PropertyListInteger("9223372036854775808") ?? 0)),
      ("<integer>18446744073709551615</integer>", .integer(greatest)),
      ("<integer>-9223372036854775808</integer>", .integer(PropertyListInteger(.min))),
      ("<integer>1&#50;<!-- c --><![CDATA[3]]></integer>", .integer(123)),
      ("<real>1</real>", .real(1)), ("<real> .5 </real>", .real(0.5)), ("<real>5.</real>", .real(5)),
      ("<real>-0.0</real>", .real(-0.0)), ("<real>+1.5E+3</real>", .real(1500)),
      ("<real>1e400</real>", .real(.infinity)),
      ("<real>1e-400</real>", .real(0)),
      ("<real>4.9406564584124654e-324</real>", .real(.leastNonzeroMagnitude)),
      ("<real>nan</real>", .real(.nan)), ("<real>-nan</real>", .real(.nan)),
      ("<real>NaN</real>", .real(.nan)),
      ("<real>inf</real>", .real(.infinity)), ("<real>-inf</real>", .real(-.infinity)),
      ("<real>+infinity</real>", .real(.infinity)), ("<real>-Infinity</real>", .real(-.infinity)),
      ("<real>9007199254740993</real>", .real(9_007_199_254_740_992)),
      ("<real>9007199254740993.00000000000000000000000000001</real>", .real(9_007_199_254_740_994)),
    ] as [(String, PropertyList)])
  func numbers(body: String, value: PropertyList) throws {
    #expect(try read(body) == value)
  }

  @Test(
    "what is no number of an element's kind is refused",
    arguments: [
      "<integer/>", "<integer></integer>", "<integer> </integer>", "<integer>+</integer>",
      "<integer>0x</integer>",
      "<integer>1.5</integer>", "<integer>5 5</integer>", "<integer>+ 5</integer>", "<integer>٣</integer>",
      "<integer>18446744073709551616</integer>", "<integer>-9223372036854775809</integer>",
      "<integer>0x10000000000000000</integer>", "<integer>1F</integer>", "<integer>1_000</integer>",
      "<real/>", "<real></real>", "<real>.</real>", "<real>e5</real>", "<real>1e</real>", "<real>1,5</real>",
      "<real>0x1p3</real>", "<real>- 5</real>", "<real>nan(1)</real>", "<real>infinite</real>",
      "<real>1 2</real>",
    ])
  func noNumbers(body: String) {
    #expect(throws: PropertyListError.self) { try read(body) }
  }

  @Test(
    "dates of Apple's and GNUstep's writers are read",
    arguments: [
      ("2001-01-01T00:00:00Z", 0), (" 2001-01-01T00:00:01Z\n", 1), ("2000-02-29T23:59:59Z", -26_438_401),
      ("1970-01-01T00:00:00Z", -978_307_200), ("0001-01-01T00:00:00Z", -63_113_904_000),
      ("9999-12-31T23:59:59Z", 252_423_993_599),
      // Foundation writes these of 300000000000, −63113904001 and −70000000000 seconds.
      ("11507-08-17T05:20:00Z", 300_000_000_000), ("0000-12-31T23:59:59Z", -63_113_904_001),
      ("-218-10-15T19:33:20Z", -70_000_000_000),
      ("2001-01-01 01:00:00 +0100", 0), ("2001-01-01 00:00:00 +0000", 0),
    ] as [(String, Double)])
  func dates(text: String, seconds: Double) throws {
    #expect(
      try read("<date>\(text)</date>") == .date(PropertyListDate(secondsSinceReferenceDate: seconds)))
  }

  @Test(
    "what the calendar or the form does not have is no date",
    arguments: [
      "", "2001-13-01T00:00:00Z", "2001-02-29T00:00:00Z", "2001-00-01T00:00:00Z", "2001-01-01T24:00:00Z",
      "2001-01-01T00:60:00Z", "2001-01-01T00:00:60Z", "2001-1-1T00:00:00Z", "2001-01-01T00:00:00",
      "2001-01-01T00:00:00Z0", "2001-01-01", "201-01-01T00:00:00Z", "1234567890-01-01T00:00:00Z",
      "2001-01-01T00:00:00.5Z", "5",
    ])
  func noDates(text: String) {
    #expect(throws: PropertyListError.self) { try read("<date>\(text)</date>") }
  }

  @Test(
    "strings keep every character, and markup in them vanishes",
    arguments: [
      ("<string/>", ""), ("<string></string>", ""), ("<string> a \n</string>", " a \n"),
      ("<string>a<!-- <b> & -- c --></string>", "a"), ("<string>a<?pi ?x?>b</string>", "ab"),
      ("<string>&lt;&gt;&amp;&apos;&quot;</string>", "<>&'\""), ("<string>]]></string>", "]]>"),
      ("<string>&#65;&#x41;&#x1F984;&#13;&#9;&#xFFFD;</string>", "AA🦄\r\t\u{FFFD}"),
      ("<string>x<![CDATA[<a>&amp;]]]]><![CDATA[>]]>y</string>", "x<a>&amp;]]>y"),
      ("<string>a\r\nb\rc<![CDATA[\r\n\r]]></string>", "a\r\nb\rc\r\n\r"),
      ("<string>\u{FEFF}a\u{FEFF}</string>", "\u{FEFF}a\u{FEFF}"),
      ("<string>\u{85}\u{2028}\u{7F}\u{10FFFF}é\u{301}</string>", "\u{85}\u{2028}\u{7F}\u{10FFFF}é\u{301}"),
      ("<string>\\U001B \\n</string>", "\\U001B \\n"), ("<string a='1' b = \">\" >x</string >", "x"),
      ("<string\n>12345678901234567890</string\t\n>", "12345678901234567890"),
      // Foundation writes control characters raw.
      ("<string>\u{1}\u{1B}</string>", "\u{1}\u{1B}"),
    ] as [(String, PropertyList)])
  func strings(body: String, value: PropertyList) throws {
    #expect(try read(body) == value)
  }

  @Test(
    "references that XML does not have are refused",
    arguments: [
      "&#;", "&#x;", "&#0;", "&#1;", "&#xB;", "&#xD800;", "&#xDFFF;", "&#xFFFE;", "&#xFFFF;", "&#x110000;",
      "&#99999999999999999999;", "&#x100000041;", "&#65", "&#65 ;", "&#X41;", "&#-5;", "&foo;", "&LT;", "&lt",
      "&", "& ", "&;",
      "<b>", "<b/>", "<", "<!x>", "<![CDATA[", "<!--", "<?",
    ])
  func references(text: String) {
    #expect(throws: PropertyListError.self) { try read("<string>\(text)</string>") }
    #expect(throws: PropertyListError.self) { try read("<dict><key>\(text)</key><true/></dict>") }
  }

  @Test(
    "data is base64 with white space in it",
    arguments: [
      ("", []), (" \n\t", []), ("AAEC", [0, 1, 2]), ("\n\tAA\n\tEC\n", [0, 1, 2]), ("AA==", [0]),
      ("A A E =", [0, 1]),
      ("AAECAAECAA EC+/8=", [0, 1, 2, 0, 1, 2, 0, 1, 2, 0xFB, 0xFF]), ("AAE<!-- c -->C", [0, 1, 2]),
      ("AAEC&#65;AEC", [0, 1, 2, 0, 1, 2]),
    ] as [(String, [UInt8])])
  func data(text: String, bytes: [UInt8]) throws {
    #expect(try read("<data>\(text)</data>") == .data(bytes))
  }

  @Test(
    "data that is not whole is refused, never shortened",
    arguments: ["A", "AA", "AAE", "AAECA", "AA=", "A===", "=", "AA==AAEC", "AAE=C", "AA*A", "AAEC=", "AA==="])
  func brokenData(text: String) {
    #expect(throws: PropertyListError.self) { try read("<data>\(text)</data>") }
  }

  @Test(
    "containers, empty elements and what may stand between them",
    arguments: [
      ("<array/>", []), ("<array></array>", []), ("<dict/>", [:]), ("<dict> </dict>", [:]),
      ("<data/>", .data([])),
      ("<true/>", .boolean(true)), ("<false></false>", .boolean(false)),
      ("<true> <!-- c --> </true >", .boolean(true)),
      ("<array><true /><string>a</string>\n<array><dict/></array></array>", [.boolean(true), "a", [[:]]]),
      (
        "<dict><key/><string>e</string><key>a</key><!-- <key>b</key> --><?p?><dict><key>c</key><integer>1</integer></dict></dict>",
        ["": "e", "a": ["c": .integer(1)]]
      ),
      ("<!-- c --><?pi x?><array/><!-- d -->", []), ("<plist><true/></plist>", .boolean(true)),
      ("<dict><key>CF$UID</key><integer>5</integer></dict>", ["CF$UID": .integer(5)]),
      (
        "<dict><key>\u{E9}</key><string>1</string><key>e\u{301}</key><string>2</string></dict>",
        ["\u{E9}": "1", "e\u{301}": "2"]
      ),
    ] as [(String, PropertyList)])
  func containers(body: String, value: PropertyList) throws {
    #expect(try read(body) == value)
  }

  @Test(
    "what is not one whole property list is refused",
    arguments: [
      "", "text", "<true/><false/>", "<array>", "</array>", "<array></dict>", "<array>text</array>",
      "<array>&amp;</array>",
      "<array><![CDATA[x]]></array>", "<array><key>a</key></array>", "<key>a</key>", "<foo/>", "<Dict/>",
      "<dicts/>",
      "<dict><key>a</key></dict>", "<dict><string>a</string></dict>",
      "<dict><string>a</string><string>b</string></dict>",
      "<dict><key>a</key><key>b</key><true/></dict>", "<dict><key>a</key><true/><false/></dict>",
      "<dict><key>a</key><true/><key>a</key><false/></dict>", "<dict><key/><true/><key></key><true/></dict>",
      "<true>x</true>", "<string><string>a</string></string>", "<string>a</key>",
      "<array><plist><true/></plist></array>",
      "<plist/>", "<plist></plist>", "<plist><true/></plist><true/>", "<string", "<string a>x</string>",
      "<string a=1>x</string>", "<string a='<'>x</string>", "<string a='>x</string>", "< string>x</string>",
      "<array / >", "<array></array x='1'>", "<!ELEMENT a ANY>", "<!DOCTYPE plist>", "<array><?pi</array>",
    ])
  func broken(body: String) {
    #expect(throws: PropertyListError.self) { try read(body) }
  }

  @Test("the prolog and the end of a document")
  func document() throws {
    func read(_ text: String) throws(PropertyListError) -> PropertyList {
      try PropertyList(parsingXML: Array(text.utf8))
    }
    let type = "<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" 'http://example.com/>[.dtd'>"
    for head in [
      "", "<?xml version=\"1.0\"?>", " \n<!-- c -->", "<?xml version='1.0'?>\n\(type)\n", type,
      "\u{FEFF}" + type,
    ] {
      for root in ["<plist version=\"1.0\"><string>a</string></plist>", "<string>a</string>"] {
        for end in ["", "\n", "<!-- c -->\n<?pi?> "] {
          #expect(try read(head + root + end) == "a")
        }
      }
    }
    for text in [
      "", " ", "<?xml version=\"1.0\"?>", "<!-- c -->", "<plist>", "<true/>x", "<true/><true/>",
      "<true/></true>", "<true/>\0",
      "<true/>\(type)", "\(type)\(type)<true/>", "x<true/>", "<!DOCTYPE plist", "<!DOCTYPE plist []><true/>",
      "<!DOCTYPE plist [<!ENTITY a \"b\">]><string>&a;</string>", "<!DOCTYPE plist SYSTEM 'x' [ ]><true/>",
      "</plist>",
    ] {
      #expect(throws: PropertyListError.self, "\(text)") { try read(text) }
    }
  }

  @Test("GNUstep's escapes are undone where asked, and only those of what XML has no character for")
  func escapes() throws {
    var options = PropertyList.XMLParsingOptions()
    options.undoesGNUstepEscapes = true
    let text = "\\U001B\\U0041 \\UD83E\\UDD84 \\UDD84 \\UD83E\\U0041\\UFFFF\\U00e9 \\U12 \\u001B\\"
    #expect(
      try read("<dict><key>\\U0000</key><string>\(text)</string></dict>", options: options)
        == ["\0": "\u{1B}\\U0041 🦄 \\UDD84 \\UD83E\\U0041\u{FFFF}\\U00e9 \\U12 \\u001B\\"])
    #expect(try read("<string>\(text)</string>") == .string(text))
    // The backslash of a text that would be an escape itself, and no other.
    #expect(
      try read("<string>\\U005CU0041\\U005CU001b \\U005C \\U005CUser \\u005CU0041</string>", options: options)
        == "\\U0041\\U001b \\U005C \\U005CUser \\u005CU0041")
  }

  @Test("the bounds hold")
  func bounds() throws {
    func nested(_ depth: Int) -> String {
      String(repeating: "<array>", count: depth) + String(repeating: "</array>", count: depth)
    }
    #expect(throws: Never.self) { try read(nested(1000)) }
    for depth in [1001, 100_000] {
      let error = try #require(throws: PropertyListError.self) { try read(nested(depth)) }
      #expect(error.message.contains("1000 containers"))
      #expect(error.line == 3 && error.column == 7001)
    }
    var options = PropertyList.XMLParsingOptions()
    options.bounds.depth = 2
    #expect(throws: Never.self) { try read(nested(2), options: options) }
    #expect(throws: PropertyListError.self) { try read(nested(3), options: options) }
    options = .init()
    options.bounds.objectCount = 4
    #expect(throws: Never.self) {
      try read("<dict><key>a</key><array><true/></array></dict>", options: options)
    }
    #expect(throws: PropertyListError.self) {
      try read("<array><true/><true/><array/><true/></array>", options: options)
    }
    options = .init()
    options.bounds.byteCount = 50
    #expect(throws: PropertyListError.self) { try read("<true/>", options: options) }
  }
}
