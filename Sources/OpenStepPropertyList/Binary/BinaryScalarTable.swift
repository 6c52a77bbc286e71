/// The numbers of the objects of a binary property list that is being written, and its
/// scalars, each encoded once.
///
/// The table is a hash table with linear probing. A scalar is encoded after all others; if an equal scalar
/// exists, the new encoding is removed. Encodings are equal if and only if the values are equal, so that one
/// table suffices for all kinds.
struct BinaryScalarTable: ~Copyable {
  private var output = TextOutput(capacity: 4096)
  /// The offset of each object among the scalars; a container has no bytes, and the
  /// offset of the next scalar.
  private var starts = UniqueStack<Int>(capacity: 256)
  /// A slot has a part of the hash in its upper half, and the object's number plus 1 in its lower half.
  private var slots: [UInt64] = Array(repeating: 0, count: 512)
  private var scalarCount = 0
  private var booleans: (no: UInt32?, yes: UInt32?)
  /// The number of bytes of strings and data at all references after the first.
  private var sharedPayload = 0

  var objectCount: Int { starts.count }

  /// The offset of an object among the scalars.
  @inline(__always)
  func start(of object: Int) -> Int { starts[object] }

  /// The encoded scalars.
  var bytes: Span<UInt8> {
    @_lifetime(borrow self) get { output.contents }
  }

  /// The number of bytes of the scalars.
  var byteCount: Int { output.count }

  /// Gives the next number to a container.
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

  /// Numbers from 0 to 2^63−1 take 1, 2, 4 or 8 bytes, larger numbers 16, and negative numbers 8.
  @inline(__always)
  mutating func number(of value: PropertyListInteger) -> UInt32 {
    let start = byteCount
    if let signed = value.exactly(as: Int64.self) {
      let bits = UInt64(bitPattern: signed)
      let size = BinaryScalarTable.size(of: bits)
      append(0x10 | UInt8(truncatingIfNeeded: size.trailingZeroBitCount), bits, size: size)
    } else {
      append(0x14, 0, size: 8)
      output.append(bigEndian: value.exactly(as: UInt64.self) ?? 0, count: 8)
    }
    return find(from: start, payload: 0, sharedBytes: 0)
  }

  @inline(__always)
  mutating func number(of value: Double) -> UInt32 { number(0x23, value.bitPattern, size: 8) }

  mutating func number(of value: Float) -> UInt32 { number(0x22, UInt64(value.bitPattern), size: 4) }

  mutating func number(of value: PropertyListDate) -> UInt32 {
    number(0x33, value.secondsSinceReferenceDate.bitPattern, size: 8)
  }

  /// A reference of an archive takes 1, 2 or 4 bytes.
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
  /// - Parameter sharedBytes: A lower bound for the bytes of the file without the scalars.
  mutating func number(of text: String, sharedBytes: Int) -> UInt32 {
    text.withBytes { number(ofUTF8: $0, sharedBytes) }
  }

  private mutating func number(ofUTF8 text: Span<UInt8>, _ sharedBytes: Int) -> UInt32 {
    let start = byteCount
    if text.isASCII {
      appendMarker(0x50, count: text.count)
      output.append(text)
    } else {
      appendMarker(0x60, count: BinaryStrings.utf16Count(text))
      BinaryStrings.append(utf16Of: text, to: &output)
    }
    return find(from: start, payload: text.count, sharedBytes: sharedBytes)
  }

  /// The number of data.
  mutating func number(of data: [UInt8], sharedBytes: Int) -> UInt32 {
    let start = byteCount
    appendMarker(0x40, count: data.count)
    output.append(data.span)
    return find(from: start, payload: data.count, sharedBytes: sharedBytes)
  }

  // MARK: - Numbers of objects

  @inline(__always)
  private mutating func add(at start: Int) -> UInt32 {
    let number = UInt32(truncatingIfNeeded: starts.count)
    starts.push(start)
    return number
  }

