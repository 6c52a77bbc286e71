/// A container before and after an edit, for comparing its items.
struct EditedContainer {
  private let oldEdit: TextEdit
  private let newEdit: TextEdit
  private let old: ContainerItems
  private let new: ContainerItems
  private let moved: [MovedItem]

  /// - Parameters:
  ///   - edit: The edit, whose splices are sorted.
  ///   - container: The container that it changed.
  ///   - newEdit: The text after the edit.
  ///   - new: The same container there.
  init(_ container: ContainerItems, in edit: TextEdit, after new: ContainerItems, in newEdit: TextEdit) {
    (oldEdit, old, self.newEdit, self.new) = (edit, container, newEdit, new)
    moved = container.moved(container.starts.indices, by: edit.splices)
  }

  /// How many items there are more than before.
  var growth: Int { new.starts.count - old.starts.count }

  func newKey(_ index: Int) -> PropertyListKey? {
    new.starts.indices.contains(index) ? newEdit.key(ofItem: index, in: new) : nil
  }

  func newValue(_ index: Int) -> PropertyList { newEdit.value(of: new.items[index]) }

  /// Whether the new items from an index on have these values.
  func hasNewValues(_ values: ArraySlice<PropertyList>, from index: Int) -> Bool {
    new.starts.count - index >= values.count
      && zip(index..., values).allSatisfy { newValue($0) == $1 }
  }

  func oldValue(_ index: Int) -> PropertyList { oldEdit.value(of: old.items[index]) }

  /// Whether a new item has the same key and value as an old one.
  private func isSame(_ index: Int, as oldIndex: Int) -> Bool {
    let moved = moved[oldIndex]
    if new.starts[index] == moved.start, !moved.isSpliced { return true }
    // A missing key may have been written out, which moves the start.
    guard new.kind == .array || newKey(index) == oldEdit.key(ofItem: oldIndex, in: old) else { return false }
    return newValue(index) == oldValue(oldIndex)
  }

  /// Whether the items before one index and those from another on are the same.
  func hasSameItems(before: Int, behind: Int, oldBehind: Int) -> Bool {
    guard new.starts.count - behind == old.starts.count - oldBehind else { return false }
    return (0..<before).allSatisfy { isSame($0, as: $0) }
      && (behind..<new.starts.count).allSatisfy { isSame($0, as: $0 - behind + oldBehind) }
  }

  /// Whether all items but one are the same.
  func hasSameItems(except index: Int) -> Bool {
    hasSameItems(before: index, behind: index + 1, oldBehind: index + 1)
  }

  /// Whether the items are the old ones without some; one of them may differ.
  func hasOldItems(without removed: Set<Int>, except exception: Int? = nil) -> Bool {
    let kept = old.starts.indices.filter { !removed.contains($0) }
    return kept.count == new.starts.count
      && zip(new.starts.indices, kept).allSatisfy { $1 == exception || isSame($0, as: $1) }
  }

  /// The index of the one item that is new; nil if more differs, or if the item has another key.
  func added(key: PropertyListKey?) -> Int? {
    guard growth == 1 else { return nil }
    let index = old.starts.indices.first { !isSame($0, as: $0) } ?? old.starts.count
    guard hasSameItems(before: index, behind: index + 1, oldBehind: index),
      key == nil || newKey(index) == key
    else { return nil }
    return index
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
      // On one line, since the indentation of deep values would take many times as much memory.
      let spelling = EditedSpelling(style: .windowMaker).onOneLine(true)
      return try PropertyList(parsing: try spelling.bytes(of: self), options: options)
    }
  }
}
