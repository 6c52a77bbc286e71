extension DictionaryText {
  /// Takes the text that ``PropertyList/bytes(style:)`` made of a dictionary in the style `openStep`; nil if
  /// the text is not valid.
  package convenience init?(written bytes: [UInt8], options: PropertyList.ParsingOptions) {
    guard let found = DictionaryTextChecker.entries(of: bytes, bounds: options.bounds) else { return nil }
    self.init(bytes: bytes, form: .openStep(options), entries: found, isCanonical: true)
  }

  /// Applies changes of keys to the text; gives the same object if nothing changes.
  ///
  /// Only the lines of these keys are written, which for one of a thousand keys takes a hundredth of the time
  /// of writing all. The result is the same as if all entries were written, byte for byte, except that the
  /// values of other keys keep the layout that another program has given them.
  ///
  /// - Parameters:
  ///   - changes: The new values; nil for a removed key.
  ///   - maximumCount: How many bytes the text may have.
  /// - Returns: nil if the text, or the text of an entry that changes, does not have this package's layout, or
  ///   if there are no entries before or after the changes.
  /// - Throws: `PropertyListError` as ``PropertyList/bytes(style:)`` and ``PropertyList/xmlBytes(style:)``
  ///   do.
  package func applying(
    _ changes: [PropertyListKey: PropertyList?], within maximumCount: Int = Int(Int32.max)
  ) throws(PropertyListError) -> DictionaryText? {
    guard !starts.isEmpty, isCanonical || hasCanonicalLayout else { return nil }
    var text = Splice(of: self, within: maximumCount)
    let growth = changes.reduce(0) { count, change in
      let new = PropertyListWriter.leastCount(of: change.value)
      // Where the new value takes much room, that of the old one is not needed as well.
      let old = new > 4096 ? entryCount(of: change.key) : 0
      return count + change.key.text.utf8.count + new + 64 - old
    }
    var whole = TextOutput(capacity: 0)
    let result = try whole.array(capacity: bytes.count + growth) { (whole) throws(PropertyListError) in
      swap(&text.output, &whole)
      defer { swap(&text.output, &whole) }
      try text.apply(changes)
    }
    guard text.isPossible else { return nil }
    guard text.isChanged else { return self }
    guard !text.starts.isEmpty else { return nil }
    let added = changes.values.reduce(0) { $0 + ($1.map { 1 + $0.objectCount } ?? 0) }
    let entries = DictionaryTextEntries(
      starts: text.starts, objectCount: try form.objectCount(of: result, atMost: objectCount + added))
    return DictionaryText(bytes: result, form: form, entries: entries, isCanonical: true)
  }

  /// Whether each entry begins a line of its own as this package writes it, and the keys ascend.
  ///
  /// Comments can then stand inside entries only.
  ///
  /// - Complexity: linear in the number of entries.
  private var hasCanonicalLayout: Bool {
    let layout = form.layout
    guard bytes.starts(with: layout.head), bytes.suffix(layout.tail.count) == layout.tail[...] else {
      return false
    }
    let items = ContainerItems(of: self)?.items
    var comment = firstSlashes(from: 0)
    // A comment may end in a semicolon as well.
    func endsItself(_ index: Int, at line: Int) -> Bool {
      if comment < Int(starts[index]) { comment = firstSlashes(from: Int(starts[index])) }
      return comment >= line || items?[index].end == line
    }
    var before = layout.head.count
    for (index, start) in starts.enumerated() {
      let line = Int(start) - layout.indentation.count
      let isSeparated =
        index == 0
        ? line == before
        : line > before && bytes[line - 1] == UInt8(ascii: ";") && endsItself(index - 1, at: line)
      guard isSeparated, bytes[line..<Int(start)] == layout.indentation[...] else { return false }
      if index > 0 {
        let isAscending = withKey(at: starts[index - 1]) { key in
          withKey(at: start) { form.precedes(key, $0) }
        }
        guard isAscending else { return false }
      }
      before = Int(start)
    }
    let end = bytes.count - layout.tail.count
    return bytes[end - 1] == UInt8(ascii: ";") && endsItself(starts.count - 1, at: end)
  }

  /// The place of the first `//` from an offset on, in a comment or a string; the end of the text if there is none.
  private func firstSlashes(from start: Int) -> Int {
    let text = bytes
    var cursor = TextCursor(text.span)
    cursor.move(to: start)
    while true {
      cursor.skip { word in ByteClasses.zeros(word ^ ByteClasses.every(UInt8(ascii: "/"))) }
      guard cursor.byte != nil, cursor.byte(ahead: 1) != UInt8(ascii: "/") else { return cursor.position }
      cursor.advance()
    }
  }

  /// Finds by binary search the index of the first entry whose key does not come before a key,
  /// and whether it has that key.
  func place(of key: PropertyListKey) -> (index: Int, isFound: Bool) {
    key.text.withBytes { key in
      var (low, high) = (0, starts.count)
      while low < high {
        let middle = (low + high) / 2
        if withKey(at: starts[middle], { form.precedes($0, key) }) { low = middle + 1 } else { high = middle }
      }
      let isFound = low < starts.count && withKey(at: starts[low]) { !form.precedes(key, $0) }
      return (low, isFound)
    }
  }

  /// The number of bytes from a key's entry up to the next one; 0 if there is none.
  private func entryCount(of key: PropertyListKey) -> Int {
    let (index, isFound) = place(of: key)
    guard isFound else { return 0 }
    return (index + 1 < starts.count ? Int(starts[index + 1]) : bytes.count) - Int(starts[index])
  }

  /// A text that is being written: the entries of an old text, merged with changed entries.
  private struct Splice: ~Copyable {
    private let old: DictionaryText
    private let layout: DictionaryTextForm.Layout
    var output = TextOutput()
    private(set) var starts: [UInt32] = []
    /// The number of old entries that were kept or skipped.
    private var index = 0
    private(set) var isChanged = false
    /// Whether every entry that changes has this package's layout.
    private(set) var isPossible = true
    private let maximumCount: Int

    init(of old: DictionaryText, within maximumCount: Int) {
      self.old = old
      self.maximumCount = maximumCount
      layout = old.form.layout
      starts.reserveCapacity(old.starts.count + 16)
    }

    /// Appends the old entries with the changes.
    mutating func apply(_ changes: [PropertyListKey: PropertyList?]) throws(PropertyListError) {
      append(layout.head[...])
      for (key, value) in changes.sorted(by: { old.form.precedes($0.key, $1.key) }) {
        let (index, isFound) = old.place(of: key)
        keep(upTo: index)
        let start = output.count
        if let value {
          try old.form.append(key, value, to: &output, within: maximumCount)
          if isFound {
            // The lines are compared first, because parsing the old value takes longer than writing the new one.
            var isKept = isNext(from: start)
            if !isKept, try !hasOtherData(key, value, from: start) {
              let (oldKey, oldValue) = old.entry(at: old.starts[index])
              // Equal values may have different lines if another program wrote the old line.
              isKept = oldValue == value
              if !isKept, !old.isXML {
                // A longer line is another one.
                let line = try? old.form.line(of: oldKey, oldValue, within: old.bytes.count)
                guard let line, hasLine(line, index) else {
                  isPossible = false
                  return
                }
              }
            }
            if isKept {
              output.truncate(to: start)
              continue
            }
          }
          starts.append(UInt32(start + layout.indentation.count))
          isChanged = true
        }
        if isFound { skipEntry() }
      }
      guard isChanged else { return }
      keep(upTo: old.starts.count)
      append(layout.tail[...])
      guard output.count <= maximumCount else { throw WritingBounds.tooLong(maximumCount) }
    }

    /// The offset of the line break before an old entry, or of the tail.
    private func lineStart(_ index: Int) -> Int {
      index < old.starts.count
        ? Int(old.starts[index]) - layout.indentation.count
        : old.bytes.count - layout.tail.count
    }

    private mutating func append(_ bytes: ArraySlice<UInt8>) {
      output.append(bytes.span)
    }

    private mutating func keep(upTo end: Int) {
      guard end > index else { return }
      let (from, to) = (lineStart(index), output.count)
      append(old.bytes[from..<lineStart(end)])
      let (count, shift) = (starts.count, UInt32(truncatingIfNeeded: to - from))
      starts += old.starts[index..<end]
      // The compiler vectorises only a loop over memory.
      var moved = starts.mutableSpan
      for index in count..<moved.count { moved[index] &+= shift }
      index = end
    }

    private mutating func skipEntry() {
      index += 1
      isChanged = true
    }

    /// Whether an old entry has this line.
    private func hasLine(_ line: ArraySlice<UInt8>, _ index: Int) -> Bool {
      let text = old.bytes
      return text.span.slice(lineStart(index)..<lineStart(index + 1)).hasEqualLongBytes(as: line.span)
    }

    /// Whether the next old entry has other data than the line that was appended from an offset on, and this
    /// package's layout.
    ///
    /// The first digit in which the lines differ tells both without parsing millions of others; false if it does not.
    private func hasOtherData(
      _ key: PropertyListKey, _ value: PropertyList, from start: Int
    ) throws(PropertyListError) -> Bool {
      guard case .data = value, !old.isXML else { return false }
      // Up to the bracket.
      let prefixCount = try old.form.line(of: key, .data([])).count - ">;".utf8.count
      let text = old.bytes
      let oldLine = text.span.slice(lineStart(index)..<lineStart(index + 1))
      let line = output.contents.slice(from: start)
      let place = line.commonPrefixCount(with: oldLine)
      guard place >= prefixCount, place < min(line.count, oldLine.count),
        let digit = DataParsing.hexDigit(line[place]), let oldDigit = DataParsing.hexDigit(oldLine[place]),
        digit != oldDigit
      else { return false }
      var cursor = TextCursor(oldLine)
      cursor.move(to: place)
      cursor.skip { word in ByteClasses.zeros(word ^ ByteClasses.every(UInt8(ascii: ">"))) }
      return cursor.position == oldLine.count - 2 && oldLine[oldLine.count - 1] == UInt8(ascii: ";")
    }

    /// Whether the bytes that were appended from an offset on are the line of the next old entry.
    private func isNext(from start: Int) -> Bool {
      let place = lineStart(index)..<lineStart(index + 1)
      let text = old.bytes
      return output.contents.slice(from: start).hasEqualLongBytes(as: text.span.slice(place))
    }
  }
}
