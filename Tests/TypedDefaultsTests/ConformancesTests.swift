import Foundation
import OpenStepPropertyList
import Testing
import TypedDefaults
import UserDefaultsCompat

/// Every type that can be stored, in every container.
struct ConformancesTests {
  private enum Season: String, Defaults.Serializable { case spring, autumn }
  private enum Level: Int, Defaults.Serializable {
    case low = -1
    case high = 7
  }

  /// Sets a value, and reads it here and from the file.
  private func check<Value: Defaults.Serializable & Equatable>(
    _ value: Value, not initial: Value, _ location: SourceLocation = #_sourceLocation
  ) throws {
    let home = try TypedHome()
    let key = Defaults.Key<Value>("k", default: initial, suite: home.defaults)
    #expect(Defaults[key] == initial, sourceLocation: location)
    Defaults[key] = value
    #expect(Defaults[key] == value, sourceLocation: location)
    #expect(try home.reopened().value(for: key) == value, sourceLocation: location)
    // The same inside each container.
    let all = Defaults.Key<[String: [Value?]]>("all", default: [:], suite: home.defaults)
    Defaults[all] = ["a": [value, initial], "": []]
    #expect(
      try home.reopened().value(for: all) == ["a": [value, initial], "": []], sourceLocation: location)
    let optional = Defaults.Key<Value?>("optional", suite: home.defaults)
    Defaults[optional] = value
    #expect(try home.reopened().value(for: optional) == value, sourceLocation: location)
  }

  private func checkLimits<Value: FixedWidthInteger & Defaults.Serializable>(_ type: Value.Type) throws {
    try check(Value.max, not: 0)
    try check(Value.min, not: 1)
    let home = try TypedHome()
    let wider = Defaults.Key<String>("k", default: "", suite: home.defaults)
    Defaults[wider] = "\(Value.max)0"
    // One digit more does not fit, and is neither cut off nor lost.
    let key = Defaults.Key<Value>("k", default: 3, suite: home.defaults)
    #expect(Defaults[key] == 3)
    #expect(throws: Defaults.ValueError.self) { try Defaults.value(for: key) }
  }

  @Test("nil inside a container is left out, at any depth and in each kind of container")
  func nilInside() throws {
    let home = try TypedHome()
    let list = Defaults.Key<[Int?]>("list", default: [1, nil, 3], suite: home.defaults)
    #expect(Defaults[list] == [1, 3] && home.defaults.array(forKey: "list") as? [Int] == [1, 3])
    Defaults[list] = [nil, 4, nil, 5]
    #expect(Defaults[list] == [4, 5])
    Defaults[list] = [nil]
    #expect(Defaults[list] == [] && home.defaults.array(forKey: "list")?.isEmpty == true)
    let map = Defaults.Key<[String: Int?]>("map", default: [:], suite: home.defaults)
    Defaults[map] = ["a": 1, "b": nil]
    #expect(
      Defaults[map] == ["a": 1] && home.defaults.dictionary(forKey: "map") as? [String: Int] == ["a": 1])
    let set = Defaults.Key<Set<Season?>>("set", default: [], suite: home.defaults)
    Defaults[set] = [nil, .spring]
    #expect(Defaults[set] == [.spring] && home.defaults.stringArray(forKey: "set") == ["spring"])
    let nested = Defaults.Key<[Level: [[Date??]?]]>("nested", default: [:], suite: home.defaults)
    let date = Date(timeIntervalSinceReferenceDate: 0)
    Defaults[nested] = [.low: [nil, [nil, .some(nil), date]], .high: []]
    #expect(try home.reopened()[nested] == [.low: [[date]], .high: []])
    // A bridge may give any property list; one with nil inside is no other.
    let bridged = Defaults.Key<Sparse>("bridged", default: Sparse(), suite: home.defaults)
    Defaults[bridged] = Sparse(parts: ["a": nil, "b": 2])
    #expect(try home.reopened()[bridged] == Sparse(parts: ["b": 2]))
  }

  /// A type whose bridge gives a property list with nothing in places.
  private struct Sparse: Defaults.Serializable, Equatable {
    struct Bridge: Defaults.Bridge {
      func serialize(_ value: Sparse?) -> Any? {
        value.map { ["list": [$0.parts as Any, Optional<Int>.none as Any]] as [String: Any] }
      }

      func deserialize(_ object: Any?) -> Sparse? {
        guard let list = (object as? [String: Any])?["list"] as? [[String: Int]], list.count <= 1 else {
          return nil
        }
        return Sparse(parts: list.first ?? [:])
      }
    }

    static var bridge: Bridge { Bridge() }
    var parts: [String: Int?] = [:]
  }

  @Test("decimal numbers keep all their digits, and are read from numbers and the command line's text")
  func decimals() throws {
    let digits = try #require(Decimal(string: "12345678901234567890.123456789012345678"))
    try check(digits, not: 0)
    try check(Decimal(string: "-0.1")!, not: digits)
    try check(Decimal.nan, not: 1)
    let home = try TypedHome()
    let key = Defaults.Key<Decimal>("k", default: 3, suite: home.defaults)
    for (number, digits) in [(5 as Any, "5"), (0.1, "0.1"), (Float(0.5), "0.5"), ("1e3", "1000")] {
      home.defaults.set(number, forKey: "k")
      #expect(Defaults[key] == Decimal(string: digits), "\(number)")
    }
    Defaults[key] = Decimal(string: "0.1")!
    #expect(home.defaults.double(forKey: "k") == 0.1)
    home.defaults.set("1 apple", forKey: "k")
    #expect(throws: Defaults.ValueError.self) { try Defaults.value(for: key) }
    // As code for the peer stores it, which declares the conformance itself: JSON text.
    home.defaults.set(String(decoding: try JSONEncoder().encode(digits), as: UTF8.self), forKey: "k")
    #expect(Defaults[key] == digits)
  }

  @Test("locales are their identifiers, and those that follow the user's settings do so again")
  func locales() throws {
    try check(Locale(identifier: "de_DE"), not: Locale(identifier: "en_US_POSIX"))
    try check(Locale.autoupdatingCurrent, not: Locale(identifier: "de_CH"))
    try check(Locale.current, not: Locale(identifier: "de_CH"))
    let home = try TypedHome()
    let key = Defaults.Key<Locale>("k", default: Locale(identifier: "en"), suite: home.defaults)
    #expect(home.defaults.string(forKey: "k") == "en")
    home.defaults.set("fr_CA", forKey: "k")
    #expect(Defaults[key] == Locale(identifier: "fr_CA"))
    let peers = String(decoding: try JSONEncoder().encode(Locale(identifier: "sv")), as: UTF8.self)
    home.defaults.set(peers, forKey: "k")
    #expect(Defaults[key] == Locale(identifier: "sv"))
    home.defaults.set(5, forKey: "k")
    #expect(throws: Defaults.ValueError.self) { try Defaults.value(for: key) }
  }

  @Test("enumerations, and what is stored as text or a number, are keys of dictionaries")
  func dictionaryKeys() throws {
    enum Plain: String { case a, b }
    enum Coded: String, Codable, Defaults.Serializable { case x = "the x" }
    struct Tag: RawRepresentable, Hashable { var rawValue: UUID }
    try check([Season.spring: 1, .autumn: 2], not: [:])
    try check([Level.low: [true], .high: []], not: [:])
    try check([Plain.a: "1"], not: [.b: "2"])
    try check([Coded.x: 1], not: [:])
    try check([Tag(rawValue: UUID()): 1, Tag(rawValue: UUID()): 2], not: [:])
    try check([Date(timeIntervalSinceReferenceDate: 1.5): 1], not: [:])
    try check([Decimal(string: "0.1")!: 1], not: [:])
    try check([Season.spring: [Level.high: [Plain.b: 1]]], not: [:])
    let home = try TypedHome()
    let key = Defaults.Key<[Level: Int]>("k", default: [.high: 3], suite: home.defaults)
    #expect(home.defaults.dictionary(forKey: "k") as? [String: Int] == ["7": 3])
    home.defaults.set(["8": 1], forKey: "k")
    #expect(throws: Defaults.ValueError.self) { try Defaults.value(for: key) }
    struct Opaque: Hashable { var number = 1 }
    let opaque = Defaults.Key<[Opaque: Int]>("opaque", default: [:], suite: home.defaults)
    #expect(throws: Defaults.ValueError.self) { try Defaults.set([Opaque(): 1], for: opaque) }
    #expect(Defaults[opaque] == [:])
  }

  @Test("whole numbers of every width keep their limits, and take nothing beyond")
  func integers() throws {
    try checkLimits(Int.self)
    try checkLimits(Int8.self)
    try checkLimits(Int16.self)
    try checkLimits(Int32.self)
    try checkLimits(Int64.self)
    try checkLimits(UInt.self)
    try checkLimits(UInt8.self)
    try checkLimits(UInt16.self)
    try checkLimits(UInt32.self)
    try checkLimits(UInt64.self)
  }

  @Test("reals of every kind come back bit for bit")
  func reals() throws {
    for value in [0.1, -0.0, .infinity, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 1 / 3] as [Double] {
      try check(value, not: 1)
      try check(CGFloat(value), not: 1)
      try check(Float(value), not: 1)
    }
    let home = try TypedHome()
    let double = Defaults.Key<Double>("double", default: 0, suite: home.defaults)
    let float = Defaults.Key<Float>("float", default: 0, suite: home.defaults)
    let log = Log<Double>()
    let observation = Defaults.observe(double, options: []) { log.add($0.newValue) }
    for _ in 0..<2 { (Defaults[double], Defaults[float]) = (.nan, .nan) }
    #expect(Defaults[double].isNaN && Defaults[float].isNaN)
    // No number equals NaN, but setting it twice is one change.
    #expect(log.all.count == 1)
    let reopened = try home.reopened()
    #expect(reopened[double].isNaN && reopened[float].isNaN)
    withExtendedLifetime(observation) {}
  }

  @Test("truth values, text, data and dates come back")
  func scalars() throws {
    try check(true, not: false)
    try check(false, not: true)
    for text in ["", "YES", "0.8", "{ a = b; }", "<00>", "🦄\u{0}\n\r\\\"", "e\u{301}"] {
      try check(text, not: "x")
      let home = try TypedHome()
      let key = Defaults.Key<String>("k", default: "x", suite: home.defaults)
      Defaults[key] = text
      #expect(try Array(home.reopened()[key].utf8) == Array(text.utf8))
    }
    try check(Data([0, 255]), not: Data())
    try check(Data(), not: Data([1]))
    try check(Date(timeIntervalSinceReferenceDate: 0.123456789), not: .distantPast)
    try check(Date.distantFuture, not: Date(timeIntervalSince1970: 0))
    try check(UUID(), not: UUID())
  }

  @Test("URLs of the web and of files come back")
  func urls() throws {
    for text in ["https://example.org/a%20b?q=ü#f", "mailto:a@b.c", "file:///tmp/a%20b", "relative/path"] {
      let url = try #require(URL(string: text))
      try check(url, not: URL(fileURLWithPath: "/"))
    }
    try check(URL(fileURLWithPath: NSHomeDirectory() + "/x"), not: URL(fileURLWithPath: "/"))
    let home = try TypedHome()
    let key = Defaults.Key<URL?>("k", suite: home.defaults)
    // As the untyped setter, a person and the JSON text of other facades have it.
    home.defaults.set(URL(string: "https://a.b/c"), forKey: "k")
    #expect(Defaults[key] == URL(string: "https://a.b/c"))
    for text in ["https://a.b/c", "\"https:\\/\\/a.b\\/c\""] {
      home.defaults.set(text, forKey: "k")
      #expect(Defaults[key] == URL(string: "https://a.b/c"))
    }
    Defaults[key] = URL(string: "https://a.b/d")
    #expect(home.defaults.url(forKey: "k") == URL(string: "https://a.b/d"))
  }

  @Test("ranges of any bounds come back, and are arrays of two in the file")
  func ranges() throws {
    try check(1..<5, not: 0..<1)
    try check(3..<3, not: 0..<1)
    try check(-1.5...2.5, not: 0...1)
    try check("a"..<"b", not: "x"..<"y")
    try check(
      Date(timeIntervalSinceReferenceDate: 0)...Date.distantFuture, not: Date.distantPast...Date.distantPast)
    try check(UInt8.min...UInt8.max, not: 1...2)
    let defaults = UserDefaults.inMemory()
    let key = Defaults.Key<Range<Int>>("k", default: 0..<1, suite: defaults)
    Defaults[key] = 2..<9
    #expect(defaults.object(forKey: "k") as? [Int] == [2, 9])
  }

  @Test("a stored range whose bounds are no range is an error, and no crash")
  func badRanges() throws {
    let defaults = UserDefaults.inMemory()
    let int = Defaults.Key<Range<Int>>("k", default: 0..<1, suite: defaults)
    let double = Defaults.Key<ClosedRange<Double>>("k", default: 0...1, suite: defaults)
    for bounds in [[5, 1], [1], [1, 2, 3], [], ["a", "b"], "1", ["a": 1]] as [Any] {
      defaults.set(bounds, forKey: "k")
      #expect(Defaults[int] == 0..<1 && Defaults[double] == 0...1, "\(bounds)")
      #expect(throws: Defaults.ValueError.self) { try Defaults.value(for: int) }
    }
    defaults.set([Double.nan, .nan], forKey: "k")
    #expect(Defaults[double] == 0...1)
  }

  @Test("enumerations are stored by their raw values")
  func enumerations() throws {
    try check(Season.autumn, not: .spring)
    try check(Level.low, not: .high)
    let defaults = UserDefaults.inMemory()
    Defaults[Defaults.Key<Season>("s", default: .spring, suite: defaults)] = .autumn
    Defaults[Defaults.Key<[Level]>("l", default: [], suite: defaults)] = [.high, .low]
    #expect(defaults.string(forKey: "s") == "autumn" && defaults.object(forKey: "l") as? [Int] == [7, -1])
    defaults.set("winter", forKey: "s")
    #expect(Defaults[Defaults.Key<Season>("s", default: .spring, suite: defaults)] == .spring)
  }

  @Test("containers nest to any depth")
  func nesting() throws {
    try check([["a": [["b": 1], [:]], "": []]] as [[String: Set<[String: Int]>]], not: [])
    try check([[], [[]], [[1, 2], [3]]] as Set<Set<Set<Int>>>, not: [])
    try check([1.5: ["x": [true: UUID()]]] as [Double: [String: [Bool: UUID]]], not: [:])
    try check([[1: [2, 3]], [:]] as [[Int: Set<Int>]], not: [])
    try check(["a": [URL(string: "https://a.b")!: 1...2].map { [$0.key] }], not: [:])
    try check(.some(.some([1])) as [Int]??, not: .some(.some([])))
  }

  @Test("equal sets are stored alike, so that setting one again is no change")
  func sets() {
    let defaults = UserDefaults.inMemory()
    let key = Defaults.Key<Set<String>>("k", default: [], suite: defaults)
    let log = Log<Int>()
    let observation = Defaults.observe(key, options: []) { log.add($0.newValue.count) }
    let names = (0..<50).map { "name \($0)" }
    for _ in 0..<5 { Defaults[key] = Set(names.shuffled()) }
    #expect(log.all == [50])
    #expect(defaults.stringArray(forKey: "k") == names.sorted())
    withExtendedLifetime(observation) {}
  }

  @Test("text that a classic program left is read as the key's type")
  func classicText() throws {
    let home = try TypedHome()
    func read<Value: Defaults.Serializable>(_ text: String, _ type: Value.Type) throws -> Value? {
      home.writeClassic(text, "k")
      return try Defaults.value(for: Defaults.Key<Value?>("k", suite: home.defaults)) ?? nil
    }
    #expect(try read("0.8", Double.self) == 0.8)
    #expect(try read("0.8", CGFloat.self) == 0.8)
    #expect(try read("-12", Int.self) == -12)
    #expect(try read("200", UInt8.self) == 200)
    for text in ["YES", "yes", "true", "1"] { #expect(try read(text, Bool.self) == true) }
    for text in ["NO", "no", "False", "0"] { #expect(try read(text, Bool.self) == false) }
    #expect(
      try read("2001-01-01 00:00:01 +0000", Date.self) == Date(timeIntervalSinceReferenceDate: 1))
    for text in ["0.8x", "", "YES "] {
      #expect(throws: Defaults.ValueError.self) { try read(text, Double.self) }
      #expect(throws: Defaults.ValueError.self) { try read(text, Bool.self) }
    }
  }

  @Test("a large value comes back")
  func large() throws {
    try check([String](repeating: String(repeating: "x", count: 1000), count: 100), not: [])
    try check(Data(repeating: 7, count: 100_000), not: Data())
  }
}
