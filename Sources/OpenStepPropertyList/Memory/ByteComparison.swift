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

/// Whether two texts have the same bytes in UTF-8.
@inlinable @inline(__always)
package func haveEqualBytes(_ left: String, _ right: String) -> Bool {
  let isEqual = left.utf8.withContiguousStorageIfAvailable { left in
    right.utf8.withContiguousStorageIfAvailable { right in
      left.count == right.count
        && haveEqualBytes(
          UnsafeRawPointer(left.baseAddress), UnsafeRawPointer(right.baseAddress), count: left.count)
    }
  }
  // Only strings that Objective-C made have no bytes to look at.
  return isEqual.flatMap { $0 } ?? left.utf8.elementsEqual(right.utf8)
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

extension UnsafeRawBufferPointer {
  /// The eight bytes at an offset, the first one lowest; they have to lie in the buffer.
  @inline(__always)
  func word(at offset: Int) -> UInt64 {
    loadUnaligned(fromByteOffset: offset, as: UInt64.self).littleEndian
  }

  /// The bytes from an offset on, at most seven, in one number, the first one lowest, as if zeros followed the end.
  ///
  /// No load reaches beyond an aligned word: the bytes of a short string were just stored as two such
  /// words, and a load across both would wait until they are in the cache.
  @inline(__always)
  func tailWord(from start: Int) -> UInt64 {
    let rest = count - start
    assert(start >= 0 && (0..<8).contains(rest), "a word has no room for \(rest) bytes")
    var result: UInt64 = 0
    var shift: UInt64 = 0
    var offset = start
    if rest & 4 != 0 {
      result = UInt64(loadUnaligned(fromByteOffset: offset, as: UInt32.self).littleEndian)
      (shift, offset) = (32, offset &+ 4)
    }
    if rest & 2 != 0 {
      result |= UInt64(loadUnaligned(fromByteOffset: offset, as: UInt16.self).littleEndian) &<< shift
      (shift, offset) = (shift &+ 16, offset &+ 2)
    }
    if rest & 1 != 0 {
      result |= UInt64(load(fromByteOffset: offset, as: UInt8.self)) &<< shift
    }
    return result
  }
}
