import DefaultsDatabase
import OpenStepPropertyList
import TestSupport
import Testing

/// Binary files as a database takes them.
@Suite struct BinaryFormatTests {
  /// A file of such objects, the first of them the root; references take one byte, offsets four.
  private func file(_ objects: [[UInt8]], root: Int = 0) -> [UInt8] {
    var bytes = Array("bplist00".utf8)
    var offsets: [UInt8] = []
    for object in objects {
      offsets += bigEndian(bytes.count, size: 4)
      bytes += object
    }
    let table = bytes.count
    bytes += offsets
    bytes += [0, 0, 0, 0, 0, 0, 4, 1]
    return bytes + bigEndian(objects.count, size: 8) + bigEndian(root, size: 8) + bigEndian(table, size: 8)
  }

  private func bigEndian(_ value: Int, size: Int) -> [UInt8] {
    (0..<size).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  private func read(_ bytes: [UInt8]) throws(FormatError) -> PropertyList {
    try DomainFileFormat.propertyList(from: bytes).value
  }

  private func string(_ text: String) -> [UInt8] {
    [0x50 | UInt8(text.utf8.count)] + Array(text.utf8)
  }

  @Test(
    "scalars are read exactly",
    arguments: [
      ([0x08], PropertyList.boolean(false)), ([0x09], .boolean(true)), ([0x10, 0xFF], .integer(255)),
      ([0x11, 0xFF, 0xFF], .integer(65535)), ([0x12, 0xFF, 0xFF, 0xFF, 0xFF], .integer(4_294_967_295)),
      ([0x13, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFE], .integer(-2)),
      (
        [0x14] + Array(repeating: 0, count: 8) + Array(repeating: 0xFF, count: 8),
        .integer(PropertyListInteger("18446744073709551615") ?? 0)
      ),
      ([0x14] + Array(repeating: 0, count: 15) + [7], .integer(7)),
      ([0x22, 0x3F, 0x80, 0, 0], .float(1)), ([0x23, 0x80, 0, 0, 0, 0, 0, 0, 0], .real(-0.0)),
      ([0x33, 0x3F, 0xD0, 0, 0, 0, 0, 0, 0], .date(PropertyListDate(secondsSinceReferenceDate: 0.25))),
      ([0x42, 1, 2], .data([1, 2])), ([0x51, 0x61], "a"), ([0x62, 0xD8, 0x3E, 0xDD, 0x84], "🦄"),
      ([0xA0], []), ([0xD0], [:]),
    ] as [([UInt8], PropertyList)])
  func scalars(object: [UInt8], value: PropertyList) throws {
    #expect(try read(file([object])) == value)
  }

  @Test("shared objects are read as often as they are referred to") func shared() throws {
    #expect(try read(file([[0xA3, 1, 1, 2], string("x"), [0xA1, 1]])) == ["x", "x", ["x"]])
  }

  @Test(
    "objects that no property list has are refused",
    arguments: [
      [0x00], [0x0F], [0xC0], [0xB0], [0x70], [0x15], [0x20, 0], [0x51, 0x80], [0x32, 0, 0, 0, 0],
      [0xFF],
      [0x14, 1] + Array(repeating: 0, count: 15),
      [0x14, 0xFF] + Array(repeating: 0, count: 15),
    ] as [[UInt8]])
  func unknown(object: [UInt8]) {
    #expect(throws: FormatError.self) { try read(file([object])) }
  }

  @Test(
    "objects that reach beyond the file are refused",
    arguments: [
      [0x5F, 0x13, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], [0x5F, 0x12, 0xFF, 0xFF, 0xFF, 0xFF],
      [0x5F],
      [0x5F, 0x51], [0xAF, 0x13, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], [0xA1, 9], [0xA2, 0],
      [0xD1, 0],
      [0xDF, 0x13, 0x40, 0, 0, 0, 0, 0, 0, 0], [0x6F, 0x13, 0x40, 0, 0, 0, 0, 0, 0, 0], [0x13, 0],
      [0x52, 0x61],
    ] as [[UInt8]])
  func beyond(object: [UInt8]) {
    #expect(throws: FormatError.self) { try read(file([object])) }
  }

  @Test("a container that contains itself is refused") func cycle() throws {
    for objects in [[[0xA1, 0]], [[0xA1, 1], [0xA2, 2, 0], [0x09]], [[0xD1, 1, 0], [0x51, 0x61]]]
      as [[[UInt8]]]
    {
      let error = try #require(throws: FormatError.self) { try read(file(objects)) }
      #expect(error.description.contains("contains itself"))
    }
  }

  @Test("keys must be strings, and are told apart by their bytes") func keys() throws {
    #expect(throws: FormatError.self) { try read(file([[0xD1, 1, 1], [0x10, 5]])) }
    let composed: [UInt8] = [0x61, 0x00, 0xE9]
    let decomposed: [UInt8] = [0x62, 0x00, 0x65, 0x03, 0x01]
    let value: PropertyList = ["\u{E9}": "\u{E9}", "e\u{301}": "e\u{301}"]
    #expect(try read(file([[0xD2, 1, 2, 1, 2], composed, decomposed])) == value)
    #expect(throws: FormatError.self) { try read(file([[0xD2, 1, 1, 1, 1], composed])) }
  }

  @Test("a small file that expands beyond measure is refused at once", arguments: [24, 40, 200])
  func bomb(levels: Int) throws {
    var objects: [[UInt8]] = (0..<levels).map { [0xA2, UInt8($0 + 1), UInt8($0 + 1)] }
    objects.append([0x09])
    let start = threadTime()
    let error = try #require(throws: FormatError.self) { try read(file(objects)) }
    #expect(error.description.contains("shared objects"))
    #expect(threadTime() - start < .seconds(1))
  }

  @Test("a large string that is shared too often is refused") func largeString() throws {
    let text: [UInt8] =
      [0x5F, 0x12] + bigEndian(1_000_000, size: 4) + Array(repeating: 0x61, count: 1_000_000)
    let level: [UInt8] = [0xAA] + Array(repeating: 2, count: 10)
    let root: [UInt8] = [0xAA] + Array(repeating: 1, count: 10)
    #expect(throws: FormatError.self) { try read(file([root, level, text])) }
  }

  @Test("thousands of arrays that claim the same bytes are refused before all are walked")
  func overlap() throws {
    let (arrays, count, objects) = (8000, 44_000, 0xAF12)
    // With references of two bytes an array's header is two of them, and stands for a truth value.
    let header = [0xAF, 0x11] + bigEndian(count, size: 2)
    var bytes = Array("bplist00".utf8) + [0x09, 0xAF, 0x11] + bigEndian(arrays, size: 2)
    for array in 1...arrays { bytes += bigEndian(array, size: 2) }
    let first = bytes.count
    for _ in 0..<arrays + count / 2 { bytes += header }
    let table = bytes.count
    for object in 0..<objects {
      let offset = object == 0 ? 9 : object <= arrays ? first + 4 * (object - 1) : 8
      bytes += bigEndian(offset, size: 4)
    }
    bytes += [0, 0, 0, 0, 0, 0, 4, 2] + bigEndian(objects, size: 8) + bigEndian(0, size: 8)
    bytes += bigEndian(table, size: 8)
    let start = threadTime()
    let error = try #require(throws: FormatError.self) { try read(bytes) }
    #expect(error.description.contains("expand"))
    #expect(threadTime() - start < .seconds(60))
  }

  /// Arrays in one another, with references of two bytes.
  private func nested(_ depth: Int) -> [UInt8] {
    var bytes = Array("bplist00".utf8)
    var offsets: [UInt8] = []
    for object in 0...depth {
      offsets += bigEndian(bytes.count, size: 4)
      bytes += object == depth ? [0x09] : [0xA1] + bigEndian(object + 1, size: 2)
    }
    let table = bytes.count
    bytes += offsets + [0, 0, 0, 0, 0, 0, 4, 2] + bigEndian(depth + 1, size: 8) + bigEndian(0, size: 8)
    return bytes + bigEndian(table, size: 8)
  }

  @Test("deep nesting is an error") func deep() throws {
    var value = try read(nested(1000))
    var depth = 0
    while case .array(let elements) = value, let inner = elements.first {
      (value, depth) = (inner, depth + 1)
    }
    #expect(depth == 1000)
    let error = try #require(throws: FormatError.self) { try read(nested(1001)) }
    #expect(error.description.contains("more than 1000 nested containers"), "\(error)")
  }

  @Test("half a surrogate pair, in a value or a key, is read as U+FFFD") func surrogates() throws {
    let half: [UInt8] = [0x61, 0xD8, 0x3E]
    #expect(try read(file([half])) == "\u{FFFD}")
    #expect(try read(file([[0xD1, 1, 1], half])) == ["\u{FFFD}": "\u{FFFD}"])
  }

  @Test("a domain whose one key is CF$UID becomes text: as a binary file it were no dictionary to others")
  func reference() throws {
    let home = try TemporaryHome()
    try home.write(DomainFileFormat.binary.bytes(of: ["x": "1", "CF$UID": .integer(5)]), to: "App.plist")
    var changes = DomainChanges()
    changes.remove("x")
    let database = UserDatabase(directory: home.path)
    _ = try database.commit(changes, to: DomainName("App"), onDamage: .refuse)
    #expect(DomainFileFormat(recognising: try home.bytes(of: "App.plist")) == .openStep)
    #expect(try database.load(DomainName("App")).values == ["CF$UID": .integer(5)])
  }

  @Test("dates beyond the calendar are kept", arguments: [Double.nan, .infinity, -.infinity, 1e300, -1e300])
  func dates(seconds: Double) throws {
    let bytes = file([[0x33] + bigEndian(Int(bitPattern: UInt(seconds.bitPattern)), size: 8)])
    #expect(try read(bytes) == .date(PropertyListDate(secondsSinceReferenceDate: seconds)))
  }

  @Test("a broken trailer is an error") func trailer() throws {
    let good = file([[0x09]])
    #expect(throws: Never.self) { try read(good) }
    for (offset, value) in [
      (26, 0), (26, 9), (25, 9), (25, 0), (24, 0x7F), (17, 0), (9, 5), (1, 0xFF), (8, 0x7F),
    ] {
      var bad = good
      bad[good.count - offset] = UInt8(value)
      #expect(throws: FormatError.self, "\(offset)") { try read(bad) }
    }
  }
}
