/// An output cursor: a place in memory of a fixed size that is filled from its start.
///
/// It stores up to eight bytes at once, which the standard library's `OutputRawSpan` cannot: all eight are stored,
/// whatever is meant, and so the memory has eight bytes more than are ever filled. The cursor cannot outlive the
/// memory, and it asks for room before each piece is stored.
struct OutputRoom: ~Copyable, ~Escapable {
  private var place: UnsafeMutableRawPointer
  private let start: UnsafeMutableRawPointer
  /// Where what is meant has to end.
  private let end: UnsafeMutableRawPointer

  /// How many bytes more than are filled the memory has.
  static let surplus = 8

  @inline(__always)
  @_lifetime(borrow memory)
  init(_ memory: UnsafeMutableRawBufferPointer) {
    guard let start = memory.baseAddress, memory.count >= OutputRoom.surplus else {
      preconditionFailure("the memory has no room for a word")
    }
    self.start = start
    place = start
    end = start + (memory.count - OutputRoom.surplus)
    checkInvariants()
  }

  /// Stops a debug build where the place lies outside of the memory.
  @inline(__always)
  func checkInvariants() {
    assert(place >= start && place <= end, "the output cursor lies outside of its memory")
  }

  /// How many bytes have been stored.
  @inline(__always)
  var count: Int { place - start }

  /// Stores up to eight bytes, of which the lowest one is the first.
  @inline(__always)
  mutating func append(word: UInt64, count added: Int) {
    precondition(added >= 0 && added <= 8 && added <= end - place, "there is no room for so many bytes")
    place.storeBytes(of: word.littleEndian, as: UInt64.self)
    place += added
    checkInvariants()
  }

  @inline(__always)
  mutating func append(_ byte: UInt8) {
    precondition(place < end, "there is no room for another byte")
    place.storeBytes(of: byte, as: UInt8.self)
    place += 1
    checkInvariants()
  }
}
