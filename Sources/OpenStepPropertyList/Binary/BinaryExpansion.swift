/// What an object of a binary property list becomes where each shared object is counted at each reference.
///
/// The numbers double with each level that shares the next one twice, so each sum is compared with its bound
/// before the next is made. What has been read is within the bounds, and they are far below `Int.max`.
struct BinaryExpansion {
  /// The values and keys, the object itself among them.
  var values = 1
  /// The bytes of strings and data.
  var payload = 0
  /// How many containers are nested, the object itself among them; 0 of a scalar.
  var height = 0

  /// What a file may become.
  struct Limits {
    let values: Int
    let payload: Int
    /// How many bytes all objects may have together, each taken once.
    ///
    /// Only objects that overlap have more than the file, so that a few of them cost as much as many files. No
    /// program writes such; a little more is let pass, where a damaged file may still be read by its other parts.
    let claims: Int

    init(byteCount: Int, bounds: PropertyList.Bounds) {
      let factor = max(bounds.sharingFactor, 1)
      values = Limits.sum(1_000_000, Limits.product(factor, byteCount))
      payload = Limits.sum(64_000_000, Limits.product(factor, byteCount))
      claims = byteCount + 1_000_000
    }

    /// Far enough below the greatest number that what a file holds can be added without an overflow.
    private static let greatest = Int.max / 4

    private static func product(_ left: Int, _ right: Int) -> Int {
      let (product, overflow) = left.multipliedReportingOverflow(by: right)
      return overflow ? greatest : min(product, greatest)
    }

    private static func sum(_ left: Int, _ right: Int) -> Int {
      min(left + right, greatest)
    }
  }

  /// What a container is before anything in it is counted.
  static let emptyContainer = BinaryExpansion(height: 1)

  /// Counts something that the container holds.
  ///
  /// - Returns: whether the sum is within the limits.
  @inline(__always)
  mutating func add(values: Int, payload: Int, height: Int, limits: Limits) -> Bool {
    self.values += values
    self.payload += payload
    self.height = max(self.height, height + 1)
    return self.values <= limits.values && self.payload <= limits.payload
  }
}

extension PropertyList {
  /// The bytes that a string or data holds itself.
  @inline(__always)
  var payload: Int {
    switch self {
    case .string(let text): text.utf8.count
    case .data(let bytes): bytes.count
    default: 0
    }
  }
}
