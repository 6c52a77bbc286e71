/// The scalars of a binary property list that is being written, each encoded once, and the numbers of all objects.
///
/// A scalar is encoded behind those that are there already; if it turns out to be one of them, it is taken back.
/// Encodings are equal exactly where values are, so that one table of hashes serves all kinds.
struct BinaryScalarTable: ~Copyable {
  private var memory: UnsafeMutableRawPointer
  private var capacity = 4096
  /// How many bytes the scalars have.
  private(set) var byteCount = 0
  /// Where each object begins among the scalars; a container, which has no bytes here, where the next one does.
  private var starts = MoveStack<Int>(capacity: 256)
  /// In the upper half of each slot of the table a part of the hash, in the lower one the object's number and 1.
  private var slots: [UInt64] = Array(repeating: 0, count: 512)
  private var scalarCount = 0
  private var booleans: (no: UInt32?, yes: UInt32?)
  /// The bytes of strings and data that references beyond the first stand for.
  private var sharedPayload = 0

  init() {
    memory = .allocate(byteCount: capacity, alignment: 8)
  }

  deinit {
    memory.deallocate()
  }

  var objectCount: Int { starts.count }

  /// Where an object begins among the scalars.
  @inline(__always)
  func start(of object: Int) -> Int { starts[object] }

