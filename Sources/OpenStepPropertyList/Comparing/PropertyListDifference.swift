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

  /// The deepest places at which two property lists differ, in the order of their keys.
  ///
  /// Dictionaries are compared key by key, and arrays as wholes. The types of scalars count.
  ///
  /// - Returns: no place if they are equal.
  /// - Complexity: linear in the sizes of both, apart from sorting the keys that differ.
  package static func between(_ old: PropertyList?, _ new: PropertyList?) -> [PropertyListDifference] {
    var differences: [PropertyListDifference] = []
    // A stack of its own: values may nest deeper than a thread's stack allows.
    var pending: [(path: [PropertyListPathStep], old: PropertyList?, new: PropertyList?)] = [([], old, new)]
    while let (path, old, new) = pending.popLast() {
      switch (old, new) {
      case (.dictionary(let before)?, .dictionary(let after)?):
        let keys = Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }
        for key in keys.sorted(by: >) { pending.append((path + [.key(key)], before[key], after[key])) }
      case (let before?, let after?):
        if before == after { continue }
        differences.append(PropertyListDifference(path: path, change: change(from: before, to: after)))
      case (let before?, nil):
        differences.append(PropertyListDifference(path: path, change: .removed(before)))
      case (nil, let after?):
        differences.append(PropertyListDifference(path: path, change: .added(after)))
      case (nil, nil): break
      }
    }
    return differences
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
