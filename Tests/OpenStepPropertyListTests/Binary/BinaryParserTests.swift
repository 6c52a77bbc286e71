import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

/// What the format's description says of each object, and what other programs write.
@Suite struct BinaryParserTests {
  private func read(_ objects: [[UInt8]]) throws(PropertyListError) -> PropertyList {
    try PropertyList(parsingBinary: BinaryFile.bytes(objects))
  }

  private static func number(_ text: String) -> PropertyList { .integer(PropertyListInteger(text) ?? -77) }

  @Test(
    "scalars are read exactly",
    arguments: [
      ([0x08], PropertyList.boolean(false)), ([0x09], .boolean(true)), ([0x10, 0xFF], .integer(255)),
      ([0x11, 0xFF, 0xFF], .integer(65535)), ([0x12, 0xFF, 0xFF, 0xFF, 0xFF], .integer(4_294_967_295)),
      ([0x13, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFE], .integer(-2)),
      ([0x13, 0x80, 0, 0, 0, 0, 0, 0, 0], .integer(PropertyListInteger(Int64.min))),
      (
        [0x14] + Array(repeating: 0, count: 8) + Array(repeating: 0xFF, count: 8),
        number("18446744073709551615")
      ),
      (
        [0x14] + Array(repeating: 0, count: 8) + [0x80] + Array(repeating: 0, count: 7),
        number("9223372036854775808")
      ),
      ([0x14] + Array(repeating: 0, count: 15) + [7], .integer(7)),
      ([0x14] + Array(repeating: 0xFF, count: 16), .integer(-1)),
      (
        [0x14] + Array(repeating: 0xFF, count: 8) + [0x80] + Array(repeating: 0, count: 7),
        number("-9223372036854775808")
      ),
      ([0x22, 0x3F, 0x80, 0, 0], .float(1)), ([0x22, 0x80, 0, 0, 0], .float(-0.0)),
      ([0x23, 0x80, 0, 0, 0, 0, 0, 0, 0], .real(-0.0)),
      ([0x23, 0xFF, 0xF0, 0, 0, 0, 0, 0, 0], .real(-.infinity)),
      ([0x33, 0x3F, 0xD0, 0, 0, 0, 0, 0, 0], .date(PropertyListDate(secondsSinceReferenceDate: 0.25))),
      ([0x33, 0x7F, 0xF0, 0, 0, 0, 0, 0, 0], .date(PropertyListDate(secondsSinceReferenceDate: .infinity))),
      ([0x42, 1, 2], .data([1, 2])), ([0x40], .data([])), ([0x4F, 0x10, 2, 8, 9], .data([8, 9])),
      ([0x51, 0x61], "a"), ([0x50], ""), ([0x52, 0x00, 0x7F], "\0\u{7F}"), ([0x5F, 0x11, 0, 1, 0x61], "a"),
      ([0x5F, 0x13, 0, 0, 0, 0, 0, 0, 0, 2, 0x61, 0x62], "ab"),
      ([0x60], ""), ([0x61, 0, 0x61], "a"), ([0x62, 0xD8, 0x3E, 0xDD, 0x84], "🦄"), ([0x61, 0x00, 0xE9], "é"),
      ([0x62, 0xFE, 0xFF, 0, 0x61], "\u{FEFF}a"), ([0x61, 0xFF, 0xFF], "\u{FFFF}"),
      ([0x61, 0x07, 0xFF], "\u{7FF}"), ([0x61, 0x08, 0x00], "\u{800}"),
      ([0x62, 0xDB, 0xFF, 0xDF, 0xFF], "\u{10FFFF}"),
      ([0xA0], []), ([0xD0], [:]),
    ] as [([UInt8], PropertyList)])
  func scalars(object: [UInt8], value: PropertyList) throws {
    #expect(try read([object]) == value)
  }

