/// A seeded hash of bytes, by multiply and fold: the one by which Swift's own dictionaries file keys.
///
/// Swift's hashing took a fifth of the time of reading a text: a state of seventy bytes is made and
/// mixed for each key of a dozen. This folds eight bytes at a time into the two halves of a product.
/// Both numbers that it begins with are drawn for each process, so that nobody can prepare keys that
/// collide.
enum KeyHash {
  /// Where hashing begins and what it multiplies by, in this process.
  ///
  /// They come out of Swift's hasher, and so are the same each time where its hashing is made so for debugging.
  private static let secrets = (begin: secret(0), multiplier: secret(1) | 1)

  private static func secret(_ number: Int) -> UInt64 {
    var hasher = Hasher()
    hasher.combine(number)
    return UInt64(truncatingIfNeeded: hasher.finalize())
  }

  static func hash(_ bytes: Span<UInt8>, seed: Int) -> Int {
    bytes.withUnsafeBytes { hash($0, seed: seed) }
  }

  @inline(__always)
  private static func hash(_ bytes: UnsafeRawBufferPointer, seed: Int) -> Int {
    let (begin, multiplier) = secrets
    var state = begin ^ UInt64(bitPattern: Int64(seed)) ^ UInt64(bytes.count) << 56
    if let start = bytes.baseAddress {
      var offset = 0
      while offset + 8 <= bytes.count {
        state = fold(state ^ word(start, at: offset), multiplier)
        offset += 8
      }
      state ^= bytes.tailWord(from: offset)
    }
    // Keys that differ in the last bits alone, as numbered ones do, lie side by side: reading, writing
    // and freeing a large dictionary waits for memory most of the time, and so up to a tenth less.
    let last = UInt64(bytes.last ?? 0) & 7
    state ^= last &<< UInt64((bytes.count &- 1) & 7 &* 8)
    return Int(truncatingIfNeeded: fold(fold(state, multiplier), begin | 1) ^ last)
  }

  @inline(__always)
  private static func fold(_ left: UInt64, _ right: UInt64) -> UInt64 {
    let (high, low) = left.multipliedFullWidth(by: right)
    return high ^ low
  }
}
