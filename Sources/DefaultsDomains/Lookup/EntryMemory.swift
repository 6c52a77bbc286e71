/// The memory of a table's entries: blocks that are cut into pieces, and for each size a list of the pieces that came back.
///
/// A slab allocator. With a piece of the C library's memory for each entry, a large table that is let go of would leave
/// that library a list of a hundred thousand pieces; whichever thread next asks it for more than a kilobyte goes over the
/// list, which held up one set for ten milliseconds. Blocks are few.
///
/// Belongs to the one who changes the table, and is freed after the last piece of it was looked at.
struct EntryMemory {
  private let state: UnsafeMutablePointer<State>

  private struct State {
    var blocks: [UnsafeMutableRawPointer] = []
    /// What is left of the last block.
    var rest = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    /// The first piece that came back, by the size in units; each leads to the next. Made for the first that does.
    var free: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
  }

  /// The size of a piece is a multiple of it.
  private static let unit = 16
  /// How large a piece is cut out of a block at most.
  static let maximumByteCount = 512
  private static let firstBlockSize = 1 << 8
  /// Freeing 64 kilobytes or more has the C library tidy up all of its memory at once.
  private static let largestBlockSize = 1 << 15

  init() {
    state = .allocate(capacity: 1)
    state.initialize(to: State())
  }

  /// Frees all pieces that were cut out.
  func free() {
    for block in state.pointee.blocks { block.deallocate() }
    state.pointee.free?.deallocate()
    state.deinitialize(count: 1)
    state.deallocate()
  }

  /// Gives a piece of at most ``maximumByteCount``.
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
    return rest.baseAddress.unsafelyUnwrapped
  }

  /// Takes back a piece of so many bytes.
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

  /// Each block is twice as large as the one before, up to a limit: most tables have few entries.
  private func addBlock(for byteCount: Int) {
    let doubled = EntryMemory.firstBlockSize << min(state.pointee.blocks.count, 7)
    let size = max(byteCount, min(doubled, EntryMemory.largestBlockSize))
    let block = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: EntryMemory.unit)
    state.pointee.blocks.append(block)
    state.pointee.rest = UnsafeMutableRawBufferPointer(start: block, count: size)
  }
}
