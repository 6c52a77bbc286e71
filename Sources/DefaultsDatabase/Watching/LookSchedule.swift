import OpenStepPropertyList

/// Which of the files that may have changed is looked at next, and when.
///
/// Large files are heavy, all others are light, and each kind has a quarter of the time of one processor. Neither waits for
/// the other longer than one look takes. Light files come in two orders by turns: in that of fair queueing (Demers, Keshav
/// and Shenker, 1989), by which a file that seldom changes comes before files that have taken much time lately, and in the
/// order in which they began to wait, by which none is kept back. Heavy files come in the latter order alone.
///
/// The size decides, and not the time that a look took: on a busy machine a look at a small file may take long, too. A file
/// begins to wait as a light one, whatever it was before, and its size is asked for when it is its turn.
struct LookSchedule {
  /// How many bytes a light file has at most.
  static let largestLightFile: Int64 = 1 << 20

  enum Turn: Equatable {
    case file(PropertyListKey)
    case everything
    /// Nothing may be looked at for so many seconds.
    case later(Double)
  }

  /// What is known of a file that was looked at.
  private struct Record {
    let cost: Double
    /// The virtual time at which the next look begins at the earliest.
    let finish: Double
    /// When the last look ended.
    let end: MonotonicTime
  }

  /// A file that may have changed.
  private struct Waiting {
    /// The virtual time at which the look would have begun.
    let start: Double
    /// Smaller than that of any file that began to wait later.
    let number: Int
    /// When the last look at the file ended; nil for none.
    let lastEnd: MonotonicTime?
    /// How long the look will take, in seconds, as its size tells.
    var cost: Double
    var isHeavy = false
    /// Whether these come from its present size.
    var isSizeKnown = false

    /// What decides in the order of fair queueing. Of files whose looks would end at one virtual time, that which was looked
    /// at last comes last: those of one size that change all the time are all at one time.
    var fairOrder: (Double, UInt64) { (start + cost, lastEnd?.nanoseconds ?? 0) }
  }

  private var light: LookPace
  /// A look may also be held up, by a process that does not read the output of `watch`, or by a stop of the process: hence
  /// the bound of its pause.
  private var heavy: LookPace
  private var records: [PropertyListKey: Record] = [:]
  private static let maximumCount = 1024
  /// The start of the last look in the order of fair queueing.
  private var virtualTime = 0.0
  /// The files of the last question that have not been looked at since.
  private var waiting: [PropertyListKey: Waiting] = [:]
  /// How many files have begun to wait.
  private var waitCount = 0
  /// How many light files waited at the last question.
  private var lightCount = 0
  /// Whether the next light file is the one that has waited longest.
  private var isTurnOfOldest = false
  /// Before this time there is no look at everything again.
  private var nextLookAtEverything: MonotonicTime
  /// Whether the last look was at something heavy, and light files come first.
  private var isTurnOfLight = false

  /// Whether a light file waited at the last question.
  var hasLight: Bool { lightCount > 0 }

  init(at start: MonotonicTime = .now) {
    light = LookPace(burst: 1, longestPause: 1, at: start)
    heavy = LookPace(burst: 0.25, longestPause: 10, at: start)
    nextLookAtEverything = start
  }

  /// What is looked at next.
  ///
  /// - Parameters:
  ///   - files: The files that may have changed.
  ///   - isEverything: Whether any file may have changed.
  ///   - now: The time.
  /// - Complexity: linear in the number of files.
  mutating func next(
    of files: Set<PropertyListKey>, isEverything: Bool, at now: MonotonicTime = .now
  ) -> Turn {
    var (lightFile, heavyFile): (PropertyListKey?, PropertyListKey?)
    var (lightOrder, heavyNumber) = ((0.0, UInt64(0)), 0)
    lightCount = 0
    // After too many names at once only everything is looked at, and no longer they.
    if waiting.count > 2 * LookSchedule.maximumCount { waiting = waiting.filter { files.contains($0.key) } }
    for file in files {
      let entry = waiting[file] ?? beginWait(of: file)
      if entry.isHeavy {
        if heavyFile == nil || entry.number < heavyNumber { (heavyFile, heavyNumber) = (file, entry.number) }
      } else {
        lightCount += 1
        let order = isTurnOfOldest ? (Double(entry.number), 0) : entry.fairOrder
        if lightFile.map({ (order.0, order.1, file) < (lightOrder.0, lightOrder.1, $0) }) ?? true {
          (lightFile, lightOrder) = (file, order)
        }
      }
    }
    let lightPause = lightFile == nil ? .infinity : light.pause(at: now)
    var heavyPause = isEverything || heavyFile != nil ? heavy.pause(at: now) : .infinity
    let isTurnOfEverything = isEverything && (heavyFile == nil || nextLookAtEverything <= now)
    if isTurnOfEverything { heavyPause = max(heavyPause, nextLookAtEverything.seconds(since: now)) }
    if let lightFile, lightPause <= 0, isTurnOfLight || heavyPause > 0 { return .file(lightFile) }
    guard heavyPause <= 0 else { return .later(min(lightPause, heavyPause)) }
    if !isTurnOfEverything, let heavyFile { return .file(heavyFile) }
    return .everything
  }

  private mutating func beginWait(of file: PropertyListKey) -> Waiting {
    let record = records[file]
    let entry = Waiting(
      start: max(virtualTime, record?.finish ?? 0), number: waitCount, lastEnd: record?.end,
      cost: record?.cost ?? 0)
    waitCount += 1
    waiting[file] = entry
    return entry
  }

  /// Notes the size of a file of which it is the turn.
  ///
  /// - Returns: Whether another file may come first now. Twice at most for each look, however often the size changes.
  mutating func note(byteCount: Int64, of file: PropertyListKey) -> Bool {
    guard let old = waiting[file] else { return false }
    var entry = old
    let isHeavy = byteCount > LookSchedule.largestLightFile
    if entry.isSizeKnown {
      entry.isHeavy = entry.isHeavy || isHeavy
    } else {
      (entry.isSizeKnown, entry.isHeavy) = (true, isHeavy)
      // A file system's calls take some time for every file.
      entry.cost = 1e-4 + 3e-8 * Double(byteCount)
    }
    waiting[file] = entry
    return entry.isHeavy != old.isHeavy || entry.cost > old.cost
  }

  /// Counts a search that no look has followed, because another file may come first.
  mutating func addSearch(_ seconds: Double, at now: MonotonicTime = .now) {
    light.add(seconds, at: now)
    // Otherwise new names, which come first until their sizes are known, would keep all other files back.
    isTurnOfOldest.toggle()
  }

  /// Counts a look at a file, or at everything for nil, that has just ended.
  mutating func add(_ seconds: Double, for file: PropertyListKey?, at now: MonotonicTime = .now) {
    guard let file else {
      heavy.add(seconds, at: now)
      nextLookAtEverything = now + min(9 * seconds, 1)
      (isTurnOfLight, waiting) = (true, [:])
      return
    }
    guard let entry = waiting.removeValue(forKey: file) else { return }
    isTurnOfLight = entry.isHeavy
    if entry.isHeavy {
      heavy.add(seconds, at: now)
    } else {
      light.add(seconds, at: now)
      if !isTurnOfOldest { virtualTime = max(virtualTime, entry.start) }
      isTurnOfOldest.toggle()
    }
    if records.count > LookSchedule.maximumCount { records = [:] }
    records[file] = Record(cost: entry.cost, finish: entry.start + entry.cost, end: now)
  }
}
