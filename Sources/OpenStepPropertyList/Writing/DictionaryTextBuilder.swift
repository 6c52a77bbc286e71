/// A dictionary's text in the making, whose entries come in any order; of entries with one key the last counts.
///
/// It holds the entries' lines and no values, so that it takes little more memory than the text.
package struct DictionaryTextBuilder: Sendable {
  /// The lines, each with the line break before it.
  private var bytes: [UInt8] = []
  /// Where the keys begin in them.
  private var starts: [UInt32] = []
  private let maximumByteCount: Int

  /// Makes a builder without entries.
  ///
  /// - Parameter maximumByteCount: How many bytes the lines may take; less than 2^32.
  package init(maximumByteCount: Int) {
    self.maximumByteCount = maximumByteCount
  }

  /// Adds an entry.
  ///
  /// - Throws: `PropertyListError` as ``PropertyList/bytes(style:)`` does, and for more bytes than there may be.
  package mutating func append(_ key: PropertyListKey, _ value: PropertyList) throws(PropertyListError) {
    let text = try PropertyList.dictionary([key: value]).bytes()
    let line = text[DictionaryText.head.count..<text.count - DictionaryText.tail.count]
    guard line.count <= maximumByteCount - bytes.count else {
      throw PropertyListError(
        message: "the text would take more than \(maximumByteCount) bytes, and no larger file is read")
    }
    starts.append(UInt32(bytes.count + DictionaryText.indentation.count))
    bytes += line
  }

  /// The text of all entries, as ``PropertyList/bytes(style:)`` would write them; nil where there is none.
  ///
  /// - Complexity: n log n in the number of entries; linear where they came in order.
  package func text(options: PropertyList.ParsingOptions) -> DictionaryText? {
    guard !starts.isEmpty else { return nil }
    let lines = DictionaryText(bytes: bytes, options: options, starts: starts, isCanonical: false)
    var order = Array(0..<UInt32(starts.count))
    order.sort { left, right in
      let (leftStart, rightStart) = (starts[Int(left)], starts[Int(right)])
      return lines.withKey(at: leftStart) { leftKey in
        lines.withKey(at: rightStart) { rightKey in
          bytesPrecede(leftKey, rightKey) || left < right && !bytesPrecede(rightKey, leftKey)
        }
      }
    }
    var result = DictionaryText.Assembly(capacity: bytes.count)
    for (position, index) in order.enumerated() {
      let start = starts[Int(index)]
      let hasLater =
        position + 1 < order.count && lines.hasEqualKeys(at: start, starts[Int(order[position + 1])])
      if hasLater { continue }
      let next = Int(index) + 1
      let end = next < starts.count ? Int(starts[next]) - DictionaryText.indentation.count : bytes.count
      result.append(bytes[Int(start) - DictionaryText.indentation.count..<end])
    }
    return result.text(options: options)
  }
}

extension DictionaryText {
  /// Before and after the entries, each of which begins with a line break and its indentation.
  static let head = Array("{".utf8)
  static let indentation = Array("\n    ".utf8)
  static let tail = Array("\n}\n".utf8)

  /// A text that lines are added to, in the order of their keys.
  struct Assembly {
    private var bytes: [UInt8] = []
    private var starts: [UInt32] = []

    init(capacity: Int) {
      bytes.reserveCapacity(capacity + DictionaryText.head.count + DictionaryText.tail.count)
      bytes += DictionaryText.head
    }

    mutating func append(_ line: ArraySlice<UInt8>) {
      starts.append(UInt32(bytes.count + DictionaryText.indentation.count))
      bytes += line
    }

    consuming func text(options: PropertyList.ParsingOptions) -> DictionaryText {
      bytes += DictionaryText.tail
      return DictionaryText(bytes: bytes, options: options, starts: starts, isCanonical: true)
    }
  }

  /// An entry of a text that this package wrote, with the line break before it.
  private func line(_ index: Int) -> ArraySlice<UInt8> {
    let end =
      index + 1 < starts.count
      ? Int(starts[index + 1]) - DictionaryText.indentation.count : bytes.count - DictionaryText.tail.count
    return bytes[Int(starts[index]) - DictionaryText.indentation.count..<end]
  }

  /// The same entries as ``PropertyList/bytes(style:)`` would write them; nil where there is none.
  ///
  /// - Throws: as ``DictionaryTextBuilder/append(_:_:)`` does.
  package func rewritten(maximumByteCount: Int) throws(PropertyListError) -> DictionaryText? {
    if isCanonical { return starts.isEmpty ? nil : self }
    var builder = DictionaryTextBuilder(maximumByteCount: maximumByteCount)
    for start in starts {
      let (key, value) = entry(at: start)
      try builder.append(key, value)
    }
    return builder.text(options: options)
  }

  /// The entries of this text and of another, which wins; both as this package writes them.
  ///
  /// - Complexity: linear in the length of the texts.
  package func merging(_ other: DictionaryText) -> DictionaryText {
    precondition(isCanonical && other.isCanonical)
    var result = Assembly(capacity: bytes.count + other.bytes.count)
    var (index, otherIndex) = (0, 0)
    while index < starts.count || otherIndex < other.starts.count {
      // -1 where this text's entry comes first, 1 where the other's does, 0 where they have one key.
      var order = index == starts.count ? 1 : -1
      if index < starts.count, otherIndex < other.starts.count {
        order = withKey(at: starts[index]) { key in
          other.withKey(at: other.starts[otherIndex]) { otherKey in
            bytesPrecede(key, otherKey) ? -1 : bytesPrecede(otherKey, key) ? 1 : 0
          }
        }
      }
      result.append(order < 0 ? line(index) : other.line(otherIndex))
      if order <= 0 { index += 1 }
      if order >= 0 { otherIndex += 1 }
    }
    return result.text(options: options)
  }

  /// The value of a key in a text that this package wrote; nil where there is none.
  ///
  /// - Complexity: logarithmic in the number of entries.
  package func value(of key: PropertyListKey) -> PropertyList? {
    precondition(isCanonical)
    let (index, isFound) = place(of: key)
    return isFound ? entry(at: starts[index]).value : nil
  }
}
