/// A dictionary's text with an index of its entries: the whole is validated, and a value
/// is parsed when it is needed.
///
/// Validating a text takes a tenth of the time of parsing all of its values, and a fraction of the memory. A
/// text that is accepted here is also accepted by ``PropertyList/init(parsing:options:)-([UInt8],_)`` or
/// ``PropertyList/init(parsingXML:options:)``, with the same keys and values. All other texts are left to
/// these, which also say what is wrong.
package final class DictionaryText: Sendable {
  /// The text, in UTF-8.
  package let bytes: [UInt8]
  let form: DictionaryTextForm
  /// The offsets of the entries, which begin with their keys. The last of several
  /// entries with one key counts.
  package let starts: [UInt32]
  /// Whether the entries are known to be laid out as by this package: each in lines of its own, sorted by
  /// key, no key twice.
  let isCanonical: Bool
  /// An upper bound for the number of values and keys.
  let objectCount: Int

  /// Validates a file's text; nil if it is damaged, is not a dictionary in braces, or is not plain UTF-8.
  ///
  /// - Complexity: linear in the number of bytes.
  package convenience init?(checking bytes: [UInt8], options: PropertyList.ParsingOptions) {
    guard options.form != .argument, TextDecoding.isPlainUTF8(bytes),
      let found = DictionaryTextChecker.entries(of: bytes, bounds: options.bounds)
    else { return nil }
    self.init(bytes: bytes, form: .openStep(options), entries: found, isCanonical: false)
  }

  /// Validates an XML document; nil if it is damaged, or if its layout is not that of
  /// Foundation and this package.
  ///
  /// - Complexity: linear in the number of bytes.
  package convenience init?(
    checkingXML bytes: [UInt8], options: PropertyList.XMLParsingOptions = PropertyList.XMLParsingOptions()
  ) {
    // Keys are compared as they are in the text, in which these escapes are not undone.
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

  /// Whether this text has these bytes and, unless it is XML, was validated with these options.
  package func isText(of bytes: [UInt8], options: PropertyList.ParsingOptions) -> Bool {
    guard self.bytes.count == bytes.count, isXML || form == .openStep(options) else { return false }
    let text = self.bytes
    return text.span.hasEqualLongBytes(as: bytes.span)
  }

  /// The values of all entries.
  package var values: [PropertyListKey: PropertyList] {
    var values = [PropertyListKey: PropertyList](minimumCapacity: starts.count)
    for start in starts {
      let (key, value) = entry(at: start)
      values[key] = value
    }
    return values
  }

  /// The keys of all entries, in the order of the text.
  package var keys: [PropertyListKey] {
    starts.map { withKey(at: $0) { PropertyListKey(String(utf8: $0)) } }
  }

  /// The entry at an offset.
  package func entry(at start: UInt32) -> (key: PropertyListKey, value: PropertyList) {
    let text = bytes
    return form.entry(in: text.span, at: Int(start))
  }

  /// Runs a body with the UTF-8 bytes of the key at an offset.
  @inline(__always)
  package func withKey<Result>(at start: UInt32, _ body: (Span<UInt8>) -> Result) -> Result {
    let text = bytes
    if let key = form.plainKey(in: text.span, at: Int(start)) { return body(key) }
    // Only a key with escapes differs from its bytes in the text.
    return entry(at: start).key.text.withBytes(body)
  }

  /// The hash of the UTF-8 bytes of the key at an offset.
  ///
  /// Not generic, unlike ``withKey(at:_:)``: with a million keys the description of the generic result, which Swift's
  /// runtime looks up in each call from another module, takes a noticeable part of the time.
  package func hashOfKey(at start: UInt32, _ hash: (Span<UInt8>) -> UInt64) -> UInt64 {
    let text = bytes
    if let key = form.plainKey(in: text.span, at: Int(start)) { return hash(key) }
    return entry(at: start).key.text.withBytes(hash)
  }

  /// Whether the keys at two offsets are equal.
  package func hasEqualKeys(at start: UInt32, _ other: UInt32) -> Bool {
    withKey(at: start) { key in
      withKey(at: other) { $0.hasEqualBytes(as: key) }
    }
  }
}
