/// Changes of many elements of one array, with what a change of each would make, one after the other.
extension TextEdit {
  /// Replaces elements of an array, up to the first one whose spelling depends on what becomes of those before it.
  ///
  /// The spelling of a scalar depends on nothing around it. That of a container depends on its line, up to where it
  /// begins, on the text's first line end, and on whether the array is on one line; such an array stays on one.
  ///
  /// - Returns: How many elements are replaced; at least one.
  mutating func replaceElements(
    of array: ContainerItems, from first: Int, with values: ArraySlice<PropertyList>
  ) throws(PropertyListError) -> Int {
    let own = spelling(in: array)
    let firstLineEnd = text.firstIndex(where: TextLines.isLineEnd) ?? text.count
    // The end of the changes so far.
    var end = -1
    var changesFirstLineEnd = false
    for (count, value) in values.enumerated() {
      let item = array.items[first + count]
      if !own.isOnOneLine, end >= 0, value.isContainer,
        changesFirstLineEnd || end >= lineStart(of: item.start)
      {
        return count
      }
      let known = splices.count
      try replace(item, with: value, spelling: own, depth: 0)
      // Level by level is faster on one line.
      if own.isOnOneLine { continue }
      try changePending()
      for splice in splices[known...] {
        end = max(end, splice.range.upperBound)
        if splice.range.lowerBound <= firstLineEnd {
          changesFirstLineEnd =
            changesFirstLineEnd || splice.range.contains(firstLineEnd)
            || splice.replacement.contains(where: TextLines.isLineEnd)
        }
      }
    }
    try changePending()
    return values.count
  }

  /// The last ones of some elements that can be removed at once: what a removal of each leaves, from the last one to
  /// the first, is the same. A single element always is such a one.
  ///
  /// - Complexity: linear in the length of these elements.
  func lastElements(of range: Range<Int>, in array: ContainerItems) -> Range<Int> {
    let first =
      isOnOneLine(array)
      ? firstElement(onOneLineIn: range, of: array) : firstElement(onOwnLinesIn: range, of: array)
    return min(first, range.upperBound - 1)..<range.upperBound
  }

  /// The first of those last ones that have no comment around them, in an array on one line.
  private func firstElement(onOneLineIn range: Range<Int>, of array: ContainerItems) -> Int {
    func isBlank(_ range: Range<Int>) -> Bool { text[range].allSatisfy { $0 == 0x20 || $0 == 0x09 } }
    var first = range.upperBound
    var next = first < array.starts.count ? Int(array.starts[first]) : array.closing
    while first > range.lowerBound {
      let item = array.items[first - 1]
      let previous = first > 1 ? array.items[first - 2].end : array.opening
      guard hasCloseTerminator(item), isBlank(item.end..<next), isBlank(previous..<item.start) else { break }
      (first, next) = (first - 1, item.start)
    }
    return first
  }

  /// The first of those last ones on lines of their own, with the comment lines above them, that follow each other
  /// without a blank line.
  private func firstElement(onOwnLinesIn range: Range<Int>, of array: ContainerItems) -> Int {
    let closing = array.closing
    func placement(_ index: Int) -> ItemPlacement {
      ItemPlacement(of: index, in: array, closing: closing, lines)
    }
    // Otherwise comment lines would stay, as those of what follows.
    let canHaveLead = range.upperBound == array.starts.count || placement(range.upperBound).beginsRun
    var (first, next) = (range.upperBound, nil as ItemPlacement?)
    while first > range.lowerBound {
      let placement = placement(first - 1)
      guard placement.isAlone, hasCloseTerminator(array.items[first - 1]),
        canHaveLead || placement.leadStart == placement.lineStart
      else { break }
      if let next, next.leadStart != lines.behindLineEnd(at: placement.tail.stop) { break }
      (first, next) = (first - 1, placement)
    }
    return first
  }

  /// Whether nothing is between an item and its terminator, which would stay where the terminator goes.
  private func hasCloseTerminator(_ item: ContainerItem) -> Bool {
    item.terminator == nil || item.terminator == item.noteEnd
  }

  /// Whether elements that are inserted behind one get, all at once, what they get one after the other.
  mutating func repeatsLayout(of array: ContainerItems, behind index: Int) -> Bool {
    index > 0 && layout(of: array, without: []).repeats(behindElement: index)
  }
}
