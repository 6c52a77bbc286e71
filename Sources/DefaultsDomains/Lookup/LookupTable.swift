import DefaultsDatabase
import OpenStepPropertyList
import Synchronization

/// The values of a domain, which any number of threads read without a lock while one thread writes.
///
/// A hash table with open addressing and linear probing, read as in RCU. In memory, from a lookup to the
/// value:
///
///     SearchPath.root ──► SearchedTables    a count, and a step for each domain to search, front to back
///                           │
///                           ▼
///     LookupTable.root ──► LookupSlots      a header of 32 bytes: the mask, the number of used slots, the
///                           │               layout's number; then a power of two of slots: the key's hash,
///                           │               and a word, which is one of
///                           │                 0         an empty slot: the probe ends
///                           │                 1         a tombstone of a removed key: the probe goes on
///                           │                 4n + 2    byte n of the domain's text: not parsed yet
///                           ▼                 8n        the address of an entry
///                         LookupEntry       the value, its numbers and objects; behind them the key's
///                                           bytes; in a block of EntryMemory, a slab allocator, or, if
///                                           it is large, in memory of its own
///
/// A writer makes a new entry or new slots, stores the word that leads to them, and retires what it replaced.
/// Retired memory is freed when no reader can still use it (deferred reclamation, ``RetiredMemory``).
///
/// The values of a domain that was read from a file are parsed lazily: most programs ask for a few keys, and
/// parsing all values takes ten times as long as checking the text.
///
/// A reader writes only to the counter of its own thread (``ReaderCounters``), so that readers do not slow
/// each other down. The owner makes sure that only one thread writes at a time.
final class LookupTable: @unchecked Sendable {
  // Unchecked, because readers use only atomic variables and constants; the rest belongs to the writer.

