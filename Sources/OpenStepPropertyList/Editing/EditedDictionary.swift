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
    let form =
      checked == nil
      ? TextEncodingForm(recognising: bytes, eightBitEncoding: options.eightBitEncoding)
      : .utf8(hasMark: false)
    let old =
      if let checked { checked.bytes } else {
        try TextDecoding.utf8(of: bytes, eightBitEncoding: options.eightBitEncoding)
      }
    guard old.count < UInt32.max else { return nil }
    var edit = TextEdit(
      of: old, checked: checked, options: options, style: EditedDictionary.style(style, in: form))
    guard let root = edit.rootItems(), root.kind != .array else { return nil }
    try edit.change(root, by: changes, spelling: edit.outermostSpelling)
    guard let new = edit.result() else { return nil }
    text = checked == nil ? nil : DictionaryText(checking: new, options: options)
    let hasEntries = text.map { !$0.starts.isEmpty } ?? ContainerItems.exist(in: new)
    guard let encoded = form.applying(edit.splices, of: old, giving: new, to: bytes) else { return nil }
    // A file's format is recognised by its first bytes.
    guard !PropertyList.isBinary(encoded), !PropertyList.isXML(encoded) else { return nil }
    self.bytes = encoded
    isWorthKeeping = hasEntries || EditedDictionary.hasComments(new)
    if checked != nil {
      guard let text, EditedDictionary.proves(text, root, changes, edit) else { return nil }
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

  /// Whether a new text holds what was meant, without parsing the entries that no splice reaches.
  private static func proves(
    _ text: DictionaryText, _ old: ContainerItems, _ changes: [PropertyListKey: PropertyList?],
    _ edit: TextEdit
  ) -> Bool {
    guard let new = ContainerItems(of: text) else { return false }
    let newEdit = TextEdit(of: text.bytes, checked: text, options: edit.options, style: edit.style)
    let moved = old.moved(by: edit.splices)
    var changed = edit.entries(of: old, changedBy: changes)[...]
    var newlyChanged = newEdit.entries(of: new, changedBy: changes)[...]
    var places: [PropertyListKey: Int] = [:]
    var index = 0
    func skipChanged() {
      while let entry = newlyChanged.first, entry.index == index {
        places[entry.key] = index
        newlyChanged.removeFirst()
        index += 1
      }
    }
    for oldIndex in old.starts.indices {
      if changed.first?.index == oldIndex {
        changed.removeFirst()
        continue
      }
      skipChanged()
      guard index < new.starts.count, moved[oldIndex].start == new.starts[index] else { return false }
      if moved[oldIndex].isSpliced {
        guard newEdit.key(ofItem: index, in: new) == edit.key(ofItem: oldIndex, in: old),
          newEdit.value(of: new.items[index]) == edit.value(of: old.items[oldIndex])
        else { return false }
      }
      index += 1
    }
    skipChanged()
    return index == new.starts.count
      && changes.allSatisfy { key, value in
        guard let value else { return places[key] == nil }
        return places[key].map { newEdit.value(of: new.items[$0]) == value } ?? false
      }
  }
}
