/// A growing buffer: the bytes of a text that is being written, in memory that doubles when it is full.
///
/// Texts are made of very short pieces, for each of which an array would see again whether it is
/// shared and has room; this asks for room only. It is safe because each piece asks for room before it is stored, and
/// because only the first `count` bytes, which were stored, are ever shown.
struct TextOutput: ~Copyable {
  private var memory: UnsafeMutableRawPointer
  private var capacity: Int
  /// Whether the memory is this value's own, and not an array's in the making.
  private var isOwner = true
  /// Whether ``array(capacity:_:)`` waits for this value to come back.
  private var isLent = false
  /// How many bytes have been written.
  private(set) var count = 0

  init(capacity: Int = 1024) {
    self.capacity = capacity
    memory = .allocate(byteCount: capacity, alignment: 1)
  }

  deinit {
    if isOwner { memory.deallocate() }
  }

  /// Stops a debug build where the bytes have no room in the memory, or where the memory's owner is not known.
  func checkInvariants() {
    assert(count >= 0 && count <= capacity, "more bytes are written than there is room for")
    assert(isOwner || isLent, "the memory is another's, and nobody waits for it")
  }

  // MARK: - Reading

  /// All bytes, for as long as nothing is written.
  var contents: Span<UInt8> {
    @_lifetime(borrow self)
    get {
      let bytes = UnsafeBufferPointer(start: memory.assumingMemoryBound(to: UInt8.self), count: count)
      return _overrideLifetime(bytes.span, borrowing: self)
    }
  }

  /// A copy of all bytes.
  var bytes: [UInt8] { contents.withUnsafeBufferPointer { [UInt8]($0) } }

  /// Goes on writing in the memory of a new array, and gives that array; afterwards nothing is written here.
  ///
  /// Memory that is written for the first time has to be given by the kernel, and so an array that is made of a buffer
  /// at the end costs much more than one that is written at once.
  ///
  /// - Parameters:
  ///   - capacity: How many bytes there will be, those before among them; with more the buffer grows as ever.
  ///   - body: Writes the rest; it may swap the buffer for another one, and has to swap it back.
  mutating func array<Failure: Error>(
    capacity: Int, _ body: (inout TextOutput) throws(Failure) -> Void
  ) throws(Failure) -> [UInt8] {
    var isInPlace = false
    let array = try [UInt8](unsafeUninitializedCapacity: capacity + OutputRoom.surplus) {
      (buffer, initializedCount) throws(Failure) in
      if let start = buffer.baseAddress, buffer.count >= count {
        move(to: UnsafeMutableRawPointer(start), capacity: buffer.count, isOwner: false)
      }
      isLent = true
      defer {
        precondition(isLent, "another buffer came back than was lent")
        isInPlace = !isOwner
        if isInPlace {
          initializedCount = count
          (memory, self.capacity, isOwner) = (.allocate(byteCount: 0, alignment: 1), 0, true)
          count = 0
        }
        isLent = false
      }
      try body(&self)
    }
    if !isInPlace {
      defer { count = 0 }
      return bytes
    }
    // A guess that was far too high would take room for as long as the array is kept.
    return array.count < array.capacity / 2 ? array.withUnsafeBufferPointer { [UInt8]($0) } : array
  }

  // MARK: - Writing

  /// Takes back what was written after an offset.
  mutating func truncate(to count: Int) {
    precondition(count >= 0, "a buffer has no fewer bytes than none")
    self.count = min(self.count, count)
    checkInvariants()
  }

  @inline(__always)
  mutating func append(_ byte: UInt8) {
    reserve(1)
    memory.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
    count += 1
    checkInvariants()
  }

  /// Appends up to eight bytes, of which the lowest one is the first.
  @inline(__always)
  mutating func append(word: UInt64, count added: Int) {
    precondition(added >= 0 && added <= 8, "a word has eight bytes")
    // All eight are stored; what is written next covers those that were not meant.
    reserve(8)
    memory.storeBytes(of: word.littleEndian, toByteOffset: count, as: UInt64.self)
    count += added
    checkInvariants()
  }

  /// Appends up to so many bytes, which a body stores; where many short pieces follow each other, this asks for room
  /// once.
  @inline(__always)
  mutating func append<Failure: Error>(
    atMost limit: Int, _ body: (inout OutputRoom) throws(Failure) -> Void
  ) throws(Failure) {
    precondition(limit >= 0, "there is no less room than none")
    let byteCount = limit + OutputRoom.surplus
    reserve(byteCount)
    var room = OutputRoom(UnsafeMutableRawBufferPointer(start: memory + count, count: byteCount))
    try body(&room)
    count += room.count
    checkInvariants()
  }

  @inline(__always)
  mutating func append(_ bytes: Span<UInt8>) {
    bytes.withUnsafeBytes { append($0) }
  }

