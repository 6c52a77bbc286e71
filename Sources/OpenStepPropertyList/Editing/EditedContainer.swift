/// A container of a text, for comparing it before and after an edit.
struct EditedContainer {
  let edit: TextEdit
  let container: ContainerItems
  var items: [ContainerItem] { container.items }

  private init(_ container: ContainerItems, in edit: TextEdit) {
    self.container = container
    self.edit = edit
  }

  /// A text's outermost container; nil if the text is a scalar.
  init?(rootOf text: [UInt8], options: PropertyList.ParsingOptions) {
    edit = TextEdit(of: text, options: options, style: .openStep)
    guard let root = edit.rootItems() else { return nil }
    container = root
  }

  /// The container at an index; nil if there is none.
  func inner(_ index: Int) -> EditedContainer? {
    edit.container(of: items[index]).map { EditedContainer($0, in: edit) }
  }

  func key(of item: ContainerItem) -> PropertyListKey { edit.key(of: item) }

  func value(of item: ContainerItem) -> PropertyList { edit.value(of: item) }

  /// Whether an item has the same bytes as one before the edit, and so the same key and value.
  private func hasSame(_ index: Int, as other: EditedContainer, _ otherIndex: Int) -> Bool {
    let (item, otherItem) = (items[index], other.items[otherIndex])
    return edit.text[item.start..<item.noteEnd] == other.edit.text[otherItem.start..<otherItem.noteEnd]
      && (item.equals == nil) == (otherItem.equals == nil)
  }

  /// Whether the items before one index and those from another on are the same.
  func hasSameItems(as old: EditedContainer, before: Int, behind: Int, oldBehind: Int) -> Bool {
    guard items.count - behind == old.items.count - oldBehind else { return false }
    return (0..<before).allSatisfy { hasSame($0, as: old, $0) }
      && (behind..<items.count).allSatisfy { hasSame($0, as: old, $0 - behind + oldBehind) }
  }

  /// Whether all items but one are the same.
  func hasSameItems(as old: EditedContainer, except index: Int) -> Bool {
    hasSameItems(as: old, before: index, behind: index + 1, oldBehind: index + 1)
  }

  /// Whether the items are the old ones without some; one of them may differ.
  func hasItems(of old: EditedContainer, without removed: Set<Int>, except exception: Int? = nil) -> Bool {
    let kept = old.items.indices.filter { !removed.contains($0) }
    return kept.count == items.count
      && zip(items.indices, kept).allSatisfy { $1 == exception || hasSame($0, as: old, $1) }
  }

  /// The one item that the old container does not have; nil if more differs, or if the item has another key.
  func added(to old: EditedContainer, key: PropertyListKey?) -> ContainerItem? {
    guard items.count == old.items.count + 1 else { return nil }
    let index = old.items.indices.first { !hasSame($0, as: old, $0) } ?? old.items.count
    guard hasSameItems(as: old, before: index, behind: index + 1, oldBehind: index),
      key == nil || self.key(of: items[index]) == key
    else { return nil }
    return items[index]
  }
}

extension PropertyListPathStep {
  /// The key; nil for an index.
  var key: PropertyListKey? {
    if case .key(let key) = self { key } else { nil }
  }
}

extension PropertyList {
  /// The value with strings in place of typed scalars, as Window Maker's files hold it.
  package var withoutTypes: PropertyList {
    get throws(PropertyListError) {
      var options = ParsingOptions()
      options.octalEscapes = .utf8Bytes
      return try PropertyList(parsing: try bytes(style: .windowMaker), options: options)
    }
  }
}
