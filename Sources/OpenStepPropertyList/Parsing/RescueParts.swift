/// What was found so far in a damaged text or XML document: the entries that are kept, and the stretches that are lost.
struct RescueParts {
  /// An entry that is whole, or a stretch that is lost.
  struct Part {
    /// The entry; nil for what is lost.
    var entry: (key: PropertyListKey, value: PropertyList)?
    var range: Range<Int>
    /// Whether the end or the beginning of a dictionary may stand in what is lost, unread.
    var mayHideDictionary = false
  }

  /// In the order of the text.
  private(set) var list: [Part] = []
  /// Whether a key may stand again before the first loss.
  private let allowsEqualKeys: Bool
  /// The places of the bytes that are not well-formed, ascending; no entry that is kept contains one.
  private let illFormed: [Int]
  /// How many of them lie before what was asked about last.
  private var passedCount = 0
  /// The keys of the entries that are kept.
  private var keys: Set<PropertyListKey> = []
  /// The index of the first part that is lost; the beginning of a dictionary that ends behind it may be in it.
  private var firstLoss: Int?

  init(illFormed: [Int], allowsEqualKeys: Bool) {
    self.illFormed = illFormed
    self.allowsEqualKeys = allowsEqualKeys
  }

  /// Whether a range, which begins behind all ranges that were asked about before, has a byte that is not well-formed.
  mutating func hasIllFormedByte(in range: Range<Int>) -> Bool {
    while passedCount < illFormed.count, illFormed[passedCount] < range.lowerBound { passedCount += 1 }
    return passedCount < illFormed.count && illFormed[passedCount] < range.upperBound
  }

  /// Whether the end or the beginning of a dictionary may stand, unread, in what is lost.
  private(set) var mayHideDictionary = false

  /// Notes an entry that is whole; behind damage, a key that stands before may be that of an inner dictionary whose
  /// beginning is lost, and the entry is lost too.
  mutating func add(_ entry: (key: PropertyListKey, value: PropertyList), _ range: Range<Int>) {
    if !keys.insert(entry.key).inserted, firstLoss != nil || !allowsEqualKeys { return lose(range) }
    list.append(Part(entry: entry, range: range))
  }

  /// Notes a stretch that is lost, as one with a stretch right before it.
  mutating func lose(_ range: Range<Int>, mayHideDictionary: Bool = false) {
    if mayHideDictionary { self.mayHideDictionary = true }
    if let last = list.last, last.entry == nil {
      list[list.count - 1].range = last.range.lowerBound..<range.upperBound
      if mayHideDictionary { list[list.count - 1].mayHideDictionary = true }
    } else {
      if firstLoss == nil { firstLoss = list.count }
      list.append(Part(entry: nil, range: range, mayHideDictionary: mayHideDictionary))
    }
  }

  /// Drops the entries behind the first loss: a dictionary ends that may begin in any stretch that is lost, and what
  /// was read behind the first of them may belong to it.
  mutating func dropEntriesBehindLoss() {
    guard let firstLoss else { return }
    for part in list[(firstLoss + 1)...] { if let entry = part.entry { keys.remove(entry.key) } }
    list.removeSubrange((firstLoss + 1)...)
  }

  /// Loses every entry that may lie in an inner dictionary whose beginning and end are both in what is lost.
  ///
  /// What stands before the first of these stretches lies in the outermost dictionary. So does what stands behind the
  /// last one, if the end of the outermost dictionary is whole: all dictionaries between the two are whole.
  mutating func dropDoubtfulEntries(endIsWhole: Bool) {
    guard let first = list.firstIndex(where: \.mayHideDictionary) else { return }
    let last = endIsWhole ? list.lastIndex(where: \.mayHideDictionary) ?? first : list.count - 1
    let range = list[first].range.lowerBound..<list[last].range.upperBound
    list.replaceSubrange(first...last, with: [Part(entry: nil, range: range, mayHideDictionary: true)])
  }
}
