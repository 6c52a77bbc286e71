/// The lines of two texts, with marks around those that differ, as git's merges have them.
enum MergedLines {
  /// Both texts as one, in which neither loses a line.
  ///
  /// - Parameters:
  ///   - size: The number of signs of a mark.
  ///   - labels: What stands behind the first and the last mark.
  /// - Complexity: linear in the lengths, times the number of lines that differ.
  static func bytes(
    of ours: [UInt8], and theirs: [UInt8], markSize size: Int, labels: (String, String)
  ) -> [UInt8] {
    let (left, right) = (lines(of: ours), lines(of: theirs))
    let difference = right.difference(from: left)
    var removed: Set<Int> = []
    var inserted: Set<Int> = []
    for change in difference {
      switch change {
      case .remove(let offset, _, _): removed.insert(offset)
      case .insert(let offset, _, _): inserted.insert(offset)
      }
    }
    var result: [UInt8] = []
    func add(_ lines: ArraySlice<ArraySlice<UInt8>>) {
      for line in lines {
        result += line
        if line.last != lineFeed { result.append(lineFeed) }
      }
    }
    func mark(_ sign: UInt8, _ label: String) {
      result +=
        Array(repeating: sign, count: size) + Array((label.isEmpty ? "" : " \(label)").utf8) + [lineFeed]
    }
    var (i, j) = (0, 0)
    while i < left.count || j < right.count {
      if i < left.count, j < right.count, !removed.contains(i), !inserted.contains(j) {
        result += left[i]
        (i, j) = (i + 1, j + 1)
        continue
      }
      let (start, other) = (i, j)
      while i < left.count, removed.contains(i) { i += 1 }
      while j < right.count, inserted.contains(j) { j += 1 }
      mark(UInt8(ascii: "<"), labels.0)
      add(left[start..<i])
      mark(UInt8(ascii: "="), "")
      add(right[other..<j])
      mark(UInt8(ascii: ">"), labels.1)
    }
    return result
  }

  private static let lineFeed = UInt8(ascii: "\n")

  /// The lines, each with its end.
  private static func lines(of text: [UInt8]) -> [ArraySlice<UInt8>] {
    var lines: [ArraySlice<UInt8>] = []
    var rest = text[...]
    while let end = rest.firstIndex(of: lineFeed) {
      lines.append(rest[...end])
      rest = rest[(end + 1)...]
    }
    if !rest.isEmpty { lines.append(rest) }
    return lines
  }
}
