extension PropertyListKey {
  /// The key as one of a dictionary of Swift's: an equal string, whose hash takes time in proportion to its length.
  ///
  /// Swift compares and hashes strings by their canonical form. To make it, it sorts the combining marks behind a character by
  /// insertion: of 60,000 marks in falling order that takes seconds. Where many marks follow each other, they are in
  /// canonical order here.
  ///
  /// - Complexity: n log n in the number of marks that follow each other.
  package var hashableText: String { reorderedText ?? text }

  /// ``hashableText`` if it may have other bytes than the key; else nil.
  package var reorderedText: String? {
    // Below this, insertion is as fast.
    let limit = 256
    guard text.utf8.count > limit, text.utf8.contains(where: { $0 >= 0x80 }) else { return nil }
    // It gets one scalar after the other: to append several at once takes as long as the whole text that it has.
    var result = String.UnicodeScalarView()
    var marks: [(scalar: Unicode.Scalar, order: UInt8)] = []
    var isChanged = false
    func endRun() {
      if marks.count > limit {
        isChanged = true
        let sorted = marks.enumerated().sorted {
          ($0.element.order, $0.offset) < ($1.element.order, $1.offset)
        }
        for mark in sorted { result.append(mark.element.scalar) }
      } else {
        for mark in marks { result.append(mark.scalar) }
      }
      marks.removeAll(keepingCapacity: true)
    }
    for scalar in text.unicodeScalars {
      let order = scalar.properties.canonicalCombiningClass.rawValue
      if order == 0 {
        endRun()
        result.append(scalar)
      } else {
        marks.append((scalar, order))
      }
    }
    endRun()
    return isChanged ? String(result) : nil
  }
}