  /// The number of the scalar that was encoded at an offset: that of an equal scalar if
  /// there is one, or the next.
  private mutating func find(from start: Int, payload: Int, sharedBytes: Int) -> UInt32 {
    let (hash, place, object) = slot(ofScalarAt: start)
    if let object { return share(object, from: start, payload: payload, sharedBytes: sharedBytes) }
    let number = add(at: start)
    slots[place] = hash << 32 | UInt64(number) + 1
    scalarCount += 1
    if 2 * scalarCount > slots.count { enlargeTable() }
    return number
  }

  /// The slot of the last scalar, which begins at an offset: the slot of an equal scalar, or an empty slot.
  @inline(__always)
  private func slot(ofScalarAt start: Int) -> (hash: UInt64, place: Int, object: Int?) {
    let encoded = output.contents.slice(from: start)
    let hash = UInt64(truncatingIfNeeded: KeyHash.hash(encoded, seed: 0)) & 0xFFFF_FFFF
    let mask = slots.count - 1
    var place = Int(truncatingIfNeeded: hash) & mask
    while slots[place] != 0 {
      let slot = slots[place]
      if slot >> 32 == hash {
        let object = Int(slot & 0xFFFF_FFFF) - 1
        let other = starts[object]
        let end = object + 1 < starts.count ? starts[object + 1] : start
        if output.contents.slice(other..<end).hasEqualBytes(as: encoded) { return (hash, place, object) }
      }
      place = (place + 1) & mask
    }
    return (hash, place, nil)
  }

  /// Removes the encoding of a scalar that exists already, unless the parser would refuse so much sharing.
  ///
  /// By default the parser accepts 64 MB and 16 times the file, of which the writer uses three quarters.
  private mutating func share(_ object: Int, from start: Int, payload: Int, sharedBytes: Int) -> UInt32 {
    guard sharedPayload + payload <= 48_000_000 + 12 * (start + sharedBytes) else { return add(at: start) }
    sharedPayload += payload
    output.truncate(to: start)
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

  /// The smallest power of two of bytes that can hold an unsigned number.
  @inline(__always)
  static func size(of number: UInt64) -> Int {
    number <= 0xFF ? 1 : number <= 0xFFFF ? 2 : number <= 0xFFFF_FFFF ? 4 : 8
  }

  /// Appends a marker and a number of so many bytes.
  @inline(__always)
  private mutating func append(_ marker: UInt8, _ bits: UInt64, size: Int) {
    guard size < 8 else {
      output.append(marker)
      return output.append(bigEndian: bits, count: 8)
    }
    // A masking shift by 64 bits would not shift.
    let number = size == 0 ? 0 : (bits &<< UInt64(64 &- 8 &* size)).byteSwapped
    output.append(word: number &<< 8 | UInt64(marker), count: 1 + size)
  }

  /// Appends the marker of a string or data with its count.
  @inline(__always)
  private mutating func appendMarker(_ kind: UInt8, count: Int) {
    if count < 15 { return append(kind | UInt8(truncatingIfNeeded: count), 0, size: 0) }
    let size = BinaryScalarTable.size(of: UInt64(count))
    append(kind | 0xF, 0, size: 0)
    append(0x10 | UInt8(truncatingIfNeeded: size.trailingZeroBitCount), UInt64(count), size: size)
  }
}

extension TextOutput {
  /// Appends a number of one to eight bytes, the highest byte first.
  @inline(__always)
  mutating func append(bigEndian number: UInt64, count: Int) {
    append(word: (number &<< UInt64(64 &- 8 &* count)).byteSwapped, count: count)
  }
}

extension OutputRoom {
  /// Appends a number of one to eight bytes, the highest one first.
  @inline(__always)
  mutating func append(bigEndian number: UInt64, count: Int) {
    append(word: (number &<< UInt64(64 &- 8 &* count)).byteSwapped, count: count)
  }
}
