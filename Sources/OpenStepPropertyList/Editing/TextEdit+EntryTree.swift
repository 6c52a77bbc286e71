/// An entry that has its lines for itself.
struct EntryOnLines {
  /// From the start to the end, with the terminator.
  let entry: Range<Int>
  let placement: ItemPlacement
  /// Where its line begins.
  let lineStart: Int
}

extension TextEdit {
  /// The entries of a tree that have their lines for themselves, by their numbers; nil for each of the others, and for
  /// one that does not exist.
  ///
  /// Of several entries with one key the last one counts.
  ///
  /// - Complexity: linear in the length of the text and in the size of the tree.
  func entriesOnLines(of tree: EntryTree) -> [EntryOnLines?] {
    var found = [EntryOnLines?](repeating: nil, count: tree.count)
    guard let root = rootItems(), root.kind != .array else { return found }
    // The numbers in the order in which their entries were found.
    var numbers: [Int] = []
    var scan = ContainerScan(cursor: TextCursor(text.span), honoursTypeNotes: options.honoursTypeNotes)
    scan.cursor.move(to: root.opening)
    var dictionary = OpenDictionary(place: 0, opening: root.kind == .dictionary ? root.opening : nil)
    // The dictionaries around it, with the entry of each that is being read.
    var outer: [(dictionary: OpenDictionary, key: PropertyListKey, start: Int, firstNumber: Int)] = []
    while true {
      scan.cursor.skipGap()
      let start = scan.cursor.position
      guard let byte = scan.cursor.byte, byte != 0, byte != UInt8(ascii: "}") else {
        for (number, entry) in dictionary.onLines(closing: start, lines) {
          found[number] = entry
          numbers.append(number)
        }
        guard var parent = outer.popLast() else { return found }
        parent.dictionary.lastEnd = scan.leaveDictionary()
        parent.dictionary.inner[parent.key] = parent.firstNumber..<numbers.count
        dictionary = parent.dictionary
        continue
      }
      let branches = tree.dictionaries[dictionary.place]
      let key =
        branches.isEmpty ? nil : PropertyListParser.key(in: text.span, at: start, options: options)
      let branch = key.flatMap { branches[$0] }
      if let key, case .dictionary(let place)? = branch {
        for number in numbers[dictionary.inner[key] ?? 0..<0] { found[number] = nil }
        dictionary.inner[key] = nil
        if scan.enterDictionary() {
          outer.append((dictionary, key, start, numbers.count))
          dictionary = OpenDictionary(place: place, opening: scan.cursor.position)
          continue
        }
      }
      let end = scan.item(of: .dictionary).end
      if let key, case .entry(let number)? = branch {
        dictionary.entries[key] = (number, start..<end, dictionary.lastEnd)
      }
      dictionary.lastEnd = end
    }
  }
}

/// A dictionary that is being read.
private struct OpenDictionary {
  /// Its place in the tree.
  let place: Int
  /// The end of the entry that was read last, or else the place behind the opening brace; nil without either.
  var lastEnd: Int?
  /// The place behind the opening brace; nil without braces.
  private let opening: Int?
  /// The entries of the tree, with the end of what is before each.
  var entries: [PropertyListKey: (number: Int, place: Range<Int>, previous: Int?)] = [:]
  /// Which of the entries found lie in a dictionary of the tree, by its key.
  var inner: [PropertyListKey: Range<Int>] = [:]

  init(place: Int, opening: Int?) {
    (self.place, self.opening, lastEnd) = (place, opening, opening)
  }

  /// The numbers of the entries that have their lines for themselves, with their places.
  func onLines(closing: Int, _ lines: TextLines) -> [(number: Int, entry: EntryOnLines)] {
    entries.values.compactMap { number, place, previous in
      let placement = ItemPlacement(
        of: place, isFirst: previous == opening, behind: previous, closing: closing, lines)
      guard placement.isAlone, let lineStart = placement.lineStart else { return nil }
      return (number, EntryOnLines(entry: place, placement: placement, lineStart: lineStart))
    }
  }
}
