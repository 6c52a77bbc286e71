import OpenStepPropertyList
import TestSupport
import Testing

/// What is kept of damaged XML property lists.
@Suite(.enabled(if: Thoroughness.runsHere, Comment(rawValue: Thoroughness.elsewhere)))
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
  ///
  /// - Parameters:
  ///   - before: The entries before the damage.
  ///   - damageCount: How many entries may be others.
  private func fault(
    _ bytes: [UInt8], _ before: [PropertyListKey: PropertyList], damageCount: Int
  ) -> String? {
    let rescued = RescuedText(bytes, options: .domainFile)
    if case .dictionary(let whole)? = try? PropertyList(parsingXML: bytes) {
      return rescued?.values == whole ? nil : "a valid document loses something"
    }
    for (key, value) in before where rescued?.values[key] != value { return "“\(key)” is lost" }
    guard let rescued else { return nil }
    let outer = Self.before.last ?? [:]
    let others = rescued.values.filter { outer[$0.key] != $0.value }.keys
    if others.count > damageCount || !Set(others).isDisjoint(with: Self.innerKeys) {
      return "\(others) are no keys of the outermost dictionary"
    }
    guard PropertyList.isXML(bytes) else { return nil }
    return uncovered(bytes, rescued).map { "“\($0)” is neither kept nor lost" }
  }

  /// What no part of a rescued document has, although it is not white space, a comment, the head or the tail.
  private func uncovered(_ bytes: [UInt8], _ rescued: RescuedText) -> String? {
    // A byte that is not UTF-8 counts as a character, as in the places of the parts.
    var text = ""
    var (parser, rest) = (Unicode.UTF8.ForwardParser(), bytes.makeIterator())
    reading: while true {
      switch parser.parseScalar(from: &rest) {
      case .valid(let encoded):
        text.unicodeScalars.append(Unicode.UTF8.decode(encoded))
      case .error(let length):
        for _ in 0..<length { text.unicodeScalars.append("\u{1A}") }
      case .emptyInput: break reading
      }
    }
    let scalars = text.unicodeScalars
    var starts = [scalars.startIndex]
    for place in scalars.indices where scalars[place] == "\n" { starts.append(scalars.index(after: place)) }
    func index(_ position: PropertyListPosition) -> String.Index {
      scalars.index(starts[position.line - 1], offsetBy: position.column - 1)
    }
    var copied = scalars.startIndex
    for (number, part) in rescued.parts.enumerated() {
      let gap = String(scalars[copied..<index(part.start)]).replacing(Self.comment, with: "")
      copied = index(part.end)
      if gap.contains("<key>") || number > 0 && !gap.allSatisfy(\.isWhitespace) { return gap }
    }
    let tail = String(scalars[copied...]).replacing(Self.comment, with: "").drop(while: \.isWhitespace)
    return rescued.parts.isEmpty || tail.isEmpty || tail.hasPrefix("</dict") ? nil : String(tail)
  }

  /// The keys that only inner dictionaries have.
  private static let innerKeys: Set<PropertyListKey> = ["x", "z"]
  private static var comment: Regex<Substring> { /<!--[\s\S]*?-->/ }

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
      if let fault = fault(Array(bytes.prefix(count)), before, damageCount: 0) {
        Issue.record("\(count): \(fault)")
      }
    }
  }

  @Test("a document of which any byte is another keeps every entry before it")
  func flip() {
    let bytes = Array(Self.document.utf8)
    for place in Thoroughness.numbers(below: bytes.count, unoptimized: 5) {
      for byte in [0, 4, 7].map({ bytes[place] ^ (1 << $0) }) + Array("</>& \0".utf8) + [0xFF]
      where byte != bytes[place] {
        var damaged = bytes
        damaged[place] = byte
        if let fault = fault(damaged, Self.before[place], damageCount: 1) {
          Issue.record("\(byte) at \(place): \(fault)")
        }
      }
    }
  }

  @Test("of a document with two damages no inner key is kept, and everything before the first one is")
  func twoDamages() throws {
    let bytes = Array(Self.document.utf8)
    let source = Self.entries[3].source
    let start = Self.head.utf8.count + Self.entries[..<3].reduce(0) { $0 + $1.source.utf8.count }
    let end = start + source.utf8.count
    for first in start..<end {
      var damaged = bytes
      damaged[first] = UInt8(ascii: "X")
      for second in first + 1..<end {
        var twice = damaged
        twice[second] = UInt8(ascii: "X")
        let fault = fault(twice, Self.before[first], damageCount: 2)
        if let fault { Issue.record("\(first - start), \(second - start): \(fault)") }
      }
      for count in stride(from: first + 1, to: bytes.count, by: 5) {
        let fault = fault(Array(damaged.prefix(count)), Self.before[first], damageCount: 1)
        if let fault { Issue.record("\(first - start), cut at \(count - start): \(fault)") }
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
      // The damaged tag may begin the dictionary that ends behind it, also behind a second damage.
      (
        "<key>w</key><dXct>" + entry("x") + "<key>y</key><bad/>" + entry("z") + "</dict>" + entry("d"), ["d"],
        ["1:20-1:101"]
      ),
      // Of two damages between which there may be an inner dictionary, nothing is kept that stands between them.
      ("<key>w</key><dXct>" + entry("x") + "</dXct>" + entry("d"), ["d"], ["1:20-1:64"]),
      // Others cannot have its beginning or its end.
      (
        "<key>b</key><strXng>1</string>" + entry("x") + "<key>c</key><string>1</strXng>" + entry("d"),
        ["x", "d"], ["1:20-1:50", "1:69-1:99"]
      ),
      ("Xstring>" + entry("x") + "X" + entry("d"), ["x", "d"], ["1:20-1:28", "1:47-1:48"]),
      // What markup has is text, also where the markup is damaged.
      (
        "<key>b</key><strXng><![CDATA[" + entry("evil") + "]]></strXng>" + entry("d"), ["d"], ["1:20-1:83"]
      ),
      ("<key>b</key><strXng><?" + entry("evil") + "?></strXng>" + entry("d"), ["d"], ["1:20-1:75"]),
      ("<key>b</key><string><!XCDATA[" + entry("evil") + "]]></string>" + entry("d"), ["d"], ["1:20-1:83"]),
      ("<X-- " + entry("evil") + " -->" + entry("d"), ["d"], ["1:20-1:51"]),
      // Tags may have white space, and the end of an inner dictionary too.
      ("<key>w</key><dict ><bad/>" + entry("x") + "</dict >" + entry("c"), ["c"], ["1:20-1:72"]),
      ("<bad/>" + entry("c") + "</dict ></plist ><!-- </dict></plist> -->", ["c"], ["1:20-1:26"]),
      // Of equal keys the first one is kept.
      (entry("a") + "<key>a</key><false/>", ["a"], ["1:39-1:59"]),
    ] as [(String, [PropertyListKey], [String])] {
      let isEnded = text.hasSuffix("<dict>" + entry("x")) || text.hasSuffix("-->")
      let ending = isEnded ? "" : "</dict></plist>"
      let bytes = Array(("<plist><dict>      " + text + ending).utf8)
      let rescued = try #require(RescuedText(bytes, options: .domainFile))
      #expect(rescued.parts.compactMap(\.key) == keys, "\(text)")
      let ranges = rescued.parts.filter { $0.key == nil }.map {
        "\($0.start.line):\($0.start.column)-\($0.end.line):\($0.end.column)"
      }
      #expect(ranges == lost, "\(text)")
    }
  }

  @Test("a byte that is no character of the encoding costs only the entry that has it")
  func illFormedBytes() throws {
    func entry(_ key: String, _ value: String) -> String { "<key>\(key)</key><string>\(value)</string>" }
    func document(_ declared: String, _ gap: String, _ value: String) -> String {
      "<?xml version=\"1.0\" encoding=\"\(declared)\"?><plist><dict>" + entry("a", "\u{E9}") + gap
        + entry("b", value) + entry("c", "\u{E9}") + "</dict></plist>"
    }
    // U+FFFF is where the damage is; UTF-8 never has its byte.
    let encodings: [(name: String, encode: (String) -> [UInt8])] = [
      ("UTF-8", { $0.unicodeScalars.flatMap { $0 == "\u{FFFF}" ? [0xFF] : Array(String($0).utf8) } }),
      ("US-ASCII", { $0.unicodeScalars.flatMap { $0 == "\u{FFFF}" ? [0xFF] : Array(String($0).utf8) } }),
      ("windows-1252", { $0.unicodeScalars.map { $0 == "\u{FFFF}" ? 0x81 : UInt8($0.value) } }),
      (
        "UTF-16",
        {
          [0xFF, 0xFE]
            + $0.utf16.map { $0 == 0xFFFF ? 0xD800 : $0 }.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        }
      ),
      (
        "UTF-32",
        {
          [0, 0, 0xFE, 0xFF]
            + $0.unicodeScalars.map { $0 == "\u{FFFF}" ? 0x11_0000 : $0.value }.flatMap { value in
              [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
            }
        }
      ),
    ]
    for (name, encode) in encodings {
      let inside = try #require(
        RescuedText(encode(document(name, "", "x\u{FFFF}")), options: .domainFile), "\(name)")
      #expect(inside.parts.map(\.key) == ["a", nil, "c"], "\(name)")
      #expect(inside.values == ["a": "\u{E9}", "c": "\u{E9}"], "\(name)")
      let between = try #require(
        RescuedText(encode(document(name, "\u{FFFF}", "x")), options: .domainFile), "\(name)")
      #expect(between.parts.map(\.key) == ["a", nil, "b", "c"], "\(name)")
    }
    // Half a unit at the end.
    let cut = try #require(
      RescuedText(encodings[3].encode(document("UTF-16", "", "x")).dropLast(17), options: .domainFile))
    #expect(cut.parts.map(\.key) == ["a", "b", "c", nil])
  }

  @Test("the head of a document may have declarations, attributes and white space, and may be damaged")
  func heads() throws {
    let entries = "<key>a</key><true/><key>b</key><bad/><key>c</key><true/></dict>"
    for (head, isKept) in [
      ("<!DOCTYPE plist [ <!ENTITY x \"]>\"> <!-- ' --> <?x ' ?> ]><plist><dict>", true),
      ("<plist version = '1.0' ><dict >", true), ("<plist a=\"<\"><dict>", true), ("<plist><dict\n>", true),
      ("<!DOCTYPE plist \"><plist version='1.0'><dict>", true), ("<plist><dXct>", true),
      ("<plist>Xdict>", true), ("<plist><dict/>", true), ("<plXst><dict>", true),
      ("<plist><array><dict>", false), ("<plist><key>", false), ("<plist><string>", false),
    ] {
      let text = "<?xml version=\"1.0\"?>" + head + entries + "</plist>"
      let rescued = RescuedText(Array(text.utf8), options: .domainFile)
      #expect(rescued?.values == (isKept ? ["a": .boolean(true), "c": .boolean(true)] : nil), "\(head)")
    }
    // The dictionary of an array is not the domain.
    let array = "<plist><arrXy><dict><key>a</key><true/></dict></array></plist>"
    #expect(RescuedText(Array(array.utf8), options: .domainFile)?.keptCount == 0)
  }

  @Test("documents of several hundred kilobytes that are made to be read again and again take linear time")
  func time() throws {
    let units = [
      "<key>", "<key>a</key><![CDATA[", "<key>a</key><string>", "<!--", "<key>a</key><dict>", "</dict>", "<",
      "</dict><?", "</dict><!--", "</dict></plist>", "</dict ><!-- -->", "<?", "<? ?>", "<![CDATA[", "]]>",
      "<dict", "<key>a</key><dict a='", "<string a=\"", "</dict", "<!DOCTYPE [", "\u{7F}", "&", "'", "<a>",
      "<key>a</key><dXct><key>b</key><true/></dict>",
    ]
    let heads = [
      "<!DOCTYPE [ ", "<!DOCTYPE", "<plist>", "<plXst><", "<!-- -->", "<?x?>", "<![CDATA[", "<dict ",
    ]
    for (head, units) in [("<plist><dict>", units), ("<!DOCTYPE plist [", heads), ("<plist>", heads)] {
      for unit in units {
        let whole = 200_000 / unit.utf8.count
        let growth = growth(from: whole / 10, to: whole, bound: 40) { count in
          let text = Array((head + String(repeating: unit, count: count)).utf8)
          let start = threadTime()
          _ = RescuedText(text, options: .domainFile)
          return threadTime() - start
        }
        #expect(growth < 40, "\(head)\(unit)")
      }
    }
  }
}
