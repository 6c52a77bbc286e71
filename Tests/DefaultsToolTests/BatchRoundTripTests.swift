import DefaultsDatabase
import DefaultsTool
import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

/// What `read` prints, `write` takes back: the same files, byte for byte, and the same lines.
struct BatchRoundTripTests {
  @Test("read piped into write makes the same files, byte for byte", arguments: 0..<60 as Range<UInt64>)
  func random(seed: UInt64) throws {
    var source = ValueSource(generator: SeededGenerator(seed: seed))
    var domains: [DomainName: [PropertyListKey: PropertyList]] = [:]
    for _ in 0..<4 { domains[try DomainName(source.domainName())] = source.domain() }
    try expectRoundTrip(of: domains)
  }

  @Test("every nasty text comes back as domain, key, string, element and dictionary key")
  func nastyTexts() throws {
    var domains: [DomainName: [PropertyListKey: PropertyList]] = [:]
    for text in ValueSource.nastyTexts {
      let value: PropertyList = ["s": .string(text), "a": [.string(text)], "d": [PropertyListKey(text): "x"]]
      let name = text.replacing("/", with: "|").replacing("\0", with: "0")
      domains[try DomainName(name.isEmpty ? "empty" : name)] = [
        PropertyListKey(text): .string(text), PropertyListKey(text + "2"): value,
      ]
    }
    try expectRoundTrip(of: domains)
  }

  @Test("scalars of every type come back bit for bit")
  func scalars() throws {
    let values: [PropertyList] = [
      .integer(.init(Int64.min)), .integer(try #require(PropertyListInteger(exactly: UInt64.max))),
      .real(-0.0), .real(.leastNonzeroMagnitude), .real(.nan), .real(-.infinity), .real(0.30000000000000004),
      .real(5),
      .float(0.1), .float(.greatestFiniteMagnitude), .boolean(true), .boolean(false), .data([]),
      .data([0, 255]),
      .date(.init(secondsSinceReferenceDate: -0.125)), .date(.init(secondsSinceReferenceDate: 1e300)),
    ]
    var entries: [PropertyListKey: PropertyList] = ["all": .array(values)]
    for (index, value) in values.enumerated() { entries[PropertyListKey("k\(index)")] = value }
    try expectRoundTrip(of: [DomainName("App"): entries])
  }

  private func expectRoundTrip(of domains: [DomainName: [PropertyListKey: PropertyList]]) throws {
    let first = try ToolHome()
    let database = UserDatabase(directory: first.path)
    for (name, values) in domains {
      var changes = DomainChanges()
      changes.replaceAll(with: values)
      _ = try database.commit(changes, to: name, onDamage: .refuse)
    }
    let listing = first.run("read")
    try #require(listing.code == .done, "\(listing.errors)")
    let defaultsCount = domains.values.reduce(0) { $0 + $1.count }
    let lines = listing.output.unicodeScalars.split(omittingEmptySubsequences: false) { scalar in
      scalar.properties.generalCategory == .control || scalar == "\u{2028}" || scalar == "\u{2029}"
    }
    #expect(lines.count == defaultsCount + 1, "one line a default, whichever line ends a reader knows")

    let second = try ToolHome()
    let outcome = second.run("write", input: listing.output)
    try #require(outcome == .init(code: .done), "\(outcome.errors)")
    #expect(try second.files() == first.files())
    for file in try first.files() {
      #expect(try second.text(of: file).utf8.elementsEqual(first.text(of: file).utf8), "\(file)")
    }
    #expect(second.run("read").output.utf8.elementsEqual(listing.output.utf8))

    // Each line names its default to `delete` as well.
    #expect(second.run("delete", input: listing.output) == .init(code: .done))
    #expect(second.run("read") == .init(code: .done))
  }
}

/// Random domains with a taste for what breaks listings.
private struct ValueSource {
  var generator: SeededGenerator

  static let nastyTexts = [
    "", " ", "'", "''", "\"", "\"\"", "\"a\"", "\"a", "a\"", "it's", "two words", " lead", "trail ", "\t",
    "\n",
    "a\nb", "a\r\nb", "\r", "\0", "a\0b", "\u{1B}[1m", "\u{7F}", "\u{85}", "\u{A0}", "\u{2028}", "a\u{2029}b",
    "\u{3000}", "\u{FEFF}", "\u{FEFF}a", "\u{FFFD}", "\u{FFFF}", "\u{E9}", "e\u{301}", "\u{301}", "'\u{301}",
    "\"\u{301}", "🦄", "5",
    "-5",
    "5 /*integer*/", "5 /*integer*/ ", " 5 /*integer*/", "YES /*boolean*/", "x /*integer*/", "5/*integer*/",
    "/* c */", "// c", "a // c", "(", "(a)", " (a)", "(a", "{}", "{ a = b; }", "{a", "<", "<00>", "<0",
    "<*I5>",
    "<?xml version=\"1.0\"?>", "<plist><string>a</string></plist>", "\u{2028}(a)", "\\", "\\n", "\\U0041",
    "a=b;",
    "$HOME", "`", "-g", "-u", "--help", ";", "#", "~", ".", "..", ".hidden", "bplist00", "'\"a\\nb\"'",
  ]

  private mutating func text() -> String {
    let texts = ValueSource.nastyTexts
    let first = texts.randomElement(using: &generator) ?? ""
    return Bool.random(using: &generator) ? first : first + (texts.randomElement(using: &generator) ?? "")
  }

  mutating func domainName() -> String {
    let name = text().replacing("/", with: "|").replacing("\0", with: "0")
    return name.isEmpty ? "App" : name
  }

  mutating func domain() -> [PropertyListKey: PropertyList] {
    var entries: [PropertyListKey: PropertyList] = [:]
    for _ in 0..<Int.random(in: 1...8, using: &generator) {
      entries[PropertyListKey(text())] = value(depth: 0)
    }
    return entries
  }

  private mutating func value(depth: Int) -> PropertyList {
    switch Int.random(in: 0..<(depth < 3 ? 11 : 8), using: &generator) {
    case 0...2: return .string(text())
    case 3:
      return .data(
        (0..<Int.random(in: 0...9, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator)
        })
    case 4: return .integer(.init(Int64(bitPattern: generator.next())))
    case 5: return .real(Double(bitPattern: generator.next()))
    case 6: return .float(Float(bitPattern: UInt32(truncatingIfNeeded: generator.next())))
    case 7:
      return Bool.random(using: &generator)
        ? .boolean(Bool.random(using: &generator))
        : .date(.init(secondsSinceReferenceDate: Double.random(in: -1e11...1e11, using: &generator)))
    case 8, 9:
      return .array((0..<Int.random(in: 0...4, using: &generator)).map { _ in value(depth: depth + 1) })
    default:
      var entries: [PropertyListKey: PropertyList] = [:]
      for _ in 0..<Int.random(in: 0...4, using: &generator) {
        entries[PropertyListKey(text())] = value(depth: depth + 1)
      }
      return .dictionary(entries)
    }
  }
}
