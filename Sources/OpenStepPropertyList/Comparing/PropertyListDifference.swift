/// One place at which two property lists differ.
package struct PropertyListDifference: Hashable, Sendable {
  /// The steps from the outermost container to the value.
  package let path: [PropertyListPathStep]
  /// How the values at the place differ.
  package let change: Change

  /// The kinds of differences.
  package enum Change: Hashable, Sendable {
    /// Only the second property list has a value here.
    case added(PropertyList)
    /// Only the first property list has a value here.
    case removed(PropertyList)
    /// The values of the first and of the second.
    case replaced(PropertyList, PropertyList)
    /// The array of the second begins with that of the first, and has these elements behind them.
    case appended([PropertyList])
  }

  /// Calls a body with each of the deepest places at which two property lists differ, in the order of their keys.
  ///
  /// Dictionaries are compared key by key, and arrays as wholes. The types of scalars count. The differences are not
  /// collected: their paths would need memory for their number times the depth.
  ///
  /// - Complexity: linear in the sizes of both and in the lengths of the paths, apart from sorting keys.
  package static func forEach(
    between old: PropertyList?, and new: PropertyList?, _ body: (PropertyListDifference) throws -> Void
  ) rethrows {
    var path: [PropertyListPathStep] = []
    // A stack of its own: values may nest deeper than a thread's stack allows.
    var pending: [(depth: Int, key: PropertyListKey?, old: PropertyList?, new: PropertyList?)] = [
      (0, nil, old, new)
    ]
    while let (depth, key, old, new) = pending.popLast() {
      if let key {
        path.removeSubrange((depth - 1)...)
        path.append(.key(key))
      }
      switch (old, new) {
      case (.dictionary(let before)?, .dictionary(let after)?):
        let keys = Set(before.keys).union(after.keys).filter { mayDiffer(before[$0], after[$0]) }
        for key in keys.sorted(by: >) { pending.append((depth + 1, key, before[key], after[key])) }
      case (let before?, let after?):
        if before == after { continue }
        try body(PropertyListDifference(path: path, change: change(from: before, to: after)))
      case (let before?, nil):
        try body(PropertyListDifference(path: path, change: .removed(before)))
      case (nil, let after?):
        try body(PropertyListDifference(path: path, change: .added(after)))
      case (nil, nil): break
      }
    }
  }

  /// Whether two values of one key may be different.
  private static func mayDiffer(_ old: PropertyList?, _ new: PropertyList?) -> Bool {
    guard case .dictionary(let before)? = old, case .dictionary(let after)? = new else { return old != new }
    // Their entries tell the rest: compared here, those at the bottom would be compared again at each level above.
    return !before.sharesStorage(with: after)
  }

  private static func change(from old: PropertyList, to new: PropertyList) -> Change {
    if case .array(let before) = old, case .array(let after) = new, before.count < after.count,
      zip(before, after).allSatisfy(==)
    {
      return .appended(Array(after[before.count...]))
    }
    return .replaced(old, new)
  }
}
