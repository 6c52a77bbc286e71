/// How large a property list's file may be.
package enum FileSize {
  /// The most bytes that are read, and so the most that are written.
  ///
  /// No set of preferences is as large; a larger file is a mistake that would fill the memory.
  package static let maximum = 1 << 30

  /// The sum of two sizes, or the largest number: a file with a hole can have nearly any size.
  package static func sum(_ size: Int, _ other: Int64) -> Int {
    let (sum, hasOverflown) = size.addingReportingOverflow(Int(clamping: other))
    return hasOverflown ? .max : sum
  }

  /// How many bytes one call reads when the size is unknown.
  static let pieceSize = 1 << 14

  /// How many bytes one call reads for a comparison with known contents: few enough to stay in a cache.
  static let comparedSize = 1 << 16
}
