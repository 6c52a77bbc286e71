extension PropertyListTextEditor {
  /// The comments that belong to an entry on lines of its own, with the white space around them.
  package struct Comments: Hashable, Sendable {
    /// The comment lines directly above the entry.
    fileprivate let lead: [UInt8]
    /// What is before the entry on its line, without the indentation.
    fileprivate let head: [UInt8]
    /// What is behind the entry on its line, up to the end of the last comment.
    fileprivate let tail: [UInt8]
  }

  /// The comments of some entries; none for an entry without, for one that shares a line with others, and for one that
  /// does not exist.
  ///
  /// - Parameter paths: The paths to the entries.
  /// - Complexity: linear in the length of the text, for each container of these entries.
  package func comments(
    of paths: [[PropertyListPathStep]]
  ) throws(PropertyListError) -> [[PropertyListPathStep]: Comments] {
    var comments: [[PropertyListPathStep]: Comments] = [:]
    let edit = try edit
    try forEachPlacement(of: paths, in: edit) { path, item, placement, lineStart in
      let found = Comments(
        lead: Array(edit.text[(placement.leadStart ?? lineStart)..<lineStart]),
        head: Array(edit.text[placement.start..<item.start]),
        tail: Array(edit.text[item.end..<placement.tail.end]))
      if !(found.lead.isEmpty && found.head.isEmpty && found.tail.isEmpty) { comments[path] = found }
    }
    return comments
  }

  /// Puts comments around entries that have none; those that share a line with others stay as they are.
  ///
  /// - Parameter comments: The comments of another text in UTF-8, by the paths to the entries.
  /// - Throws: `PropertyListError` if the text would not hold the same values with them; nothing is changed then.
  /// - Complexity: linear in the length of the text, for each container of these entries.
  package mutating func add(
    _ comments: [[PropertyListPathStep]: Comments]
  ) throws(PropertyListError) {
    var edit = try edit
    var splices: [TextSplice] = []
    try forEachPlacement(of: Array(comments.keys), in: edit) { path, item, placement, lineStart in
      guard let added = comments[path], placement.leadStart == lineStart, placement.start == item.start,
        placement.tail.end == item.end
      else { return }
      if !added.lead.isEmpty { splices.insert(added.lead, at: lineStart) }
      if !added.head.isEmpty { splices.insert(added.head, at: item.start) }
      if !added.tail.isEmpty { splices.insert(added.tail, at: item.end) }
    }
    edit.splices = splices
    try takeIfEqual(edit)
  }

  /// Calls a body with each entry that has its lines for itself.
  ///
  /// - Parameter body: Receives the path, the entry, its placement, and where its line begins.
  private func forEachPlacement(
    of paths: [[PropertyListPathStep]], in edit: TextEdit,
    _ body: ([PropertyListPathStep], ContainerItem, ItemPlacement, Int) -> Void
  ) throws(PropertyListError) {
    for (parent, paths) in Dictionary(grouping: paths, by: { $0.dropLast() }) {
      guard let container = try container(at: parent, in: edit) else { continue }
      // To look for one key takes as long as to read a few of them all.
      let places = paths.count > 4 ? edit.places(of: container) : nil
      for path in paths {
        guard let last = path.last else { continue }
        let known: Int? = if case .key(let key) = last { places?[key] } else { nil }
        guard let index = known ?? (places == nil ? edit.index(of: last, in: container) : nil) else {
          continue
        }
        let placement = ItemPlacement(of: index, in: container, closing: container.closing, edit.lines)
        guard placement.isAlone, let lineStart = placement.lineStart else { continue }
        body(path, container.items[index], placement, lineStart)
      }
    }
  }
}
