package import Foundation
import OpenStepPropertyList

/// A keyed archive of a URL and nothing else.
///
/// Foundation's unarchiver ends the process for some archives of other classes and for damaged ones, and a
/// database's data may come from anywhere. This reader recognises only the one shape and gives nil for
/// anything else. Foundation's archiver orders its dictionaries differently each time, so that setting the
/// same URL again would look like a change; this writer always gives the same bytes for the same URL.
package enum URLArchive {
  /// How many URLs may each be relative to the next.
  private static let maximumDepth = 16

  /// The archive of a URL, which Foundation's unarchiver reads as well.
  static func bytes(of url: URL) -> [UInt8] {
    let chain = Array(sequence(first: url, next: \.baseURL).prefix(maximumDepth))
    var list = ObjectList()
    // Archived objects are referred to by index: first the null object, then each URL and
    // its text, then the class.
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

  /// The URL in an archive; nil for anything else.
  package static func url(in bytes: [UInt8]) -> URL? {
    guard let table = ObjectTable(bytes), let top = table.value("$top", of: table.root) else { return nil }
    return url(table.value("root", of: top), table, table.value("$objects", of: table.root), depth: 0)
  }

  private static func url(_ reference: Int?, _ table: ObjectTable, _ objects: Int?, depth: Int) -> URL? {
    func object(_ reference: Int?) -> Int? {
      table.archiveIndex(reference).flatMap { table.element($0, of: objects) }
    }
    guard depth < maximumDepth, let url = object(reference),
      let name = table.string(table.value("$classname", of: object(table.value("$class", of: url)))),
      haveEqualBytes(name, "NSURL"),
      let text = table.string(object(table.value("NS.relative", of: url)))
    else { return nil }
    // The first object is the null object.
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

  /// All objects, followed by the table of their offsets.
  func file(root: UInt8) -> [UInt8] {
    var file = Array("bplist00".utf8)
    var offsets: [UInt8] = []
    for object in objects {
      offsets += ObjectList.bytes(UInt64(file.count), count: 8)
      file += object
    }
    let table = UInt64(file.count)
    // The trailer: unused bytes, the sizes of an offset and of a reference, and three numbers.
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

  /// A big-endian number.
  private static func bytes(_ number: UInt64, count: Int) -> [UInt8] {
    (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
  }
}
