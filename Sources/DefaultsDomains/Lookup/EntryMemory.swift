/// The memory of a table's entries: a slab allocator with a free list for each size.
///
/// If each entry had a piece of the C library's memory, the release of a large table would leave that library
/// a list of a hundred thousand free pieces. The next thread that asks it for more than a kilobyte would go
/// through the list, which delayed a single set by ten milliseconds. Blocks are few.
///
/// It belongs to the table's writer, and is freed after the last use of a piece.
struct EntryMemory {
  private let state: UnsafeMutablePointer<State>

  private struct State {
    var blocks: [UnsafeMutableRawBufferPointer] = []
    /// The unused end of the last block.
    var rest = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    /// The heads of the free lists, by the size in units; each free piece contains the address of the next.
    /// Allocated when the first piece is freed.
    var free: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
  }

  /// The size of each piece is a multiple of this.
  private static let unit = 16
  /// The largest piece that is cut from a block.
  static let maximumByteCount = 512
  private static let firstBlockSize = 1 << 8
  /// When a piece of 64 kilobytes or more is freed, the C library consolidates all of its free memory at
  /// once.
  private static let largestBlockSize = 1 << 15

  init() {
    state = .allocate(capacity: 1)
    state.initialize(to: State())
  }

  /// Frees all blocks.
  func free() {
    for block in state.pointee.blocks { block.deallocate() }
    state.pointee.free?.deallocate()
    state.deinitialize(count: 1)
    state.deallocate()
  }

  // MARK: - Invariants

  /// Stops a debug build where the unused rest is not the end of the last block. O(1).
  private func checkRest() {
    let (rest, block) = (state.pointee.rest, state.pointee.blocks.last)
    assert(rest.count % EntryMemory.unit == 0, "the unused rest is no multiple of a unit")
    assert(
      block.map { EntryMemory.lies(rest, in: $0) && EntryMemory.end(of: rest) == EntryMemory.end(of: $0) }
        ?? rest.isEmpty, "the unused rest is not the end of the last block")
  }

  /// Stops a debug build where a free piece is free twice, overlaps another or lies outside of the blocks.
  /// O(n log n).
  ///
  /// - Parameter used: Pieces that are in use, which no free piece may overlap.
  func checkInvariants(besides used: [UnsafeMutableRawBufferPointer] = []) {
    checkRest()
    assert(
      EntryMemory.lieApart(freePieces + used, in: state.pointee.blocks),
      "a free piece is free twice, overlaps another or lies outside of the blocks")
  }

  /// The pieces in the free lists, and the unused rest. It ends also where a list leads back to itself.
  private var freePieces: [UnsafeMutableRawBufferPointer] {
    var pieces = [state.pointee.rest].filter { !$0.isEmpty }
    guard let lists = state.pointee.free else { return pieces }
    let most = state.pointee.blocks.reduce(1) { $0 + $1.count / EntryMemory.unit }
    for size in 1...EntryMemory.size(of: EntryMemory.maximumByteCount) {
      var next = lists[size]
      while let piece = next, pieces.count <= most {
        pieces.append(UnsafeMutableRawBufferPointer(start: piece, count: size * EntryMemory.unit))
        next = piece.load(as: UnsafeMutableRawPointer?.self)
      }
    }
    return pieces
  }

  /// Whether no piece overlaps another, and each lies in one of the blocks.
  private static func lieApart(
    _ pieces: [UnsafeMutableRawBufferPointer], in blocks: [UnsafeMutableRawBufferPointer]
  ) -> Bool {
    let pieces = pieces.sorted { start(of: $0) < start(of: $1) }
    let blocks = blocks.sorted { start(of: $0) < start(of: $1) }
    var block = 0
    for (index, piece) in pieces.enumerated() {
      if index > 0, end(of: pieces[index - 1]) > start(of: piece) { return false }
      while block < blocks.count, end(of: blocks[block]) <= start(of: piece) { block += 1 }
      guard block < blocks.count, lies(piece, in: blocks[block]) else { return false }
    }
    return true
  }

  private static func lies(
    _ piece: UnsafeMutableRawBufferPointer, in block: UnsafeMutableRawBufferPointer
  ) -> Bool {
    start(of: piece) >= start(of: block) && end(of: piece) <= end(of: block)
  }

  private static func start(of bytes: UnsafeMutableRawBufferPointer) -> UInt {
    UInt(bitPattern: bytes.baseAddress)
  }

  private static func end(of bytes: UnsafeMutableRawBufferPointer) -> UInt {
    start(of: bytes) + UInt(bytes.count)
  }

  // MARK: - Pieces

  /// Allocates a piece of at most ``maximumByteCount`` bytes.
  func allocate(byteCount: Int) -> UnsafeMutableRawPointer {
    let size = EntryMemory.size(of: byteCount)
    if let lists = state.pointee.free, let piece = lists[size] {
      lists[size] = piece.load(as: UnsafeMutableRawPointer?.self)
      return piece
    }
    let byteCount = size * EntryMemory.unit
    if state.pointee.rest.count < byteCount { addBlock(for: byteCount) }
    let rest = state.pointee.rest
    state.pointee.rest = UnsafeMutableRawBufferPointer(rebasing: rest[byteCount...])
    checkRest()
    return rest.baseAddress.unsafelyUnwrapped
  }

  /// Puts a piece of so many bytes into its free list.
  func deallocate(_ piece: UnsafeMutableRawPointer, byteCount: Int) {
    let size = EntryMemory.size(of: byteCount)
    let lists = state.pointee.free ?? makeLists()
    piece.storeBytes(of: lists[size], as: UnsafeMutableRawPointer?.self)
    lists[size] = piece
  }

  private func makeLists() -> UnsafeMutablePointer<UnsafeMutableRawPointer?> {
    let count = EntryMemory.size(of: EntryMemory.maximumByteCount) + 1
    let lists = UnsafeMutablePointer<UnsafeMutableRawPointer?>.allocate(capacity: count)
    lists.initialize(repeating: nil, count: count)
    state.pointee.free = lists
    return lists
  }

  private static func size(of byteCount: Int) -> Int { (byteCount + unit - 1) / unit }

  /// Adds a block, twice as large as the one before, up to a limit: most tables have few entries.
  private func addBlock(for byteCount: Int) {
    let doubled = EntryMemory.firstBlockSize << min(state.pointee.blocks.count, 7)
    let size = max(byteCount, min(doubled, EntryMemory.largestBlockSize))
    let block = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: EntryMemory.unit)
    state.pointee.blocks.append(block)
    state.pointee.rest = block
    checkRest()
  }
}
