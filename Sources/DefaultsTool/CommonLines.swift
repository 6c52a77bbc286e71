/// The lines that two texts have in common, in the same order.
///
/// They are those at the beginning and at the end, the lines that each text has once, and what is equal around them.
/// That finds less than the longest common sequence, whose search takes quadratic time for unlike texts.
enum CommonLines {
  /// The indices of the common lines in both texts, ascending in each.
  ///
  /// - Complexity: linear in the lengths, apart from sorting the places of the lines.
  static func pairs(
    of left: [ArraySlice<UInt8>], and right: [ArraySlice<UInt8>]
  ) -> [(Int, Int)] {
    let start = zip(left, right).prefix { $0 == $1 }.count
    let limit = min(left.count, right.count) - start
    let tail = zip(left.reversed(), right.reversed()).prefix(limit).prefix { $0 == $1 }.count
    let (leftEnd, rightEnd) = (left.count - tail, right.count - tail)
    let anchors = ascending(anchors(of: left, start..<leftEnd, and: right, start..<rightEnd))
    var pairs = (0..<start).map { ($0, $0) }
    var (i, j) = (start, start)
    for (anchor, other) in anchors + [(leftEnd, rightEnd)] {
      while i < anchor, j < other, left[i] == right[j] {
        pairs.append((i, j))
        (i, j) = (i + 1, j + 1)
      }
      var count = 0
      while anchor - count > i, other - count > j, left[anchor - count - 1] == right[other - count - 1] {
        count += 1
      }
      for back in (0..<count).reversed() { pairs.append((anchor - back - 1, other - back - 1)) }
      if anchor < leftEnd { pairs.append((anchor, other)) }
      (i, j) = (anchor + 1, other + 1)
    }
    return pairs + (0..<tail).map { (leftEnd + $0, rightEnd + $0) }
  }

  /// The lines that stand once in a range of each text, in the order of the first one.
  private static func anchors(
    of left: [ArraySlice<UInt8>], _ range: Range<Int>, and right: [ArraySlice<UInt8>], _ other: Range<Int>
  ) -> [(Int, Int)] {
    /// The place of each line, nil for one that stands there more than once.
    func places(_ lines: [ArraySlice<UInt8>], _ range: Range<Int>) -> [ArraySlice<UInt8>: Int?] {
      var places: [ArraySlice<UInt8>: Int?] = [:]
      for index in range {
        places.updateValue(places[lines[index]] == nil ? index : nil, forKey: lines[index])
      }
      return places
    }
    let (first, second) = (places(left, range), places(right, other))
    return range.compactMap { index in
      guard case .some(.some) = first[left[index]], case .some(.some(let place)) = second[left[index]] else {
        return nil
      }
      return (index, place)
    }
  }

  /// As many of the pairs as can be in the order of both texts.
  private static func ascending(_ pairs: [(Int, Int)]) -> [(Int, Int)] {
    // The last pair of the best sequence of each length, and for each pair the one before it.
    var ends: [Int] = []
    var previous: [Int?] = []
    for (index, pair) in pairs.enumerated() {
      var (low, high) = (0, ends.count)
      while low < high {
        let middle = (low + high) / 2
        if pairs[ends[middle]].1 < pair.1 { low = middle + 1 } else { high = middle }
      }
      previous.append(low > 0 ? ends[low - 1] : nil)
      if low == ends.count { ends.append(index) } else { ends[low] = index }
    }
    var sequence: [(Int, Int)] = []
    var next = ends.last
    while let index = next {
      sequence.append(pairs[index])
      next = previous[index]
    }
    return sequence.reversed()
  }
}
