extension PropertyListTextEditor {
  /// Removes the entries, at every depth, whose key stands in the same dictionary again behind them.
  ///
  /// Of equal keys the last one counts, so that the value stays what it is. The comments that belong to an entry go
  /// with it.
  ///
  /// - Returns: How many entries were removed.
  /// - Throws: `PropertyListError` if the text cannot be changed so; nothing is changed then.
  /// - Complexity: linear in the length of the text, for each level of nested containers.
  package mutating func removeEqualKeys() throws(PropertyListError) -> Int {
    var edit = try edit
    guard let root = edit.rootItems() else { return 0 }
    let count = edit.removeEqualKeys(from: root)
    try takeIfEqual(edit)
    return count
  }
}

extension TextEdit {
  /// Removes the entries whose key stands in the same dictionary again, from a container and those in it.
  ///
  /// - Returns: How many entries are removed.
  fileprivate mutating func removeEqualKeys(from root: ContainerItems) -> Int {
    var (container, count) = (root, 0)
    // Where the containers begin that are still to be looked at, the first one last: see `knownLine`.
    var pending: [Int] = []
    while true {
      var (removed, brackets): ([Int], [Int]) = ([], [])
      var keys: Set<PropertyListKey> = []
      for index in container.starts.indices.reversed() {
        if container.kind != .array, !keys.insert(key(ofItem: index, in: container)).inserted {
          removed.append(index)
        } else if let bracket = container.bracket(ofItem: index) {
          brackets.append(bracket)
        }
      }
      if !removed.isEmpty { remove(removed, from: container) }
      count += removed.count
      pending += brackets
      guard let next = pending.popLast() else { return count }
      container = items(at: next)
    }
  }
}
