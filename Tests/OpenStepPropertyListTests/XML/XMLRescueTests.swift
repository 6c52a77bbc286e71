import OpenStepPropertyList
import TestSupport
import Testing

/// What is kept of damaged XML property lists.
struct XMLRescueTests {
  private static let head = """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <!-- mine -->
    <plist version="1.0">
    <dict>

    """
  private static let entries: [(source: String, key: String, value: PropertyList)] = [
    ("<key>a</key>\n<string>1</string>\n", "a", "1"),
    ("<key>é &lt;key&gt;</key><string>ü<![CDATA[</dict>]]></string><!-- <key> -->", "é <key>", "ü</dict>"),
    ("<key>n</key><integer>5</integer>", "n", .integer(5)),
    (
      "<key>w</key><dict><key>x</key><array><string>y</string><dict/></array><key>z</key><true/></dict>", "w",
      ["x": ["y", [:]], "z": .boolean(true)]
    ),
    ("<key>d</key><data>D70=</data>", "d", .data([0x0F, 0xBD])), ("<key/><string/>", "", ""),
  ]
  private static let tail = "</dict>\n</plist>\n"
  private static let document = head + entries.map(\.source).joined() + tail

  /// For each number of bytes before a damage, the entries that end before it.
  private static let before: [[PropertyListKey: PropertyList]] = {
    var (end, kept) = (head.utf8.count, [PropertyListKey: PropertyList]())
    var result = Array(repeating: kept, count: end)
    for entry in entries {
      result += Array(repeating: kept, count: entry.source.utf8.count)
      kept[PropertyListKey(entry.key)] = entry.value
      end += entry.source.utf8.count
    }
    return result + Array(repeating: kept, count: tail.utf8.count + 1)
  }()

  /// Why what is rescued of damaged bytes is wrong; nil if it is right.
  private func fault(_ bytes: [UInt8], _ before: [PropertyListKey: PropertyList]) -> String? {
    let rescued = RescuedText(bytes, options: .domainFile)
    if case .dictionary(let whole)? = try? PropertyList(parsingXML: bytes) {
      return rescued?.values == whole ? nil : "a valid document loses something"
    }
    for (key, value) in before where rescued?.values[key] != value { return "“\(key)” is lost" }
    return nil
  }

  @Test("of a document without damage everything is kept")
  func whole() throws {
    let rescued = try #require(RescuedText(Array(Self.document.utf8), options: .domainFile))
    #expect(rescued.parts.map(\.key) == Self.entries.map { PropertyListKey($0.key) })
    #expect(rescued.values == Self.before.last)
    #expect(rescued.parts.first?.start.line == 6 && rescued.parts.first?.start.column == 1)
  }

  @Test("a document that is cut off at any byte keeps every entry before the cut")
  func cut() {
    let bytes = Array(Self.document.utf8)
    for (count, before) in Self.before.enumerated() {
      // A comment behind an entry belongs to what the entry's source is here, and not to the entry.
      if let fault = fault(Array(bytes.prefix(count)), before) { Issue.record("\(count): \(fault)") }
    }
  }

  @Test("a document of which any byte is another keeps every entry before it")
  func flip() {
    let bytes = Array(Self.document.utf8)
    for place in bytes.indices {
      for byte in [0, 4, 7].map({ bytes[place] ^ (1 << $0) }) + Array("</>& \0".utf8) + [0xFF]
      where byte != bytes[place] {
        var damaged = bytes
        damaged[place] = byte
        if let fault = fault(damaged, Self.before[place]) { Issue.record("\(byte) at \(place): \(fault)") }
      }
    }
  }

  @Test("what is lost, and with what reading goes on")
  func losses() throws {
    func entry(_ key: String) -> String { "<key>\(key)</key><true/>" }
    for (text, keys, lost) in [
      // An element that no list has, a value that is none, and a value and a key that are missing.
      (entry("a") + "<key>b</key><stri>2</stri>" + entry("c"), ["a", "c"], ["1:39-1:65"]),
      (entry("a") + "<key>b</key><integer>x</integer>" + entry("c"), ["a", "c"], ["1:39-1:71"]),
      ("<key>a</key>" + entry("c"), ["c"], ["1:20-1:32"]), ("<true/>" + entry("c"), ["c"], ["1:20-1:27"]),
      // What is inside a container is lost with it.
      ("<key>w</key><dict>" + entry("x") + "<bad/></dict>" + entry("c"), ["c"], ["1:20-1:70"]),
      ("<key>w</key>" + entry("x") + entry("y") + "</dict>" + entry("c"), ["c"], ["1:20-1:77"]),
      ("<key>w</key><dict>" + entry("x"), [], ["1:20-1:57"]),
      // Of equal keys the first one is kept.
      (entry("a") + "<key>a</key><false/>", ["a"], ["1:39-1:59"]),
    ] as [(String, [PropertyListKey], [String])] {
      let ending = text.hasSuffix("<dict>" + entry("x")) ? "" : "</dict></plist>"
      let bytes = Array(("<plist><dict>      " + text + ending).utf8)
      let rescued = try #require(RescuedText(bytes, options: .domainFile))
      #expect(rescued.parts.compactMap(\.key) == keys, "\(text)")
      let ranges = rescued.parts.filter { $0.key == nil }.map {
        "\($0.start.line):\($0.start.column)-\($0.end.line):\($0.end.column)"
      }
      #expect(ranges == lost, "\(text)")
    }
  }

  @Test("damaged documents are read in linear time, also those that are made to be read again and again")
  func time() throws {
    for unit in ["<key>", "<key>a</key><![CDATA[", "<key>a</key><string>", "<!--", "<key>a</key><dict>", "</dict>", "<"] {
      let growth = try growth(from: 500, to: 4000, bound: 30) { count in
        let text = Array(("<plist><dict>" + String(repeating: unit, count: count)).utf8)
        let start = threadTime()
        _ = try #require(RescuedText(text, options: .domainFile))
        return threadTime() - start
      }
      #expect(growth < 30, "\(unit)")
    }
  }
}
