import OpenStepPropertyList
import Synchronization

/// A key and its value in a table, which stay what they are until no reader can see them any more.
///
/// The key's bytes lie behind the entry, in the same piece of memory.
struct LookupEntry: ~Copyable {
  let value: PropertyList
  /// The generation of ``UnsavedKeys`` that the key is among for certain; 0 for none.
  let generation: UInt32
  /// The whole number that the value's text begins with, since many programs read little else.
  let integer: Int
  /// The bits of the decimal number that the value's text begins with, once someone asked for it.
  private let doubleBits: Atomic<UInt64>
  let keyCount: Int
  /// The value as the objects that programs see, once someone asked for them.
  private let classicObject: Atomic<Unmanaged<LookupObject>?>
  private let foundationObject: Atomic<Unmanaged<LookupObject>?>

  typealias Pointer = UnsafeMutablePointer<LookupEntry>

  private init(value: PropertyList, keyCount: Int, generation: UInt32) {
    self.value = value
    self.keyCount = keyCount
    self.generation = generation
    integer = value.classicInteger
    doubleBits = Atomic(LookupEntry.unknownDouble)
    classicObject = Atomic(nil)
    foundationObject = Atomic(nil)
  }

  static func make(
    _ key: LookupKey, _ value: PropertyList, generation: UInt32 = 0, in memory: EntryMemory
  ) -> Pointer {
    let size = MemoryLayout<LookupEntry>.size
    let byteCount = size + key.count
    let piece =
      LookupEntry.isApart(value, byteCount)
      ? .allocate(byteCount: byteCount, alignment: MemoryLayout<LookupEntry>.alignment)
      : memory.allocate(byteCount: byteCount)
    (piece + size).copyMemory(from: key.bytes, byteCount: key.count)
    let entry = piece.bindMemory(to: LookupEntry.self, capacity: 1)
    entry.initialize(to: LookupEntry(value: value, keyCount: key.count, generation: generation))
    return entry
  }

  /// Frees an entry, and gives its memory back to where it came from.
  static func free(_ entry: Pointer, in memory: EntryMemory) {
    let byteCount = MemoryLayout<LookupEntry>.size + entry.pointee.keyCount
    if !end(entry) { memory.deallocate(entry, byteCount: byteCount) }
  }

  /// Lets go of what an entry holds; its memory goes with all of the table's, unless it lies apart: then it is freed.
  @discardableResult
  static func end(_ entry: Pointer) -> Bool {
    entry.pointee.classicObject.load(ordering: .acquiring)?.release()
    entry.pointee.foundationObject.load(ordering: .acquiring)?.release()
    let byteCount = MemoryLayout<LookupEntry>.size + entry.pointee.keyCount
    let isApart = LookupEntry.isApart(entry.pointee.value, byteCount)
    entry.deinitialize(count: 1)
    if isApart { UnsafeMutableRawPointer(entry).deallocate() }
    return isApart
  }

  /// Whether an entry has memory of its own: one with a large value is freed by a thread that does not have the table.
  private static func isApart(_ value: PropertyList, _ byteCount: Int) -> Bool {
    byteCount > EntryMemory.maximumByteCount || value.isLarge
  }

  /// The decimal number that the value's text begins with; to read it takes longer than to find it.
  var double: Double {
    let known = doubleBits.load(ordering: .relaxed)
    if known != LookupEntry.unknownDouble { return Double(bitPattern: known) }
    let double = value.classicDouble
    doubleBits.store(double.bitPattern, ordering: .relaxed)
    return double
  }

  /// The bits of a number that no text reads as: not a number, with a payload.
  private static var unknownDouble: UInt64 { 0x7FF8_0000_DEAD_0000 }

  /// Runs a body with the object for the value, which is made once and then kept.
  @inline(__always)
  func withObject<Result>(
    for reader: LookupReader, _ convert: (PropertyList) -> Any, _ body: (LookupObject) -> Result
  ) -> Result {
    switch reader {
    case .classic: object(in: classicObject, convert)._withUnsafeGuaranteedRef(body)
    case .foundation: object(in: foundationObject, convert)._withUnsafeGuaranteedRef(body)
    }
  }

  private func object(
    in place: borrowing Atomic<Unmanaged<LookupObject>?>, _ convert: (PropertyList) -> Any
  ) -> Unmanaged<LookupObject> {
    if let known = place.load(ordering: .acquiring) { return known }
    let made = Unmanaged.passRetained(LookupObject(value, convert(value)))
    let (isFirst, first) = place.compareExchange(
      expected: nil, desired: made, ordering: .acquiringAndReleasing)
    guard !isFirst, let first else { return made }
    // Another thread has made one meanwhile, and may have given it away.
    made.release()
    return first
  }

  /// The key of an entry.
  static func key(of entry: Pointer) -> PropertyListKey {
    PropertyListKey(keyText(of: entry))
  }

  /// The key of an entry.
  static func keyText(of entry: Pointer) -> String {
    let bytes = UnsafeRawBufferPointer(start: keyBytes(of: entry), count: entry.pointee.keyCount)
    return String(decoding: bytes, as: UTF8.self)
  }

  @inline(__always)
  static func hasKey(_ entry: Pointer, _ key: LookupKey) -> Bool {
    key.hasBytes(keyBytes(of: entry), count: entry.pointee.keyCount)
  }

  @inline(__always)
  private static func keyBytes(of entry: Pointer) -> UnsafeRawPointer {
    UnsafeRawPointer(entry) + MemoryLayout<LookupEntry>.size
  }
}

/// Whose objects stand for values.
package enum LookupReader {
  /// Those of OPENSTEP's rules, which know strings, data, arrays and dictionaries.
  case classic
  /// Foundation's classes, with numbers and dates.
  case foundation
}

/// What a search for a key comes to.
enum LookupOutcome {
  case found(LookupEntry.Pointer)
  case absent
  /// Someone has to look who has the locks: the value may not be made yet.
  case unknown
}
