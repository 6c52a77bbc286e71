/// The lines of two texts, with marks around those that differ, as git's merges have them.
struct MergedLines {
  /// The number of signs of a mark.
  let markSize: Int
  /// What stands behind the first and the last mark.
  let labels: (String, String)

  /// Both texts as one, in which neither loses a line.
  ///
  /// - Complexity: linear in the lengths, apart from sorting the places of the lines.
  func bytes(of ours: [UInt8], and theirs: [UInt8]) -> [UInt8] {
    let (left, right) = (MergedLines.lines(of: ours), MergedLines.lines(of: theirs))
    var result: [UInt8] = []
    var (i, j) = (0, 0)
    for pair in CommonLines.pairs(of: left, and: right) + [(left.count, right.count)] {
      if i < pair.0 || j < pair.1 { add(left[i..<pair.0], right[j..<pair.1], to: &result) }
      if pair.0 < left.count { result += left[pair.0] }
      (i, j) = (pair.0 + 1, pair.1 + 1)
    }
    return result
  }

  /// Both texts as wholes between marks, also where they are equal.
  func wholes(of ours: [UInt8], and theirs: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    add(MergedLines.lines(of: ours)[...], MergedLines.lines(of: theirs)[...], to: &result)
    return result
  }

  /// Whether a merged text has marks; nil if it has other lines than marks and those of the texts.
  func areBetweenLines(of texts: [[UInt8]], in merged: [UInt8]) -> Bool? {
    // At the end of a text git adds what a line lacks, and ends its marks as the text's lines are ended.
    func content(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
      var line = line
      if line.last == MergedLines.lineFeed { line.removeLast() }
      while line.last == UInt8(ascii: "\r") { line.removeLast() }
      return line
    }
    let known = Set(texts.flatMap { MergedLines.lines(of: $0).map(content) })
    let signs = "<|=>".utf8.map { Array(repeating: $0, count: markSize) }
    var hasMarks = false
    for line in MergedLines.lines(of: merged).map(content) where !known.contains(line) {
      guard signs.contains(where: { line.starts(with: $0) }) else { return nil }
      hasMarks = true
    }
    return hasMarks
  }

  private func add(
    _ ours: ArraySlice<ArraySlice<UInt8>>, _ theirs: ArraySlice<ArraySlice<UInt8>>, to result: inout [UInt8]
  ) {
    func add(_ lines: ArraySlice<ArraySlice<UInt8>>) {
      for line in lines {
        result += line
        if line.last != MergedLines.lineFeed { result.append(MergedLines.lineFeed) }
      }
    }
    func mark(_ sign: UInt8, _ label: String) {
      result += Array(repeating: sign, count: markSize) + Array((label.isEmpty ? "" : " \(label)").utf8)
      result.append(MergedLines.lineFeed)
    }
    mark(UInt8(ascii: "<"), labels.0)
    add(ours)
    mark(UInt8(ascii: "="), "")
    add(theirs)
    mark(UInt8(ascii: ">"), labels.1)
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
