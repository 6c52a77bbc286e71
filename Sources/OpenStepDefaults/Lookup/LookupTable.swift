import DefaultsDatabase
import OpenStepPropertyList
import Synchronization

/// The values of a domain, which any number of threads read without a lock while one changes them.
///
/// A reader's only writes are to the counter of its own thread (``ReaderCounters``), so readers do
/// not slow each other down. Whoever changes the table sees to it that only one does at a time.
final class LookupTable: @unchecked Sendable {
  // Unchecked: `root` is atomic, and the rest belongs to the one who changes the table.

  /// Where the slots are, or ``hidden``, or ``empty``.
  ///
  /// Lies outside the object, so that readers come to it without holding on to one.
  private let root: UnsafeMutablePointer<Atomic<UInt>>
  private var slots: LookupSlots
  private var retired = RetiredMemory()
  private(set) var count = 0
  private let seed = LookupKey.seed

  init() {
    slots = LookupSlots(capacity: 1)
    root = .allocate(capacity: 1)
    root.initialize(to: Atomic(LookupTable.empty))
  }

  convenience init(_ values: [PropertyListKey: PropertyList]) {
    self.init()
    replaceAll(with: values)
  }

  deinit {
    slots.forEachEntry(LookupEntry.free)
    slots.free()
    retired.freeAll()
    root.deinitialize(count: 1)
    root.deallocate()
  }

  // MARK: - Reading, from any thread

  /// What ``SearchedTables`` holds of a table.
  struct Reference {
    fileprivate let root: UnsafeMutablePointer<Atomic<UInt>>

    /// Searches the table, for a reader that is counted.
    @inline(__always)
    func search(for key: LookupKey) -> LookupOutcome {
      let address = root.pointee.load(ordering: .sequentiallyConsistent)
      // Most searches pass by several tables that are empty.
      if address == LookupTable.empty { return .absent }
      guard let slots = UnsafeMutableRawPointer(bitPattern: address) else { return .unknown }
      return LookupSlots(address: slots).entry(for: key).map { .found($0) } ?? .absent
    }
  }

  var reference: Reference { Reference(root: root) }

  /// The value of a key, without a lock; nil in place of an answer while several changes are being made.
  func answer(for key: PropertyListKey) -> PropertyList?? {
    key.text.withBytes { bytes in
      let key = LookupKey(bytes, seed: seed)
      let counter = ReaderCounters.shared.ofThisThread
      counter.pointee.wrappingAdd(1, ordering: .sequentiallyConsistent)
      defer { counter.pointee.wrappingSubtract(1, ordering: .releasing) }
      return switch reference.search(for: key) {
      case .found(let entry): .some(entry.pointee.value)
      case .absent: .some(nil)
      case .unknown: nil
      }
    }
  }

  // MARK: - For the one who changes it

  var isEmpty: Bool { count == 0 }

  /// How many slots there are.
  var capacity: Int { slots.capacity }

  /// How many pieces of memory wait for readers that may be looking at them.
  var retiredCount: Int { retired.count }

  /// All keys and values.
  var values: [PropertyListKey: PropertyList] {
    var values = [PropertyListKey: PropertyList](minimumCapacity: count)
    slots.forEachEntry { values[LookupEntry.key(of: $0)] = $0.pointee.value }
    return values
  }

  subscript(key: PropertyListKey) -> PropertyList? {
    key.text.withBytes { slots.entry(for: LookupKey($0, seed: seed))?.pointee.value }
  }

  /// Sets a value; false where the key has exactly that value already.
  func set(_ value: PropertyList, for key: PropertyListKey) -> Bool {
    key.text.withBytes { bytes in
      let key = LookupKey(bytes, seed: seed)
      if let entry = slots.entry(for: key), entry.pointee.value == value { return false }
      makeRoom()
      let isFirst = slots.usedCount == 0
      let old = slots.put(LookupEntry.make(key, value), for: key)
      if let old { retire(old) } else { count += 1 }
      if isFirst { publish() }
      return true
    }
  }

  /// Removes a key; false where there is none.
  func remove(_ key: PropertyListKey) -> Bool {
    key.text.withBytes { bytes in
      guard let old = slots.put(nil, for: LookupKey(bytes, seed: seed)) else { return false }
      count -= 1
      retire(old)
      return true
    }
  }

  /// Makes the table hold these values and no others, at one moment.
  func replaceAll(with values: [PropertyListKey: PropertyList]) {
    let old = slots
    slots = LookupSlots(capacity: LookupTable.capacity(for: values.count))
    for (key, value) in values {
      key.text.withBytes { bytes in
        let key = LookupKey(bytes, seed: seed)
        _ = slots.put(LookupEntry.make(key, value), for: key)
      }
    }
    count = values.count
    publish()
    old.forEachEntry { retired.add(.entry($0), isLarge: false) }
    retired.add(.slots(old), isLarge: true)
  }

  /// Makes several changes at one moment: who reads meanwhile waits for the lock of the one who makes them.
  func change<Result>(_ body: () -> Result) -> Result {
    root.pointee.store(LookupTable.hidden, ordering: .sequentiallyConsistent)
    isHidden = true
    defer {
      isHidden = false
      publish()
    }
    return body()
  }

  private var isHidden = false

  /// Stands for slots while several changes are made that are to be seen together.
  private static let hidden: UInt = 0
  /// Stands for slots that were never used.
  private static let empty: UInt = 1

  private func publish() {
    guard !isHidden else { return }
    let address = slots.usedCount == 0 ? LookupTable.empty : UInt(bitPattern: slots.address)
    root.pointee.store(address, ordering: .sequentiallyConsistent)
  }

  /// Sees to it that half of the slots stay empty when another is used.
  private func makeRoom() {
    guard 2 * (slots.usedCount + 1) > slots.capacity else { return }
    let old = slots
    slots = LookupSlots(capacity: LookupTable.capacity(for: count + 1))
    slots.takeEntries(of: old)
    publish()
    retired.add(.slots(old), isLarge: true)
  }

  /// A power of two with room for some more than a number of keys.
  private static func capacity(for count: Int) -> Int {
    guard count > 0 else { return 1 }
    return 1 << (Int.bitWidth - (2 * count).leadingZeroBitCount)
  }

  private func retire(_ entry: LookupEntry.Pointer) {
    retired.add(.entry(entry), isLarge: entry.pointee.value.isLarge)
  }
}

extension PropertyList {
  /// Whether it may take so much memory that it should not wait to be freed.
  fileprivate var isLarge: Bool {
    switch self {
    case .string(let text): text.utf8.count > 1000
    case .data, .array, .dictionary: true
    case .integer, .real, .float, .boolean, .date: false
    }
  }
}
