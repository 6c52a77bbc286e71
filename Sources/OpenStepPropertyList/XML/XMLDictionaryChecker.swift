/// Validates an XML document whose root is a dictionary, and finds the entries.
///
/// It accepts only the layout of Foundation and this package: each entry in lines of its own, and the keys in
/// the order of their UTF-16 code units, so that no key occurs twice. Strings are skipped; other
/// values are parsed by ``XMLParser`` and dropped, so that both accept the same values. All other
/// documents are left to the parser.
struct XMLDictionaryChecker: ~Escapable {
  private let text: Span<UInt8>
  private let options: PropertyList.XMLParsingOptions
  private let form: DictionaryTextForm

  /// The offsets of the entries; nil unless it is certain that there are any.
  static func entries(
    of bytes: [UInt8], options: PropertyList.XMLParsingOptions
  ) -> DictionaryTextEntries? {
    guard bytes.count < UInt32.max, bytes.count <= options.bounds.byteCount else { return nil }
    let checker = XMLDictionaryChecker(bytes.span, options)
    var parser = XMLParser(bytes.span, options: options, capacity: 0)
    do throws(PropertyListError) {
      guard let starts = try checker.entryStarts(&parser) else { return nil }
      return DictionaryTextEntries(starts: starts, objectCount: parser.objectCount)
    } catch {
      return nil
    }
  }

  @_lifetime(copy text)
  private init(_ text: Span<UInt8>, _ options: PropertyList.XMLParsingOptions) {
    self.text = text
    self.options = options
    form = .xml(options)
  }

  private func entryStarts(_ parser: inout XMLParser) throws(PropertyListError) -> [UInt32]? {
    let layout = form.layout
    let headCount = min(layout.head.count, text.count)
    guard text.slice(0..<headCount).hasEqualBytes(as: layout.head.span) else { return nil }
    try parser.enterRoot(movingTo: layout.head.count)
    var starts: [UInt32] = []
    while parser.cursor.starts(with: "\n\t<key>") {
      parser.cursor.advance(by: layout.indentation.count)
      let start = parser.cursor.position
      if let previous = starts.last, try !hasAscendingKeys(at: Int(previous), start) { return nil }
      starts.append(UInt32(start))
      if try parser.skipPlainString() { continue }
      _ = try parser.entry()
    }
    let tail = text.slice(from: parser.cursor.position)
    return !starts.isEmpty && tail.hasEqualBytes(as: layout.tail.span) ? starts : nil
  }

  /// Whether the key at one offset comes before the key at another.
  private func hasAscendingKeys(at start: Int, _ next: Int) throws(PropertyListError) -> Bool {
    if let key = form.plainKey(in: text, at: start), let nextKey = form.plainKey(in: text, at: next) {
      return form.precedes(key, nextKey)
    }
    return form.precedes(try key(at: start), try key(at: next))
  }

  /// The key at an offset, which may have references.
  private func key(at start: Int) throws(PropertyListError) -> PropertyListKey {
    var cursor = TextCursor(text)
    cursor.advance(by: start + "<key>".utf8.count)
    var content = XMLContent()
    return PropertyListKey(try content.string(&cursor, .key, options))
  }
}

extension XMLParser {
  /// Moves over an entry whose key and value are strings without references; false for any other entry.
  fileprivate mutating func skipPlainString() throws(PropertyListError) -> Bool {
    var next = cursor
    guard next.plainXMLKey() != nil, next.starts(with: "\n\t<string>") else { return false }
    next.advance(by: "\n\t<string>".utf8.count)
    next.skipCharacterData()
    guard next.starts(with: "</string>") else { return false }
    next.advance(by: "</string>".utf8.count)
    try count(at: cursor.position)
    try count(at: cursor.position)
    cursor = next
    return true
  }
}
