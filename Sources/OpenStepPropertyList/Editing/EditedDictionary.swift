/// A dictionary's text after changes of its keys, in which everything else has the bytes that it had.
package struct EditedDictionary: Sendable {
  /// The new text, in the form of the old one.
  package let bytes: [UInt8]
  /// The new text if its values can be parsed when they are needed.
  package let text: DictionaryText?
  /// Whether the text is to stay: it has entries, or comments that would be lost.
  package let isWorthKeeping: Bool

  /// Changes entries of a text's outermost dictionary.
  ///
  /// The result is read again and compared with what was meant.
  ///
  /// - Parameters:
  ///   - bytes: A text that the parser accepts with these options.
  ///   - checked: The same text if it was validated as such.
  ///   - changes: The new values; nil for a removed key.
  ///   - options: How the text is read.
  ///   - style: Which readers new text is for. In an eight-bit text it is ASCII in any case.
  /// - Returns: nil if the text cannot be edited, or would not hold exactly what was meant.
  /// - Throws: `PropertyListError` if a value cannot be written at all.
  /// - Complexity: linear in the length of the text and of the changes, for each level of nested dictionaries
  ///   that change.
  package init?(
    changing bytes: [UInt8], checked: DictionaryText?, by changes: [PropertyListKey: PropertyList?],
    options: PropertyList.ParsingOptions, style: PropertyList.Style
  ) throws(PropertyListError) {
    let form = TextEncodingForm(recognising: bytes, eightBitEncoding: options.eightBitEncoding)
    let old =
      if let checked { checked.bytes } else {
        try TextDecoding.utf8(of: bytes, eightBitEncoding: options.eightBitEncoding)
      }
    var edit = TextEdit(of: old, options: options, style: EditedDictionary.style(style, in: form))
    guard let root = edit.rootItems(), root.kind != .array else { return nil }
    try edit.change(root, by: changes, spelling: edit.outermostSpelling)
    guard let new = edit.result() else { return nil }
    text = checked == nil ? nil : DictionaryText(checking: new, options: options)
    let hasEntries = text.map { !$0.starts.isEmpty } ?? ContainerItems.exist(in: new)
    guard let encoded = form.applying(edit.splices, of: old, to: bytes) else { return nil }
    self.bytes = encoded
    isWorthKeeping = hasEntries || EditedDictionary.hasComments(new)
    if let checked {
      guard let text, EditedDictionary.proves(text, checked, changes, edit.splices) else { return nil }
    } else {
      var expected = try EditedDictionary.values(of: bytes, options)
      for (key, value) in changes { expected[key] = value }
      guard let found = try? EditedDictionary.values(of: encoded, options), found == expected else {
        return nil
      }
    }
  }

  /// The style for a text's form: the characters of an eight-bit text are not known for certain.
  static func style(_ style: PropertyList.Style, in form: TextEncodingForm) -> PropertyList.Style {
    if case .eightBit = form, style == .openStep { .ascii } else { style }
  }

  private static func values(
    of bytes: [UInt8], _ options: PropertyList.ParsingOptions
  ) throws(PropertyListError) -> [PropertyListKey: PropertyList] {
    guard case .dictionary(let values) = try PropertyList(parsing: bytes, options: options) else {
      return [:]
    }
    return values
  }

  private static func hasComments(_ text: [UInt8]) -> Bool {
    var cursor = TextCursor(text.span)
    while !cursor.isAtEnd {
      let start = cursor.position
      cursor.skipGap()
      if text[start..<cursor.position].contains(UInt8(ascii: "/")) { return true }
      if cursor.isAtEnd { return false }
      let token = cursor.position
      switch cursor.byte {
      case UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "("), UInt8(ascii: ")"): cursor.advance()
      default: cursor.skipValidValue()
      }
      if cursor.position == token { cursor.advance() }
    }
    return false
  }

  /// Whether a new text holds what was meant, without parsing all entries that do not change.
  ///
  /// An entry has the same key and value as before if it begins with the same byte of the old text, and nothing
  /// was spliced up to the next entry, since how an entry is read does not depend on what is before it. The
  /// values of the others are compared.
  private static func proves(
    _ new: DictionaryText, _ old: DictionaryText, _ changes: [PropertyListKey: PropertyList?],
    _ splices: [TextSplice]
  ) -> Bool {
    var (splice, shift) = (0, 0)
    var kept: [(old: UInt32, new: UInt32, isSpliced: Bool)] = []
    for (index, start) in old.starts.enumerated() {
      while splice < splices.count, splices[splice].range.upperBound <= Int(start) {
        shift += splices[splice].replacement.count - splices[splice].range.count
        splice += 1
      }
      if isChanged(start, of: old, by: changes) { continue }
      let end = index + 1 < old.starts.count ? Int(old.starts[index + 1]) : old.bytes.count
      let isSpliced = splice < splices.count && splices[splice].range.lowerBound < end
      kept.append((start, UInt32(truncatingIfNeeded: Int(start) + shift), isSpliced))
    }
    var (index, places) = (0, [PropertyListKey: UInt32]())
    for start in new.starts {
      if isChanged(start, of: new, by: changes) {
        places[new.entry(at: start).key] = start
        continue
      }
      guard index < kept.count, kept[index].new == start else { return false }
      if kept[index].isSpliced {
        let (oldKey, oldValue) = old.entry(at: kept[index].old)
        let (key, value) = new.entry(at: start)
        guard key == oldKey, value == oldValue else { return false }
      }
      index += 1
    }
    return index == kept.count
      && changes.allSatisfy { key, value in
        guard let value else { return places[key] == nil }
        return places[key].map { new.entry(at: $0).value == value } ?? false
      }
  }

  private static func isChanged(
    _ start: UInt32, of text: DictionaryText, by changes: [PropertyListKey: PropertyList?]
  ) -> Bool {
    text.withKey(at: start) { key in
      // To make a key for each entry takes longer than to compare a few.
      if changes.count <= 4 {
        return changes.keys.contains { $0.text.withBytes { $0.hasEqualBytes(as: key) } }
      }
      return changes[PropertyListKey(String(utf8: key))] != nil
    }
  }
}
