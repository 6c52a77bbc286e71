import Foundation

/// A keyed archive that holds a URL and nothing else.
///
/// Foundation's unarchiver ends the process at some archives of other classes and at broken ones, and
/// what a defaults database holds may come from anywhere. This reads the one shape that is wanted, and
/// finds none in anything else.
struct URLArchive {
  /// The URL in the archive.
  let url: URL

  /// How many URLs may be relative to one another.
  private static let maximumDepth = 16

  /// Reads an archive; nil for what is none, or holds something else.
  init?(_ bytes: [UInt8]) {
    guard let table = ObjectTable(bytes),
      let top = table.dictionary(table.root).flatMap({ table.dictionary($0["$top"]) }),
      let objects = table.dictionary(table.root).flatMap({ table.array($0["$objects"]) }),
      let url = URLArchive.url(top["root"], table, objects, depth: 0)
    else { return nil }
    self.url = url
  }

  private static func url(_ reference: Int?, _ table: ObjectTable, _ objects: [Int], depth: Int) -> URL? {
    func object(_ reference: Int?) -> Int? {
      table.archiveIndex(reference).flatMap { objects.indices.contains($0) ? objects[$0] : nil }
    }
    guard depth < maximumDepth, let fields = table.dictionary(object(reference)),
      let type = table.dictionary(object(fields["$class"])), table.string(type["$classname"]) == "NSURL",
      let text = table.string(object(fields["NS.relative"]))
    else { return nil }
    // The first of the objects stands for none.
    let baseIndex = table.archiveIndex(fields["NS.base"])
    guard let baseIndex, baseIndex != 0 else { return URL(string: text) }
    guard let base = url(fields["NS.base"], table, objects, depth: depth + 1) else { return nil }
    return URL(string: text, relativeTo: base)
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

  func dictionary(_ object: Int?) -> [String: Int]? {
    guard let (kind, length, start) = header(object), kind == 0xD0,
      let references = references(from: start, 2 * length)
    else { return nil }
    var result: [String: Int] = [:]
    for (key, value) in zip(references.prefix(length), references.dropFirst(length)) {
      guard let key = string(key) else { return nil }
      result[key] = value
    }
    return result
  }

  func array(_ object: Int?) -> [Int]? {
    guard let (kind, length, start) = header(object), kind == 0xA0 else { return nil }
    return references(from: start, length)
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

  private func references(from start: Int, _ count: Int) -> [Int]? {
    guard let bytes = slice(from: start, count, size: referenceSize) else { return nil }
    var result: [Int] = []
    for index in stride(from: bytes.startIndex, to: bytes.endIndex, by: referenceSize) {
      guard let reference = ObjectTable.number(bytes[index..<index + referenceSize]) else { return nil }
      result.append(reference)
    }
    return result
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
