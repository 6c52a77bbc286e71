/// Puts items into a container and takes items out, in the layout of what is there.
struct ContainerLayout {
  private let container: ContainerItems
  /// The place of the container's closing bracket.
  private let closing: Int
  private let isRemoved: [Bool]
  /// The spelling of what is around the container.
  private let outer: EditedSpelling
  /// The spelling of the container's items.
  private let own: EditedSpelling
  private let edit: TextEdit
  private var lines: TextLines { edit.lines }
  private var text: [UInt8] { edit.text }
  private var splices: [TextSplice] = []
  private var removedLines: [Range<Int>] = []
  /// Whether something is put behind the last item that stays, or before all if none stays.
  private var endsWithNew = false
  /// Whether items were put into a container whose items are all removed.
  private var replacesAll = false
  /// The last item that stays.
  private let last: Int?
  /// Where the line of the container's bracket begins.
  private let lineStart: Int
  /// Where the container's first own line begins.
  private let contentStart: Int

  init(
    of container: ContainerItems, onLineFrom lineStart: Int, isRemoved: [Bool],
    spelling outer: EditedSpelling, own: EditedSpelling,
    in edit: TextEdit
  ) {
    self.container = container
    self.lineStart = lineStart
    closing = container.closing
    self.isRemoved = isRemoved
    self.outer = outer
    self.edit = edit
    last = isRemoved.lastIndex(of: false)
    contentStart =
      container.kind == .entriesWithoutBraces
      ? 0
      : edit.lines.behindLineEnd(
        at: ItemPlacement.Tail(behind: container.opening, closing: closing, in: edit.lines).stop)
    var own = own
    // The indentation of the line on which the container begins.
    if container.kind != .entriesWithoutBraces, !own.isOnOneLine {
      let bracket = container.opening - 1
      own.indentation = Array(edit.text[lineStart..<min(edit.lines.skippingBlanks(lineStart), bracket)])
    }
    self.own = own
  }

  private func itemPlacement(_ index: Int) -> ItemPlacement {
    ItemPlacement(of: index, in: container, closing: closing, edit.lines)
  }

  /// The changes of the text.
  consuming func finish() -> [TextSplice] {
    dropLastComma()
    remove()
    return splices
  }

  // MARK: Adding

  /// Where new items are put, and what is put around each.
  private struct Slot {
    var place: Int
    var before: [UInt8] = []
    var after: [UInt8] = []
    /// What is put once behind the last item instead of ``after``; nil for the same.
    var afterLast: [UInt8]?
    var spelling: EditedSpelling
    /// What is around `=`.
    var gaps: (before: [UInt8], after: [UInt8]) = ([0x20], [0x20])
  }

  /// Adds entries, which are sorted by key.
  mutating func add(
    _ entries: [(key: PropertyListKey, value: PropertyList)]
  ) throws(PropertyListError) {
    if entries.isEmpty { return }
    if try fillEmpty(with: .dictionary(Dictionary(uniqueKeysWithValues: entries.map { ($0.key, $0.value) })))
    {
      return
    }
    let staying = isRemoved.indices.filter { !isRemoved[$0] }
    let isAscending = edit.haveAscendingKeys(staying, in: container)
    func key(_ position: Int) -> PropertyListKey { edit.key(ofItem: staying[position], in: container) }
    var index = 0
    while index < entries.count {
      // The entries that have the same one before them.
      var position = staying.count
      if isAscending { position = staying.indices.partitioningIndex { !(key($0) < entries[index].key) } }
      var end = entries.count
      if isAscending, position < staying.count {
        end = index + 1
        let next = key(position)
        while end < entries.count, entries[end].key < next { end += 1 }
      }
      let predecessor = position == 0 ? nil : staying[position - 1]
      try add(Array(entries[index..<end]), behind: predecessor)
      index = end
    }
  }

  private mutating func add(
    _ entries: [(key: PropertyListKey, value: PropertyList)], behind index: Int?
  ) throws(PropertyListError) {
    let slot = slot(behind: index)
    var items: [[UInt8]] = []
    for (key, value) in entries {
      var line = try slot.spelling.bytes(of: key) + slot.gaps.before + [UInt8(ascii: "=")] + slot.gaps.after
      let column = slot.spelling.indentation.count + line.count { $0 & 0xC0 != 0x80 }
      line += try slot.spelling.bytes(of: value, atColumn: column)
      items.append(line + [UInt8(ascii: ";")])
    }
    if let index, container.items[index].terminator == nil {
      splices.insert([UInt8(ascii: ";")], at: container.items[index].end)
    }
    put(items, into: slot, behind: index)
  }

