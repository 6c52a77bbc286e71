/// The memory of a table's entries: blocks that are cut into pieces, and for each size a list of the pieces that came back.
///
/// A slab allocator. With a piece of the C library's memory for each entry, a large table that is let go of would leave
/// that library a list of a hundred thousand pieces; whichever thread next asks it for more than a kilobyte goes over the
/// list, which held up one set for ten milliseconds. Blocks are few.
///
/// Belongs to the one who changes the table.
final class EntryMemory: @unchecked Sendable {
  // Unchecked, because the compiler cannot see whose it is.
  private var blocks: [UnsafeMutableRawPointer] = []
  /// Where what is left of the last block begins, and how many bytes it has.
  private var rest: (start: UnsafeMutableRawPointer, count: Int)?
  /// The first piece that came back, by the size in units; each leads to the next. Empty until one comes back.
  private var free: [UnsafeMutableRawPointer?] = []

  /// The size of a piece is a multiple of it.
  private static let unit = 16
  /// How large a piece is cut out of a block at most.
  static let maximumByteCount = 512
  private static let firstBlockSize = 1 << 8
  /// Freeing 64 kilobytes or more has the C library tidy up all of its memory at once.
  private static let largestBlockSize = 1 << 15

  deinit {
    for block in blocks { block.deallocate() }
  }

  /// Gives a piece of at most ``maximumByteCount``.
  func allocate(byteCount: Int) -> UnsafeMutableRawPointer {
    let size = EntryMemory.size(of: byteCount)
    if !free.isEmpty, let piece = free[size] {
      free[size] = piece.load(as: UnsafeMutableRawPointer?.self)
      return piece
    }
    let byteCount = size * EntryMemory.unit
    let (start, count) = rest.flatMap { $0.count < byteCount ? nil : $0 } ?? newBlock(for: byteCount)
    rest = (start + byteCount, count - byteCount)
    return start
  }

  /// Takes back a piece of so many bytes.
  func deallocate(_ piece: UnsafeMutableRawPointer, byteCount: Int) {
    let size = EntryMemory.size(of: byteCount)
    if free.isEmpty {
      free = Array(repeating: nil, count: EntryMemory.size(of: EntryMemory.maximumByteCount) + 1)
    }
    piece.storeBytes(of: free[size], as: UnsafeMutableRawPointer?.self)
    free[size] = piece
  }

  private static func size(of byteCount: Int) -> Int { (byteCount + unit - 1) / unit }

  /// Each block is twice as large as the one before, up to a limit: most tables have few entries.
  private func newBlock(for byteCount: Int) -> (start: UnsafeMutableRawPointer, count: Int) {
    let doubled = EntryMemory.firstBlockSize << min(blocks.count, 7)
    let size = max(byteCount, min(doubled, EntryMemory.largestBlockSize))
    let block = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: EntryMemory.unit)
    blocks.append(block)
    return (block, size)
  }
}
