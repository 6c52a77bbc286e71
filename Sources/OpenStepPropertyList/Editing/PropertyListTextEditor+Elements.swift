extension PropertyListTextEditor {
  /// Replaces elements of the outermost array by others.
  ///
  /// The text is what comes of one change after the other: as many elements as both have are set, what is left of the
  /// old ones is removed, the last one first, and what is left of the new ones is inserted. Changes that do not depend
  /// on each other are made at once.
  ///
  /// - Parameters:
  ///   - range: The indices of the old elements.
  ///   - elements: The new ones.
  /// - Throws: `PropertyListError` if there is no such array, or if the text cannot hold the elements.
  /// - Complexity: linear in the length of the text and of the elements, for each group of changes that depends on
  ///   those before. There is one for each kind of changes in most layouts; each change is one where elements that
  ///   share a line give way to containers, or share theirs with the next one's and change their kind, and where elements
  ///   go that have blank lines between them, or a comment before their comma.
  package mutating func replaceElements(
    _ range: Range<Int>, with elements: [PropertyList]
  ) throws(PropertyListError) {
    let common = min(range.count, elements.count)
    try setElements(elements[..<common], from: range.lowerBound)
    try removeElements(range.lowerBound + common..<range.upperBound)
    try insertElements(elements[common...], at: range.upperBound)
  }

  private mutating func setElements(
    _ elements: ArraySlice<PropertyList>, from first: Int
  ) throws(PropertyListError) {
    var (index, rest) = (first, try storable(elements)[...])
    while !rest.isEmpty {
      var edit = try edit
      let array = try outermostArray(of: edit, upTo: index + rest.count)
      let count = try edit.replaceElements(of: array, from: index, with: rest)
      let values = rest.prefix(count)
      try take(edit, in: array) {
        $0.growth == 0 && $0.hasNewValues(values, from: index)
          && $0.hasSameItems(before: index, behind: index + count, oldBehind: index + count)
      }
      (index, rest) = (index + count, rest.dropFirst(count))
    }
  }

  private mutating func removeElements(_ range: Range<Int>) throws(PropertyListError) {
    var rest = range
    while !rest.isEmpty {
      var edit = try edit
      let array = try outermostArray(of: edit, upTo: rest.upperBound)
      let removed = edit.lastElements(of: rest, in: array)
      edit.remove(Array(removed), from: array)
      try take(edit, in: array) { $0.hasOldItems(without: Set(removed)) }
      rest = rest.lowerBound..<removed.lowerBound
    }
  }

  private mutating func insertElements(
    _ elements: ArraySlice<PropertyList>, at place: Int
  ) throws(PropertyListError) {
    var (index, rest) = (place, try storable(elements)[...])
    while !rest.isEmpty {
      var edit = try edit
      let array = try outermostArray(of: edit, upTo: index)
      // One that is laid out anew may be what the next one is laid out after.
      let values = edit.repeatsLayout(of: array, behind: index - 1) ? rest : rest.prefix(1)
      try edit.insert(Array(values), into: array, at: index)
      try take(edit, in: array) {
        $0.growth == values.count && $0.hasNewValues(values, from: index)
          && $0.hasSameItems(before: index, behind: index + values.count, oldBehind: index)
      }
      (index, rest) = (index + values.count, rest.dropFirst(values.count))
    }
  }

  private func storable(_ values: ArraySlice<PropertyList>) throws(PropertyListError) -> [PropertyList] {
    var storable: [PropertyList] = []
    for value in values { storable.append(try self.storable(value)) }
    return storable
  }

  /// The items of the outermost container if it is an array of so many elements.
  private func outermostArray(of edit: TextEdit, upTo count: Int) throws(PropertyListError) -> ContainerItems
  {
    guard let array = edit.rootItems(), array.kind == .array, count <= array.starts.count else {
      throw PropertyListError(message: "there is no array of \(count) elements at the beginning")
    }
    return array
  }
}
