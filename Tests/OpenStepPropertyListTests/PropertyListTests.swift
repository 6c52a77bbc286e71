import OpenStepPropertyList
import TestSupport
import Testing

/// The value itself: what is equal, and what is kept apart.
@Suite
struct PropertyListTests {
  @Test("strings and keys are compared by their bytes")
  func canonicalEquivalence() {
    #expect("\u{E9}" == ("e\u{301}" as String), "Swift's own equality takes them for one")
    #expect(PropertyList.string("\u{E9}") != .string("e\u{301}"))
    #expect(PropertyListKey("\u{E9}") != PropertyListKey("e\u{301}"))
    let entries: [PropertyListKey: PropertyList] = ["\u{E9}": "1", "e\u{301}": "2"]
    #expect(entries.count == 2)
    #expect(entries["e\u{301}"] == "2")
  }

  @Test("keys are ordered by code point")
  func order() {
    let keys: [PropertyListKey] = ["", "10", "9", "B", "a", "a1", "é", "\u{FFFF}", "😀"]
    #expect(keys.shuffled().sorted() == keys)
  }

  @Test("numbers are equal when their bits are, and a value never equals one of another kind")
  func numbers() {
    #expect(PropertyList.real(0) != .real(-0.0))
    #expect(PropertyList.real(.nan) == .real(-.nan))
    #expect(PropertyList.float(0) != .float(-0.0))
    #expect(PropertyList.float(.nan) == .float(.signalingNaN))
    #expect(Set([PropertyList.real(.nan), .real(-.nan)]).count == 1)
    #expect(
      PropertyList.date(.init(secondsSinceReferenceDate: 0)) != .date(.init(secondsSinceReferenceDate: -0.0)))
    let alike: [PropertyList] = [
      .integer(1), .real(1), .float(1), .boolean(true), "1", .data([1]), [.integer(1)],
      .date(.init(secondsSinceReferenceDate: 1)),
    ]
    #expect(Set(alike).count == alike.count)
  }

  @Test("of two equal keys in a literal the last one wins")
  func literal() {
    #expect((["a": "1", "a": "2"] as PropertyList) == ["a": "2"])
  }

  @Test("an integer is any Int64 or UInt64, and nothing beyond")
  func integers() throws {
    let largest = try #require(PropertyListInteger(exactly: UInt64.max))
    #expect(largest.exactly(as: UInt64.self) == .max && largest.exactly(as: Int64.self) == nil)
    #expect(PropertyListInteger(Int64.min).exactly(as: Int64.self) == .min)
    #expect(PropertyListInteger(-1).exactly(as: UInt64.self) == nil)
    #expect(PropertyListInteger(exactly: UInt64(5)) == PropertyListInteger(5))
    #expect(PropertyListInteger("18446744073709551615") == largest)
    #expect(PropertyListInteger("18446744073709551616") == nil)
    #expect(PropertyListInteger("-9223372036854775809") == nil)
    #expect(PropertyListInteger("+5") == 5)
    for text in ["", "-", "5.0", " 5", "0x5", "٣"] { #expect(PropertyListInteger(text) == nil) }
    #expect(PropertyListInteger(300).exactly(as: UInt8.self) == nil)
    let ascending = [PropertyListInteger(Int64.min), -5, -1, 0, 1, PropertyListInteger(Int64.max), largest]
    #expect(ascending.shuffled().sorted() == ascending)
    #expect(largest.doubleValue == 0x1p64 && PropertyListInteger(-3).doubleValue == -3)
  }

  @Test("a value is described by its text of one line, or by the reason why it has none")
  func description() {
    let value: PropertyList = ["k": ["a b", .integer(5)]]
    #expect("\(value)" == "{k = (\"a b\", 5 /*integer*/); }")
    let reason = "\(nested(PropertyList.maximumDepth + 1, inDictionaries: false))"
    #expect(reason.contains("1000"), "\(reason.prefix(100))")
  }
}