  /// Adds elements behind another, or before all if its index is -1.
  mutating func add(_ elements: [PropertyList], behindElement index: Int) throws(PropertyListError) {
    if try fillEmpty(with: .array(elements)) { return }
    let index = index < 0 ? nil : index
    let slot = slot(behind: index)
    let hadLastComma = container.items.last?.terminator != nil
    let isLast = last == index
    var items: [[UInt8]] = []
    for (position, element) in elements.enumerated() {
      var bytes = try slot.spelling.bytes(of: element, atColumn: slot.spelling.indentation.count)
      if !isLast || hadLastComma || position + 1 < elements.count { bytes.append(UInt8(ascii: ",")) }
      items.append(bytes)
    }
    if let index, container.items[index].terminator == nil {
      splices.insert([UInt8(ascii: ",")], at: container.items[index].end)
    }
    put(items, into: slot, behind: index)
  }

  /// Whether a new element behind another gets the gap that this one has before it, so that further ones behind it get
  /// the same, each behind the one before.
  ///
  /// - Parameter index: The index of an element; not the first one, which the bracket may have on its line.
  func repeats(behindElement index: Int) -> Bool {
    let slot = slot(behind: index)
    let gap = text[container.items[index - 1].end..<container.items[index].start]
    return slot.place == container.items[index].end && slot.after.isEmpty && gap.elementsEqual(slot.before)
  }

  private mutating func put(_ items: [[UInt8]], into slot: Slot, behind index: Int?) {
    var bytes: [UInt8] = []
    for (position, item) in items.enumerated() {
      bytes += slot.before + item
      bytes += position + 1 == items.count ? slot.afterLast ?? slot.after : slot.after
    }
    splices.insert(bytes, at: slot.place)
    if index == last { endsWithNew = true }
    if last == nil { replacesAll = true }
  }

  /// Lays an empty container out anew if it has no comments; false if it is not empty.
  private mutating func fillEmpty(with value: PropertyList) throws(PropertyListError) -> Bool {
    guard container.starts.isEmpty, container.kind != .entriesWithoutBraces,
      text[container.opening..<closing].allSatisfy({ $0 <= 0x20 })
    else { return false }
    let spelling = own.onOneLine(outer.isOnOneLine)
    let column =
      spelling.isOnOneLine || container.kind == .dictionary
      ? 0
      : edit.column(of: container.opening - 1, onLineFrom: lineStart)
    let bytes = try spelling.bytes(of: value, atColumn: column)
    splices.append(TextSplice(range: container.opening - 1..<closing + 1, replacement: bytes))
    return true
  }

  private func slot(behind index: Int?) -> Slot {
    if let index { return slot(behind: index, itemPlacement(index)) }
    if let first = isRemoved.firstIndex(of: false) ?? container.starts.indices.first {
      return slot(before: first, itemPlacement(first))
    }
    return slotWithoutItems()
  }

  private func slot(behind index: Int, _ placement: ItemPlacement) -> Slot {
    let item = container.items[index]
    let tail = placement.tail
    let isFollowed = !tail.endsLine && tail.stop != closing
    var line = placement.lineStart
    // The first item may stand behind the bracket, and the others on lines of their own.
    if line == nil, index == 0, tail.endsLine, container.starts.count > 1 {
      line = itemPlacement(1).lineStart
    }
    // Behind a comment on the same line, the comment would belong to the new item.
    if line == nil, tail.endsLine, tail.end > item.end {
      line = lines.lineStart(of: item.start)
    }
    var slot: Slot
    if let line, !isFollowed {
      slot = Slot(place: tail.endsLine ? tail.stop : tail.end, spelling: own)
      slot.spelling.lineEnd = lineEnd(at: line, or: tail.stop)
      slot.spelling.indentation = Array(text[line..<lines.skippingBlanks(line)])
      slot.before = slot.spelling.lineEnd + slot.spelling.indentation
    } else {
      slot = Slot(
        place: isFollowed ? item.end : tail.end, spelling: own.onOneLine(true))
      slot.before = gap(around: index)
    }
    slot.gaps = gapsOfEquals(of: item)
    return slot
  }

