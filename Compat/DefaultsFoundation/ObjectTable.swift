import Foundation

/// Random access to the objects of a binary property list.
///
/// No input can make it stop the program.
package struct ObjectTable {
  private let bytes: [UInt8]
  private let count: Int
  private let offsetSize: Int
  private let referenceSize: Int
  private let offsets: Int
  package let root: Int

  package init?(_ bytes: [UInt8]) {
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

  /// The object for a key of a dictionary.
  ///
  /// Keys are compared byte by byte and never read as strings: thousands of keys may share
  /// one string of megabytes.
  package func value(_ key: StaticString, of object: Int?) -> Int? {
    guard let (kind, length, start) = header(object), kind == 0xD0,
      slice(from: start, 2 * length, size: referenceSize) != nil
    else { return nil }
    for index in 0..<length where isText(reference(index, from: start), key) {
      return reference(length + index, from: start)
    }
    return nil
  }

  package func element(_ index: Int, of object: Int?) -> Int? {
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

  package func string(_ object: Int?) -> String? {
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

  /// The index of an archived object (a UID, which is a kind of object of its own).
  package func archiveIndex(_ object: Int?) -> Int? {
    guard let object, let offset = offset(of: object), bytes[offset] & 0xF0 == 0x80 else { return nil }
    return slice(from: offset + 1, Int(bytes[offset] & 0xF) + 1, size: 1).flatMap(ObjectTable.number)
  }

  // MARK: - Bytes

  /// An object's kind, the number of its elements, and the offset of the first one.
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
      // No object has more elements than the file has bytes; twice the number could overflow.
      length <= bytes.count
    else { return nil }
    return (kind, length, offset + 2 + size)
  }

  private func offset(of object: Int) -> Int? {
    guard object < count else { return nil }
    let start = offsets + object * offsetSize
    return ObjectTable.number(bytes[start..<start + offsetSize]).flatMap { $0 < offsets ? $0 : nil }
  }

  /// One of several adjacent references, which the caller has found to be inside the file.
  private func reference(_ index: Int, from start: Int) -> Int? {
    let start = start + index * referenceSize
    return ObjectTable.number(bytes[start..<start + referenceSize])
  }

  /// The bytes of `count` elements of a size, if they lie before the table of offsets.
  private func slice(from start: Int, _ count: Int, size: Int) -> ArraySlice<UInt8>? {
    guard count >= 0, start <= offsets, count <= (offsets - start) / size else { return nil }
    return bytes[start..<start + count * size]
  }

  /// A big-endian number; nil if it has more than eight bytes or exceeds an `Int`.
  private static func number(_ bytes: ArraySlice<UInt8>) -> Int? {
    guard bytes.count <= 8 else { return nil }
    return Int(exactly: bytes.reduce(0 as UInt64) { $0 << 8 | UInt64($1) })
  }
}
