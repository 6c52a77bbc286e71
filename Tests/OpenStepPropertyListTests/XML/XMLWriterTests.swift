import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

@Suite struct XMLWriterTests {
  private func foundationBytes(_ value: PropertyList) throws -> [UInt8] {
    [UInt8](
      try PropertyListSerialization.data(fromPropertyList: value.foundationObject, format: .xml, options: 0))
  }

  private static let values: [PropertyList] = [
    .integer(0), .integer(PropertyListInteger(.min)), .integer(PropertyListInteger(.max)),
    .integer(PropertyListInteger(exactly: UInt64.max) ?? 0), .real(0), .real(3), .real(-3), .real(0.1),
    .real(1.0 / 3),
    .real(1e16), .real(1e17), .real(123_456_789_012_345_680), .real(1e22), .real(1e300), .real(1e-4),
    .real(1e-5),
    .real(.leastNonzeroMagnitude), .real(.greatestFiniteMagnitude), .real(.nan), .real(.infinity),
    .real(-.infinity),
    .boolean(true), .boolean(false), .date(PropertyListDate(secondsSinceReferenceDate: 0)),
    .date(PropertyListDate(secondsSinceReferenceDate: -63_113_904_000)),
    .date(PropertyListDate(secondsSinceReferenceDate: 252_423_993_599)), "", "a<b>c&d\"e'f\t\n",
    "é🦄\u{7F}\u{85}\u{2028}\u{FFFD}",
    [], [:], [[], [:], [[:]]], .data([]), .data([1]), .data([1, 2]), .data([1, 2, 3]), .data(Array(0...255)),
    [.data(Array(0...56))], [.data(Array(0...57))],
    [[[[[[[[[[.data(Array(0...100))]]]]]]]]]],
    [
      "b": "1", "a": "2", "B": "3", "": "4", "é": "5", "\u{1F600}": "6", "\u{FFFD}": "7", "\u{E000}": "8",
      "ab": "9", "a b": "10",
    ],
    ["CF$UID": .integer(5)],
  ]

  @Test("the bytes are Foundation's", arguments: values)
  func foundation(value: PropertyList) throws {
    let bytes = try value.xmlBytes()
    #expect(try bytes == foundationBytes(value))
    #expect(try PropertyList(parsingXML: bytes) == value)
  }

