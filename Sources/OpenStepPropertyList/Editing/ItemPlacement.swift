/// Where an item of a container stands among lines and comments.
struct ItemPlacement {
  /// Where the item's line begins, if nothing but blanks and comments is before it; nil if it shares the line
  /// with what comes before.
  let lineStart: Int?
  /// Where the comment lines directly above the item begin; the line's start if there are none.
  let leadStart: Int?
  /// Whether a blank line or a comment line is directly above the item, or nothing of the container.
  let beginsRun: Bool
  /// Where the item begins with the comments before it on its line.
  let start: Int
  /// What follows the item on its line.
  let tail: Tail

  /// The comments behind an item, or behind an opening bracket, that belong to it.
  struct Tail {
    /// The end of the last comment; the end of the item if there is none.
    let end: Int
    /// Where the next line end, bracket or item is.
    let stop: Int
    /// Whether nothing else follows on the line.
    let endsLine: Bool

    /// Finds the tail of what ends at an offset, in a container that ends at another.
    ///
    /// A comment between two items on one line belongs to the second.
    init(behind end: Int, closing: Int, in lines: TextLines) {
      let trivia = lines.skippingTrivia(end)
      let endsLine = lines.endsLine(at: trivia.end) || trivia.end >= lines.text.count
      let isLast = trivia.end == closing
      let belongs = endsLine || isLast
      self.end = belongs ? trivia.behindComments : end
      stop = belongs ? trivia.end : lines.skippingBlanks(end)
      // Only NULs follow the items of a text without braces.
      self.endsLine = endsLine || isLast && closing < lines.text.count && lines.text[closing] == 0
    }
  }

  /// Whether the item has its lines for itself.
  var isAlone: Bool { lineStart != nil && tail.endsLine }

  /// Finds the placement of an item of a container.
  ///
  /// - Complexity: linear in the length of the item and of the gaps around it.
  init(of index: Int, in container: ContainerItems, closing: Int, _ lines: TextLines) {
    let item = container.items[index]
    let previous: Int? =
      if index > 0 {
        container.items[index - 1].end
      } else if container.kind != .entriesWithoutBraces {
        container.opening
      } else { nil }
    self.init(
      of: item.start..<item.end, isFirst: index == 0, behind: previous, closing: closing, lines)
  }

  /// Finds the placement of an item by its place.
  ///
  /// - Parameters:
  ///   - item: From the start to the end, with the terminator.
  ///   - previous: The end of the item before it, or else the place behind the opening bracket; nil without either.
  /// - Complexity: linear in the length of the gaps around the item.
  init(of item: Range<Int>, isFirst: Bool, behind previous: Int?, closing: Int, _ lines: TextLines) {
    tail = Tail(behind: item.upperBound, closing: closing, in: lines)
    let before = previous.map { Tail(behind: $0, closing: closing, in: lines) }
    if let before, !before.endsLine {
      (lineStart, leadStart, beginsRun) = (nil, nil, isFirst)
      start = min(before.stop, item.lowerBound)
      return
    }
    var line = before.map { lines.behindLineEnd(at: $0.stop) } ?? 0
    var lead: Int?
    var beginsRun = before == nil
    // Without braces, the first comments of a text belong to the whole.
    var (isHeader, hasComment) = (before == nil, false)
    while true {
      let first = lines.skippingBlanks(line)
      let behind = lines.skippingTrivia(line).end
      guard behind < item.lowerBound, lines.endsLine(at: behind) else { break }
      beginsRun = true
      if first < behind {
        hasComment = true
        if !isHeader, lead == nil { lead = line }
      } else {
        lead = nil
        if hasComment { isHeader = false }
      }
      line = lines.behindLineEnd(at: behind)
    }
    lineStart = line
    leadStart = lead ?? line
    start = lines.skippingBlanks(line)
    self.beginsRun = beginsRun
  }
}
