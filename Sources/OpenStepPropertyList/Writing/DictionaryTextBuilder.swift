/// Builds a dictionary's text from entries in any order; the last of several entries with one key counts.
///
/// It keeps the lines of the entries, and no values, so that it takes little more memory than the text.
package struct DictionaryTextBuilder: Sendable {
  /// The lines, each with the line break before it.
  private var bytes: [UInt8] = []
  /// The offsets of the keys in the lines.
  private var starts: [UInt32] = []
  private let form: DictionaryTextForm
  private let maximumByteCount: Int

  /// Makes a builder without entries.
  ///
  /// - Parameters:
  ///   - options: The options for parsing the text.
  ///   - maximumByteCount: The maximum number of bytes of the lines; less than 2^32.
  package init(options: PropertyList.ParsingOptions, maximumByteCount: Int) {
    form = .openStep(options)
    self.maximumByteCount = maximumByteCount
  }

  /// Adds an entry.
  ///
  /// - Throws: `PropertyListError` as ``PropertyList/bytes(style:)`` does, and if there are too many bytes.
  package mutating func append(_ key: PropertyListKey, _ value: PropertyList) throws(PropertyListError) {
    let room = maximumByteCount - bytes.count
    let textRoom = room + form.layout.head.count + form.layout.tail.count
    let line: ArraySlice<UInt8>
    do throws(PropertyListError) {
      line = try form.line(of: key, value, within: textRoom)
    } catch  where error.isTooLong(for: textRoom) {
      throw tooLong
    }
    guard line.count <= room else { throw tooLong }
    starts.append(UInt32(bytes.count + form.layout.indentation.count))
    bytes += line
  }

  private var tooLong: PropertyListError {
    PropertyListError(
      message: "the text would take more than \(maximumByteCount) bytes, and no larger file is read")
  }

  /// The text of all entries, as ``PropertyList/bytes(style:)`` would write them; nil without entries.
  ///
  /// - Throws: `PropertyListError` if there are more values and keys than the parser accepts.
  /// - Complexity: n log n in the number of entries; linear if they were added in order.
  package func text() throws(PropertyListError) -> DictionaryText? {
    guard !starts.isEmpty else { return nil }
    let indentation = form.layout.indentation.count
    let entries = DictionaryTextEntries(starts: starts, objectCount: bytes.count)
    let lines = DictionaryText(bytes: bytes, form: form, entries: entries, isCanonical: false)
    var order = Array(0..<UInt32(starts.count))
    order.sort { left, right in
      let (leftStart, rightStart) = (starts[Int(left)], starts[Int(right)])
      return lines.withKey(at: leftStart) { leftKey in
        lines.withKey(at: rightStart) { rightKey in
          form.precedes(leftKey, rightKey) || left < right && !form.precedes(rightKey, leftKey)
        }
      }
    }
    var result = DictionaryText.Assembly(form: form, capacity: bytes.count, entryCount: starts.count)
    for (position, index) in order.enumerated() {
      let start = starts[Int(index)]
      let hasLater =
        position + 1 < order.count && lines.hasEqualKeys(at: start, starts[Int(order[position + 1])])
      if hasLater { continue }
      let next = Int(index) + 1
      let end = next < starts.count ? Int(starts[next]) - indentation : bytes.count
      result.append(bytes[Int(start) - indentation..<end])
    }
    return try result.text()
  }
}

extension DictionaryText {
  /// A text to which lines are appended in the order of their keys.
  struct Assembly {
    private var bytes: [UInt8] = []
    private var starts: [UInt32] = []
    private let form: DictionaryTextForm
    private let layout: DictionaryTextForm.Layout

    init(form: DictionaryTextForm, capacity: Int, entryCount: Int) {
      self.form = form
      layout = form.layout
      starts.reserveCapacity(entryCount)
      bytes.reserveCapacity(capacity + layout.head.count + layout.tail.count)
      bytes += layout.head
    }

    mutating func append(_ line: ArraySlice<UInt8>) {
      starts.append(UInt32(bytes.count + layout.indentation.count))
      bytes += line
    }

    /// - Throws: `PropertyListError` if there are more values and keys than the parser accepts.
    consuming func text() throws(PropertyListError) -> DictionaryText {
      bytes += layout.tail
      let entries = DictionaryTextEntries(
        starts: starts, objectCount: try form.objectCount(of: bytes, atMost: .max))
      return DictionaryText(bytes: bytes, form: form, entries: entries, isCanonical: true)
    }
  }

  /// The line of an entry in a canonical text, with the line break before it.
  private func line(_ index: Int) -> ArraySlice<UInt8> {
    let layout = form.layout
    let end =
      index + 1 < starts.count
      ? Int(starts[index + 1]) - layout.indentation.count : bytes.count - layout.tail.count
    return bytes[Int(starts[index]) - layout.indentation.count..<end]
  }

  /// A text with the same entries, as ``PropertyList/bytes(style:)`` would write them; nil without entries.
  ///
  /// - Throws: as ``DictionaryTextBuilder`` does.
  package func rewritten(maximumByteCount: Int) throws(PropertyListError) -> DictionaryText? {
    guard case .openStep(let options) = form else { return starts.isEmpty ? nil : self }
    var builder = DictionaryTextBuilder(options: options, maximumByteCount: maximumByteCount)
    for start in starts {
      let (key, value) = entry(at: start)
      try builder.append(key, value)
    }
    return try builder.text()
  }

  /// Merges this text with another of the same format, whose entries win; both have to be canonical.
  ///
  /// - Throws: `PropertyListError` if there are more values and keys than the parser accepts.
  /// - Complexity: linear in the length of the texts.
  package func merging(_ other: DictionaryText) throws(PropertyListError) -> DictionaryText {
    precondition(isCanonical && other.isCanonical && isXML == other.isXML)
    var result = Assembly(
      form: form, capacity: bytes.count + other.bytes.count, entryCount: starts.count + other.starts.count)
    var (index, otherIndex) = (0, 0)
    while index < starts.count || otherIndex < other.starts.count {
      // -1 if this text's entry comes first, 1 if the other's comes first, 0 if their keys are equal.
      var order = index == starts.count ? 1 : -1
      if index < starts.count, otherIndex < other.starts.count {
        order = withKey(at: starts[index]) { key in
          other.withKey(at: other.starts[otherIndex]) { otherKey in
            form.precedes(key, otherKey) ? -1 : form.precedes(otherKey, key) ? 1 : 0
          }
        }
      }
      result.append(order < 0 ? line(index) : other.line(otherIndex))
      if order <= 0 { index += 1 }
      if order >= 0 { otherIndex += 1 }
    }
    return try result.text()
  }

  /// The value of a key in a canonical text; nil if there is none.
  ///
  /// - Complexity: logarithmic in the number of entries.
  package func value(of key: PropertyListKey) -> PropertyList? {
    precondition(isCanonical)
    let (index, isFound) = place(of: key)
    return isFound ? entry(at: starts[index]).value : nil
  }
}
