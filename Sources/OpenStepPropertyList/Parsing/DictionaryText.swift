/// A text whose value is a dictionary: checked as a whole, its entries' values made when they are asked for.
///
/// To check a text takes a tenth of the time that making all of its values does, and a fraction of the
/// memory. What it accepts, ``PropertyList/init(parsing:options:)-([UInt8],_)`` accepts, with the same keys
/// and values; what it does not is left to that one, which also says what is wrong.
package final class DictionaryText: Sendable {
  /// The text, in UTF-8.
  package let bytes: [UInt8]
  let options: PropertyList.ParsingOptions
  /// Where the entries begin in the text, that is their keys. Of entries with one key the last counts.
  package let starts: [UInt32]
  /// Whether the text is what ``PropertyList/bytes(style:)`` makes of its values in the plain style.
  let isCanonical: Bool

  /// Checks a file's text; gives nil where it is damaged, is no dictionary in braces, or is not plain UTF-8.
  ///
  /// - Complexity: linear in the number of bytes.
  package convenience init?(checking bytes: [UInt8], options: PropertyList.ParsingOptions) {
    guard options.form != .argument, TextDecoding.isPlainUTF8(bytes),
      let starts = DictionaryTextChecker.entryStarts(of: bytes)
    else { return nil }
    self.init(bytes: bytes, options: options, starts: starts, isCanonical: false)
  }

  init(bytes: [UInt8], options: PropertyList.ParsingOptions, starts: [UInt32], isCanonical: Bool) {
    self.bytes = bytes
    self.options = options
    self.starts = starts
    self.isCanonical = isCanonical
  }

  /// Whether this is the text of these bytes, read in this way.
  package func isText(of bytes: [UInt8], options: PropertyList.ParsingOptions) -> Bool {
    guard self.bytes.count == bytes.count, self.options == options else { return false }
    return self.bytes.withUnsafeBytes { left in
      bytes.withUnsafeBytes { haveEqualBytes(left, $0) }
    }
  }

  /// All entries.
  package var values: [PropertyListKey: PropertyList] {
    var values = [PropertyListKey: PropertyList](minimumCapacity: starts.count)
    for start in starts {
      let (key, value) = entry(at: start)
      values[key] = value
    }
    return values
  }

  /// The entry that begins at a place.
  package func entry(at start: UInt32) -> (key: PropertyListKey, value: PropertyList) {
    bytes.withUnsafeBufferPointer { buffer in
      PropertyListParser.entry(in: buffer, at: Int(start), options: options)
    }
  }

  /// Runs a body with the UTF-8 bytes of the key at a place.
  @inline(__always)
  package func withKey<Result>(at start: UInt32, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    bytes.withUnsafeBufferPointer { buffer in
      var cursor = TextCursor(buffer)
      cursor.advance(by: Int(start))
      if let key = cursor.plainKey() { return body(key) }
      // Only a key with escapes differs from what stands in the text.
      var text = PropertyListParser.entry(in: buffer, at: Int(start), options: options).key.text
      return text.withUTF8(body)
    }
  }

  /// Whether the keys at two places are equal.
  package func hasEqualKeys(at start: UInt32, _ other: UInt32) -> Bool {
    withKey(at: start) { key in
      withKey(at: other) {
        $0.count == key.count && haveEqualBytes($0.baseAddress, key.baseAddress, count: key.count)
      }
    }
  }
}

extension TextCursor {
  /// Moves over a key without escapes and gives its bytes; nil where another stands here.
  mutating func plainKey() -> UnsafeBufferPointer<UInt8>? {
    guard let byte else { return nil }
    var start = position
    if TextCursor.isUnquoted(byte) {
      skipUnquoted()
      return slice(from: start)
    }
    // A missing key is the empty one.
    if byte == UInt8(ascii: "=") { return slice(from: start) }
    start += 1
    advance()
    skipPlainText(until: byte)
    guard self.byte == byte else { return nil }
    let key = slice(from: start)
    advance()
    return key
  }
}
