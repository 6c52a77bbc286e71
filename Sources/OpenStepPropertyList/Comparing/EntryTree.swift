/// Entries at any depth of nested dictionaries, as a tree of their keys.
///
/// A walk along the tree meets each dictionary once, however many entries lie in it.
package struct EntryTree: Sendable {
  /// What the tree has at a key.
  package enum Branch: Sendable {
    /// An entry of the tree, by its number.
    case entry(Int)
    /// A dictionary with entries of the tree, by its place in ``dictionaries``.
    case dictionary(Int)
  }

  /// The dictionaries with entries of the tree, of which the first is the outermost; one that holds others is before
  /// them.
  ///
  /// They refer to each other by their places: values that nest in each other are released on the stack, and a
  /// thread's may be small.
  package private(set) var dictionaries: [[PropertyListKey: Branch]] = [[:]]
  /// The number of entries, which are numbered from 0 on.
  package private(set) var count = 0

  /// The entries that only the second of two property lists has, and that a third one has not, either.
  ///
  /// An entry whose value is a dictionary stands for all that is in it.
  ///
  /// - Parameter base: The third one; nil for none.
  /// - Complexity: linear in the size of the second.
  package init(addedFrom old: PropertyList, to new: PropertyList, missingIn base: PropertyList?) {
    var pending: [(place: Int, old: PropertyList, new: PropertyList, base: PropertyList?)] = [
      (0, old, new, base)
    ]
    while let next = pending.popLast() {
      guard case .dictionary(let before) = next.old, case .dictionary(let after) = next.new else { continue }
      let base: [PropertyListKey: PropertyList] =
        if case .dictionary(let entries)? = next.base { entries } else { [:] }
      for (key, value) in after {
        if let oldValue = before[key] {
          guard case .dictionary = oldValue, case .dictionary = value else { continue }
          pending.append((dictionaries.count, oldValue, value, base[key]))
          dictionaries[next.place][key] = .dictionary(dictionaries.count)
          dictionaries.append([:])
        } else if base[key] == nil {
          dictionaries[next.place][key] = .entry(count)
          count += 1
        }
      }
    }
  }
}
