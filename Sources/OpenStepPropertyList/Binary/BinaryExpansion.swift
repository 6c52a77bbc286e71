/// The size of an object of a binary property list if each shared object is counted at each reference.
///
/// The size can double with each level of sharing. Therefore each sum is compared with its limit before the
/// next sum is computed; the limits are far below `Int.max`, so that no sum overflows.
struct BinaryExpansion {
  /// The number of values and keys, including the object itself.
  var values = 1
  /// The number of bytes of strings and data.
  var payload = 0
  /// The number of nested containers, including the object itself; 0 for a scalar.
  var height = 0

  /// The limits for the size of a file's value.
  struct Limits {
    let values: Int
    let payload: Int
    /// The maximum number of bytes of all objects together, each counted once.
    ///
    /// Only overlapping objects have more bytes than the file, and could take as much memory as many files.
    /// No program writes them; a small excess is allowed, so that a damaged file may still be readable.
    let claims: Int

    init(byteCount: Int, bounds: PropertyList.Bounds) {
      let factor = max(bounds.sharingFactor, 1)
      values = Limits.sum(1_000_000, Limits.product(factor, byteCount))
      payload = Limits.sum(64_000_000, Limits.product(factor, byteCount))
      claims = byteCount + 1_000_000
    }

    /// So far below `Int.max` that the size of a file's contents can be added without overflow.
    private static let greatest = Int.max / 4

    private static func product(_ left: Int, _ right: Int) -> Int {
      let (product, overflow) = left.multipliedReportingOverflow(by: right)
      return overflow ? greatest : min(product, greatest)
    }

    private static func sum(_ left: Int, _ right: Int) -> Int {
      min(left + right, greatest)
    }
  }

  /// The size of a container without its contents.
  static let emptyContainer = BinaryExpansion(height: 1)

  /// Adds the size of a value or a key in the container.
  ///
  /// - Returns: Whether the sum is within the limits.
  @inline(__always)
  mutating func add(values: Int, payload: Int, height: Int, limits: Limits) -> Bool {
    self.values += values
    self.payload += payload
    self.height = max(self.height, height + 1)
    return self.values <= limits.values && self.payload <= limits.payload
  }
}

extension PropertyList {
  /// The number of bytes of a string or data; 0 for other values.
  @inline(__always)
  var payload: Int {
    switch self {
    case .string(let text): text.utf8.count
    case .data(let bytes): bytes.count
    default: 0
    }
  }
}
