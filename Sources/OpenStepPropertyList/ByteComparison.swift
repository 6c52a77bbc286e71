/// Whether the bytes at two places are equal, eight at a time.
///
/// Keys are short, so this takes less time than a call of the C library's function.
@inlinable @inline(__always)
package func haveEqualBytes(_ left: UnsafeRawPointer?, _ right: UnsafeRawPointer?, count: Int) -> Bool {
  // An empty buffer may have no address.
  guard let left, let right, count > 0 else { return true }
  if count < 8 { return shortWord(left, count: count) == shortWord(right, count: count) }
  var offset = 0
  while offset + 8 < count {
    guard word(left, at: offset) == word(right, at: offset) else { return false }
    offset += 8
  }
  // The last eight, some of them perhaps for the second time.
  return word(left, at: count - 8) == word(right, at: count - 8)
}

/// Whether two long buffers of one length are equal, 32 bytes at a time; the standard library's comparison goes byte
/// by byte.
package func haveEqualBytes(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
  guard let leftBytes = left.baseAddress, let rightBytes = right.baseAddress, leftBytes != rightBytes else {
    return true
  }
  var offset = 0
  while offset + 32 <= left.count {
    let first = word(leftBytes, at: offset) ^ word(rightBytes, at: offset)
    let second = word(leftBytes, at: offset + 8) ^ word(rightBytes, at: offset + 8)
    let third = word(leftBytes, at: offset + 16) ^ word(rightBytes, at: offset + 16)
    let fourth = word(leftBytes, at: offset + 24) ^ word(rightBytes, at: offset + 24)
    if first | second | third | fourth != 0 { return false }
    offset += 32
  }
  return haveEqualBytes(leftBytes + offset, rightBytes + offset, count: left.count - offset)
}

/// Whether the bytes of one buffer come before those of another, eight at a time; a beginning comes before the whole.
package func bytesPrecede(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Bool {
  let common = min(left.count, right.count)
  let (leftBytes, rightBytes) = (UnsafeRawBufferPointer(left), UnsafeRawBufferPointer(right))
  var offset = 0
  while offset + 8 <= common {
    let leftWord = leftBytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    let rightWord = rightBytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    // The first byte is to count most.
    if leftWord != rightWord { return leftWord.bigEndian < rightWord.bigEndian }
    offset += 8
  }
  while offset < common {
    if left[offset] != right[offset] { return left[offset] < right[offset] }
    offset += 1
  }
  return left.count < right.count
}

/// Whether one text in UTF-8 comes before another in the order of their UTF-16 units.
///
/// The order of UTF-8's bytes is another one only for characters beyond U+FFFF: their surrogates come before
/// U+E000 to U+FFFF.
func utf16Precedes(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Bool {
  let common = min(left.count, right.count)
  let place = commonPrefixCount(left, right, atMost: common)
  guard place < common else { return left.count < right.count }
  // The first bytes of U+E000 to U+FFFF, and of what lies beyond, are 0xEE and more; no byte within a character is.
  let (leftByte, rightByte) = (left[place], right[place])
  if leftByte >= 0xEE, rightByte >= 0xEE, (leftByte >= 0xF0) != (rightByte >= 0xF0) {
    return leftByte >= 0xF0
  }
  return leftByte < rightByte
}

/// How many bytes two buffers begin with alike, of so many that both have.
func commonPrefixCount(
  _ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>, atMost limit: Int
) -> Int {
  let (leftBytes, rightBytes) = (UnsafeRawBufferPointer(left), UnsafeRawBufferPointer(right))
  var count = 0
  while count + 8 <= limit {
    let difference =
      leftBytes.loadUnaligned(fromByteOffset: count, as: UInt64.self)
      ^ rightBytes.loadUnaligned(fromByteOffset: count, as: UInt64.self)
    if difference != 0 { return count + difference.littleEndian.trailingZeroBitCount / 8 }
    count += 8
  }
  while count < limit, left[count] == right[count] { count += 1 }
  return count
}

/// The eight bytes at an offset.
@inlinable @inline(__always)
package func word(_ bytes: UnsafeRawPointer, at offset: Int) -> UInt64 {
  bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
}

/// Up to seven bytes in one number, each at least once: of texts of one length it differs if they do.
@inlinable @inline(__always)
package func shortWord(_ bytes: UnsafeRawPointer, count: Int) -> UInt64 {
  if count >= 4 {
    let first = bytes.loadUnaligned(as: UInt32.self)
    let last = bytes.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self)
    return UInt64(first) << 32 | UInt64(last)
  }
  guard count > 0 else { return 0 }
  let first = bytes.load(as: UInt8.self)
  let middle = bytes.load(fromByteOffset: count >> 1, as: UInt8.self)
  let last = bytes.load(fromByteOffset: count - 1, as: UInt8.self)
  return UInt64(first) << 16 | UInt64(middle) << 8 | UInt64(last)
}

/// Up to seven bytes in one number, the first one lowest, as if zeros followed the text's end.
///
/// No load reaches beyond an aligned word: the bytes of a short string were just stored as two such
/// words, and a load across both would wait until they are in the cache.
@inline(__always)
func tailWord(_ bytes: UnsafeRawPointer, count: Int) -> UInt64 {
  var result: UInt64 = 0
  var shift: UInt64 = 0
  var offset = 0
  if count & 4 != 0 {
    result = UInt64(bytes.loadUnaligned(as: UInt32.self).littleEndian)
    (shift, offset) = (32, 4)
  }
  if count & 2 != 0 {
    result |= UInt64(bytes.loadUnaligned(fromByteOffset: offset, as: UInt16.self).littleEndian) &<< shift
    (shift, offset) = (shift &+ 16, offset &+ 2)
  }
  if count & 1 != 0 {
    result |= UInt64(bytes.load(fromByteOffset: offset, as: UInt8.self)) &<< shift
  }
  return result
}