  private func slot(before index: Int, _ placement: ItemPlacement) -> Slot {
    var slot: Slot
    if let line = placement.lineStart, let lead = placement.leadStart {
      slot = Slot(place: lead, spelling: own)
      slot.spelling.lineEnd = lineEnd(at: line, or: placement.tail.stop)
      slot.spelling.indentation = Array(text[line..<lines.skippingBlanks(line)])
      slot.before = slot.spelling.indentation
      slot.after = slot.spelling.lineEnd
      // The lines of the items that go have a line end each, but the last one of a text may have none.
      if last == nil, !isRemoved.isEmpty, itemPlacement(isRemoved.count - 1).tail.stop == text.count {
        slot.afterLast = []
      }
    } else {
      slot = Slot(place: placement.start, spelling: own.onOneLine(true))
      slot.after = gap(around: index)
      if last == nil { slot.afterLast = [] }
    }
    slot.gaps = gapsOfEquals(of: container.items[index])
    return slot
  }

  /// The place in a container that has comments at most.
  private func slotWithoutItems() -> Slot {
    var slot = Slot(place: closing, spelling: own)
    guard container.kind != .entriesWithoutBraces else {
      slot.spelling.unit = EditedSpelling(style: edit.style).unit
      slot.after = own.lineEnd
      if closing > 0, !TextLines.isLineEnd(text[closing - 1]) {
        (slot.before, slot.after) = (own.lineEnd, [])
      }
      return slot
    }
    let tail = ItemPlacement.Tail(behind: container.opening, closing: closing, in: lines)
    if tail.endsLine {
      slot.place = tail.stop
      slot.spelling.indentation = own.indentation + own.unit
      slot.before = own.lineEnd + slot.spelling.indentation
    } else {
      slot.place = tail.end
      slot.spelling = own.onOneLine(true)
      slot.before = [0x20]
    }
    return slot
  }

  /// The line end of a line: the one before it, or else the one at an offset, or that of the text.
  private func lineEnd(at line: Int, or stop: Int) -> [UInt8] {
    let before = lines.beforeLineEnd(endingAt: line)
    if before < line { return Array(text[before..<line]) }
    if lines.endsLine(at: stop) { return Array(text[stop..<lines.behindLineEnd(at: stop)]) }
    return edit.lineEnd
  }

  /// The blanks between an item and one that shares its line; one space if there is none.
  private func gap(around index: Int) -> [UInt8] {
    let pairs = [(index - 1, index), (index, index + 1)]
    for (first, second) in pairs where first >= 0 && second < container.starts.count {
      let gap = text[container.items[first].end..<container.items[second].start]
      if gap.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { return Array(gap) }
    }
    return [0x20]
  }

  private func gapsOfEquals(of item: ContainerItem) -> (before: [UInt8], after: [UInt8]) {
    let usual: [UInt8] = [0x20]
    guard let key = item.key, let equals = item.equals, !item.value.isEmpty else { return (usual, usual) }
    func isBlank(_ gap: ArraySlice<UInt8>) -> Bool { gap.allSatisfy { $0 == 0x20 || $0 == 0x09 } }
    let (before, after) = (text[key.upperBound..<equals], text[equals + 1..<item.value.lowerBound])
    return (isBlank(before) ? Array(before) : usual, isBlank(after) ? Array(after) : usual)
  }

  // MARK: Removing

  /// Removes the comma of the element that is now the last one, where the last one had none.
  private mutating func dropLastComma() {
    guard container.kind == .array, let last, last + 1 < container.starts.count, !endsWithNew,
      container.items[container.starts.count - 1].terminator == nil,
      let comma = container.items[last].terminator
    else { return }
    splices.remove(comma..<comma + 1)
  }

  private mutating func remove() {
    var block: Range<Int>?
    var index = 0
    while index < isRemoved.count {
      guard isRemoved[index] else {
        index += 1
        continue
      }
      if itemPlacement(index).isAlone {
        let range = rangeOfLines(of: index)
        if let open = block, open.upperBound == range.lowerBound {
          block = open.lowerBound..<range.upperBound
        } else {
          if let open = block { removeLines(open) }
          block = range
        }
        index += 1
      } else {
        var end = index + 1
        while end < isRemoved.count, isRemoved[end], itemPlacement(end).lineStart == nil { end += 1 }
        if let open = block { removeLines(open) }
        block = nil
        removeWithinLines(index..<end)
        index = end
      }
    }
    if let open = block { removeLines(open) }
    for range in removedLines { splices.remove(range) }
    // A text without braces has to begin with a key, which elsewhere may be missing.
    if container.kind == .entriesWithoutBraces, let first = isRemoved.firstIndex(of: false), first > 0,
      container.items[first].key?.isEmpty == true
    {
      splices.insert(Array("\"\" ".utf8), at: container.items[first].start)
    }
  }