  /// The encoded scalars.
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: memory, count: byteCount) }

  /// Gives a container the next number.
  mutating func addContainer() -> UInt32 { add(at: byteCount) }

  // MARK: - Numbers

  mutating func number(of isTrue: Bool) -> UInt32 {
    if let number = isTrue ? booleans.yes : booleans.no { return number }
    let start = byteCount
    append(isTrue ? 0x09 : 0x08, 0, size: 0)
    let number = add(at: start)
    if isTrue { booleans.yes = number } else { booleans.no = number }
    return number
  }

  /// Numbers that are not negative take 1, 2, 4 or 8 bytes without a sign, or 16; negative ones 8.
  @inline(__always)
  mutating func number(of value: PropertyListInteger) -> UInt32 {
    let start = byteCount
    if let signed = value.exactly(as: Int64.self) {
      let bits = UInt64(bitPattern: signed)
      let size = BinaryScalarTable.size(of: bits)
      append(0x10 | UInt8(truncatingIfNeeded: size.trailingZeroBitCount), bits, size: size)
    } else {
      append(0x14, 0, size: 8)
      appendBigEndian(value.exactly(as: UInt64.self) ?? 0, size: 8)
    }
    return find(from: start, payload: 0, sharedBytes: 0)
  }

  @inline(__always)
  mutating func number(of value: Double) -> UInt32 { number(0x23, value.bitPattern, size: 8) }

  mutating func number(of value: Float) -> UInt32 { number(0x22, UInt64(value.bitPattern), size: 4) }

  mutating func number(of value: PropertyListDate) -> UInt32 {
    number(0x33, value.secondsSinceReferenceDate.bitPattern, size: 8)
  }

  /// References of archives have 1, 2 or 4 bytes.
  mutating func number(ofUID value: UInt32) -> UInt32 {
    let size = BinaryScalarTable.size(of: UInt64(value))
    return number(0x80 | UInt8(truncatingIfNeeded: size - 1), UInt64(value), size: size)
  }

  @inline(__always)
  private mutating func number(_ marker: UInt8, _ bits: UInt64, size: Int) -> UInt32 {
    let start = byteCount
    append(marker, bits, size: size)
    return find(from: start, payload: 0, sharedBytes: 0)
  }

  // MARK: - Strings and data

  /// The number of a string.
  ///
  /// - Parameter sharedBytes: How many bytes at least the file has besides the scalars.
  mutating func number(of text: String, sharedBytes: Int) -> UInt32 {
    if let number = text.utf8.withContiguousStorageIfAvailable({ number(ofUTF8: $0, sharedBytes) }) {
      return number
    }
    // Only strings that Objective-C made have no bytes to look at.
    return Array(text.utf8).withUnsafeBufferPointer { number(ofUTF8: $0, sharedBytes) }
  }

  private mutating func number(ofUTF8 text: UnsafeBufferPointer<UInt8>, _ sharedBytes: Int) -> UInt32 {
    let start = byteCount
    guard let address = UnsafeRawPointer(text.baseAddress), !text.isEmpty else {
      append(0x50, 0, size: 0)
      return find(from: start, payload: 0, sharedBytes: 0)
    }
    if BinaryStrings.areASCII(address, count: text.count) {
      appendMarker(0x50, count: text.count)
      append(address, count: text.count)
    } else {
      let count = BinaryStrings.utf16Count(text)
      appendMarker(0x60, count: count)
      reserve(2 * count)
      BinaryStrings.store(utf16Of: text, at: memory + byteCount)
      byteCount += 2 * count
    }
    return find(from: start, payload: text.count, sharedBytes: sharedBytes)
  }

  /// The number of data.
  mutating func number(of data: [UInt8], sharedBytes: Int) -> UInt32 {
    let start = byteCount
    appendMarker(0x40, count: data.count)
    data.withUnsafeBytes { bytes in
      if let address = bytes.baseAddress { append(address, count: bytes.count) }
    }
    return find(from: start, payload: data.count, sharedBytes: sharedBytes)
  }

  // MARK: - Numbers of objects

  @inline(__always)
  private mutating func add(at start: Int) -> UInt32 {
    let number = UInt32(truncatingIfNeeded: starts.count)
    starts.push(start)
    return number
  }

  /// The number of the scalar that was encoded from a place on: of an equal one, if there is one, or the next.
  private mutating func find(from start: Int, payload: Int, sharedBytes: Int) -> UInt32 {
    let length = byteCount - start
    let encoded = UnsafeBufferPointer(
      start: UnsafeRawPointer(memory + start).assumingMemoryBound(to: UInt8.self), count: length)
    let hash = UInt64(truncatingIfNeeded: KeyHash.hash(encoded, seed: 0)) & 0xFFFF_FFFF
    let mask = slots.count - 1
    var place = Int(truncatingIfNeeded: hash) & mask
    while slots[place] != 0 {
      let slot = slots[place]
      if slot >> 32 == hash {
        let object = Int(slot & 0xFFFF_FFFF) - 1
        let other = starts[object]
        let end = object + 1 < starts.count ? starts[object + 1] : start
        if end - other == length, haveEqualBytes(memory + other, memory + start, count: length) {
          return share(object, from: start, payload: payload, sharedBytes: sharedBytes)
        }
      }
      place = (place + 1) & mask
    }
    let number = add(at: start)
    slots[place] = hash << 32 | UInt64(number) + 1
    scalarCount += 1
    if 2 * scalarCount > slots.count { enlargeTable() }
    return number
  }

  /// Takes a scalar back that is there already, unless the reader would take so much sharing for an attack.
  ///
  /// What the reader lets pass with the bounds that it has by itself is 64 MB, and 16 times the file.
  private mutating func share(_ object: Int, from start: Int, payload: Int, sharedBytes: Int) -> UInt32 {
    guard sharedPayload + payload <= 48_000_000 + 12 * (start + sharedBytes) else { return add(at: start) }
    sharedPayload += payload
    byteCount = start
    return UInt32(truncatingIfNeeded: object)
  }

  private mutating func enlargeTable() {
    var larger: [UInt64] = Array(repeating: 0, count: 2 * slots.count)
    let mask = larger.count - 1
    for slot in slots where slot != 0 {
      var place = Int(truncatingIfNeeded: slot >> 32) & mask
      while larger[place] != 0 { place = (place + 1) & mask }
      larger[place] = slot
    }
    slots = larger
  }

  // MARK: - Bytes

  /// The least power of two of bytes that hold a number without a sign.
  @inline(__always)
  static func size(of number: UInt64) -> Int {
    number <= 0xFF ? 1 : number <= 0xFFFF ? 2 : number <= 0xFFFF_FFFF ? 4 : 8
  }

  /// Appends a marker and a number of so many bytes.
  @inline(__always)
  private mutating func append(_ marker: UInt8, _ bits: UInt64, size: Int) {
    reserve(1)
    memory.storeBytes(of: marker, toByteOffset: byteCount, as: UInt8.self)
    byteCount += 1
    if size > 0 { appendBigEndian(bits, size: size) }
  }

  @inline(__always)
  private mutating func appendBigEndian(_ bits: UInt64, size: Int) {
    // Stored as eight bytes, of which those behind the number are written over.
    reserve(8)
    memory.storeBytes(
      of: (bits &<< UInt64(64 &- 8 &* size)).bigEndian, toByteOffset: byteCount, as: UInt64.self)
    byteCount += size
  }

  /// Appends the marker of a string or data with its count.
  @inline(__always)
  private mutating func appendMarker(_ kind: UInt8, count: Int) {
    if count < 15 { return append(kind | UInt8(truncatingIfNeeded: count), 0, size: 0) }
    let size = BinaryScalarTable.size(of: UInt64(count))
    append(kind | 0xF, 0, size: 0)
    append(0x10 | UInt8(truncatingIfNeeded: size.trailingZeroBitCount), UInt64(count), size: size)
  }

  @inline(__always)
  private mutating func append(_ bytes: UnsafeRawPointer, count: Int) {
    reserve(count)
    (memory + byteCount).copyMemory(from: bytes, byteCount: count)
    byteCount += count
  }

  @inline(__always)
  private mutating func reserve(_ additional: Int) {
    if capacity - byteCount < additional { grow(additional) }
  }

  private mutating func grow(_ additional: Int) {
    capacity = max(2 * capacity, byteCount + additional)
    let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
    larger.copyMemory(from: memory, byteCount: byteCount)
    memory.deallocate()
    memory = larger
  }
}