  /// Appends what another buffer holds.
  mutating func append(_ other: borrowing TextOutput) {
    append(other.contents)
  }

  /// Appends a text that is known beforehand.
  @inline(__always)
  mutating func append(_ text: StaticString) {
    append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  @inline(__always)
  private mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress else { return }
    reserve(bytes.count)
    (memory + count).copyMemory(from: start, byteCount: bytes.count)
    count += bytes.count
    checkInvariants()
  }

  /// Appends one byte so often.
  @inline(__always)
  mutating func append(_ byte: UInt8, count added: Int) {
    precondition(added >= 0, "no byte stands less often than never")
    if added <= 8 { return append(word: ByteClasses.every(byte), count: added) }
    reserve(added)
    (memory + count).initializeMemory(as: UInt8.self, repeating: byte, count: added)
    count += added
    checkInvariants()
  }

  /// Appends a number in decimal with at least so many digits.
  mutating func append(digits number: UInt64, count least: Int) {
    var (digitCount, power) = (1, 10 as UInt64)
    while number >= power {
      digitCount += 1
      // A twentieth digit is the last one, and the power behind it too large.
      if digitCount == 20 { break }
      power *= 10
    }
    digitCount = max(digitCount, least)
    reserve(digitCount)
    var (rest, place) = (number, count + digitCount)
    while place > count {
      place -= 1
      memory.storeBytes(
        of: UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10), toByteOffset: place, as: UInt8.self)
      rest /= 10
    }
    count += digitCount
    checkInvariants()
  }

  // MARK: - Copying with a test

  /// Appends bytes if a test by eight bytes marks none; otherwise appends nothing and gives false.
  ///
  /// - Parameters:
  ///   - filler: A byte that is not marked, which stands for those behind the end.
  ///   - marks: Sets the top bits of the marked bytes of a word.
  @inline(__always)
  mutating func append(
    _ bytes: Span<UInt8>, filledWith filler: UInt8, unlessAny marks: (_ word: UInt64) -> UInt64
  ) -> Bool {
    // The last word may have up to seven bytes more than are meant.
    reserve(bytes.count + 8)
    let end = memory + count
    let isPlain = bytes.withUnsafeBytes { bytes in
      var offset = 0
      while offset + 8 <= bytes.count {
        let word = bytes.word(at: offset)
        guard marks(word) == 0 else { return false }
        end.storeBytes(of: word.littleEndian, toByteOffset: offset, as: UInt64.self)
        offset += 8
      }
      let rest = bytes.count - offset
      guard rest > 0 else { return true }
      let word = bytes.tailWord(from: offset)
      end.storeBytes(of: word.littleEndian, toByteOffset: offset, as: UInt64.self)
      return marks(word | ByteClasses.every(filler) &<< UInt64(8 * rest)) == 0
    }
    if isPlain { count += bytes.count }
    checkInvariants()
    return isPlain
  }

  /// Appends bytes up to the first one that a test by eight bytes marks, and gives their number.
  ///
  /// - Parameter marks: Sets the top bits of the marked bytes of a word, of which only the lowest has to be right.
  @inline(__always)
  mutating func append(_ bytes: Span<UInt8>, upTo marks: (_ word: UInt64) -> UInt64) -> Int {
    reserve(bytes.count + 8)
    let end = memory + count
    let plain = bytes.withUnsafeBytes { bytes in
      var offset = 0
      while offset + 8 <= bytes.count {
        let word = bytes.word(at: offset)
        end.storeBytes(of: word.littleEndian, toByteOffset: offset, as: UInt64.self)
        let found = marks(word)
        if found != 0 { return offset + found.trailingZeroBitCount / 8 }
        offset += 8
      }
      guard offset < bytes.count else { return offset }
      let word = bytes.tailWord(from: offset)
      end.storeBytes(of: word.littleEndian, toByteOffset: offset, as: UInt64.self)
      // What stands behind the end may be marked too.
      return min(offset + marks(word).trailingZeroBitCount / 8, bytes.count)
    }
    count += plain
    checkInvariants()
    return plain
  }

  // MARK: - Room

  @inline(__always)
  private mutating func reserve(_ additional: Int) {
    if capacity - count < additional { grow(additional) }
  }

  private mutating func grow(_ additional: Int) {
    let larger = max(2 * capacity, count + additional)
    move(to: .allocate(byteCount: larger, alignment: 1), capacity: larger, isOwner: true)
  }

  private mutating func move(to larger: UnsafeMutableRawPointer, capacity: Int, isOwner: Bool) {
    larger.copyMemory(from: memory, byteCount: count)
    if self.isOwner { memory.deallocate() }
    (memory, self.capacity, self.isOwner) = (larger, capacity, isOwner)
  }
}
