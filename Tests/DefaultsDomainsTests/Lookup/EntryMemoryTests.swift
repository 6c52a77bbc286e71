import Testing

@testable import DefaultsDomains

final class EntryMemoryTests {
  private let memory = EntryMemory()

  deinit {
    memory.free()
  }

  @Test("pieces of all sizes lie apart, at multiples of sixteen, over many blocks")
  func pieces() {
    let pieces = (0..<5000).map { index in
      let count = index % EntryMemory.maximumByteCount + 1
      return UnsafeMutableRawBufferPointer(start: memory.allocate(byteCount: count), count: count)
    }
    for (index, piece) in pieces.enumerated() {
      #expect(UInt(bitPattern: piece.baseAddress) % 16 == 0)
      piece.initializeMemory(as: UInt8.self, repeating: UInt8(truncatingIfNeeded: index))
    }
    for (index, piece) in pieces.enumerated() {
      #expect(piece.allSatisfy { $0 == UInt8(truncatingIfNeeded: index) })
    }
  }

  @Test("a piece that came back is given again for its size, and for no larger one")
  func reuse() {
    let (first, second) = (memory.allocate(byteCount: 80), memory.allocate(byteCount: 80))
    memory.deallocate(first, byteCount: 80)
    memory.deallocate(second, byteCount: 80)
    #expect(memory.allocate(byteCount: 81) != second)
    #expect(memory.allocate(byteCount: 72) == second)
    #expect(memory.allocate(byteCount: 80) == first)
    #expect(memory.allocate(byteCount: 80) != first)
  }
}
