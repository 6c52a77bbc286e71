/// One change of a text: new bytes take the place of a range.
struct TextSplice: Equatable {
  let range: Range<Int>
  let replacement: [UInt8]
}

extension [TextSplice] {
  /// Records that bytes are put before an offset.
  mutating func insert(_ bytes: [UInt8], at offset: Int) {
    append(TextSplice(range: offset..<offset, replacement: bytes))
  }

  /// Records that a range is removed.
  mutating func remove(_ range: Range<Int>) {
    if !range.isEmpty { append(TextSplice(range: range, replacement: [])) }
  }

  /// Sorts by place; at one place insertions come first, in the order in which they were recorded.
  mutating func sortByPlace() {
    let order = indices.sorted { left, right in
      let (a, b) = (self[left].range, self[right].range)
      if a.lowerBound != b.lowerBound { return a.lowerBound < b.lowerBound }
      if a.isEmpty != b.isEmpty { return a.isEmpty }
      return left < right
    }
    self = order.map { self[$0] }
  }

  /// Whether the ranges follow each other without overlaps, as ``applied(to:)`` requires.
  var areApart: Bool {
    zip(self, dropFirst()).allSatisfy { $0.range.upperBound <= $1.range.lowerBound }
  }

  /// Adds a space where a comment would follow an unquoted string directly, and so belong to it.
  ///
  /// The changes have to be sorted and apart.
  mutating func keepTokensApart(fromCommentsOf text: [UInt8]) {
    // The byte before the place, with the changes so far.
    var last: UInt8 = 0
    var place = 0
    for index in indices {
      let (range, replacement) = (self[index].range, self[index].replacement)
      let end = range.upperBound
      if range.lowerBound > place { last = text[range.lowerBound - 1] }
      last = replacement.last ?? last
      place = end
      guard end + 1 < text.count, text[end] == UInt8(ascii: "/"),
        text[end + 1] == UInt8(ascii: "/") || text[end + 1] == UInt8(ascii: "*"),
        index + 1 == count || self[index + 1].range.lowerBound > end, TextCursor.isUnquoted(last)
      else { continue }
      self[index] = TextSplice(range: range, replacement: replacement + [0x20])
    }
  }

  /// The text with all changes, which have to be sorted and apart.
  func applied(to text: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(reduce(text.count) { $0 + $1.replacement.count - $1.range.count })
    var place = 0
    for splice in self {
      result += text[place..<splice.range.lowerBound]
      result += splice.replacement
      place = splice.range.upperBound
    }
    result += text[place...]
    return result
  }
}
