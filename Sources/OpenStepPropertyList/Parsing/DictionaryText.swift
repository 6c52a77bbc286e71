/// A text whose value is a dictionary: checked as a whole, its entries' values made when they are asked for.
///
/// To check a text takes a tenth of the time that making all of its values does, and a fraction of the
/// memory. What it accepts, ``PropertyList/init(parsing:options:)-([UInt8],_)`` or
/// ``PropertyList/init(parsingXML:options:)`` accepts, with the same keys
/// and values; what it does not is left to these, which also say what is wrong.
package final class DictionaryText: Sendable {
  /// The text, in UTF-8.
  package let bytes: [UInt8]
  let form: DictionaryTextForm
  /// Where the entries begin in the text, that is their keys. Of entries with one key the last counts.
  package let starts: [UInt32]
  /// Whether the entries stand as this package lays them out: each in lines of its own, in the order of the keys, no
  /// key twice.
  let isCanonical: Bool
  /// How many values and keys there are at most.
  let objectCount: Int

  /// Checks a file's text; gives nil where it is damaged, is no dictionary in braces, or is not plain UTF-8.
  ///
  /// - Complexity: linear in the number of bytes.
  package convenience init?(checking bytes: [UInt8], options: PropertyList.ParsingOptions) {
    guard options.form != .argument, TextDecoding.isPlainUTF8(bytes),
      let found = DictionaryTextChecker.entries(of: bytes, bounds: options.bounds)
    else { return nil }
    self.init(bytes: bytes, form: .openStep(options), entries: found, isCanonical: false)
  }

  /// Checks an XML document; gives nil where it is damaged, or laid out in another way than Foundation and this package do.
  ///
  /// - Complexity: linear in the number of bytes.
  package convenience init?(
    checkingXML bytes: [UInt8], options: PropertyList.XMLParsingOptions = PropertyList.XMLParsingOptions()
  ) {
    // Keys are compared as they stand in the text.
    guard !options.undoesGNUstepEscapes, TextDecoding.isPlainUTF8(bytes),
      let found = XMLDictionaryChecker.entries(of: bytes, options: options)
    else { return nil }
    self.init(bytes: bytes, form: .xml(options), entries: found, isCanonical: true)
  }

  init(bytes: [UInt8], form: DictionaryTextForm, entries: DictionaryTextEntries, isCanonical: Bool) {
    self.bytes = bytes
    self.form = form
    starts = entries.starts
    objectCount = entries.objectCount
    self.isCanonical = isCanonical
  }

  /// Whether this is an XML document.
  package var isXML: Bool {
    if case .xml = form { true } else { false }
  }

  /// Whether this is the text of these bytes, which are read in this way where they are no XML.
  package func isText(of bytes: [UInt8], options: PropertyList.ParsingOptions) -> Bool {
    guard self.bytes.count == bytes.count, isXML || form == .openStep(options) else { return false }
    let text = self.bytes
    return text.span.hasEqualLongBytes(as: bytes.span)
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
    let text = bytes
    return form.entry(in: text.span, at: Int(start))
  }

  /// Runs a body with the UTF-8 bytes of the key at a place.
  @inline(__always)
  package func withKey<Result>(at start: UInt32, _ body: (Span<UInt8>) -> Result) -> Result {
    let text = bytes
    if let key = form.plainKey(in: text.span, at: Int(start)) { return body(key) }
    // Only a key with escapes differs from what stands in the text.
    return entry(at: start).key.text.withBytes(body)
  }

  /// Whether the keys at two places are equal.
  package func hasEqualKeys(at start: UInt32, _ other: UInt32) -> Bool {
    withKey(at: start) { key in
      withKey(at: other) { $0.hasEqualBytes(as: key) }
    }
  }
}
