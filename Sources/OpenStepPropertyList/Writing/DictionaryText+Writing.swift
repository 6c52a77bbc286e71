extension DictionaryText {
  /// Takes what ``PropertyList/bytes(style:)`` made of a dictionary in the plain style; nil where it is nothing like it.
  package convenience init?(written bytes: [UInt8], options: PropertyList.ParsingOptions) {
    guard let starts = DictionaryTextChecker.entryStarts(of: bytes) else { return nil }
    self.init(bytes: bytes, options: options, starts: starts, isCanonical: true)
  }

  /// The text after some keys were set or removed; the very same object where nothing differs.
  ///
  /// Only the lines of those keys are written anew, which for one of a thousand keys takes a hundredth of
  /// the time that writing all does. The result is what writing all would give, byte for byte.
  ///
  /// - Parameter changes: The new values; nil for a removed key.
  /// - Returns: nil where the text was not written by this package, or has no entries before or after.
  /// - Throws: `PropertyListError` as ``PropertyList/bytes(style:)`` does.
  package func applying(
    _ changes: [PropertyListKey: PropertyList?]
  ) throws(PropertyListError) -> DictionaryText? {
    guard isCanonical, !starts.isEmpty else { return nil }
    var text = Splice(of: self)
    for (key, value) in changes.sorted(by: { $0.key < $1.key }) {
      let (index, isFound) = place(of: key)
      text.keep(upTo: index)
      var line: [UInt8]?
      if let value { line = try Splice.line(key, value) }
      // Equal values have equal lines, and to read a line takes longer than to write it.
      if isFound, let line, text.isNext(line) { continue }
      if isFound { text.skipEntry() }
      if let line { text.append(line) }
    }
    return text.end()
  }

  /// The index of the first entry whose key does not come before another key, and whether it has that key.
  func place(of key: PropertyListKey) -> (index: Int, isFound: Bool) {
    var key = key.text
    return key.withUTF8 { key in
      var (low, high) = (0, starts.count)
      while low < high {
        let middle = (low + high) / 2
        if withKey(at: starts[middle], { bytesPrecede($0, key) }) { low = middle + 1 } else { high = middle }
      }
      let isFound = low < starts.count && withKey(at: starts[low]) { !bytesPrecede(key, $0) }
      return (low, isFound)
    }
  }

  /// A text in the making: the entries of an old one with others among them.
  private struct Splice {
    private let old: DictionaryText
    private var bytes: [UInt8] = []
    private var starts: [UInt32] = []
    /// How many of the old entries were kept or skipped.
    private var index = 0
    private var isChanged = false

    init(of old: DictionaryText) {
      self.old = old
      bytes.reserveCapacity(old.bytes.count + 256)
      starts.reserveCapacity(old.starts.count + 16)
      bytes += DictionaryText.head
    }

    /// Where an old entry begins with its line break, or the tail.
    private func lineStart(_ index: Int) -> Int {
      index < old.starts.count
        ? Int(old.starts[index]) - DictionaryText.indentation.count
        : old.bytes.count - DictionaryText.tail.count
    }

    mutating func keep(upTo end: Int) {
      guard end > index else { return }
      let (from, to) = (lineStart(index), bytes.count)
      bytes += old.bytes[from..<lineStart(end)]
      let (count, shift) = (starts.count, UInt32(truncatingIfNeeded: to - from))
      starts += old.starts[index..<end]
      // Nothing but a loop over memory is done several at a time.
      starts.withUnsafeMutableBufferPointer { starts in
        for index in count..<starts.count { starts[index] &+= shift }
      }
      index = end
    }

    mutating func skipEntry() {
      index += 1
      isChanged = true
    }

    /// An entry's line, between a head and a tail.
    static func line(_ key: PropertyListKey, _ value: PropertyList) throws(PropertyListError) -> [UInt8] {
      try PropertyList.dictionary([key: value]).bytes()
    }

    /// Whether a line is that of the next old entry.
    func isNext(_ line: [UInt8]) -> Bool {
      let place = lineStart(index)..<lineStart(index + 1)
      let count = line.count - DictionaryText.head.count - DictionaryText.tail.count
      return count == place.count
        && old.bytes.withUnsafeBytes { old in
          line.withUnsafeBytes { line in
            haveEqualBytes(
              UnsafeRawBufferPointer(rebasing: old[place]),
              UnsafeRawBufferPointer(rebasing: line[DictionaryText.head.count...].prefix(count)))
          }
        }
    }

    mutating func append(_ line: [UInt8]) {
      starts.append(UInt32(bytes.count + DictionaryText.indentation.count))
      // A range: `dropLast` of a slice would go byte by byte.
      bytes += line[DictionaryText.head.count..<line.count - DictionaryText.tail.count]
      isChanged = true
    }

    mutating func end() -> DictionaryText? {
      guard isChanged else { return old }
      keep(upTo: old.starts.count)
      bytes += DictionaryText.tail
      guard !starts.isEmpty else { return nil }
      return DictionaryText(bytes: bytes, options: old.options, starts: starts, isCanonical: true)
    }
  }
}
