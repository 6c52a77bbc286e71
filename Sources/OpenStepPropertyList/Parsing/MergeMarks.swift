extension PropertyListError {
  /// The error for a text in which git has left the marks of a merge, at the first of them; nil for any other text.
  ///
  /// It is asked for where a text could not be parsed: in a string or a comment, the same signs are what they are.
  ///
  /// - Complexity: linear in the length of the text.
  package static func mergeConflict(in bytes: [UInt8]) -> PropertyListError? {
    var marks = MergeMarks()
    var (start, number) = (0, 1)
    while start < bytes.count {
      let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
      marks.add(bytes[start..<end], number: number)
      if let last = marks.end {
        let text = Array(bytes[..<end])
        return TextCursor(text.span).error(
          "an unresolved merge conflict begins here and ends in line \(last)", at: marks.offset)
      }
      (start, number) = (end + 1, number + 1)
    }
    return nil
  }
}

/// The three marks around both sides of a conflict, of which the lines of a text may consist: `<<<<<<< ours`, `=======`
/// and `>>>>>>> theirs`.
private struct MergeMarks {
  /// Where the first mark begins in the text.
  private(set) var offset = 0
  /// The number of the line with the last mark; nil before it was found.
  private(set) var end: Int?
  /// How many signs the first mark has; git's own have seven, and a repository may ask for more.
  private var size: Int?
  private var isInSecondSide = false

  /// Takes the next line.
  mutating func add(_ line: ArraySlice<UInt8>, number: Int) {
    guard let sign = line.first else { return }
    let count = line.prefix { $0 == sign }.count
    let next = line.dropFirst(count).first
    guard count >= 7, next == nil || next == UInt8(ascii: " ") || next == UInt8(ascii: "\r") else { return }
    switch sign {
    case UInt8(ascii: "<") where size == nil: (size, offset) = (count, line.startIndex)
    case UInt8(ascii: "=") where size == count: isInSecondSide = true
    case UInt8(ascii: ">") where size == count && isInSecondSide: end = number
    default: break
    }
  }
}
