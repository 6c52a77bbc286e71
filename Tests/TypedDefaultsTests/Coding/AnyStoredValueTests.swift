import Foundation
import OpenStepPropertyList
import TestSupport
import Testing
import TypedDefaults
import UserDefaultsCompat

/// Whatever is stored, for keys of all kinds of types.
struct AnyStoredValueTests {
  private struct User: Codable, Hashable, Defaults.Serializable { var name: String? }
  private enum Season: String, Defaults.Serializable { case spring }
  private enum Level: Int, Codable, Defaults.Serializable { case low }

  private let defaults = UserDefaults.inMemory()
  private let other = UserDefaults.inMemory()

  /// Reads and sets over a stored value, as a type.
  private func check<Value: Defaults.Serializable>(
    _ stored: PropertyList, as initial: Value, _ location: SourceLocation = #_sourceLocation
  ) throws {
    defaults.removeAll()
    defaults.setStored(["k": stored])
    let key = Defaults.Key<Value>("k", default: initial, suite: defaults)
    _ = Defaults[key]
    do {
      let value = try #require(try Defaults.value(for: key))
      // What was read is stored in the one form of the type, which is read again.
      Defaults[key: key, suite: other] = value
      let form = try #require(other.storedValue(for: "k"), sourceLocation: location)
      Defaults[key: key, suite: other] = try #require(try other.value(for: key))
      #expect(other.storedValue(for: "k") == form, "\(stored)", sourceLocation: location)
      Defaults[key] = initial
      #expect(defaults.storedValue(for: "k.unreadable") == nil, "\(stored)", sourceLocation: location)
    } catch is Defaults.ValueError {
      #expect(defaults.storedValue(for: "k") == stored, sourceLocation: location)
      Defaults[key] = initial
      #expect(defaults.storedValue(for: "k.unreadable") == stored, "\(stored)", sourceLocation: location)
    }
    #expect(try Defaults.value(for: key) != nil, sourceLocation: location)
  }

  private func checkAll(_ stored: PropertyList) throws {
    try check(stored, as: false)
    try check(stored, as: 0)
    try check(stored, as: UInt8(0))
    try check(stored, as: UInt64(0))
    try check(stored, as: 0.0)
    try check(stored, as: Float(0))
    try check(stored, as: CGFloat(0))
    try check(stored, as: "")
    try check(stored, as: Data())
    try check(stored, as: Date(timeIntervalSince1970: 0))
    try check(stored, as: URL(fileURLWithPath: "/"))
    try check(stored, as: UUID())
    try check(stored, as: 0..<1)
    try check(stored, as: 0.0...1)
    try check(stored, as: Season.spring)
    try check(stored, as: Level.low)
    try check(stored, as: User())
    try check(stored, as: [User]())
    try check(stored, as: ArchivedPoint(x: 0))
    try check(stored, as: ["a"] as Set)
    try check(stored, as: ["a": [1]])
    try check(stored, as: [1: [true: Set([0.5])]])
    try check(stored, as: ["a": Defaults.AnySerializable("b")])
    try check(stored, as: Defaults.AnySerializable(1))
  }

  @Test("a random value is read and set over without a crash and without loss", arguments: 0..<20)
  func random(seed: UInt64) throws {
    var values = RandomValues(seed: seed)
    guard case .dictionary(let entries) = values.dictionary() else { return }
    for value in entries.values { try checkAll(value) }
    try checkAll(.dictionary(entries))
  }

  @Test(
    "text that looks like something else is read and set over without a crash and without loss",
    arguments: [
      "", "0", "1", "-1", "YES", "no", "1e400", "nan", "inf", "0x10", " 1", "1 ", "~", "/", "~root/x",
      "http://",
      "\"http://a\"", "\"", "{}", "[]", "[1,2]", "{\"name\":null}", "null", "spring", "\"spring\"", "true",
      "2001-01-01 00:00:00 +0000", "9999999999-01-01 00:00:00 +0000", "00000000-0000-0000-0000-000000000000",
      "\u{FEFF}1", "\u{0}", String(repeating: "[", count: 100_000),
    ])
  func text(text: String) throws {
    try checkAll(.string(text))
    try checkAll(.array([.string(text), .string(text)]))
    try checkAll(.dictionary(["1": .string(text), "true": .array([.string(text)])]))
  }
}
