extension DictionaryText {
  /// Takes what ``PropertyList/bytes(style:)`` made of a dictionary in the plain style; nil where it is nothing like it.
  package convenience init?(written bytes: [UInt8], options: PropertyList.ParsingOptions) {
    guard let starts = DictionaryTextChecker.entryStarts(of: bytes, bounds: options.bounds) else {
      return nil
    }
    self.init(bytes: bytes, form: .openStep(options), starts: starts, isCanonical: true)
  }

  /// The text after some keys were set or removed; the very same object where nothing differs.
  ///
  /// Only the lines of those keys are written anew, which for one of a thousand keys takes a hundredth of
  /// the time that writing all does. The result is what writing all would give, byte for byte, but for lines inside
  /// the values of other keys that another program has written in its own way: these stay.
  ///
  /// - Parameter changes: The new values; nil for a removed key.
  /// - Returns: nil where the text is not laid out as this package does it, or has no entries before or after.
  /// - Throws: `PropertyListError` as ``PropertyList/bytes(style:)`` and ``PropertyList/xmlBytes(style:)`` do.
  package func applying(
    _ changes: [PropertyListKey: PropertyList?]
  ) throws(PropertyListError) -> DictionaryText? {
    guard isCanonical, !starts.isEmpty else { return nil }
    var text = Splice(of: self)
    for (key, value) in changes.sorted(by: { form.precedes($0.key, $1.key) }) {
      let (index, isFound) = place(of: key)
      text.keep(upTo: index)
      if isFound, let value, entry(at: starts[index]).value == value { continue }
      if isFound { text.skipEntry() }
      if let value { try text.append(key, value) }
    }
    return try text.end()
  }

  /// The index of the first entry whose key does not come before another key, and whether it has that key.
  func place(of key: PropertyListKey) -> (index: Int, isFound: Bool) {
    var key = key.text
    return key.withUTF8 { key in
      var (low, high) = (0, starts.count)
      while low < high {
        let middle = (low + high) / 2
        if withKey(at: starts[middle], { form.precedes($0, key) }) { low = middle + 1 } else { high = middle }
      }
      let isFound = low < starts.count && withKey(at: starts[low]) { !form.precedes(key, $0) }
      return (low, isFound)
    }
  }

  /// A text in the making: the entries of an old one with others among them.
  private struct Splice {
    private let old: DictionaryText
    private let layout: DictionaryTextForm.Layout
    private var bytes: [UInt8] = []
    private var starts: [UInt32] = []
    /// How many of the old entries were kept or skipped.
    private var index = 0
    private var isChanged = false

    init(of old: DictionaryText) {
      self.old = old
      layout = old.form.layout
      bytes.reserveCapacity(old.bytes.count + 256)
      starts.reserveCapacity(old.starts.count + 16)
      bytes += layout.head
    }

    /// Where an old entry begins with its line break, or the tail.
    private func lineStart(_ index: Int) -> Int {
      index < old.starts.count
        ? Int(old.starts[index]) - layout.indentation.count
        : old.bytes.count - layout.tail.count
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

    mutating func append(_ key: PropertyListKey, _ value: PropertyList) throws(PropertyListError) {
      let line = try old.form.line(of: key, value)
      // An entry's place is kept in 32 bits.
      guard line.count <= Int(Int32.max) - bytes.count else {
        throw PropertyListError(message: "the text would take more than \(Int32.max) bytes")
      }
      starts.append(UInt32(bytes.count + layout.indentation.count))
      bytes += line
      isChanged = true
    }

    mutating func end() throws(PropertyListError) -> DictionaryText? {
      guard isChanged else { return old }
      keep(upTo: old.starts.count)
      bytes += layout.tail
      guard !starts.isEmpty else { return nil }
      try old.form.checkObjectCount(of: bytes)
      return DictionaryText(bytes: bytes, form: old.form, starts: starts, isCanonical: true)
    }
  }
}
