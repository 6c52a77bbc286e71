/// The bytes of a text that is being written, in a buffer that grows by doubling.
///
/// Texts are made of very short pieces, for each of which an array would see again whether it is
/// shared and has room; this asks for room only.
struct TextOutput: ~Copyable {
  private var memory: UnsafeMutableRawPointer
  private var capacity: Int
  /// Whether the memory is this value's own, and not lent.
  private(set) var isOwner = true
  /// How many bytes have been written.
  private(set) var count = 0

  init() {
    capacity = 1024
    memory = .allocate(byteCount: capacity, alignment: 1)
  }

  deinit {
    if isOwner { memory.deallocate() }
  }

  /// All bytes.
  var bytes: [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, initializedCount in
      UnsafeMutableRawBufferPointer(buffer).copyMemory(
        from: UnsafeRawBufferPointer(start: memory, count: count))
      initializedCount = count
    }
  }

  /// Goes on in memory that is lent, if all that is written so far has room there.
  ///
  /// Where that is too little, it moves into memory of its own again.
  mutating func borrow(_ buffer: UnsafeMutableBufferPointer<UInt8>) {
    guard let start = UnsafeMutableRawPointer(buffer.baseAddress), buffer.count >= count else { return }
    move(to: start, capacity: buffer.count, isOwner: false)
  }

  /// The bytes from an offset on, for as long as nothing is written.
  func withBytes<Result>(from start: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    body(UnsafeRawBufferPointer(start: memory + start, count: count - start))
  }

  /// Takes back what was written after an offset.
  mutating func truncate(to count: Int) {
    self.count = min(self.count, count)
  }

  // MARK: - Appending

  @inline(__always)
  mutating func append(_ byte: UInt8) {
    reserve(1)
    memory.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
    count += 1
  }

  /// Appends an ASCII character.
  @inline(__always)
  mutating func append(ascii scalar: Unicode.Scalar) {
    append(UInt8(ascii: scalar))
  }

  @inline(__always)
  mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard let start = bytes.baseAddress else { return }
    reserve(bytes.count)
    (memory + count).copyMemory(from: start, byteCount: bytes.count)
    count += bytes.count
  }

  /// Appends a text that is known beforehand.
  @inline(__always)
  mutating func append(_ text: StaticString) {
    append(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Appends a text that was made for it.
  mutating func append(text: String) {
    for byte in text.utf8 { append(byte) }
  }

  /// Appends so many bytes that a body stores, all of them.
  mutating func append(count added: Int, _ body: (UnsafeMutablePointer<UInt8>) -> Void) {
    reserve(added)
    body((memory + count).assumingMemoryBound(to: UInt8.self))
    count += added
  }

  /// Appends a character in UTF-8.
  mutating func append(scalar: Unicode.Scalar) {
    for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter { append(byte) }
  }

  /// Appends spaces.
  @inline(__always)
  mutating func appendSpaces(_ spaceCount: Int) {
    reserve(spaceCount)
    (memory + count).initializeMemory(as: UInt8.self, repeating: UInt8(ascii: " "), count: spaceCount)
    count += spaceCount
  }

  /// Appends tabs.
  @inline(__always)
  mutating func append(tabs tabCount: Int) {
    reserve(tabCount)
    (memory + count).initializeMemory(as: UInt8.self, repeating: UInt8(ascii: "\t"), count: tabCount)
    count += tabCount
  }

  /// Appends a number that is not negative with at least so many digits, up to 19.
  mutating func append(digits number: Int64, count least: Int) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { buffer in
      var (rest, place) = (number.magnitude, 20)
      while rest > 0 || 20 - place < least {
        place -= 1
        buffer[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
        rest /= 10
      }
      append(UnsafeBufferPointer(rebasing: buffer[place...]))
    }
  }

  /// Appends a whole number in decimal.
  mutating func append(_ number: PropertyListInteger) {
    guard let value = number.exactly(as: Int64.self) else { return append(text: number.description) }
    if value < 0 { append(ascii: "-") }
    guard value != .min else { return append(text: String(value.magnitude)) }
    append(digits: abs(value), count: 1)
  }

  /// Appends bytes if every reader takes them without quotes; otherwise appends nothing and gives false.
  mutating func appendIfBare(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let start = UnsafeRawPointer(bytes.baseAddress), !bytes.isEmpty else { return false }
    // The last word may have up to seven bytes more than are meant.
    reserve(bytes.count + 8)
    let end = memory + count
    var offset = 0
    while offset + 8 <= bytes.count {
      let word = word(start, at: offset).littleEndian
      guard ByteClasses.notBare(word) == 0 else { return false }
      end.storeBytes(of: word.littleEndian, toByteOffset: offset, as: UInt64.self)
      offset += 8
    }
    let rest = bytes.count - offset
    if rest > 0 {
      let word = tailWord(start + offset, count: rest)
      // Where the text has ended, digits stand for it.
      guard ByteClasses.notBare(word | ByteClasses.every(UInt8(ascii: "0")) &<< UInt64(8 * rest)) == 0
      else { return false }
      end.storeBytes(of: word.littleEndian, toByteOffset: offset, as: UInt64.self)
    }
    count += bytes.count
    return true
  }

  /// Appends bytes up to the first NUL, carriage return, double quote or backslash, and gives their number.
  mutating func appendPlain(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
    guard let start = UnsafeRawPointer(bytes.baseAddress) else { return 0 }
    reserve(bytes.count + 8)
    let end = memory + count
    var offset = 0
    var escaped: UInt64 = 0
    while offset + 8 <= bytes.count, escaped == 0 {
      let word = word(start, at: offset).littleEndian
      end.storeBytes(of: word.littleEndian, toByteOffset: offset, as: UInt64.self)
      escaped = ByteClasses.escaped(word)
      offset += 8
    }
    let rest = bytes.count - offset
    if escaped != 0 {
      offset -= 8
    } else if rest > 0 {
      let word = tailWord(start + offset, count: rest)
      end.storeBytes(of: word.littleEndian, toByteOffset: offset, as: UInt64.self)
      // The zeros where the text has ended count as NULs.
      escaped = ByteClasses.escaped(word)
    }
    let plain = offset + (escaped == 0 ? 0 : escaped.trailingZeroBitCount / 8)
    count += plain
    return plain
  }

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
