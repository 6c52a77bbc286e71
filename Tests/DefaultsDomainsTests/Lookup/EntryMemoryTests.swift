import TestSupport
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
    memory.checkInvariants(besides: pieces)
  }

  @Test("pieces that come and go at random never share a byte", arguments: 0..<10)
  func changes(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    // The pieces in use, each with the byte that fills it.
    var used: [(piece: UnsafeMutableRawBufferPointer, byte: UInt8)] = []
    for step in 0..<2000 {
      if used.isEmpty || Int.random(in: 0..<100, using: &random) < 52 {
        // Few sizes, so that pieces of the free lists are used again.
        let count = [1, 16, 17, 80, 81, 500, EntryMemory.maximumByteCount].randomElement(using: &random) ?? 1
        let piece = UnsafeMutableRawBufferPointer(start: memory.allocate(byteCount: count), count: count)
        piece.initializeMemory(as: UInt8.self, repeating: UInt8(truncatingIfNeeded: step))
        used.append((piece, UInt8(truncatingIfNeeded: step)))
      } else {
        let (piece, byte) = used.remove(at: Int.random(in: 0..<used.count, using: &random))
        #expect(piece.allSatisfy { $0 == byte })
        if let start = piece.baseAddress { memory.deallocate(start, byteCount: piece.count) }
      }
      if step % 50 == 0 { memory.checkInvariants(besides: used.map(\.piece)) }
    }
    for (piece, byte) in used { #expect(piece.allSatisfy { $0 == byte }) }
    memory.checkInvariants(besides: used.map(\.piece))
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

  #if DEBUG
    @Test("the check stops a debug build where a piece is free twice, and where one in use is free")
    func damage() async {
      await #expect(processExitsWith: .failure) {
        let memory = EntryMemory()
        let piece = memory.allocate(byteCount: 80)
        memory.deallocate(piece, byteCount: 80)
        memory.deallocate(piece, byteCount: 80)
        memory.checkInvariants()
      }
      await #expect(processExitsWith: .failure) {
        let memory = EntryMemory()
        let piece = memory.allocate(byteCount: 80)
        memory.deallocate(piece, byteCount: 80)
        memory.checkInvariants(besides: [UnsafeMutableRawBufferPointer(start: piece, count: 80)])
      }
    }
  #endif
}
