import DefaultsDatabase
import OpenStepPropertyList
import Synchronization

/// The values of a domain, which any number of threads read without a lock while one changes them.
///
/// A hash table with open addressing and linear probing. In memory, from a lookup to the value:
///
///     SearchPath.root ──► SearchedTables     the domains to search, front to back; one step each
///                           │
///                           ▼
///     LookupTable.root ──► LookupSlots       a power of two of slots: the key's hash, and a word that leads to
///                           │                  nothing: the end of a probe
///                           │                  nothing any more: a tombstone, which a probe passes by
///                           │                  a place in the domain's text: the value is not made yet
///                           ▼                  an entry
///                         LookupEntry        the value, its numbers and objects, the key's bytes behind it;
///                                            a piece of a block of EntryMemory, a slab allocator
///
/// Whoever changes the table makes a new entry or new slots, stores the word that leads to them, and retires what it
/// replaced. That is freed when no reader can have seen it (deferred reclamation, ``RetiredMemory``).
///
/// Of a domain that was read from a file, values are made when they are first asked for: most programs
/// ask for a few keys, and making all values takes ten times as long as checking the text.
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
  /// Where the entries lie.
  private var memory = EntryMemory()
  /// Where the values lie that are not made yet; nil where all are.
  private var text: DictionaryText?
  private var unmadeCount = 0
  private var retired = RetiredMemory()
  private(set) var count = 0
  /// Of the unsaved keys that are noted now.
  private var generation: UInt32 = 1
  /// How many slots the table has had.
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
    slots.forEachEntry { LookupEntry.end($0) }
    slots.free()
    retired.freeAll()
    memory.free()
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
      return LookupSlots(address: slots).search(for: key)
    }
  }

  var reference: Reference { Reference(root: root) }

  /// The value of a key, without a lock; nil in place of an answer while several changes are being made, and
  /// where the value is not made yet.
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

  /// The slots of a table at one moment, as they are read part by part.
  struct Layout {
    fileprivate let number: Int
    fileprivate let slots: LookupSlots
    /// Where the values lie that are not made yet.
    let text: DictionaryText?

    let slotCount: Int
    /// How many slots were used when the layout was taken.
    let usedCount: Int

    /// Whether the table has had no other slots in between.
    func isSame(as other: Layout) -> Bool { number == other.number }
  }

  /// What lies in some slots.
  struct Part {
    var made: [(key: PropertyListKey, value: PropertyList)] = []
    /// Where entries begin in the text whose values are not made yet.
    var unmade: [UInt32] = []

    /// Lets go of the contents and keeps the room for others.
    mutating func removeAll() {
      made.removeAll(keepingCapacity: true)
      unmade.removeAll(keepingCapacity: true)
    }
  }

  /// Adds the contents of some slots to a part, without a lock.
  ///
  /// - Returns: false where the table has other slots by now, or several changes are being made; nothing is added then.
  func read(_ range: Range<Int>, of layout: Layout, into part: inout Part) -> Bool {
    let counter = ReaderCounters.shared.ofThisThread
    counter.pointee.wrappingAdd(1, ordering: .sequentiallyConsistent)
    defer { counter.pointee.wrappingSubtract(1, ordering: .releasing) }
    let address = root.pointee.load(ordering: .sequentiallyConsistent)
    // Other slots may lie at the same address by now, and have another number.
    guard address == UInt(bitPattern: layout.slots.address), layout.slots.layout == layout.number else {
      return false
    }
    for slot in range {
      let contents = layout.slots.sharedContents(of: slot)
      if let entry = contents.entry {
        part.made.append((LookupEntry.key(of: entry), entry.pointee.value))
      } else if let start = contents.textStart {
        part.unmade.append(start)
      }
    }
    return true
  }

  // MARK: - For the one who changes it

  var isEmpty: Bool { count == 0 }

  /// The slots as they are now; nil where none was ever used.
  var layout: Layout? {
    guard slots.usedCount > 0 else { return nil }
    return Layout(
      number: slots.layout, slots: slots, text: text, slotCount: slots.capacity,
      usedCount: slots.usedCount)
  }

  /// How many slots there are.
  var capacity: Int { slots.capacity }

  /// How many pieces of memory wait for readers that may be looking at them.
  var retiredCount: Int { retired.count }

  /// All keys and values.
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

  /// Calls a body with each key and the object for its value.
  ///
  /// A container's object is the one that single reads give, and kept for them; others are made anew, for all numbers
  /// together would take more memory than the values.
  func forEachObject(
    for reader: LookupReader, _ convert: (PropertyList) -> Any, _ body: (String, Any) -> Void
  ) {
    slots.forEachSlot { _, contents in
      if let entry = contents.entry {
        let key = LookupEntry.keyText(of: entry)
        switch entry.pointee.value {
        case .array, .dictionary, .data:
          body(key, entry.pointee.withObject(for: reader, convert) { $0.object })
        case .string(let text): body(key, text)
        case .integer, .real, .float, .boolean, .date: body(key, convert(entry.pointee.value))
        }
      } else if let (key, value) = textEntry(contents) {
        body(key.text, convert(value))
      }
    }
  }

  /// The value of a key, which is made now where it was not.
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

  /// Where a key's value is found, for who has the lock.
  enum Place {
    /// In the table, or nowhere.
    case made(PropertyList?)
    /// In a text, where it begins at a place, and is to be made.
    case unmade(DictionaryText, UInt32)
  }

  /// Where the value of a key is.
  func place(of key: PropertyListKey) -> Place {
    key.text.withBytes { bytes in
      guard let slot = slots.slot(of: LookupKey(bytes, seed: seed), text) else { return .made(nil) }
      let contents = slots.contents(of: slot)
      if let text, let start = contents.textStart { return .unmade(text, start) }
      return .made(contents.entry?.pointee.value)
    }
  }

  /// Keeps a value that was made of a place in a text, unless the key has another by now; gives the one that it has.
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

  /// Sets a value, and notes its key; false where the key has exactly that value already.
  ///
  /// A key is noted once until ``beginGeneration()``.
  func set(_ value: PropertyList, for name: PropertyListKey, noting unsaved: inout UnsavedKeys) -> Bool {
    set(value, for: name, generation: generation, noting: &unsaved)
  }

  private func set(
    _ value: PropertyList, for name: PropertyListKey, generation: UInt32, noting unsaved: inout UnsavedKeys
  ) -> Bool {
    name.text.withBytes { bytes in
      let key = LookupKey(bytes, seed: seed)
      if let slot = slots.slot(of: key, text) {
        let old = slots.contents(of: slot)
        if (old.entry?.pointee.value ?? textEntry(old)?.value) == value { return false }
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
      return true
    }
  }

  /// Sets a value, or removes it for nil, and notes nothing.
  func put(_ value: PropertyList?, for key: PropertyListKey) {
    guard let value else {
      _ = remove(key)
      return
    }
    var unnoted = UnsavedKeys()
    _ = set(value, for: key, generation: 0, noting: &unnoted)
  }

  /// Has each key noted again when it is set the next time.
  func beginGeneration() {
    generation = generation == .max ? 1 : generation + 1
  }

  /// Removes a key; false where there is none.
  func remove(_ key: PropertyListKey) -> Bool {
    key.text.withBytes { bytes in
      guard let slot = slots.slot(of: LookupKey(bytes, seed: seed), text) else { return false }
      count -= 1
      replace(slots.contents(of: slot), in: slot, with: .removed)
      return true
    }
  }

  /// Pieces that nobody can see any more, for the caller to free when it has given back the lock.
  func takeRipe() -> [RetiredMemory.Piece] {
    retired.takeRipe()
  }

  private func textEntry(_ contents: LookupSlots.Contents) -> (key: PropertyListKey, value: PropertyList)? {
    guard let text, let start = contents.textStart else { return nil }
    return text.entry(at: start)
  }

  private func replace(_ old: LookupSlots.Contents, in slot: Int, with new: LookupSlots.Contents) {
    slots.set(new, in: slot)
    if let entry = old.entry {
      retired.add(.entry(entry, memory), isLarge: entry.pointee.value.isLarge)
    } else {
      unmadeCount -= 1
      if unmadeCount == 0 { text = nil }
    }
  }

  /// Makes the table hold these values and no others, at one moment.
  func replaceAll(with values: [PropertyListKey: PropertyList]) {
    let new = LookupSlots(capacity: LookupTable.capacity(for: values.count))
    let newMemory = EntryMemory()
    for (key, value) in values {
      key.text.withBytes { bytes in
        let key = LookupKey(bytes, seed: seed)
        new.add(.entry(LookupEntry.make(key, value, in: newMemory)), for: key)
      }
    }
    replaceAll(with: new, newMemory, nil)
  }

  /// Makes the table hold the entries of a text and no others, at one moment; values are made when asked for.
  func replaceAll(with text: DictionaryText) {
    let new = LookupSlots(capacity: LookupTable.capacity(for: text.starts.count))
    new.add(text) { LookupKey($0, seed: seed).hash }
    replaceAll(with: new, EntryMemory(), new.usedCount == 0 ? nil : text)
  }

  private func replaceAll(with new: LookupSlots, _ newMemory: EntryMemory, _ newText: DictionaryText?) {
    let old = RetiredMemory.Piece.contents(slots, memory, text)
    (slots, memory, text, count) = (new, newMemory, newText, new.usedCount)
    unmadeCount = newText == nil ? 0 : count
    publishNewSlots()
    retired.add(old, isLarge: true)
  }

  /// Takes the contents of another table, which nobody reads and which is empty then, in place of all that this one
  /// holds, at one moment. O(1).
  func take(_ other: LookupTable) {
    let old = RetiredMemory.Piece.contents(slots, memory, text)
    (slots, memory, text) = (other.slots, other.memory, other.text)
    (count, unmadeCount) = (other.count, other.unmadeCount)
    (other.slots, other.memory, other.text) = (LookupSlots(capacity: 1), EntryMemory(), nil)
    (other.count, other.unmadeCount) = (0, 0)
    retired.take(&other.retired)
    publishNewSlots()
    retired.add(old, isLarge: true)
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

  private func publishNewSlots() {
    layoutCount += 1
    slots.layout = layoutCount
    publish()
  }

  private func publish() {
    guard !isHidden else { return }
    let address = slots.usedCount == 0 ? LookupTable.empty : UInt(bitPattern: slots.address)
    root.pointee.store(address, ordering: .sequentiallyConsistent)
  }

  /// Sees to it that there are enough empty slots when another is used.
  private func makeRoom() {
    guard slots.usedCount + 1 > LookupTable.room(in: slots.capacity) else { return }
    let old = slots
    slots = LookupSlots(capacity: LookupTable.capacity(for: count + 1))
    slots.take(old)
    publishNewSlots()
    retired.add(.slots(old), isLarge: true)
  }

  /// The least power of two with room for a number of keys and for some more.
  private static func capacity(for count: Int) -> Int {
    var capacity = 1
    while room(in: capacity) < count + count / 16 { capacity *= 2 }
    return capacity
  }

  /// How many slots may be used: half of them, so that searches are short; of a large table, whose slots
  /// take megabytes, seven in eight.
  private static func room(in capacity: Int) -> Int {
    capacity < 1 << 17 ? capacity / 2 : capacity / 8 * 7
  }
}

extension PropertyList {
  /// Whether it may take so much memory that it should not wait to be freed.
  var isLarge: Bool {
    switch self {
    case .string(let text): text.utf8.count > 1000
    case .data, .array, .dictionary: true
    case .integer, .real, .float, .boolean, .date: false
    }
  }
}
