import OpenStepPropertyList
import Synchronization

/// The slots of a table: a power of two, at least half of them empty, probed one after the other.
///
/// A slot is empty, or it has a hash, which it keeps, and leads to the entry of a key with that hash
/// or to none any more. So a reader needs no lock: what it finds in a slot is whole, old or new.
struct LookupSlots {
  private let memory: UnsafeMutableRawPointer

  private struct Slot: ~Copyable {
    /// Written before the slot leads anywhere, and never again.
    var hash: UInt64
    /// An entry's address, ``empty`` or ``removed``.
    let entry: Atomic<UInt>

    static let empty: UInt = 0
    static let removed: UInt = 1
  }

  private static var headerSize: Int { 16 }

  init(capacity: Int) {
    let size = LookupSlots.headerSize + capacity * MemoryLayout<Slot>.stride
    memory = .allocate(byteCount: size, alignment: 16)
    memory.storeBytes(of: capacity - 1, as: Int.self)
    memory.storeBytes(of: 0, toByteOffset: 8, as: Int.self)
    let slots = (memory + LookupSlots.headerSize).bindMemory(to: Slot.self, capacity: capacity)
    for index in 0..<capacity { (slots + index).initialize(to: Slot(hash: 0, entry: Atomic(Slot.empty))) }
  }

  /// Frees the slots, not the entries.
  func free() {
    memory.deallocate()
  }

  // MARK: - The shared pointer to them

  init(address: UnsafeMutableRawPointer) {
    memory = address
  }

  var address: UnsafeMutableRawPointer { memory }

  // MARK: - Reading

  /// The entry of a key; for readers that are counted, and for the writer.
  @inline(__always)
  func entry(for key: LookupKey) -> LookupEntry.Pointer? {
    let (mask, slots) = (mask, slots)
    var index = Int(truncatingIfNeeded: key.hash) & mask
    while true {
      let address = slots[index].entry.load(ordering: .sequentiallyConsistent)
      if address == Slot.empty { return nil }
      if slots[index].hash == key.hash, let entry = LookupSlots.entry(at: address),
        LookupEntry.hasKey(entry, key)
      {
        return entry
      }
      index = (index + 1) & mask
    }
  }

  // MARK: - Writing, for one at a time

  /// How many slots are not empty.
  var usedCount: Int {
    memory.load(fromByteOffset: 8, as: Int.self)
  }

  var capacity: Int { mask + 1 }

  /// Puts an entry into the slot of its key, or nil to remove it; gives the entry that was there.
  ///
  /// There has to be an empty slot.
  func put(_ entry: LookupEntry.Pointer?, for key: LookupKey) -> LookupEntry.Pointer? {
    let (mask, slots) = (mask, slots)
    var index = Int(truncatingIfNeeded: key.hash) & mask
    // Of a key of the same hash that was removed, perhaps this one.
    var free: Int?
    while true {
      let address = slots[index].entry.load(ordering: .relaxed)
      if address == Slot.empty { break }
      if slots[index].hash == key.hash {
        guard let old = LookupSlots.entry(at: address) else {
          free = free ?? index
          index = (index + 1) & mask
          continue
        }
        if LookupEntry.hasKey(old, key) {
          store(entry, at: index)
          return old
        }
      }
      index = (index + 1) & mask
    }
    guard let entry else { return nil }
    if let free {
      store(entry, at: free)
    } else {
      slots[index].hash = key.hash
      memory.storeBytes(of: usedCount + 1, toByteOffset: 8, as: Int.self)
      store(entry, at: index)
    }
    return nil
  }

  private func store(_ entry: LookupEntry.Pointer?, at index: Int) {
    slots[index].entry.store(
      entry.map { UInt(bitPattern: $0) } ?? Slot.removed, ordering: .sequentiallyConsistent)
  }

  /// Calls a body with every entry.
  func forEachEntry(_ body: (LookupEntry.Pointer) -> Void) {
    forEachSlot { _, entry in body(entry) }
  }

  /// Takes the entries of other slots, of which there has to be room for all; these are not shared yet.
  func takeEntries(of other: LookupSlots) {
    let (mask, slots) = (mask, slots)
    var usedCount = usedCount
    other.forEachSlot { hash, entry in
      var index = Int(truncatingIfNeeded: hash) & mask
      while slots[index].entry.load(ordering: .relaxed) != Slot.empty { index = (index + 1) & mask }
      slots[index].hash = hash
      slots[index].entry.store(UInt(bitPattern: entry), ordering: .relaxed)
      usedCount += 1
    }
    memory.storeBytes(of: usedCount, toByteOffset: 8, as: Int.self)
  }

  private func forEachSlot(_ body: (UInt64, LookupEntry.Pointer) -> Void) {
    let (capacity, slots) = (capacity, slots)
    for index in 0..<capacity {
      let address = slots[index].entry.load(ordering: .relaxed)
      if let entry = LookupSlots.entry(at: address) { body(slots[index].hash, entry) }
    }
  }

  @inline(__always)
  private var mask: Int { memory.load(as: Int.self) }

  @inline(__always)
  private var slots: UnsafeMutablePointer<Slot> {
    (memory + LookupSlots.headerSize).assumingMemoryBound(to: Slot.self)
  }

  @inline(__always)
  private static func entry(at address: UInt) -> LookupEntry.Pointer? {
    address == Slot.removed ? nil : LookupEntry.Pointer(bitPattern: address)
  }
}