  /// The address of the slots, or ``hidden``, or ``empty``.
  ///
  /// It is allocated outside the object, so that a reader does not have to retain the object.
  let root: UnsafeMutablePointer<Atomic<UInt>>
  private(set) var slots: LookupSlots
  /// The memory of the entries.
  private var memory = EntryMemory()
  /// The text of the values that are not parsed yet; nil if all are parsed.
  private(set) var text: DictionaryText? {
    didSet { noteSizeOfText() }
  }
  private let hasLargeText = Atomic(false)
  private var unparsedCount = 0
  private var retired = RetiredMemory()
  private(set) var count = 0
  /// The number of the set of unsaved keys that is being recorded; an entry with this number has its key in the set.
  private var generation: UInt32 = 1
  /// How many times the table has made a new array of slots.
  private var layoutCount = 0
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
    if hasLargeText.load(ordering: .relaxed) {
      LookupTable.largeTextCount.wrappingSubtract(1, ordering: .relaxed)
    }
    // Many entries are freed by a worker thread: the last reference may go under a lock for which others wait.
    let contents = RetiredMemory.Piece.contents(slots, memory, text)
    retired.freeAll()
    LargeStack.runWithStackToRelease { contents.freeSoon() }
    root.deinitialize(count: 1)
    root.deallocate()
  }

  // MARK: - Invariants

  /// Stops a debug build where the counts contradict each other, or where readers are led to other slots than the
  /// writer's. O(1).
  private func checkCounts() {
    slots.checkCounts()
    assert(count >= 0 && count <= slots.usedCount, "there are more keys than used slots")
    assert(unparsedCount >= 0 && unparsedCount <= count, "more values are not parsed than there are")
    assert(
      (text == nil) == (unparsedCount == 0), "values are not parsed, and their text is gone; or it was kept")
    assert(
      root.pointee.load(ordering: .relaxed) == shownRoot ?? visibleRoot,
      "readers are led to other slots than the writer's")
  }

  /// Stops a debug build where a part of the table is damaged, or where a search finds another slot than the key's.
  /// O(n log n).
  func checkInvariants() {
    checkCounts()
    slots.checkInvariants()
    retired.checkInvariants()
    let used = (0..<slots.capacity).filter { ![.empty, .removed].contains(slots.contents(of: $0)) }
    assert(used.count == count, "the number of keys is wrong")
    assert(
      used.count(where: { slots.contents(of: $0).textStart != nil }) == unparsedCount,
      "the number of values that are not parsed is wrong")
    assert(used.allSatisfy(isFound), "a key has two slots, or one with another key's hash")
    let entries = used.compactMap { slots.contents(of: $0).entry.flatMap(LookupEntry.sharedMemory) }
    memory.checkInvariants(besides: entries)
  }

  /// Whether a search for the key of a slot leads to the slot, and the slot has the key's hash.
  private func isFound(_ slot: Int) -> Bool {
    func isFound(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
      let key = LookupKey(bytes, seed: seed)
      return slots.hash(of: slot) == key.hash && slots.slot(of: key, text) == slot
    }
    let contents = slots.contents(of: slot)
    if let entry = contents.entry { return LookupEntry.key(of: entry).text.withBytes(isFound) }
    guard let text, let start = contents.textStart else { return false }
    return text.withKey(at: start) { $0.withUnsafeBufferPointer(isFound) }
  }

  // MARK: - Reading, from any thread

  /// What ``SearchedTables`` stores of a table.
  struct Reference {
    fileprivate let root: UnsafeMutablePointer<Atomic<UInt>>

    /// A number that no other table has at the same time.
    var address: UInt { UInt(bitPattern: root) }

    /// Searches the table, inside a read-side critical section (``ReaderCounters``).
    @inline(__always)
    func search(for key: LookupKey) -> LookupOutcome {
      let address = root.pointee.load(ordering: .sequentiallyConsistent)
      // Most searches pass several empty tables.
      if address == LookupTable.empty { return .absent }
      guard let slots = UnsafeMutableRawPointer(bitPattern: address) else { return .unknown }
      return LookupSlots(address: slots).search(for: key)
    }
  }

  var reference: Reference { Reference(root: root) }

  // MARK: - Large values that are not parsed yet

  /// How many tables of the process have a text that may contain a large value.
  private static let largeTextCount = Atomic(0)
  /// How many bytes of a text are parsed in about a tenth of a millisecond.
  private static let largeByteCount = 1 << 14

  /// Whether a value that is not parsed yet may be large, as the writer left it lately.
  var mayHaveLargeUnparsedValues: Bool { hasLargeText.load(ordering: .relaxed) }

  /// Whether that is so in some table of the process.
  static var someMayHaveLargeUnparsedValues: Bool { largeTextCount.load(ordering: .relaxed) > 0 }

  private func noteSizeOfText() {
    let isLarge = text.map { $0.bytes.count >= LookupTable.largeByteCount } ?? false
    guard hasLargeText.exchange(isLarge, ordering: .relaxed) != isLarge else { return }
    LookupTable.largeTextCount.wrappingAdd(isLarge ? 1 : -1, ordering: .relaxed)
  }

  // MARK: - Slots, from any thread

  /// Looks up a key without a lock.
  ///
  /// - Returns: nil in place of an answer while several changes are being made, and if the value is not
  ///   parsed yet.
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

  // MARK: - For the writer

  var isEmpty: Bool { count == 0 }

  /// Whether no value has to be parsed any more.
  var isParsed: Bool { text == nil }

  /// How many slots there are.
  var capacity: Int { slots.capacity }

  /// How many retired pieces of memory are not freed yet, because readers may use them.
  var retiredCount: Int { retired.count }

  var values: [PropertyListKey: PropertyList] {
    var values = [PropertyListKey: PropertyList](minimumCapacity: count)
    slots.forEachSlot { _, contents in
      if let entry = contents.entry {
        values[LookupEntry.key(of: entry)] = entry.pointee.value
      } else if let (key, value) = textEntry(contents) {
        values[key] = value
      }
    }
    return values
  }

  /// The value of a key; a value that is not parsed yet is parsed and kept.
  subscript(key: PropertyListKey) -> PropertyList? { entry(of: key)?.pointee.value }

  private func entry(of key: PropertyListKey) -> LookupEntry.Pointer? {
    key.text.withBytes { bytes in
      let key = LookupKey(bytes, seed: seed)
      guard let slot = slots.slot(of: key, text) else { return nil }
      let contents = slots.contents(of: slot)
      guard let (_, value) = textEntry(contents) else { return contents.entry }
      let entry = LookupEntry.make(key, value, in: memory)
      replace(contents, in: slot, with: .entry(entry))
      return entry
    }
  }

  /// The result of a search for a key's value under the lock.
  enum Place {
    /// The value; nil if the key is absent.
    case parsed(PropertyList?)
    /// The text, and the byte at which the entry to be parsed begins.
    case unparsed(DictionaryText, UInt32)
  }

  /// Finds the value of a key, without parsing it.
  func place(of key: PropertyListKey) -> Place {
    key.text.withBytes { bytes in
      guard let slot = slots.slot(of: LookupKey(bytes, seed: seed), text) else { return .parsed(nil) }
      let contents = slots.contents(of: slot)
      if let text, let start = contents.textStart { return .unparsed(text, start) }
      return .parsed(contents.entry?.pointee.value)
    }
  }

  /// Stores a value that was parsed from a text without the lock, unless the key's slot has changed since;
  /// gives the key's present value.
  func keep(
    _ value: PropertyList, of name: PropertyListKey, from text: DictionaryText, at start: UInt32
  ) -> PropertyList? {
    name.text.withBytes { bytes in
      let key = LookupKey(bytes, seed: seed)
      guard self.text === text, let slot = slots.slot(of: key, text),
        slots.contents(of: slot) == .text(at: start)
      else { return self[name] }
      replace(.text(at: start), in: slot, with: .entry(LookupEntry.make(key, value, in: memory)))
      return value
    }
  }

  /// Sets a value, and records its key as unsaved; false if the key has exactly that value already.
  ///
  /// A key is recorded once until ``beginGeneration()``.
  func set(_ value: PropertyList, for name: PropertyListKey, noting unsaved: inout UnsavedKeys) -> Bool {
    set(value, for: name, generation: generation, noting: &unsaved) { textEntry($0)?.value }
  }

  /// - Parameter parse: Gives the value of a slot in the text, if that is to be compared.
  @inline(__always)
  private func set(
    _ value: PropertyList, for name: PropertyListKey, generation: UInt32, noting unsaved: inout UnsavedKeys,
    parsing parse: (LookupSlots.Contents) -> PropertyList?
  ) -> Bool {
    name.text.withBytes { bytes in
      let key = LookupKey(bytes, seed: seed)
      if let slot = slots.slot(of: key, text) {
        let old = slots.contents(of: slot)
        if (old.entry?.pointee.value ?? parse(old)) == value { return false }
        if old.entry?.pointee.generation != generation { unsaved.insert(name) }
        let entry = LookupEntry.make(key, value, generation: generation, in: memory)
        replace(old, in: slot, with: .entry(entry))
        return true
      }
      unsaved.insert(name)
      makeRoom()
      let isFirst = slots.usedCount == 0
      slots.add(.entry(LookupEntry.make(key, value, generation: generation, in: memory)), for: key)
      count += 1
      if isFirst { publish() }
      checkCounts()
      return true
    }
  }

  /// Sets a value, or removes it for nil, and records nothing; a present value that is not parsed yet is not parsed for that.
  func put(_ value: PropertyList?, for key: PropertyListKey) {
    guard let value else {
      _ = remove(key)
      return
    }
    var unnoted = UnsavedKeys()
    _ = set(value, for: key, generation: 0, noting: &unnoted) { _ in nil }
  }

  /// Lets each key be recorded again when it is set the next time.
  func beginGeneration() {
    generation = generation == .max ? 1 : generation + 1
  }

  /// Removes a key; false if it is absent.
  func remove(_ key: PropertyListKey) -> Bool {
    key.text.withBytes { bytes in
      guard let slot = slots.slot(of: LookupKey(bytes, seed: seed), text) else { return false }
      count -= 1
      replace(slots.contents(of: slot), in: slot, with: .removed)
      return true
    }
  }

  /// Takes the pieces that no reader can use any more, for the caller to free after it has released the lock.
  func takeFreeable() -> [RetiredMemory.Piece] {
    retired.takeFreeable()
  }

  private func textEntry(_ contents: LookupSlots.Contents) -> (key: PropertyListKey, value: PropertyList)? {
    guard let text, let start = contents.textStart else { return nil }
    return text.entry(at: start)
  }

  private func replace(_ old: LookupSlots.Contents, in slot: Int, with new: LookupSlots.Contents) {
    slots.set(new, in: slot)
    if let entry = old.entry {
      retire(.entry(entry, memory), isLarge: entry.pointee.value.isLarge)
    } else {
      unparsedCount -= 1
      if unparsedCount == 0, let last = text {
        text = nil
        retired.add(unread: .text(last))
      }
    }
    checkCounts()
  }

  /// Replaces all contents by these values, at one moment.
  func replaceAll(with values: [PropertyListKey: PropertyList]) {
    let new = LookupSlots(capacity: LookupSlots.capacity(for: values.count))
    let newMemory = EntryMemory()
    for (key, value) in values {
      key.text.withBytes { bytes in
        let key = LookupKey(bytes, seed: seed)
        new.add(.entry(LookupEntry.make(key, value, in: newMemory)), for: key)
      }
    }
    replaceAll(with: new, newMemory, nil)
  }

  /// Replaces all contents by the entries of a text, at one moment; their values are parsed lazily.
  func replaceAll(with text: DictionaryText) {
    let new = LookupSlots(capacity: LookupSlots.capacity(for: text.starts.count))
    new.add(text) { LookupKey($0, seed: seed).hash }
    replaceAll(with: new, EntryMemory(), new.usedCount == 0 ? nil : text)
  }

  private func replaceAll(with new: LookupSlots, _ newMemory: EntryMemory, _ newText: DictionaryText?) {
    let old = RetiredMemory.Piece.contents(slots, memory, text)
    (slots, memory, text, count) = (new, newMemory, newText, new.usedCount)
    unparsedCount = newText == nil ? 0 : count
    publishNewSlots()
    retire(old, isLarge: true)
    checkCounts()
  }

  /// Replaces all contents by those of another table, which has no readers and is empty afterwards, at one
  /// moment. O(1).
  func take(_ other: LookupTable) {
    let old = RetiredMemory.Piece.contents(slots, memory, text)
    (slots, memory, text) = (other.slots, other.memory, other.text)
    (count, unparsedCount) = (other.count, other.unparsedCount)
    (other.slots, other.memory, other.text) = (LookupSlots(capacity: 1), EntryMemory(), nil)
    (other.count, other.unparsedCount) = (0, 0)
    other.publish()
    retired.take(&other.retired)
    publishNewSlots()
    retire(old, isLarge: true)
    checkCounts()
    other.checkCounts()
  }

  /// Makes several changes at one moment.
  ///
  /// A reader that comes meanwhile waits for the writer's lock. Where the changes are many, they are made in a copy of the
  /// slots, and it finds the values from before; then it waits only for a value that is not parsed yet.
  ///
  /// - Parameter count: How many keys are changed at most.
  /// - Complexity: beside the changes, linear in the number of slots where the changes are many.
  func change<Result>(of count: Int, _ body: () -> Result) -> Result {
    let former = count >= LookupTable.leastCopiedCount(for: slots.capacity) ? slots : nil
    if let former {
      shownRoot = visibleRoot
      slots = LookupSlots(copying: former)
    } else {
      shownRoot = LookupTable.hidden
      root.pointee.store(LookupTable.hidden, ordering: .sequentiallyConsistent)
    }
    defer {
      shownRoot = nil
      if let former {
        publishNewSlots()
        retired.add(.slots(former), isLarge: true)
      } else {
        publish()
      }
      for (piece, isLarge) in unpublished { retired.add(piece, isLarge: isLarge) }
      unpublished = []
      checkCounts()
    }
    return body()
  }

  /// How many changes are so many that a copy of the slots is made for them. The copy may take up to three times as long as
  /// they do, in the largest tables, but fewer changes keep no reader waiting for longer than a few tens of milliseconds.
  private static func leastCopiedCount(for capacity: Int) -> Int { max(256, capacity >> 7) }

  /// The root's value while several changes are made at one moment; nil at other times.
  private var shownRoot: UInt?
  /// The memory that was replaced by the changes that are being made: readers may still come to it.
  private var unpublished: [(RetiredMemory.Piece, isLarge: Bool)] = []

  /// Retires memory to which no shared pointer leads any more when the present changes are published.
  private func retire(_ piece: RetiredMemory.Piece, isLarge: Bool) {
    guard let shownRoot, shownRoot != LookupTable.hidden else {
      return retired.add(piece, isLarge: isLarge)
    }
    unpublished.append((piece, isLarge))
  }

  /// The root's value while a few changes are made that readers must see together.
  private static let hidden: UInt = 0
  /// The root's value if no slot was ever used.
  private static let empty: UInt = 1

  private func publishNewSlots() {
    layoutCount += 1
    slots.layout = layoutCount
    publish()
  }

  private func publish() {
    guard shownRoot == nil else { return }
    root.pointee.store(visibleRoot, ordering: .sequentiallyConsistent)
  }

  /// The root's value that leads readers to the slots.
  private var visibleRoot: UInt {
    slots.usedCount == 0 ? LookupTable.empty : UInt(bitPattern: slots.address)
  }

  /// Makes sure that enough slots are empty after another one is used.
  private func makeRoom() {
    guard slots.usedCount + 1 > LookupSlots.room(in: slots.capacity) else { return }
    let old = slots
    slots = LookupSlots(capacity: LookupSlots.capacity(for: count + 1))
    slots.take(old)
    publishNewSlots()
    retire(.slots(old), isLarge: true)
    checkCounts()
  }
}
