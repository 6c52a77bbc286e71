import OpenStepPropertyList
import Synchronization

/// The slots of a table: a power of two, some of them always empty, with linear probing.
///
/// A slot is empty, or it has a hash, which it keeps, and a word: the address of an entry whose key has that
/// hash, a place in the domain's text, or a tombstone. A reader loads the word atomically, so that it sees
/// either the old or the new contents.
struct LookupSlots {
  private let memory: UnsafeMutableRawPointer

  private struct Slot: ~Copyable {
    /// Written before the first word other than empty, and never changed once readers see the slots.
    var hash: UInt64
    let contents: Atomic<UInt>
  }

  /// The word of a slot: empty, a tombstone, an entry's address or a place in the domain's text.
  struct Contents: Equatable {
    fileprivate let word: UInt

    static let empty = Contents(word: 0)
    static let removed = Contents(word: 1)

    /// The value is parsed, and is in an entry.
    static func entry(_ entry: LookupEntry.Pointer) -> Contents { Contents(word: UInt(bitPattern: entry)) }

    /// The value is not parsed yet; its entry begins at a byte of the domain's text.
    static func text(at start: UInt32) -> Contents { Contents(word: UInt(start) << 2 | 2) }

    @inline(__always)
    var entry: LookupEntry.Pointer? {
      // Entries are aligned to eight bytes, and none has the address zero.
      word & 3 == 0 ? LookupEntry.Pointer(bitPattern: word) : nil
    }

    @inline(__always)
    var textStart: UInt32? { word & 2 != 0 ? UInt32(truncatingIfNeeded: word >> 2) : nil }
  }

  /// The mask, the number of used slots, the layout's number, and padding: slots are aligned to sixteen
  /// bytes.
  private static var headerSize: Int { 32 }

  init(capacity: Int) {
    let size = LookupSlots.headerSize + capacity * MemoryLayout<Slot>.stride
    memory = .allocate(byteCount: size, alignment: 16)
    memory.storeBytes(of: capacity - 1, as: Int.self)
    memory.storeBytes(of: 0, toByteOffset: 8, as: Int.self)
    memory.storeBytes(of: 0, toByteOffset: 16, as: Int.self)
    let slots = (memory + LookupSlots.headerSize).bindMemory(to: Slot.self, capacity: capacity)
    for index in 0..<capacity {
      (slots + index).initialize(to: Slot(hash: 0, contents: Atomic(Contents.empty.word)))
    }
    checkCounts()
  }

  /// The smallest capacity with room for a number of keys and some more.
  static func capacity(for count: Int) -> Int {
    var capacity = 1
    while room(in: capacity) < count + count / 16 { capacity *= 2 }
    return capacity
  }

  /// How many slots may be used: half of them, so that probes are short; but seven in eight of a large table,
  /// whose slots take megabytes.
  static func room(in capacity: Int) -> Int {
    capacity < 1 << 17 ? capacity / 2 : capacity / 8 * 7
  }

  /// Makes a copy of other slots, with the same entries, which no reader sees yet.
  init(copying other: LookupSlots) {
    self.init(capacity: other.capacity)
    let (slots, otherSlots) = (slots, other.slots)
    for index in 0..<capacity {
      slots[index].hash = otherSlots[index].hash
      slots[index].contents.store(other.contents(of: index).word, ordering: .relaxed)
    }
    memory.storeBytes(of: other.usedCount, toByteOffset: 8, as: Int.self)
    checkCounts()
  }

  /// Frees the slots, but not the entries.
  func free() {
    memory.deallocate()
  }

  // MARK: - Invariants

  /// Stops a debug build where no slot is left empty, so that a search for an absent key would never end. O(1).
  func checkCounts() {
    assert(capacity > 0 && capacity & mask == 0, "the number of slots is no power of two")
    assert(usedCount >= 0 && usedCount < capacity, "more slots are used than may be")
  }

  /// Stops a debug build where the slots contradict their header, or where a search misses a key. O(n).
  func checkInvariants() {
    checkCounts()
    assert(
      (0..<capacity).count(where: { contents(of: $0) != .empty }) == usedCount,
      "the number of used slots is another than the header says")
    assert(
      (0..<capacity).allSatisfy { contents(of: $0) == .empty || isReached($0) },
      "an empty slot lies between a key's slot and the one with which its search begins")
  }

  /// Whether all slots from the one with which a search for this one's hash begins are used.
  private func isReached(_ slot: Int) -> Bool {
    var index = Int(truncatingIfNeeded: hash(of: slot)) & mask
    while index != slot {
      if contents(of: index) == .empty { return false }
      index = (index + 1) & mask
    }
    return true
  }

  // MARK: - Their address

  init(address: UnsafeMutableRawPointer) {
    memory = address
  }

  var address: UnsafeMutableRawPointer { memory }

  /// The layout's number, which distinguishes these slots from others of the same table at the same address.
  var layout: Int {
    get { memory.load(fromByteOffset: 16, as: Int.self) }
    nonmutating set { memory.storeBytes(of: newValue, toByteOffset: 16, as: Int.self) }
  }

  // MARK: - Reading

  /// Searches for a key, inside a read-side critical section (``ReaderCounters``).
  @inline(__always)
  func search(for key: LookupKey) -> LookupOutcome {
    let (mask, slots) = (mask, slots)
    var index = Int(truncatingIfNeeded: key.hash) & mask
    while true {
      let contents = Contents(word: slots[index].contents.load(ordering: .sequentiallyConsistent))
      if contents == .empty { return .absent }
      if slots[index].hash == key.hash {
        if let entry = contents.entry {
          if LookupEntry.hasKey(entry, key) { return .found(entry) }
        } else if contents != .removed {
          return .unknown
        }
      }
      index = (index + 1) & mask
    }
  }

