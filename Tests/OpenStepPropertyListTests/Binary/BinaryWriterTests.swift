import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

/// What is written: every object in its smallest form, equal ones once, in an order that follows from the value.
@Suite struct BinaryWriterTests {
  /// The objects that a value becomes, without the head, the table and the trailer.
  private func objects(_ value: PropertyList) throws -> [UInt8] {
    let bytes = try value.binaryBytes()
    let table = bytes.suffix(8).reduce(0) { $0 << 8 | Int($1) }
    return Array(bytes[8..<table])
  }

  @Test(
    "scalars take the fewest bytes that readers know",
    arguments: [
      (.boolean(true), [0x09]), (.boolean(false), [0x08]), (.integer(0), [0x10, 0]),
      (.integer(255), [0x10, 255]),
      (.integer(256), [0x11, 1, 0]), (.integer(65536), [0x12, 0, 1, 0, 0]),
      (.integer(4_294_967_296), [0x13, 0, 0, 0, 1, 0, 0, 0, 0]),
      (.integer(-1), [0x13] + Array(repeating: 0xFF, count: 8)),
      (
        .integer(PropertyListInteger(exactly: UInt64.max) ?? 0),
        [0x14] + Array(repeating: 0, count: 8) + Array(repeating: 0xFF, count: 8)
      ),
      (.real(-0.0), [0x23, 0x80, 0, 0, 0, 0, 0, 0, 0]), (.float(1), [0x22, 0x3F, 0x80, 0, 0]),
      (.real(Double(bitPattern: 0x7FF4_0000_0000_ABCD)), [0x23, 0x7F, 0xF4, 0, 0, 0, 0, 0xAB, 0xCD]),
      (.date(PropertyListDate(secondsSinceReferenceDate: 0.25)), [0x33, 0x3F, 0xD0, 0, 0, 0, 0, 0, 0]),
      (.date(PropertyListDate(secondsSinceReferenceDate: .nan)), [0x33, 0x7F, 0xF8, 0, 0, 0, 0, 0, 0]),
      (.data([1, 2]), [0x42, 1, 2]), ("", [0x50]), ("ab", [0x52, 0x61, 0x62]), ("\u{7F}", [0x51, 0x7F]),
      ("é", [0x61, 0, 0xE9]), ("\u{FFFD}\u{7FF}\u{800}", [0x63, 0xFF, 0xFD, 0x07, 0xFF, 0x08, 0x00]),
      ("a🦄", [0x63, 0, 0x61, 0xD8, 0x3E, 0xDD, 0x84]),
      (.string(String(repeating: "a", count: 15)), [0x5F, 0x10, 15] + Array(repeating: 0x61, count: 15)),
      (.data(Array(repeating: 1, count: 256)), [0x4F, 0x11, 1, 0] + Array(repeating: 1, count: 256)),
      ([], [0xA0]), ([:], [0xD0]),
      (["CF$UID": .integer(5)], [0x80, 5]), (["CF$UID": .integer(256)], [0x81, 1, 0]),
      (["CF$UID": .integer(4_294_967_295)], [0x83, 0xFF, 0xFF, 0xFF, 0xFF]),
    ] as [(PropertyList, [UInt8])])
  func scalars(value: PropertyList, expected: [UInt8]) throws {
    #expect(try objects(value) == expected)
    #expect(try PropertyList(parsingBinary: value.binaryBytes()) == value)
  }

  @Test(
    "other dictionaries of that key are dictionaries",
    arguments: [
      .integer(-1), .integer(4_294_967_296), .string("5"), .real(5), .boolean(true), ["CF$UID": .real(1)],
    ] as [PropertyList])
  func notReferences(number: PropertyList) throws {
    for value in [["CF$UID": number], ["CF$UID": .integer(5), "a": number]] as [PropertyList] {
      #expect(try objects(value)[0] & 0xF0 == 0xD0)
      #expect(try PropertyList(parsingBinary: value.binaryBytes()) == value)
    }
  }

