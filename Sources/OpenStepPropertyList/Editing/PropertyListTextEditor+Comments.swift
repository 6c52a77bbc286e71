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

  /// The comments of some entries, by their numbers; nil for an entry without, for one that shares a line with others,
  /// and for one that does not exist.
  ///
  /// - Complexity: linear in the length of the text and in the number of the entries.
  package func comments(of entries: EntryTree) throws(PropertyListError) -> [Comments?] {
    let edit = try edit
    return edit.entriesOnLines(of: entries).map { found in
      guard let found else { return nil }
      let (entry, placement) = (found.entry, found.placement)
      let comments = Comments(
        lead: Array(edit.text[(placement.leadStart ?? found.lineStart)..<found.lineStart]),
        head: Array(edit.text[placement.start..<entry.lowerBound]),
        tail: Array(edit.text[entry.upperBound..<placement.tail.end]))
      return comments.lead.isEmpty && comments.head.isEmpty && comments.tail.isEmpty ? nil : comments
    }
  }

  /// Puts comments around entries that have none; those that share a line with others stay as they are.
  ///
  /// - Parameters:
  ///   - comments: The comments of another text in UTF-8, by the numbers of the entries.
  ///   - entries: The entries.
  /// - Throws: `PropertyListError` if the text would not hold the same values with them; nothing is changed then.
  /// - Complexity: linear in the length of the text and of the comments, apart from sorting them by their places.
  package mutating func add(_ comments: [Comments?], to entries: EntryTree) throws(PropertyListError) {
    guard comments.contains(where: { $0 != nil }) else { return }
    var edit = try edit
    var splices: [TextSplice] = []
    for case (let added?, let found?) in zip(comments, edit.entriesOnLines(of: entries)) {
      let (entry, placement) = (found.entry, found.placement)
      guard placement.leadStart == found.lineStart, placement.start == entry.lowerBound,
        placement.tail.end == entry.upperBound
      else { continue }
      if !added.lead.isEmpty { splices.insert(added.lead, at: found.lineStart) }
      if !added.head.isEmpty { splices.insert(added.head, at: entry.lowerBound) }
      if !added.tail.isEmpty { splices.insert(added.tail, at: entry.upperBound) }
    }
    edit.splices = splices
    try takeIfEqual(edit)
  }
}