  /// The contents of a slot, inside a read-side critical section.
  func sharedContents(of slot: Int) -> Contents {
    Contents(word: slots[slot].contents.load(ordering: .sequentiallyConsistent))
  }

  // MARK: - Writing, one thread at a time

  /// How many slots are not empty; tombstones count as used.
  var usedCount: Int {
    memory.load(fromByteOffset: 8, as: Int.self)
  }

  var capacity: Int { mask + 1 }

  /// The slot of a key; nil if it has none.
  ///
  /// - Parameter text: The text in which the slots' places are.
  func slot(of key: LookupKey, _ text: DictionaryText?) -> Int? {
    let (mask, slots) = (mask, slots)
    var index = Int(truncatingIfNeeded: key.hash) & mask
    while true {
      let contents = contents(of: index)
      if contents == .empty { return nil }
      if slots[index].hash == key.hash, LookupSlots.leads(contents, to: key, text) { return index }
      index = (index + 1) & mask
    }
  }

  private static func leads(_ contents: Contents, to key: LookupKey, _ text: DictionaryText?) -> Bool {
    if let entry = contents.entry { return LookupEntry.hasKey(entry, key) }
    guard let text, let start = contents.textStart else { return false }
    return text.withKey(at: start) { bytes in
      bytes.withUnsafeBytes { key.hasBytes($0.baseAddress, count: $0.count) }
    }
  }

  func contents(of slot: Int) -> Contents {
    Contents(word: slots[slot].contents.load(ordering: .relaxed))
  }

  /// The hash that a used slot keeps.
  func hash(of slot: Int) -> UInt64 { slots[slot].hash }

  /// Replaces a used slot's contents by a tombstone, or by those of a key with the same hash.
  func set(_ contents: Contents, in slot: Int) {
    slots[slot].contents.store(contents.word, ordering: .sequentiallyConsistent)
  }

  /// Adds a key that has no slot; at least one slot has to be empty.
  func add(_ contents: Contents, for key: LookupKey) {
    let (mask, slots) = (mask, slots)
    var index = Int(truncatingIfNeeded: key.hash) & mask
    while true {
      let old = self.contents(of: index)
      if old == .empty { break }
      // A tombstone of a key with the same hash can be used again.
      if old == .removed, slots[index].hash == key.hash { return set(contents, in: index) }
      index = (index + 1) & mask
    }
    slots[index].hash = key.hash
    memory.storeBytes(of: usedCount + 1, toByteOffset: 8, as: Int.self)
    set(contents, in: index)
    checkCounts()
  }

  /// Adds each entry of a text to new slots, which no reader sees yet.
  func add(_ text: DictionaryText, hash: (UnsafeBufferPointer<UInt8>) -> UInt64) {
    let (mask, slots) = (mask, slots)
    var usedCount = 0
    let batchCount = 64
    let hashes = UnsafeMutablePointer<UInt64>.allocate(capacity: batchCount)
    defer { hashes.deallocate() }
    var index = 0
    while index < text.starts.count {
      // The slots of a large table are in no cache. Loading those of a batch first lets the processor fetch
      // them at the same time, which halves the time to open a large domain.
      let batch = text.starts[index..<min(index + batchCount, text.starts.count)]
      for (number, start) in batch.enumerated() {
        (hashes + number).initialize(to: text.hashOfKey(at: start) { $0.withUnsafeBufferPointer(hash) })
      }
      for number in 0..<batch.count { _ = contents(of: Int(truncatingIfNeeded: hashes[number]) & mask) }
      for (number, start) in batch.enumerated() {
        let hash = hashes[number]
        var slot = Int(truncatingIfNeeded: hash) & mask
        while let other = contents(of: slot).textStart {
          // The last of two equal keys wins.
          if slots[slot].hash == hash, text.hasEqualKeys(at: start, other) { break }
          slot = (slot + 1) & mask
        }
        if contents(of: slot) == .empty { usedCount += 1 }
        slots[slot].hash = hash
        slots[slot].contents.store(Contents.text(at: start).word, ordering: .relaxed)
      }
      index = batch.endIndex
    }
    memory.storeBytes(of: usedCount, toByteOffset: 8, as: Int.self)
    checkInvariants()
  }

  /// Adds the keys of other slots to these, which need room for all of them and which no reader sees yet.
  func take(_ other: LookupSlots) {
    let (mask, slots) = (mask, slots)
    var usedCount = usedCount
    other.forEachSlot { hash, contents in
      var index = Int(truncatingIfNeeded: hash) & mask
      while self.contents(of: index) != .empty { index = (index + 1) & mask }
      slots[index].hash = hash
      slots[index].contents.store(contents.word, ordering: .relaxed)
      usedCount += 1
    }
    memory.storeBytes(of: usedCount, toByteOffset: 8, as: Int.self)
    checkInvariants()
  }

  /// Calls a body with every slot that has a key.
  func forEachSlot(_ body: (_ hash: UInt64, Contents) -> Void) {
    let (capacity, slots) = (capacity, slots)
    for index in 0..<capacity {
      let contents = contents(of: index)
      if contents != .empty, contents != .removed { body(slots[index].hash, contents) }
    }
  }

  /// Calls a body with every entry.
  func forEachEntry(_ body: (LookupEntry.Pointer) -> Void) {
    forEachSlot { _, contents in
      if let entry = contents.entry { body(entry) }
    }
  }

  @inline(__always)
  private var mask: Int { memory.load(as: Int.self) }

  @inline(__always)
  private var slots: UnsafeMutablePointer<Slot> {
    (memory + LookupSlots.headerSize).assumingMemoryBound(to: Slot.self)
  }
}
