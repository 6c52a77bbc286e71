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
  /// The merged property list with the value of the other side at each conflict; nil if there is none.
  package private(set) var alternative: PropertyList?
  /// The conflicts, in the order of their keys.
  package private(set) var conflicts: [Conflict] = []

  /// Merges two sides.
  ///
  /// Where one side is as in the base, the other counts. Dictionaries are merged key by key. Of arrays, elements that
  /// one side has only added at the end are added to what the other has made of the array; any other two changes
  /// of one array conflict, and so do two that both only add, since nobody knows whose elements come first.
  ///
  /// - Complexity: linear in the sizes of all three, for each level of nesting that differs, apart from sorting the
  ///   keys that differ.
  package init(base: PropertyList?, ours: PropertyList?, theirs: PropertyList?) {
    // The dictionaries around the present place; a stack of its own, since values may nest deeper than a thread's
    // stack allows.
    var open: [OpenDictionary] = []
    var next: Place? = Place(path: [], base: base, ours: ours, theirs: theirs)
    while let place = next {
      var finished: (result: PropertyList?, alternative: PropertyList?)?
      switch place.outcome {
      case .merged(let value):
        finished = (value, value)
      case .conflict:
        conflicts.append(Conflict(path: place.path, ours: place.ours, theirs: place.theirs))
        finished = (place.ours, place.theirs)
      case .deeper(let dictionary):
        open.append(dictionary)
      }
      next = nil
      while next == nil, var dictionary = open.popLast() {
        if let (result, alternative) = finished { dictionary.finishEntry(result, alternative) }
        finished = nil
        next = dictionary.nextEntry()
        if next == nil {
          finished = (.dictionary(dictionary.result), .dictionary(dictionary.alternative))
        } else {
          open.append(dictionary)
        }
      }
      if let (result, alternative) = finished { (self.result, self.alternative) = (result, alternative) }
    }
  }
}

/// What the three sides have at one place.
private struct Place {
  let path: [PropertyListPathStep]
  let base: PropertyList?
  let ours: PropertyList?
  let theirs: PropertyList?

  /// What comes of a place.
  enum Outcome {
    case merged(PropertyList?)
    case conflict
    /// The entries have to be looked at.
    case deeper(OpenDictionary)
  }

  var outcome: Outcome {
    if ours == theirs || theirs == base { return .merged(ours) }
    if ours == base { return .merged(theirs) }
    switch (base, ours, theirs) {
    case (.dictionary(let old)?, .dictionary(let left)?, .dictionary(let right)?):
      return .deeper(OpenDictionary(path: path, base: old, ours: left, theirs: right))
    case (nil, .dictionary(let left)?, .dictionary(let right)?):
      return .deeper(OpenDictionary(path: path, base: [:], ours: left, theirs: right))
    case (.array(let old)?, .array(let left)?, .array(let right)?)
    where left.starts(with: old) != right.starts(with: old):
      let isOursLonger = left.starts(with: old)
      let added = (isOursLonger ? left : right).dropFirst(old.count)
      return .merged(.array((isOursLonger ? right : left) + added))
    default:
      return .conflict
    }
  }
}

/// A dictionary whose entries are merged one by one.
private struct OpenDictionary {
  /// The merged entries so far, and those of this side.
  private(set) var result: [PropertyListKey: PropertyList]
  /// The same with the other side's value at each conflict.
  private(set) var alternative: [PropertyListKey: PropertyList]
  private let path: [PropertyListPathStep]
  private let base: [PropertyListKey: PropertyList]
  private let ours: [PropertyListKey: PropertyList]
  private let theirs: [PropertyListKey: PropertyList]
  /// The keys of the entries that are left, the first one last.
  private var keys: [PropertyListKey]
  /// The key of the entry that is being merged.
  private var key: PropertyListKey?

  init(
    path: [PropertyListPathStep], base: [PropertyListKey: PropertyList],
    ours: [PropertyListKey: PropertyList], theirs: [PropertyListKey: PropertyList]
  ) {
    self.path = path
    self.base = base
    self.ours = ours
    self.theirs = theirs
    (result, alternative) = (ours, ours)
    // Where the other side has changed nothing, the entries of this side are there already.
    keys = Set(theirs.keys).union(base.keys).filter { theirs[$0] != base[$0] && theirs[$0] != ours[$0] }
      .sorted(by: >)
  }

  /// The next entry; nil if all are merged.
  mutating func nextEntry() -> Place? {
    key = keys.popLast()
    return key.map { key in
      Place(path: path + [.key(key)], base: base[key], ours: ours[key], theirs: theirs[key])
    }
  }

  /// Takes the merged values of the entry; nil for none.
  mutating func finishEntry(_ result: PropertyList?, _ alternative: PropertyList?) {
    guard let key else { return }
    self.result[key] = result
    self.alternative[key] = alternative
  }
}