  @Test("the bits of numbers that are none are kept") func payloads() throws {
    let real = try read([[0x23, 0x7F, 0xF4, 0, 0, 0, 0, 0xAB, 0xCD]])
    guard case .real(let number) = real else { return #expect(Bool(false), "\(real)") }
    #expect(number.bitPattern == 0x7FF4_0000_0000_ABCD)
    let float = try read([[0x22, 0xFF, 0xA0, 0, 1]])
    guard case .float(let number) = float else { return #expect(Bool(false), "\(float)") }
    #expect(number.bitPattern == 0xFFA0_0001)
  }

  @Test("shared objects are read as often as they are referred to, and share their memory") func shared()
    throws
  {
    #expect(
      try read([[0xA3, 1, 1, 2], BinaryFile.string("x"), [0xA1, 1]]) == ["x", "x", ["x"]])
    let value = try read([[0xA2, 1, 1], [0x4F, 0x10, 20] + Array(repeating: 7, count: 20)])
    guard case .array(let elements) = value, case .data(let first) = elements[0],
      case .data(let second) = elements[1]
    else { return #expect(Bool(false), "\(value)") }
    #expect(first.withUnsafeBytes { $0.baseAddress } == second.withUnsafeBytes { $0.baseAddress })
  }

  @Test("keys and values may be the same object, and stand in any order") func keys() throws {
    #expect(
      try read([[0xD2, 2, 1, 1, 2], BinaryFile.string("a"), BinaryFile.string("b")]) == ["b": "a", "a": "b"])
    #expect(try read([[0x09], [0xA1, 0]]) == .boolean(true))
    #expect(
      try PropertyList(parsingBinary: BinaryFile.bytes([[0x09], [0xA1, 0]], root: 1)) == [.boolean(true)])
  }

  @Test("keys are told apart by their bytes") func canonicalKeys() throws {
    let value = try read([[0xD2, 1, 2, 3, 3], [0x61, 0x00, 0xE9], [0x62, 0x00, 0x65, 0x03, 0x01], [0x09]])
    #expect(value == ["\u{E9}": .boolean(true), "e\u{301}": .boolean(true)])
  }

  @Test("references of archives are dictionaries", arguments: 1...16)
  func references(size: Int) throws {
    let number =
      Array(repeating: 0 as UInt8, count: max(size - 8, 0))
      + BinaryFile.bigEndian(0xF102_0304_0506_0708 as UInt64, size: min(size, 8))
    let expected = number.suffix(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
    let uid: PropertyList = ["CF$UID": .integer(try #require(PropertyListInteger(exactly: expected)))]
    #expect(try read([[0x80 | UInt8(size - 1)] + number]) == uid)
    #expect(try read([[0xA2, 1, 1], [0x80 | UInt8(size - 1)] + number]) == [uid, uid])
  }

  @Test("references and offsets have 1 to 8 bytes", arguments: 1...8, 1...8)
  func sizes(reference: Int, offset: Int) throws {
    let objects = [
      [0xD1] + BinaryFile.bigEndian(1, size: reference) + BinaryFile.bigEndian(2, size: reference),
      BinaryFile.string("key"), [0x10, 5],
    ]
    let bytes = BinaryFile.bytes(objects, referenceSize: reference, offsetSize: offset)
    #expect(try PropertyList(parsingBinary: bytes) == ["key": .integer(5)])
  }

  @Test("half a surrogate pair becomes U+FFFD, with a warning") func surrogates() throws {
    let bytes = BinaryFile.bytes([
      [0xD1, 1, 2], [0x62, 0xD8, 0x3E, 0x00, 0x61],
      [0x65, 0, 0x62, 0xDC, 0, 0xD8, 0x3E, 0xDD, 0x84, 0xD8, 0],
    ])
    let (value, warnings) = try PropertyList.parsingWithWarnings(binary: bytes)
    #expect(value == ["\u{FFFD}a": "b\u{FFFD}🦄\u{FFFD}"])
    #expect(
      warnings.map(\.description) == [
        "object 2, byte 19: half a surrogate pair stands for no character and is read as U+FFFD",
        "object 1, byte 12: half a surrogate pair stands for no character and is read as U+FFFD",
      ])
    #expect(warnings.allSatisfy { $0.kind == .loneSurrogate && $0.line == 0 })
    #expect(
      try PropertyList.parsingWithWarnings(binary: BinaryFile.bytes([[0x61, 0, 0xE9]])).warnings.isEmpty)
  }

  @Test("two such keys are the same key, which is refused") func surrogateKeys() {
    let error = #expect(throws: PropertyListError.self) {
      try read([[0xD2, 1, 2, 1, 2], [0x61, 0xD8, 0x00], [0x61, 0xDC, 0x00]])
    }
    #expect(error?.message == "the object has the key “\u{FFFD}” twice")
  }

