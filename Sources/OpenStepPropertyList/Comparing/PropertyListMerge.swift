/// The changes of two sides from one base, brought together key by key.
package struct PropertyListMerge: Sendable {
  /// One place that both sides have changed in different ways.
  package struct Conflict: Hashable, Sendable {
    /// The steps from the outermost container to the value.
    package let path: [PropertyListPathStep]
    /// The value of this side; nil if it has removed it.
    package let ours: PropertyList?
    /// The value of the other side; nil if it has removed it.
    package let theirs: PropertyList?
  }

  /// The merged property list, which has the value of this side at each conflict; nil if there is none.
  package private(set) var result: PropertyList?
  /// The conflicts, in the order of their keys.
  package private(set) var conflicts: [Conflict] = []

  /// Merges two sides.
  ///
  /// Where one side is as in the base, the other counts. Dictionaries are merged key by key. Of arrays, elements that
  /// one side has only added at the end are added to what the other has made of the array; any other two changes
  /// of one array conflict, and so do two that both only add, since nobody knows whose elements come first.
  ///
  /// - Complexity: linear in the sizes of all three, for each level of nesting that differs.
  package init(base: PropertyList?, ours: PropertyList?, theirs: PropertyList?) {
    var result = ours
    var pending:
      [(path: [PropertyListPathStep], base: PropertyList?, ours: PropertyList?, theirs: PropertyList?)] =
        [([], base, ours, theirs)]
    while let (path, base, ours, theirs) = pending.popLast() {
      if ours == theirs || theirs == base { continue }
      if ours == base {
        PropertyListMerge.set(theirs, at: path, of: &result)
        continue
      }
      switch (base, ours, theirs) {
      case (.dictionary(let old)?, .dictionary(let left)?, .dictionary(let right)?):
        for key in Set(left.keys).union(right.keys).union(old.keys).sorted(by: >) {
          pending.append((path + [.key(key)], old[key], left[key], right[key]))
        }
      case (nil, .dictionary(let left)?, .dictionary(let right)?):
        for key in Set(left.keys).union(right.keys).sorted(by: >) {
          pending.append((path + [.key(key)], nil, left[key], right[key]))
        }
      case (.array(let old)?, .array(let left)?, .array(let right)?)
      where left.starts(with: old) != right.starts(with: old):
        let isOursLonger = left.starts(with: old)
        let added = (isOursLonger ? left : right).dropFirst(old.count)
        PropertyListMerge.set(.array((isOursLonger ? right : left) + added), at: path, of: &result)
      default:
        conflicts.append(Conflict(path: path, ours: ours, theirs: theirs))
      }
    }
    self.result = result
  }

  private static func set(
    _ value: PropertyList?, at path: [PropertyListPathStep], of root: inout PropertyList?
  ) {
    guard let old = root, !path.isEmpty else {
      root = value
      return
    }
    let path = PropertyListPath(path)
    // The path leads through dictionaries of the result alone.
    if let value {
      root = (try? old.changed(at: path) { _ in value }) ?? old
    } else {
      root = (try? old.removed(at: path)) ?? old
    }
  }
}
