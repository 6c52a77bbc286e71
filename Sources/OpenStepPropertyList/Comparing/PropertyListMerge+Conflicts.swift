extension PropertyListMerge {
  /// The conflicts of a merge, in the order of their keys.
  ///
  /// Each path is made when it is asked for, of steps that it shares with others: a file of many entries at a great depth
  /// would need memory for the number of entries times the depth.
  package struct Conflicts: Sendable {
    /// A step behind the path to a dictionary.
    private struct Step {
      /// The place of the last step to the dictionary in ``steps``; -1 for the outermost dictionary.
      let parent: Int
      let key: PropertyListKey
    }

    private struct Entry {
      /// The place of the last step in ``steps``; -1 for the outermost container.
      let place: Int
      let ours: PropertyList?
      let theirs: PropertyList?
    }

    /// The place of the outermost container.
    static let outermost = -1

    /// No conflict.
    package static let none = Conflicts()

    private var steps: [Step] = []
    private var entries: [Entry] = []

    /// The place of an entry of a dictionary, which is found by its own place.
    mutating func place(of key: PropertyListKey, in parent: Int) -> Int {
      steps.append(Step(parent: parent, key: key))
      return steps.count - 1
    }

    /// Adds a conflict.
    mutating func add(at place: Int, ours: PropertyList?, theirs: PropertyList?) {
      entries.append(Entry(place: place, ours: ours, theirs: theirs))
    }
  }
}

extension PropertyListMerge.Conflicts: RandomAccessCollection {
  package var startIndex: Int { 0 }
  package var endIndex: Int { entries.count }

  /// A conflict.
  ///
  /// - Complexity: linear in the number of steps of its path.
  package subscript(index: Int) -> PropertyListMerge.Conflict {
    let entry = entries[index]
    var path: [PropertyListPathStep] = []
    var place = entry.place
    while place != Self.outermost {
      path.append(.key(steps[place].key))
      place = steps[place].parent
    }
    return PropertyListMerge.Conflict(path: path.reversed(), ours: entry.ours, theirs: entry.theirs)
  }
}
