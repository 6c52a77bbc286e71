import Foundation

/// A keyed archive that holds a URL and nothing else.
///
/// Foundation's unarchiver ends the process at some archives of other classes and at broken ones, and
/// what a defaults database holds may come from anywhere. This reads the one shape that is wanted, and
/// finds none in anything else. Foundation's archiver orders its dictionaries anew each time, so that
/// the same URL set again would look like a change; this writes the same bytes for the same URL.
enum URLArchive {
  /// How many URLs may be relative to one another.
  private static let maximumDepth = 16

  /// The archive of a URL, which Foundation's unarchiver reads as well.
  static func bytes(of url: URL) -> [UInt8] {
    let chain = Array(sequence(first: url, next: \.baseURL).prefix(maximumDepth))
    var list = ObjectList()
    // Archived objects are named by their places: the first stands for none, then come each URL and its
    // text, then the class.
    var objects = [list.add("$null")]
    for (index, link) in chain.enumerated() {
      let base = index + 1 < chain.count ? 2 * index + 3 : 0
      objects.append(
        list.add([
          ("$class", list.add(archiveIndex: 2 * chain.count + 1)),
          ("NS.base", list.add(archiveIndex: base)),
          ("NS.relative", list.add(archiveIndex: 2 * index + 2)),
        ]))
      objects.append(list.add(link.relativeString))
    }
    let classes = list.add([list.add("NSURL"), list.add("NSObject")])
    objects.append(list.add([("$classname", list.add("NSURL")), ("$classes", classes)]))
    let root = list.add([
      ("$version", list.add(100_000)), ("$archiver", list.add("NSKeyedArchiver")),
      ("$top", list.add([("root", list.add(archiveIndex: 1))])), ("$objects", list.add(objects)),
    ])
    return list.file(root: root)
  }

  /// The URL in an archive; nil for what is no archive, or holds something else.
  static func url(in bytes: [UInt8]) -> URL? {
    guard let table = ObjectTable(bytes), let top = table.value("$top", of: table.root) else { return nil }
    return url(table.value("root", of: top), table, table.value("$objects", of: table.root), depth: 0)
  }

  private static func url(_ reference: Int?, _ table: ObjectTable, _ objects: Int?, depth: Int) -> URL? {
    func object(_ reference: Int?) -> Int? {
      table.archiveIndex(reference).flatMap { table.element($0, of: objects) }
    }
    guard depth < maximumDepth, let url = object(reference),
      table.string(table.value("$classname", of: object(table.value("$class", of: url)))) == "NSURL",
      let text = table.string(object(table.value("NS.relative", of: url)))
    else { return nil }
    // The first of the objects stands for none.
    let baseReference = table.value("NS.base", of: url)
    guard let baseIndex = table.archiveIndex(baseReference), baseIndex != 0 else { return URL(string: text) }
    guard let base = self.url(baseReference, table, objects, depth: depth + 1) else { return nil }
    return URL(string: text, relativeTo: base)
  }
}

/// The objects of a binary property list that is being written; at most 256 of them.
private struct ObjectList {
  private var objects: [[UInt8]] = []

  mutating func add(_ text: String) -> UInt8 {
    let isASCII = text.utf8.allSatisfy { $0 < 0x80 }
    let units = isASCII ? Array(text.utf8) : text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    return append(header(isASCII ? 0x50 : 0x60, isASCII ? units.count : units.count / 2) + units)
  }

  mutating func add(_ number: UInt32) -> UInt8 {
    append([0x12] + ObjectList.bytes(UInt64(number), count: 4))
  }

  mutating func add(archiveIndex: Int) -> UInt8 {
    append([0x80] + ObjectList.bytes(UInt64(archiveIndex), count: 1))
  }

  mutating func add(_ elements: [UInt8]) -> UInt8 {
    append(header(0xA0, elements.count) + elements)
  }

  mutating func add(_ entries: [(key: String, value: UInt8)]) -> UInt8 {
    let keys = entries.map { add($0.key) }
    return append(header(0xD0, entries.count) + keys + entries.map(\.value))
  }

  /// All objects with the table of their places behind them.
  func file(root: UInt8) -> [UInt8] {
    var file = Array("bplist00".utf8)
    var offsets: [UInt8] = []
    for object in objects {
      offsets += ObjectList.bytes(UInt64(file.count), count: 8)
      file += object
    }
    let table = UInt64(file.count)
    // Behind the table, the sizes of a place and of a reference, and three numbers.
    file += offsets + [0, 0, 0, 0, 0, 0, 8, 1]
    return [UInt64(objects.count), UInt64(root), table].reduce(into: file) {
      $0 += ObjectList.bytes($1, count: 8)
    }
  }

  private mutating func append(_ object: [UInt8]) -> UInt8 {
    objects.append(object)
    return UInt8(objects.count - 1)
  }

  private func header(_ kind: UInt8, _ length: Int) -> [UInt8] {
    if length < 0xF { return [kind | UInt8(length)] }
    return [kind | 0xF, 0x13] + ObjectList.bytes(UInt64(length), count: 8)
  }