  /// The lines of an item, with the comment lines above it if its whole run of items is removed.
  private func rangeOfLines(of index: Int) -> Range<Int> {
    let placement = itemPlacement(index)
    guard let line = placement.lineStart, let lead = placement.leadStart else { return 0..<0 }
    var start = line
    if lead < line {
      var next = index
      repeat { next += 1 } while next < isRemoved.count && isRemoved[next] && !itemPlacement(next).beginsRun
      if next == isRemoved.count || itemPlacement(next).beginsRun { start = lead }
    }
    return start..<lines.behindLineEnd(at: placement.tail.stop)
  }

  /// Removes whole lines, and one of the blank lines that would meet.
  private mutating func removeLines(_ range: Range<Int>) {
    // A blank line between them may have gone with the lines before.
    var range = joined(range)
    let isAtStart = range.lowerBound <= contentStart
    let endOfAbove = lines.beforeLineEnd(endingAt: range.lowerBound)
    let above = lines.lineStart(of: endOfAbove)
    let isBlankAbove = !isAtStart && lines.skippingBlanks(above) >= endOfAbove
    let below = lines.skippingBlanks(range.upperBound)
    let isAtEnd = below == closing || below >= text.count
    let isBlankBelow = !isAtEnd && lines.endsLine(at: below)
    if isBlankBelow, isBlankAbove || isAtStart {
      range = range.lowerBound..<lines.behindLineEnd(at: below)
    } else if isBlankAbove, isAtEnd, !replacesAll {
      range = joined(above..<range.upperBound)
    }
    // Without a line end at the end of the text, the one before the lines goes.
    if range.upperBound == text.count, !isAtStart, !replacesAll, text.last.map(TextLines.isLineEnd) != true {
      range = lines.beforeLineEnd(endingAt: range.lowerBound)..<range.upperBound
    }
    removedLines.append(range)
  }

  /// A range of lines with those directly above it that are removed too.
  private mutating func joined(_ range: Range<Int>) -> Range<Int> {
    guard let before = removedLines.last, before.upperBound == range.lowerBound else { return range }
    removedLines.removeLast()
    return before.lowerBound..<range.upperBound
  }

  /// Removes consecutive items that share lines with others or with a bracket.
  private mutating func removeWithinLines(_ group: Range<Int>) {
    let (first, last) = (itemPlacement(group.lowerBound), itemPlacement(group.upperBound - 1))
    if group.lowerBound > 0, first.lineStart == nil {
      let end = max(last.tail.end, container.items[group.upperBound - 1].end)
      // A comment before the last item may belong to the one before that, behind which an item was added.
      if group.upperBound == isRemoved.count, !last.tail.endsLine, !isRemoved[group.lowerBound - 1],
        !endsWithNew
      {
        let behind = lines.skippingTrivia(container.items[group.lowerBound - 1].end).behindComments
        return splices.remove(behind..<end)
      }
      return splices.remove(container.items[group.lowerBound - 1].end..<end)
    }
    if let line = first.lineStart, last.tail.endsLine {
      return removeLines(line..<lines.behindLineEnd(at: last.tail.stop))
    }
    if last.tail.endsLine {
      return splices.remove((replacesAll ? first.start : container.opening)..<last.tail.stop)
    }
    if group.upperBound == isRemoved.count, let end = endOfItem(directlyAbove: group.lowerBound, first) {
      return splices.remove(end..<last.tail.end)
    }
    // Up to the next item, to its comment on this line, or to the bracket.
    splices.remove(first.start..<(replacesAll ? last.tail.end : lines.skippingBlanks(last.tail.end)))
  }

  /// The end of the item on the line before that of another, with its comments, if the closing bracket can
  /// follow there: not behind `//`, and not if both items go.
  private func endOfItem(directlyAbove index: Int, _ placement: ItemPlacement) -> Int? {
    guard index > 0, !isRemoved[index - 1], let line = placement.lineStart, placement.leadStart == line else {
      return nil
    }
    let tail = itemPlacement(index - 1).tail
    guard lines.behindLineEnd(at: tail.stop) == line,
      !lines.hasLineComment(behind: container.items[index - 1].end)
    else { return nil }
    // A new item may have been put behind the blanks that follow.
    return endsWithNew ? tail.stop : tail.end
  }
}