  @Test("what Foundation writes so that it is read back as another value is written exactly")
  func exact() throws {
    for (value, body) in [
      (.real(-0.0), "<real>-0.0</real>"), ("a\rb\r\n", "<string>a&#13;b&#13;\n</string>"),
      ("\u{FEFF}a", "<string>\u{FEFF}a</string>"),
    ] as [(PropertyList, String)] {
      let bytes = try value.xmlBytes()
      #expect(
        String(decoding: bytes, as: UTF8.self).split(separator: "\n", maxSplits: 3)[3]
          == Substring(body + "\n</plist>\n"))
      #expect(try PropertyList(parsingXML: bytes) == value)
    }
  }

  private static let beyond: [(PropertyList, String)] = [
    (
      .float(0.1),
      "at “a.b”: the number 0.1 is a Float, which XML does not tell from a Double; store it as a Double"
    ),
    ("x\u{0}", "at “a.b”: XML has no form for the character U+0000"),
    ("\u{1B}", "at “a.b”: XML has no form for the character U+001B"),
    ("12345678\u{B}", "at “a.b”: XML has no form for the character U+000B"),
    ("\u{FFFE}", "at “a.b”: XML has no form for the character U+FFFE"),
    ("12345678\u{FFFF}9", "at “a.b”: XML has no form for the character U+FFFF"),
    (
      .date(PropertyListDate(secondsSinceReferenceDate: 0.5)),
      "at “a.b”: the date 2001-01-01 00:00:00.5 +0000 does not fit XML, which has whole seconds in the years 1 to 9999; round it first"
    ),
  ]

  @Test("what XML cannot hold is refused with the keys on the way to it", arguments: beyond)
  func refusals(value: PropertyList, message: String) throws {
    let error = try #require(throws: PropertyListError.self) {
      try (["a": [["b": value]]] as PropertyList).xmlBytes()
    }
    #expect(error.message == message)
  }

  @Test(
    "dates that no four-digit year holds are refused",
    arguments: [-63_113_904_001, 252_423_993_600, 1e300, .infinity, -.infinity, .nan, -0.0])
  func dates(seconds: Double) {
    #expect(throws: PropertyListError.self) {
      try PropertyList.date(PropertyListDate(secondsSinceReferenceDate: seconds)).xmlBytes()
    }
  }

  @Test("a key that XML cannot hold is refused")
  func keys() throws {
    let error = try #require(throws: PropertyListError.self) {
      try (["a\u{1}": "b"] as PropertyList).xmlBytes()
    }
    #expect(error.message.hasSuffix("XML has no form for the character U+0001"))
  }

  @Test("1000 nested containers are written and read, 1001 refused")
  func depth() throws {
    var value: PropertyList = []
    for _ in 1..<1000 { value = [value] }
    #expect(try PropertyList(parsingXML: value.xmlBytes()) == value)
    #expect(throws: PropertyListError.self) { try ([value] as PropertyList).xmlBytes() }
  }

  @Test("keys that are canonically equal are both written, in the order of their units")
  func canonicallyEqualKeys() throws {
    let value: PropertyList = ["\u{E9}": "1", "e\u{301}": "2"]
    let bytes = try value.xmlBytes()
    #expect(try PropertyList(parsingXML: bytes) == value)
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(text.contains("<key>e\u{301}</key>\n\t<string>2</string>\n\t<key>\u{E9}</key>"))
  }

  @Test("large values are written whole", arguments: [100, 3000, 60_000])
  func large(count: Int) throws {
    var entries: [PropertyListKey: PropertyList] = [:]
    for index in 0..<count {
      entries[PropertyListKey("Key \(index)")] = ["x": .integer(5), "y": [.string("value \(index)")]]
    }
    for value in [.dictionary(entries), .array(Array(entries.values))] as [PropertyList] {
      #expect(try PropertyList(parsingXML: value.xmlBytes()) == value)
    }
  }

  /// Written by GNUstep 1.28 on Linux, with `NSPropertyListSerialization`.
  private static let gnustepText = """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <plist version="1.0">
    <dict>
        <key>a</key>
        <array>
    \t<string>1</string>
    \t<array>
    \t    <string>2</string>
    \t    <data>
    AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA</data>
    \t</array>
        </array>
        <key>a0</key>
        <array>
        </array>
        <key>ctl</key>
        <string>x\\U0000\\U0001\\U001B\u{7F}\u{85}é\u{FEFF}\\UFFFF\u{2028}y</string>
        <key>d</key>
        <real>0.1</real>
        <key>d0</key>
        <dict>
        </dict>
        <key>data0</key>
        <data>
    </data>
        <key>e22</key>
        <real>1e+22</real>
        <key>e300</key>
        <real>1e+300</real>
        <key>esc</key>
        <string>a&lt;b&gt;c&amp;d&quot;e&apos;f\t
     g</string>
        <key>inf</key>
        <real>inf</real>
        <key>mz</key>
        <real>-0</real>
        <key>ninf</key>
        <real>-inf</real>
        <key>no</key>
        <false/>
        <key>thirds</key>
        <real>0.6666666666666666</real>
        <key>three</key>
        <real>3</real>
        <key>ull</key>
        <integer>18446744073709551615</integer>
    </dict>
    </plist>
    """

  private static let gnustepValue: PropertyList = [
    "a": ["1", ["2", .data([UInt8](repeating: 0, count: 60))]], "a0": [],
    "ctl": "x\0\u{1}\u{1B}\u{7F}\u{85}é\u{FEFF}\u{FFFF}\u{2028}y", "d": .real(0.1), "d0": [:],
    "data0": .data([]),
    "e22": .real(1e22), "e300": .real(1e300), "esc": "a<b>c&d\"e'f\t\n g", "inf": .real(.infinity),
    "mz": .real(-0.0),
    "ninf": .real(-.infinity), "no": .boolean(false), "thirds": .real(2.0 / 3), "three": .real(3),
    "ull": .integer(PropertyListInteger(exactly: UInt64.max) ?? 0),
  ]

  private func read(gnustep bytes: [UInt8]) throws -> PropertyList {
    var options = PropertyList.XMLParsingOptions()
    options.undoesGNUstepEscapes = true
    return try PropertyList(parsingXML: bytes, options: options)
  }

  @Test("GNUstep's form is what GNUstep wrote, byte for byte, and reads back")
  func gnustep() throws {
    let bytes = try Self.gnustepValue.xmlBytes(style: .gnustep)
    #expect(String(decoding: bytes, as: UTF8.self) == Self.gnustepText)
    #expect(try read(gnustep: bytes) == Self.gnustepValue)
  }

  @Test(
    "GNUstep's form has no U+FFFE, for which GNUstep reads no character or no file at all",
    arguments: [["k": "a\u{FFFE}"], ["a\u{FFFE}b": "x"], [["\u{FFFE}"]]] as [PropertyList])
  func gnustepByteOrderMark(value: PropertyList) throws {
    let error = try #require(throws: PropertyListError.self) { try value.xmlBytes(style: .gnustep) }
    #expect(error.message.contains("XML has no form for the character U+FFFE"))
    // What another version has written is read.
    #expect(
      try read(gnustep: Array("<plist version=\"1.0\"><string>a\\UFFFE</string></plist>".utf8)) == "a\u{FFFE}"
    )
  }

  @Test("in GNUstep's form digits and characters are kept that GNUstep's own writer loses")
  func gnustepExact() throws {
    for (value, body) in [
      (.real(0.1 + 0.2), "<real>0.30000000000000004</real>"), (.real(.nan), "<real>nan</real>"),
      ("😀", "<string>😀</string>"),
      ("a\r", "<string>a&#13;</string>"),
    ] as [(PropertyList, String)] {
      let bytes = try value.xmlBytes(style: .gnustep)
      #expect(String(decoding: bytes, as: UTF8.self).hasSuffix("\n\(body)\n</plist>"))
      #expect(try read(gnustep: bytes) == value)
    }
  }

  /// The right sides are what GNUstep 1.28 reads as the left ones.
  @Test(
    "in GNUstep's form the backslash of a text that GNUstep would take for an escape is one",
    arguments: [
      ("\\U0041", "\\U005CU0041"), ("\\UDEAD", "\\U005CUDEAD"), ("\\U001B", "\\U005CU001B"),
      ("a\\Uabcd\\", "a\\U005CUabcd\\"),
      ("\\\\U0041\\U0042", "\\\\U005CU0041\\U005CU0042"), ("\\U005CU0041", "\\U005CU005CU0041"),
      ("\u{1B}\\U0041", "\\U001B\\U005CU0041"), ("\\\u{1B}U0041", "\\\\U001BU0041"),
      ("<\\U0041>", "&lt;\\U005CU0041&gt;"), ("\\Users \\u0041 \\U12", "\\Users \\u0041 \\U12"),
    ])
  func gnustepEscapes(text: String, written: String) throws {
    let value = PropertyList.dictionary([PropertyListKey(text): .string(text)])
    let bytes = try value.xmlBytes(style: .gnustep)
    let body = "    <key>\(written)</key>\n    <string>\(written)</string>\n"
    #expect(String(decoding: bytes, as: UTF8.self).contains(body))
    #expect(try read(gnustep: bytes) == value)
  }

  @Test("deep containers are indented as GNUstep does it, 48 columns at most")
  func gnustepDepth() throws {
    var value: PropertyList = ["x"]
    for _ in 0..<14 { value = [value] }
    let lines = String(decoding: try value.xmlBytes(style: .gnustep), as: UTF8.self).split(separator: "\n")
    #expect(lines[14] == "\t\t\t\t\t    <array>")
    for index in 15...18 { #expect(lines[index].prefix { $0 == "\t" }.count == 6) }
  }
}