  @Test("objects to which nothing leads are not looked at") func garbage() throws {
    #expect(try read([[0x09], [0x00], [0xFF], [0xA1, 9], [0x5F]]) == .boolean(true))
    // The offset of the second object lies outside of the file.
    var bytes = BinaryFile.bytes([[0x09], [0x08]])
    bytes[bytes.count - 36] = 0x7F
    #expect(try PropertyList(parsingBinary: bytes) == .boolean(true))
  }

  @Test("the last digit of the version and the trailer's first bytes say nothing") func version() throws {
    var bytes = BinaryFile.bytes([[0x09]])
    bytes[7] = UInt8(ascii: "1")
    for index in bytes.count - 32..<bytes.count - 26 { bytes[index] = 0xFF }
    #expect(try PropertyList(parsingBinary: bytes) == .boolean(true))
  }

  @Test("what plistlib writes is read") func plistlib() throws {
    let numbers = [
      "0", "255", "256", "65535", "65536", "4294967295", "4294967296", "9223372036854775807", "-1",
      "-9223372036854775808", "9223372036854775808", "18446744073709551615",
    ]
    let date = try #require(PropertyListDate(text: "2024-02-29 12:00:00 +0000"))
    let expected: PropertyList = [
      "array": ["x", "x", .integer(1), .boolean(true), .boolean(false), .real(1.5)],
      "bytes": .data([0x00, 0xFF]), "date": .date(date), "empty": ["", [], [:], .data([])],
      "integers": .array(numbers.map(BinaryParserTests.number)), "long": "aaaaaaaaaaaaaaa",
      "text": "caf\u{E9} 😀",
      "uids": [["CF$UID": .integer(5)], ["CF$UID": .integer(256)], ["CF$UID": .integer(65536)]],
    ]
    #expect(try PropertyList(parsingBinary: BinaryFile.plistlib) == expected)
    #expect(try expected.binaryBytes() == BinaryFile.plistlib)
  }

  @Test("what GNUstep writes is read") func gnustep() throws {
    let expected: PropertyList = [
      "a": .integer(-5), "arr": ["x", "x", [], [:]], "asc": "abc", "b": .integer(300),
      "big": .integer(PropertyListInteger(Int64.max)), "d": .data([1, 2, 3]),
      "dt": .date(PropertyListDate(secondsSinceReferenceDate: 5)), "long": "abcdefghijklmnopqrstuvwxyz",
      "r": .real(1.5), "s": "\u{E9}😀", "t": .boolean(true), "u": ["CF$UID": .integer(7)],
    ]
    #expect(try PropertyList(parsingBinary: BinaryFile.gnustep) == expected)
    #expect(try expected.binaryBytes().count == BinaryFile.gnustep.count)
  }

  @Test(
    "the binary files of the collection are read as Foundation reads them",
    .enabled(if: SharedFiles.areExpected, Comment(rawValue: SharedFiles.absence)),
    arguments: ["rectangle-preferences.plist", "gpgtester-keyedobjects.nib"])
  func realFiles(name: String) throws {
    let bytes = [UInt8](try Data(contentsOf: SharedFiles.url("corpus/real/" + name)))
    let value = try PropertyList(parsingBinary: bytes)
    let json = try JSONValue(parsing: Data(contentsOf: SharedFiles.url("corpus/real/\(name).expected.json")))
    #expect(try PropertyList(tagged: json.withPlainReferences).asFoundationReads == value.asFoundationReads)
    #expect(try PropertyList(parsingBinary: value.binaryBytes()) == value)
    #expect(try value.binaryBytes().count <= bytes.count)
  }
}

extension JSONValue {
  /// The notation with the references of archives, for which it has a tag, as dictionaries.
  fileprivate var withPlainReferences: JSONValue {
    switch self {
    case .array(let elements): .array(elements.map(\.withPlainReferences))
    case .object(let members):
      if members.count == 1, members[0].key == "uid" {
        .object([("o", .object([("CF$UID", .object([("int", members[0].value)]))]))])
      } else {
        .object(members.map { ($0.key, $0.value.withPlainReferences) })
      }
    default: self
    }
  }
}
