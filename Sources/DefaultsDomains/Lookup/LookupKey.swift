import OpenStepPropertyList

/// A key that is being looked up: its UTF-8 bytes in their place, and their hash.
///
/// Swift's own hashing of strings takes as long as the rest of a lookup. This hash folds eight bytes at a
/// time into the two halves of a product. It starts with a random number for each process, so that no one can
/// prepare keys that collide.
struct LookupKey {
  let bytes: UnsafePointer<UInt8>
  let count: Int
  let hash: UInt64

  /// The random number with which hashing starts in this process.
  static let seed = UInt64.random(in: 1...UInt64.max)

  @inline(__always)
  init(_ buffer: UnsafeBufferPointer<UInt8>, seed: UInt64) {
    // An empty buffer may have no address; its bytes are never read.
    bytes = buffer.baseAddress ?? UnsafePointer(bitPattern: 1).unsafelyUnwrapped
    count = buffer.count
    hash = LookupKey.hash(UnsafeRawPointer(bytes), count: count, seed: seed)
  }

  @inline(__always)
  private static func hash(_ bytes: UnsafeRawPointer, count: Int, seed: UInt64) -> UInt64 {
    var state = seed ^ UInt64(truncatingIfNeeded: count)
    if count < 8 {
      return fold(fold(state ^ shortWord(bytes, count: count), multiplier), seed | 1)
    }
    var offset = 0
    while offset + 8 < count {
      state = fold(state ^ word(bytes, at: offset), multiplier)
      offset += 8
    }
    // The last eight bytes, which may overlap those before.
    return fold(fold(state ^ word(bytes, at: count - 8), multiplier), seed | 1)
  }

  /// Whether the key's bytes equal those at another place.
  @inline(__always)
  func hasBytes(_ other: UnsafeRawPointer?, count otherCount: Int) -> Bool {
    count == otherCount && haveEqualBytes(UnsafeRawPointer(bytes), other, count: count)
  }

  /// Whether the key begins with `NS`, as every key of a ``ComputedDomain`` does.
  @inline(__always)
  var mayBeComputed: Bool {
    count >= 2 && bytes[0] == UInt8(ascii: "N") && bytes[1] == UInt8(ascii: "S")
  }

  // MARK: - Arithmetic

  /// An odd number with random-looking bits: the fraction of the golden ratio.
  private static var multiplier: UInt64 { 0x9E37_79B9_7F4A_7C15 }

  @inline(__always)
  private static func fold(_ left: UInt64, _ right: UInt64) -> UInt64 {
    let (high, low) = left.multipliedFullWidth(by: right)
    return high ^ low
  }
}

extension String {
  /// Runs a body with the UTF-8 bytes of the string.
  @inline(__always)
  func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    if let result = utf8.withContiguousStorageIfAvailable(body) { return result }
    // Only strings from Objective-C are not contiguous.
    return Array(utf8).withUnsafeBufferPointer(body)
  }
}