  /// A number whose first byte is the highest.
  private static func bytes(_ number: UInt64, count: Int) -> [UInt8] {
    (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
  }
}

/// The objects of a binary property list, read one by one as they are asked for.
private struct ObjectTable {
  private let bytes: [UInt8]
  private let count: Int
  private let offsetSize: Int
  private let referenceSize: Int
  private let offsets: Int
  let root: Int

  init?(_ bytes: [UInt8]) {
    let trailer = bytes.count - 32
    guard trailer > 8, bytes.starts(with: "bplist00".utf8) else { return nil }
    self.bytes = bytes
    offsetSize = Int(bytes[trailer + 6])
    referenceSize = Int(bytes[trailer + 7])
    func number(_ offset: Int) -> Int? { ObjectTable.number(bytes[offset..<offset + 8]) }
    guard (1...8).contains(offsetSize), (1...8).contains(referenceSize), let count = number(trailer + 8),
      let root = number(trailer + 16), let offsets = number(trailer + 24), (8..<trailer).contains(offsets),
      count <= (trailer - offsets) / offsetSize
    else { return nil }
    (self.count, self.root, self.offsets) = (count, root, offsets)
  }

  // MARK: - Objects

  /// What a dictionary holds for a key.
  ///
  /// Keys are compared byte by byte and never read whole: thousands may share one string of megabytes.
  func value(_ key: StaticString, of object: Int?) -> Int? {
    guard let (kind, length, start) = header(object), kind == 0xD0,
      slice(from: start, 2 * length, size: referenceSize) != nil
    else { return nil }
    for index in 0..<length where isText(reference(index, from: start), key) {
      return reference(length + index, from: start)
    }
    return nil
  }

  func element(_ index: Int, of object: Int?) -> Int? {
    guard let (kind, length, start) = header(object), kind == 0xA0, index < length,
      slice(from: start, length, size: referenceSize) != nil
    else { return nil }
    return reference(index, from: start)
  }

  /// Whether an object is a string of the same ASCII characters.
  private func isText(_ object: Int?, _ text: StaticString) -> Bool {
    guard let (kind, length, start) = header(object), kind == 0x50, length == text.utf8CodeUnitCount,
      let bytes = slice(from: start, length, size: 1)
    else { return false }
    return text.withUTF8Buffer { bytes.elementsEqual($0) }
  }

  func string(_ object: Int?) -> String? {
    guard let (kind, length, start) = header(object) else { return nil }
    switch kind {
    case 0x50:
      return slice(from: start, length, size: 1).flatMap { String(bytes: $0, encoding: .utf8) }
    case 0x60:
      guard let units = slice(from: start, length, size: 2) else { return nil }
      let pairs = stride(from: units.startIndex, to: units.endIndex, by: 2)
      return String(decoding: pairs.map { UInt16(units[$0]) << 8 | UInt16(units[$0 + 1]) }, as: UTF16.self)
    default:
      return nil
    }
  }

  /// The number of an archived object, which is a kind of its own.
  func archiveIndex(_ object: Int?) -> Int? {
    guard let object, let offset = offset(of: object), bytes[offset] & 0xF0 == 0x80 else { return nil }
    return slice(from: offset + 1, Int(bytes[offset] & 0xF) + 1, size: 1).flatMap(ObjectTable.number)
  }

  // MARK: - Bytes

  /// An object's kind, how many things it is made of, and where they begin.
  private func header(_ object: Int?) -> (kind: UInt8, length: Int, start: Int)? {
    guard let object, let offset = offset(of: object) else { return nil }
    let kind = bytes[offset] & 0xF0
    let short = Int(bytes[offset] & 0xF)
    if short < 0xF { return (kind, short, offset + 1) }
    guard let marker = slice(from: offset + 1, 1, size: 1)?.first, (0x10...0x13).contains(marker) else {
      return nil
    }
    let size = 1 << Int(marker & 0xF)
    guard let length = slice(from: offset + 2, size, size: 1).flatMap(ObjectTable.number),
      // More things than bytes is a lie, and doubling the number could go beyond all numbers.
      length <= bytes.count
    else { return nil }
    return (kind, length, offset + 2 + size)
  }

  private func offset(of object: Int) -> Int? {
    guard object < count else { return nil }
    let start = offsets + object * offsetSize
    return ObjectTable.number(bytes[start..<start + offsetSize]).flatMap { $0 < offsets ? $0 : nil }
  }

  /// One of several references that lie behind one another; the caller has made sure that they are there.
  private func reference(_ index: Int, from start: Int) -> Int? {
    let start = start + index * referenceSize
    return ObjectTable.number(bytes[start..<start + referenceSize])
  }

  /// So many things of a size, if the file has them before its table of offsets.
  private func slice(from start: Int, _ count: Int, size: Int) -> ArraySlice<UInt8>? {
    guard count >= 0, start <= offsets, count <= (offsets - start) / size else { return nil }
    return bytes[start..<start + count * size]
  }

  /// A number whose first byte is the highest; nil for one that is longer or larger than an `Int`.
  private static func number(_ bytes: ArraySlice<UInt8>) -> Int? {
    guard bytes.count <= 8 else { return nil }
    return Int(exactly: bytes.reduce(0 as UInt64) { $0 << 8 | UInt64($1) })
  }
}
