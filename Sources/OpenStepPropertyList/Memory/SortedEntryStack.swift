/// A sorted stack: the entries of the dictionaries that are being written, each dictionary's in the order of its keys.
///
/// Many keys are sorted by radix sort, few by insertion sort.
///
/// Entries lie in a dictionary in the order of their hashes, and half of the time of writing a large
/// one was waiting for memory. So they are copied to one place in a single pass, without a share in
/// what they hold: a share is taken in the memory of each string, which would be waited for twice.
/// That is safe while the dictionaries live, which the caller has to see to; the copies are dropped
/// without being destroyed.
struct SortedEntryStack: ~Copyable {
  typealias Entry = (key: PropertyListKey, value: PropertyList)

  /// The place of an entry among the copies, in the order of keys.
  private struct Place {
    /// Eight bytes of the key as a number that has their order.
    var bytes: UInt64
    var index: Int
  }

  private var entries: UnsafeMutablePointer<Entry>
  private var places: UnsafeMutablePointer<Place>
  /// Where places are moved to and fro while they are sorted.
  private var otherPlaces: UnsafeMutablePointer<Place>
  private var capacity = 64
  private(set) var count = 0

  /// How many entries are fetched at a time.
  static let batch = 16
  /// How many entries are sorted by insertion at most; measured.
  private static let few = 24

  init() {
    entries = .allocate(capacity: capacity)
    places = .allocate(capacity: capacity)
    otherPlaces = .allocate(capacity: capacity)
  }

  deinit {
    entries.deallocate()
    places.deallocate()
    otherPlaces.deallocate()
  }

  /// The entry at a place in the order.
  subscript(position: Int) -> Entry {
    @inline(__always) get {
      precondition(position >= 0 && position < count, "the stack has no entry \(position)")
      return entries[places[position].index]
    }
  }

  /// Brings the entries of the batch that begins at a position into the cache, all at a time.
  ///
  /// One after the other, each would be waited for: a third of the time of writing a large dictionary.
  func fetchBatch(at position: Int) {
    for position in position..<min(position + SortedEntryStack.batch, count) {
      let entry = entries + places[position].index
      let touched =
        switch entry.pointee.value {
        case .string(let text): text.utf8.withContiguousStorageIfAvailable { Int($0.first ?? 0) } ?? 0
        case .data(let bytes): bytes.count
        case .array(let elements): elements.count
        case .dictionary(let entries): entries.count
        case .integer, .real, .float, .boolean, .date: 0
        }
      // Kept, in a place that sorting has done with, lest the compiler leave out the reading.
      places[position].bytes = UInt64(truncatingIfNeeded: touched &+ entry.pointee.key.text.utf8.count)
    }
  }

  /// Drops the entries from a position on.
  mutating func removeAll(from position: Int) {
    precondition(position >= 0 && position <= count, "the stack does not reach up to \(position)")
    count = position
    checkInvariants(from: count, .utf8)
  }

  /// Stops a debug build where entries from a position on are lost or stand in another order.
  func checkInvariants(from first: Int, _ order: Order) {
    assert(count >= 0 && count <= capacity, "more entries are held than there is room for")
    assert(
      Set((first..<count).map { places[$0].index }) == Set(first..<count),
      "an entry has another number of places than one")
    assert(
      (first..<count).dropFirst().allSatisfy { position in
        let (key, next) = (self[position - 1].key.text, self[position].key.text)
        return key.withBytes { key in
          next.withBytes { order == .utf8 ? key.precedes($0) : key.precedesByUTF16($0) }
        }
      }, "two entries stand in the wrong order")
  }

  /// How keys follow each other.
  enum Order {
    /// By code point, which is by the bytes of UTF-8.
    case utf8
    /// By the units of UTF-16: characters beyond U+FFFF stand before those from U+E000 on.
    case utf16
  }

  /// Puts the entries of a dictionary on top; it has to live until they are dropped.
  mutating func push(_ dictionary: [PropertyListKey: PropertyList], order: Order = .utf8) {
    let first = count
    reserve(dictionary.count)
    for (key, value) in dictionary {
      SortedEntryStack.copy(key, to: UnsafeMutableRawPointer(entries + count), at: \.key)
      SortedEntryStack.copy(value, to: UnsafeMutableRawPointer(entries + count), at: \.value)
      count += 1
    }
    let common = count - first > SortedEntryStack.few ? commonPrefix(from: first) : 0
    // Keys with characters from U+E000 on, which UTF-16 has in another order than UTF-8.
    var isAnyHigh = false
    for index in first..<count {
      let bytes = entries[index].key.text.withBytes { key in
        if order == .utf16, !isAnyHigh { isAnyHigh = !key.isASCII && key.contains { $0 >= 0xEE } }
        return key.orderedWord(from: common)
      }
      places[index] = Place(bytes: bytes, index: index)
    }
    if count - first > SortedEntryStack.few {
      sortByBytes(from: first)
      sortEqualBytes(from: first)
    } else {
      sortFew(from: first)
    }
    if isAnyHigh { sortByUTF16(from: first) }
    checkInvariants(from: first, order)
  }

