/// Equality and order of bytes, eight at a time.
extension Span<UInt8> {
  /// Whether these are the same bytes.
  @inline(__always)
  func hasEqualBytes(as other: Span<UInt8>) -> Bool {
    count == other.count
      && withUnsafeBytes { left in
        other.withUnsafeBytes { haveEqualBytes(left.baseAddress, $0.baseAddress, count: left.count) }
      }
  }

  /// The same for thousands of bytes.
  func hasEqualLongBytes(as other: Span<UInt8>) -> Bool {
    count == other.count && withUnsafeBytes { left in other.withUnsafeBytes { haveEqualBytes(left, $0) } }
  }

  /// Whether these bytes come before others; a beginning comes before the whole.
  func precedes(_ other: Span<UInt8>) -> Bool {
    let place = commonPrefixCount(with: other)
    guard place < Swift.min(count, other.count) else { return count < other.count }
    return self[unchecked: place] < other[unchecked: place]
  }

  /// Whether this text in UTF-8 comes before another in the order of their UTF-16 units.
  ///
  /// The order of UTF-8's bytes is another one only for characters beyond U+FFFF: their surrogates come before
  /// U+E000 to U+FFFF.
  func precedesByUTF16(_ other: Span<UInt8>) -> Bool {
    let place = commonPrefixCount(with: other)
    guard place < Swift.min(count, other.count) else { return count < other.count }
    // The first bytes of U+E000 to U+FFFF, and of what lies beyond, are 0xEE and more; no byte within a character is.
    let (byte, otherByte) = (self[unchecked: place], other[unchecked: place])
    if byte >= 0xEE, otherByte >= 0xEE, (byte >= 0xF0) != (otherByte >= 0xF0) { return byte >= 0xF0 }
    return byte < otherByte
  }

  /// How many bytes both begin with alike.
  @inline(__always)
  func commonPrefixCount(with other: Span<UInt8>) -> Int {
    let limit = Swift.min(count, other.count)
    return withUnsafeBytes { left in
      other.withUnsafeBytes { right in
        var place = 0
        while place + 8 <= limit {
          let difference = left.word(at: place) ^ right.word(at: place)
          if difference != 0 { return place + difference.trailingZeroBitCount / 8 }
          place += 8
        }
        while place < limit, left[place] == right[place] { place += 1 }
        return place
      }
    }
  }

  /// The eight bytes from an offset on as a number that has their order; behind the end zeros follow.
  @inline(__always)
  func orderedWord(from start: Int) -> UInt64 {
    precondition(start >= 0, "no byte lies before the first")
    return withUnsafeBytes { bytes in
      guard start < bytes.count else { return 0 }
      let word = bytes.count - start >= 8 ? bytes.word(at: start) : bytes.tailWord(from: start)
      // The first byte is to count most.
      return word.byteSwapped
    }
  }
}
