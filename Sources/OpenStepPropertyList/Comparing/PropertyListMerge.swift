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
  package private(set) var conflicts = Conflicts.none

  /// Merges two sides.
  ///
  /// Where one side is as in the base, the other counts. Dictionaries are merged key by key. Of arrays, elements that
  /// one side has only added at the end are added to what the other has made of the array; any other two changes
  /// of one array conflict, and so do two that both only add, since nobody knows whose elements come first.
  ///
  /// - Complexity: linear in the sizes of all three, apart from sorting keys.
  package init(base: PropertyList?, ours: PropertyList?, theirs: PropertyList?) {
    // The dictionaries around the present place; a stack of its own, since values may nest deeper than a thread's
    // stack allows.
    var open: [OpenDictionary] = []
    var next: Place? = Place(base: base, ours: ours, theirs: theirs)
    while let place = next {
      var finished: MergedValue?
      switch place.outcome {
      case .merged(let value):
        finished = value
      case .conflict:
        conflicts.add(at: number(of: place, in: open.last), ours: place.ours, theirs: place.theirs)
        finished = MergedValue(result: place.ours, alternative: place.theirs, isOurs: false)
      case .deeper(let base, let ours, let theirs):
        let number = number(of: place, in: open.last)
        open.append(OpenDictionary(number: number, base: base, ours: ours, theirs: theirs))
      }
      next = nil
      while next == nil, var dictionary = open.popLast() {
        if let finished { dictionary.finishEntry(finished) }
        finished = nil
        next = dictionary.nextEntry()
        if next == nil { finished = dictionary.merged } else { open.append(dictionary) }
      }
      if let finished { (result, alternative) = (finished.result, finished.alternative) }
    }
  }

  /// The number of a place among those of the conflicts.
  private mutating func number(of place: Place, in dictionary: OpenDictionary?) -> Int {
    guard let dictionary, let key = place.key else { return Conflicts.outermost }
    return conflicts.place(of: key, in: dictionary.number)
  }
}

/// What has come of a place.
private struct MergedValue {
  let result: PropertyList?
  /// The same with the other side's value at each conflict.
  let alternative: PropertyList?
  /// Whether both are the value of this side.
  let isOurs: Bool
}

/// What the three sides have at one place.
private struct Place {
  /// The key in the dictionary; nil for the outermost container.
  var key: PropertyListKey?
  let base: PropertyList?
  let ours: PropertyList?
  let theirs: PropertyList?

  /// What comes of a place.
  enum Outcome {
    case merged(MergedValue)
    case conflict
    /// The entries have to be looked at.
    case deeper(
      base: [PropertyListKey: PropertyList], ours: [PropertyListKey: PropertyList],
      theirs: [PropertyListKey: PropertyList])
  }

  var outcome: Outcome {
    // Whether dictionaries are equal, their entries tell: compared here, those at the bottom would be compared again
    // at each level above.
    switch (base, ours, theirs) {
    case (.dictionary(let old)?, .dictionary(let left)?, .dictionary(let right)?):
      return .deeper(base: old, ours: left, theirs: right)
    case (nil, .dictionary(let left)?, .dictionary(let right)?):
      return .deeper(base: [:], ours: left, theirs: right)
    default:
      break
    }
    if ours == theirs || theirs == base {
      return .merged(MergedValue(result: ours, alternative: ours, isOurs: true))
    }
    if ours == base { return .merged(MergedValue(result: theirs, alternative: theirs, isOurs: false)) }
    guard case .array(let old)? = base, case .array(let left)? = ours, case .array(let right)? = theirs,
      left.starts(with: old) != right.starts(with: old)
    else { return .conflict }
    let isOursLonger = left.starts(with: old)
    let added = (isOursLonger ? left : right).dropFirst(old.count)
    let value = PropertyList.array((isOursLonger ? right : left) + added)
    return .merged(MergedValue(result: value, alternative: value, isOurs: false))
  }

  /// Whether the other side may have another value than this one, or has removed it.
  var mayChange: Bool {
    if case .dictionary? = ours, case .dictionary? = theirs { return true }
    return theirs != base && theirs != ours
  }
}

/// A dictionary whose entries are merged one by one.
private struct OpenDictionary {
  /// Its number among the places of the conflicts.
  let number: Int
  /// The merged entries so far, and those of this side.
  private var result: [PropertyListKey: PropertyList]
  /// The same with the other side's value at each conflict.
  private var alternative: [PropertyListKey: PropertyList]
  private var isOurs = true
  private let base: [PropertyListKey: PropertyList]
  private let ours: [PropertyListKey: PropertyList]
  private let theirs: [PropertyListKey: PropertyList]
  /// The keys of the entries that are left, the first one last.
  private var keys: [PropertyListKey] = []
  /// The key of the entry that is being merged.
  private var key: PropertyListKey?

  init(
    number: Int, base: [PropertyListKey: PropertyList], ours: [PropertyListKey: PropertyList],
    theirs: [PropertyListKey: PropertyList]
  ) {
    self.number = number
    self.base = base
    self.ours = ours
    self.theirs = theirs
    (result, alternative) = (ours, ours)
    // Where the other side has changed nothing, the entries of this side are there already.
    keys = Set(theirs.keys).union(base.keys).filter { entry($0).mayChange }.sorted(by: >)
  }

  private func entry(_ key: PropertyListKey) -> Place {
    Place(key: key, base: base[key], ours: ours[key], theirs: theirs[key])
  }

  /// The next entry; nil if all are merged.
  mutating func nextEntry() -> Place? {
    key = keys.popLast()
    return key.map { entry($0) }
  }

  /// Takes what has come of the entry.
  mutating func finishEntry(_ value: MergedValue) {
    // The entries of this side stay shared with it, as long as they all stay.
    guard let key, !value.isOurs else { return }
    isOurs = false
    result[key] = value.result
    alternative[key] = value.alternative
  }

  /// What has come of the dictionary.
  var merged: MergedValue {
    MergedValue(result: .dictionary(result), alternative: .dictionary(alternative), isOurs: isOurs)
  }
}