  @inline(__always)
  private static func copy<Part>(
    _ part: Part, to entry: UnsafeMutableRawPointer, at path: PartialKeyPath<Entry>
  ) {
    withUnsafeBytes(of: part) { bytes in
      guard let start = bytes.baseAddress, let offset = MemoryLayout<Entry>.offset(of: path) else { return }
      (entry + offset).copyMemory(from: start, byteCount: bytes.count)
    }
  }

  private mutating func reserve(_ additional: Int) {
    guard capacity - count < additional else { return }
    capacity = max(2 * capacity, count + additional)
    entries = SortedEntryStack.enlarge(entries, count: count, capacity: capacity)
    places = SortedEntryStack.enlarge(places, count: count, capacity: capacity)
    otherPlaces = SortedEntryStack.enlarge(otherPlaces, count: 0, capacity: capacity)
  }

  /// Moves elements bit by bit, as nobody has a share in them.
  private static func enlarge<Element>(
    _ memory: UnsafeMutablePointer<Element>, count: Int, capacity: Int
  ) -> UnsafeMutablePointer<Element> {
    let larger = UnsafeMutablePointer<Element>.allocate(capacity: capacity)
    UnsafeMutableRawPointer(larger).copyMemory(from: memory, byteCount: count * MemoryLayout<Element>.stride)
    memory.deallocate()
    return larger
  }

  // MARK: - Keys

  /// How many bytes all keys from a position on begin with.
  private func commonPrefix(from first: Int) -> Int {
    entries[first].key.text.withBytes { firstKey in
      var common = firstKey.count
      for index in first + 1..<count where common > 0 {
        let other = entries[index].key.text.withBytes { key in
          firstKey.slice(0..<common).commonPrefixCount(with: key)
        }
        common = other
      }
      return common
    }
  }

  private func precedes(_ left: Place, _ right: Place) -> Bool {
    left.bytes == right.bytes
      ? entries[left.index].key < entries[right.index].key : left.bytes < right.bytes
  }

  // MARK: - Order

  private mutating func sortByUTF16(from first: Int) {
    var all = UnsafeMutableBufferPointer(start: places + first, count: count - first)
    all.sort { left, right in
      entries[left.index].key.text.withBytes { key in
        entries[right.index].key.text.withBytes { key.precedesByUTF16($0) }
      }
    }
  }

  private func sortFew(from first: Int) {
    var sorted = first + 1
    while sorted < count {
      let place = places[sorted]
      var hole = sorted
      while hole > first, precedes(place, places[hole - 1]) {
        places[hole] = places[hole - 1]
        hole -= 1
      }
      places[hole] = place
      sorted += 1
    }
  }

  /// Sorts by the eight bytes, a byte at a time from the last: for many keys three times as fast as comparing them.
  private func sortByBytes(from first: Int) {
    let total = count - first
    var (source, target) = (places + first, otherPlaces)
    withUnsafeTemporaryAllocation(of: Int.self, capacity: 256) { starts in
      for shift in stride(from: 0 as UInt64, to: 64, by: 8) {
        starts.update(repeating: 0)
        for position in 0..<total { starts[Int(source[position].bytes &>> shift & 0xFF)] &+= 1 }
        // Where all keys have the same byte, their order stays.
        if starts[Int(source[0].bytes &>> shift & 0xFF)] == total { continue }
        var next = 0
        for byte in 0..<256 {
          next &+= starts[byte]
          starts[byte] = next &- starts[byte]
        }
        for position in 0..<total {
          let place = source[position]
          let byte = Int(place.bytes &>> shift & 0xFF)
          target[starts[byte]] = place
          starts[byte] &+= 1
        }
        swap(&source, &target)
      }
    }
    if source == otherPlaces { (places + first).update(from: otherPlaces, count: total) }
  }

  /// Sorts runs of keys whose eight bytes are equal by the whole key.
  private func sortEqualBytes(from first: Int) {
    var start = first
    while start < count {
      var end = start + 1
      while end < count, places[end].bytes == places[start].bytes { end += 1 }
      if end - start > 1 {
        var run = UnsafeMutableBufferPointer(start: places + start, count: end - start)
        run.sort { entries[$0.index].key < entries[$1.index].key }
      }
      start = end
    }
  }
}
