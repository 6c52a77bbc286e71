import OpenStepPropertyList
import Synchronization

/// A key and its value in a table, unchanged until no reader can use them any more.
///
/// The key's bytes follow the entry, in the same piece of memory.
struct LookupEntry: ~Copyable {
  let value: PropertyList
  /// The number of the set of ``UnsavedKeys`` that certainly contains the key; 0 for none.
  let generation: UInt32
  /// The whole number at the start of the value's text, since many programs read little else.
  let integer: Int
  /// The bits of the decimal number at the start of the value's text, once a reader has asked for it.
  private let doubleBits: Atomic<UInt64>
  let keyCount: Int
  /// The value as objects of either kind, once a reader has asked for them.
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
      LookupEntry.hasOwnMemory(value, byteCount)
      ? .allocate(byteCount: byteCount, alignment: MemoryLayout<LookupEntry>.alignment)
      : memory.allocate(byteCount: byteCount)
    (piece + size).copyMemory(from: key.bytes, byteCount: key.count)
    let entry = piece.bindMemory(to: LookupEntry.self, capacity: 1)
    entry.initialize(to: LookupEntry(value: value, keyCount: key.count, generation: generation))
    return entry
  }

  /// Releases the contents of an entry, and frees its memory.
  static func free(_ entry: Pointer, in memory: EntryMemory) {
    let byteCount = MemoryLayout<LookupEntry>.size + entry.pointee.keyCount
    if !end(entry) { memory.deallocate(entry, byteCount: byteCount) }
  }

  /// Releases the contents of an entry, and frees its memory if that is its own; other memory is freed with
  /// the table's.
  ///
  /// - Returns: Whether the memory was freed.
  @discardableResult
  static func end(_ entry: Pointer) -> Bool {
    entry.pointee.classicObject.load(ordering: .acquiring)?.release()
    entry.pointee.foundationObject.load(ordering: .acquiring)?.release()
    let byteCount = MemoryLayout<LookupEntry>.size + entry.pointee.keyCount
    let hasOwnMemory = LookupEntry.hasOwnMemory(entry.pointee.value, byteCount)
    entry.deinitialize(count: 1)
    if hasOwnMemory { UnsafeMutableRawPointer(entry).deallocate() }
    return hasOwnMemory
  }

  /// Whether an entry has memory of its own, because it is too long for a block, or because its value is
  /// large: then another thread than the table's writer may free it.
  private static func hasOwnMemory(_ value: PropertyList, _ byteCount: Int) -> Bool {
    byteCount > EntryMemory.maximumByteCount || value.isLarge
  }

  /// The piece of a table's memory that contains an entry; nil if the entry has memory of its own.
  static func sharedMemory(of entry: Pointer) -> UnsafeMutableRawBufferPointer? {
    let byteCount = MemoryLayout<LookupEntry>.size + entry.pointee.keyCount
    if hasOwnMemory(entry.pointee.value, byteCount) { return nil }
    return UnsafeMutableRawBufferPointer(start: UnsafeMutableRawPointer(entry), count: byteCount)
  }

  /// The decimal number at the start of the value's text; parsing it takes longer than the lookup.
  var double: Double {
    let known = doubleBits.load(ordering: .relaxed)
    if known != LookupEntry.unknownDouble { return Double(bitPattern: known) }
    let double = value.classicDouble
    doubleBits.store(double.bitPattern, ordering: .relaxed)
    return double
  }

  /// The bits of a number that no text has: not a number, with a payload.
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

  /// Runs a body with the object for the value if it was made already; nil if not.
  @inline(__always)
  func withKnownObject<Result>(for reader: LookupReader, _ body: (LookupObject) -> Result) -> Result? {
    let known =
      switch reader {
      case .classic: classicObject.load(ordering: .acquiring)
      case .foundation: foundationObject.load(ordering: .acquiring)
      }
    return known?._withUnsafeGuaranteedRef(body)
  }

  /// Keeps an object that was made for the value, unless one is kept already; gives the one that is kept.
  func keep(_ made: LookupObject, for reader: LookupReader) -> LookupObject {
    switch reader {
    case .classic: LookupEntry.keep(.passRetained(made), in: classicObject).takeUnretainedValue()
    case .foundation: LookupEntry.keep(.passRetained(made), in: foundationObject).takeUnretainedValue()
    }
  }

  /// The object for the value.
  ///
  /// A container's object is the cached one that single reads give. Other objects are made anew: caching
  /// those of all numbers would take more memory than the values.
  func object(for reader: LookupReader, _ convert: (PropertyList) -> Any) -> Any {
    switch value {
    case .array, .dictionary, .data: withObject(for: reader, convert) { $0.object }
    case .string(let text): text
    case .integer, .real, .float, .boolean, .date: convert(value)
    }
  }

  private func object(
    in place: borrowing Atomic<Unmanaged<LookupObject>?>, _ convert: (PropertyList) -> Any
  ) -> Unmanaged<LookupObject> {
    if let known = place.load(ordering: .acquiring) { return known }
    return LookupEntry.keep(.passRetained(LookupObject(value, convert(value))), in: place)
  }

  private static func keep(
    _ made: Unmanaged<LookupObject>, in place: borrowing Atomic<Unmanaged<LookupObject>?>
  ) -> Unmanaged<LookupObject> {
    let (isFirst, first) = place.compareExchange(
      expected: nil, desired: made, ordering: .acquiringAndReleasing)
    guard !isFirst, let first else { return made }
    // Another thread has stored its object first, and may have handed it out.
    made.release()
    return first
  }

  static func key(of entry: Pointer) -> PropertyListKey {
    PropertyListKey(keyText(of: entry))
  }

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

/// The kind of objects that a reader gets for values.
package enum LookupReader {
  /// Objects by OPENSTEP's rules: strings, data, arrays and dictionaries.
  case classic
  /// Objects of Foundation's classes, with numbers and dates.
  case foundation
}

/// The result of a search for a key.
enum LookupOutcome {
  case found(LookupEntry.Pointer)
  case absent
  /// The lock is needed to know: the value may not be parsed yet.
  case unknown
}

extension PropertyList {
  /// The whole number at the start of a scalar's text; 0 without one.
  var classicInteger: Int {
    // The same as its digits would give; writing and parsing them takes half as long as the rest of a set.
    if case .integer(let number) = self, let int = number.int { return int }
    return scalarText.map(StringCoding.integer) ?? 0
  }

  /// The decimal number at the start of a scalar's text; 0 without one.
  var classicDouble: Double {
    scalarText.map(StringCoding.double) ?? 0
  }
}

extension PropertyList {
  /// Whether it may take so much memory that it should be freed as early as possible.
  var isLarge: Bool {
    switch self {
    case .string(let text): text.utf8.count > 1000
    case .data, .array, .dictionary: true
    case .integer, .real, .float, .boolean, .date: false
    }
  }
}
