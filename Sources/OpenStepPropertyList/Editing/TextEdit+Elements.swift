/// Changes of many elements of one array, with what a change of each would make, one after the other.
extension TextEdit {
  /// Replaces elements of an array, up to the first one whose spelling depends on what becomes of those before it.
  ///
  /// The spelling of a scalar depends on nothing around it, and neither does that of a container on one line, which
  /// stays on one. That of another container depends on its line, up to where it begins, on the text's first line end,
  /// and on whether the array is on one line.
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
      if !own.isOnOneLine, end >= 0, value.isContainer, !hasItemsOnOneLine(item),
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

  /// Whether the value of an item is a container with items and without a line end.
  private func hasItemsOnOneLine(_ item: ContainerItem) -> Bool {
    let bracket = item.value.lowerBound
    return (text[bracket] == UInt8(ascii: "{") || text[bracket] == UInt8(ascii: "("))
      && lines.firstLineEnd(in: item.value) == nil && !items(at: bracket).starts.isEmpty
  }

  /// The last ones of some elements that can be removed at once: what a removal of each leaves, from the last one to
  /// the first, is the same. A single element always is such a one.
  ///
  /// - Complexity: linear in the length of these elements.
  func lastElements(of range: Range<Int>, in array: ContainerItems) -> Range<Int> {
    let first = min(
      firstElement(betweenBlanksIn: range, of: array), firstElement(onOwnLinesIn: range, of: array),
      range.upperBound - 1)
    return first..<range.upperBound
  }

  /// The first of those last ones that have neither comments nor blank lines around them.
  private func firstElement(betweenBlanksIn range: Range<Int>, of array: ContainerItems) -> Int {
    var first = range.upperBound
    let isLast = first == array.starts.count
    let next = isLast ? array.closing : Int(array.starts[first])
    guard let behind = lineEndCount(inBlanks: array.items[first - 1].end..<next), behind < 2 else {
      return first
    }
    while first > range.lowerBound {
      let item = array.items[first - 1]
      let previous = first > 1 ? array.items[first - 2].end : array.opening
      guard hasCloseTerminator(item), let before = lineEndCount(inBlanks: previous..<item.start), before < 2
      else { break }
      // A bracket behind the last element on a line would follow to the line above.
      if isLast, behind == 0, before > 0 { break }
      // The line of the opening bracket is another case.
      if first == 1, before == 0, !isOnOneLine(array) { break }
      first -= 1
    }
    return first
  }

  /// How many lines end in a range of blanks; nil if something else is in it.
  private func lineEndCount(inBlanks range: Range<Int>) -> Int? {
    var (place, count) = (range.lowerBound, 0)
    while place < range.upperBound {
      if lines.endsLine(at: place) {
        count += 1
        place = lines.behindLineEnd(at: place)
      } else if text[place] == 0x20 || text[place] == 0x09 {
        place += 1
      } else {
        return nil
      }
    }
    return count
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