  @Test("equal scalars are written once, and containers each for itself") func sharing() throws {
    let date = PropertyList.date(PropertyListDate(secondsSinceReferenceDate: 1))
    let scalars: [PropertyList] = [
      "x", "é", .integer(1), .real(1), .float(1), .boolean(true), date, .data([0x78]),
      ["CF$UID": .integer(1)],
    ]
    let once = try objects(.array(scalars))
    let twice = try objects(.array(scalars + scalars))
    #expect(twice.count == once.count + scalars.count + 2)
    // What only looks alike stays apart.
    let alike: [PropertyList] = [
      .real(0), .real(-0.0), .integer(0), .boolean(false), "\u{E9}", "e\u{301}", .data([0x30]), "0",
    ]
    #expect(try PropertyList(parsingBinary: PropertyList.array(alike).binaryBytes()) == .array(alike))
    #expect(try objects([["x"], ["x"]]) == [0xA2, 1, 3, 0xA1, 2, 0x51, 0x78, 0xA1, 2])
  }

  @Test("objects stand in the order of the value, keys in that of their bytes, before the values")
  func order() throws {
    let value: PropertyList = ["b": ["c": .integer(1)], "a": ["b", "z"], "\u{10000}": "", "\u{FFFD}": ""]
    #expect(
      try objects(value)
        == [
          0xD4, 1, 2, 3, 4, 5, 7, 10, 10, 0x51, 0x61, 0x51, 0x62, 0x61, 0xFF, 0xFD, 0x62, 0xD8, 0x00, 0xDC,
          0x00,
        ]
        + [0xA2, 2, 6, 0x51, 0x7A, 0xD1, 8, 9, 0x51, 0x63, 0x10, 1, 0x50])
  }

  @Test("references and offsets grow with the file", arguments: [254, 255, 256, 65534, 65535, 65536])
  func sizes(count: Int) throws {
    let value = PropertyList.array((0..<count).map { .integer(PropertyListInteger(Int64($0))) })
    let bytes = try value.binaryBytes()
    // One more object is the array itself; Foundation takes two bytes from 256 objects on.
    #expect(bytes[bytes.count - 25] == (count + 1 < 256 ? 1 : count + 1 < 65536 ? 2 : 4))
    #expect(try PropertyList(parsingBinary: bytes) == value)
    let data = try PropertyListSerialization.data(
      fromPropertyList: (0..<count).map { NSNumber(value: $0) }, format: .binary, options: 0)
    #expect(bytes == [UInt8](data))
  }

  @Test("what is written is read back, however often a long text is shared") func sharedTexts() throws {
    let text = PropertyList.string(String(repeating: "long ", count: 200_000))
    let value = PropertyList.array(Array(repeating: text, count: 120))
    let bytes = try value.binaryBytes()
    #expect(try PropertyList(parsingBinary: bytes) == value)
    // Written again some times, lest the file looks like an attack, and far from each time.
    #expect(bytes.count < 10_000_000)
    let truths = PropertyList.array(Array(repeating: .boolean(true), count: 2_000_000))
    #expect(try PropertyList(parsingBinary: truths.binaryBytes()) == truths)
  }

  @Test("equal values have equal files, in whatever order they were made") func deterministic() throws {
    let keys = (0..<500).map { PropertyListKey("key \($0)") }
    var (forward, backward): ([PropertyListKey: PropertyList], [PropertyListKey: PropertyList]) = ([:], [:])
    for key in keys { forward[key] = ["a": .string(key.text), "b": [.integer(1)]] }
    for key in keys.reversed() { backward[key] = ["b": [.integer(1)], "a": .string(key.text)] }
    #expect(
      try PropertyList.dictionary(forward).binaryBytes() == PropertyList.dictionary(backward).binaryBytes())
  }
}
