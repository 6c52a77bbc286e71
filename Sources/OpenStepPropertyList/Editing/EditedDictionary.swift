/// A dictionary's text after changes of its keys, in which everything else has the bytes that it had.
package struct EditedDictionary: Sendable {
  /// The new text, in the form of the old one.
  package let bytes: [UInt8]
  /// The new text if its values can be parsed when they are needed.
  package let text: DictionaryText?
  /// Whether the new text differs from the old one.
  package let isChanged: Bool
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
  ///   - begin: Receives ``bytes`` before they are read again, if they differ from the old ones and are worth keeping,
  ///     so that they can be on their way to the disk meanwhile. They count only if an edited dictionary is made.
  /// - Returns: nil if the text cannot be edited, or would not hold exactly what was meant.
  /// - Throws: `PropertyListError` if a value cannot be written at all.
  /// - Complexity: linear in the length of the text and of the changes, for each level of nested dictionaries
  ///   that change.
  package init?(
    changing bytes: [UInt8], checked: DictionaryText?, by changes: [PropertyListKey: PropertyList?],
    options: PropertyList.ParsingOptions, style: PropertyList.Style,
    beginning begin: ([UInt8]) -> Void = { _ in }
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
    let changed = edit.entries(of: root, changedBy: changes)
    try edit.change(root, at: changed, by: changes, spelling: edit.outermostSpelling)
    guard let new = edit.result() else { return nil }
    guard let encoded = form.applying(edit.splices, of: old, giving: new, to: bytes) else { return nil }
    // A file's format is recognised by its first bytes.
    guard !PropertyList.isBinary(encoded), !PropertyList.isXML(encoded) else { return nil }
    self.bytes = encoded
    isChanged = edit.splices.contains { $0.replacement != Array(old[$0.range]) }
    isWorthKeeping = ContainerItems.exist(in: new) || CommentSearch.finds(.comment, in: new.span)
    if isChanged && isWorthKeeping { begin(encoded) }
    let checkedText = checked.flatMap {
      ChangedDictionaryText(checking: new, changedFrom: $0, by: edit.splices, options: options)
    }
    text = checkedText?.text
    if checked != nil {
      guard let checkedText,
        EditedDictionary.proves(checkedText, from: root, changed, by: changes, edit)
      else { return nil }
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

  /// Whether a new text holds what was meant, without parsing the entries that no splice reaches.
  ///
  /// - Parameters:
  ///   - changedText: The new text.
  ///   - old: The entries of the old one.
  ///   - changed: Those of the old entries whose keys change.
  private static func proves(
    _ changedText: ChangedDictionaryText, from old: ContainerItems,
    _ changed: [(index: Int, key: PropertyListKey)], by changes: [PropertyListKey: PropertyList?],
    _ edit: TextEdit
  ) -> Bool {
    let text = changedText.text
    guard let new = ContainerItems(of: text) else { return false }
    let newEdit = TextEdit(of: text.bytes, checked: text, options: edit.options, style: edit.style)
    let (oldEntries, newEntries) = (changedText.oldEntries, changedText.newEntries)
    let moved = old.moved(oldEntries, by: edit.splices)
    var replaced = changed.filter { oldEntries.contains($0.index) }[...]
    var replacing = newEdit.entries(of: new, among: newEntries, changedBy: changes)[...]
    // Where each changed key stands last.
    var places: [PropertyListKey: Int] = [:]
    for (index, key) in changed where index < oldEntries.lowerBound { places[key] = index }
    var index = newEntries.lowerBound
    func skipReplacing() {
      while let entry = replacing.first, entry.index == index {
        places[entry.key] = index
        replacing.removeFirst()
        index += 1
      }
    }
    for oldIndex in oldEntries {
      if replaced.first?.index == oldIndex {
        replaced.removeFirst()
        continue
      }
      skipReplacing()
      let item = moved[oldIndex - oldEntries.lowerBound]
      guard index < newEntries.upperBound, item.start == new.starts[index] else { return false }
      if item.isSpliced {
        guard newEdit.key(ofItem: index, in: new) == edit.key(ofItem: oldIndex, in: old),
          newEdit.value(of: new.items[index]) == edit.value(of: old.items[oldIndex])
        else { return false }
      }
      index += 1
    }
    skipReplacing()
    for (index, key) in changed where index >= oldEntries.upperBound {
      places[key] = index - oldEntries.upperBound + newEntries.upperBound
    }
    return index == newEntries.upperBound
      && changes.allSatisfy { key, value in
        guard let value else { return places[key] == nil }
        return places[key].map { newEdit.value(of: new.items[$0]) == value } ?? false
      }
  }
}
