import OpenStepPropertyList
import Synchronization

/// A key and its value in a table, which stay what they are until no reader can see them any more.
///
/// The key's bytes lie behind the entry, in the same piece of memory.
struct LookupEntry: ~Copyable {
  let value: PropertyList
  /// What ``NSUserDefaults/integerForKey(_:)`` makes of the value, since many programs read little else.
  let integer: Int
  let keyCount: Int
  /// The value as the objects that programs see, once someone asked for it; by kind of object.
  private let classicObject: Atomic<Unmanaged<LookupObject>?>
  private let foundationObject: Atomic<Unmanaged<LookupObject>?>

  typealias Pointer = UnsafeMutablePointer<LookupEntry>

  private init(value: PropertyList, keyCount: Int) {
    self.value = value
    self.keyCount = keyCount
    integer = value.classicInteger
    classicObject = Atomic(nil)
    foundationObject = Atomic(nil)
  }

  static func make(_ key: LookupKey, _ value: PropertyList) -> Pointer {
    let size = MemoryLayout<LookupEntry>.size
    let memory = UnsafeMutableRawPointer.allocate(
      byteCount: size + key.count, alignment: MemoryLayout<LookupEntry>.alignment)
    (memory + size).copyMemory(from: key.bytes, byteCount: key.count)
    let entry = memory.bindMemory(to: LookupEntry.self, capacity: 1)
    entry.initialize(to: LookupEntry(value: value, keyCount: key.count))
    return entry
  }

  static func free(_ entry: Pointer) {
    entry.pointee.classicObject.load(ordering: .acquiring)?.release()
    entry.pointee.foundationObject.load(ordering: .acquiring)?.release()
    entry.deinitialize(count: 1)
    UnsafeMutableRawPointer(entry).deallocate()
  }

  /// The key of an entry.
  static func key(of entry: Pointer) -> PropertyListKey {
    let bytes = UnsafeRawBufferPointer(start: keyBytes(of: entry), count: entry.pointee.keyCount)
    return PropertyListKey(String(decoding: bytes, as: UTF8.self))
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
