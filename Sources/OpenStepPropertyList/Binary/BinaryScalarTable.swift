/// The scalars of a binary property list that is being written, each encoded once, and the numbers of all objects.
///
/// A scalar is encoded behind those that are there already; if it turns out to be one of them, it is taken back.
/// Encodings are equal exactly where values are, so that one table of hashes serves all kinds.
struct BinaryScalarTable: ~Copyable {
  private var output = TextOutput(capacity: 4096)
  /// Where each object begins among the scalars; a container, which has no bytes here, where the next one does.
  private var starts = UniqueStack<Int>(capacity: 256)
  /// In the upper half of each slot of the table a part of the hash, in the lower one the object's number and 1.
  private var slots: [UInt64] = Array(repeating: 0, count: 512)
  private var scalarCount = 0
  private var booleans: (no: UInt32?, yes: UInt32?)
  /// The bytes of strings and data that references beyond the first stand for.
  private var sharedPayload = 0

  var objectCount: Int { starts.count }

  /// Where an object begins among the scalars.
  @inline(__always)
  func start(of object: Int) -> Int { starts[object] }

  /// The encoded scalars.
  var bytes: Span<UInt8> {
    @_lifetime(borrow self) get { output.contents }
  }

  /// How many bytes the scalars have.
  var byteCount: Int { output.count }

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

  /// The number of the scalar that was encoded from a place on: of an equal one, if there is one, or the next.
  private mutating func find(from start: Int, payload: Int, sharedBytes: Int) -> UInt32 {
    let (hash, place, object) = slot(ofScalarAt: start)
    if let object { return share(object, from: start, payload: payload, sharedBytes: sharedBytes) }
    let number = add(at: start)
    slots[place] = hash << 32 | UInt64(number) + 1
    scalarCount += 1
    if 2 * scalarCount > slots.count { enlargeTable() }
    return number
  }

  /// The slot of the last scalar, which begins at a place: that of an equal object or an empty one.
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

  /// Takes a scalar back that is there already, unless the reader would take so much sharing for an attack.
  ///
  /// What the reader lets pass with the bounds that it has by itself is 64 MB, and 16 times the file.
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

  /// The least power of two of bytes that hold a number without a sign.
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
    // Of no byte, a shift by all 64 bits is none.
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
  /// Appends a number of one to eight bytes, the highest one first.
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
