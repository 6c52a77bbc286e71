import OpenStepPropertyList

/// Which of the files that may have changed is looked at next, and when.
///
/// Large files are heavy, all others are light, and each kind has a quarter of the time of one processor. Neither waits for
/// the other longer than one look takes. Light files come in two orders by turns: in that of fair queueing (Demers, Keshav
/// and Shenker, 1989), by which a file that seldom changes comes before files that have taken much time lately, and in the
/// order in which they began to wait, by which none is kept back; each order has half of their time. Heavy files come in
/// the latter order alone.
///
/// The size decides, and not the time that a look took: on a busy machine a look at a small file may take long, too. It is
/// asked for when a file begins to wait, once more when it is its turn, and four times a second at most while the file
/// waits and changes again.
struct LookSchedule {
  /// How many bytes a light file has at most.
  static let largestLightFile: Int64 = 1 << 20

  enum Turn: Equatable {
    case file(PropertyListKey)
    case everything
    /// These files have begun to wait, or have changed while they wait: their sizes are to be noted.
    case sizes([PropertyListKey])
    /// Nothing may be looked at for so many seconds.
    case later(Double)
  }

  /// What is known of a file that was looked at.
  private struct Record {
    /// The virtual time at which the next look begins at the earliest.
    let finish: Double
    /// When the last look ended.
    let end: MonotonicTime
  }

  /// A file that may have changed.
  private struct Waiting {
    /// The virtual time at which the look would begin.
    private(set) var start: Double
    /// Smaller than that of any file that began to wait later.
    let number: Int
    /// When the last look at the file ended; nil for none.
    let lastEnd: MonotonicTime?
    /// Whether the file has had less than its share of the time, or was never looked at.
    let isSeldom: Bool
    /// How many bytes the look may read.
    private(set) var byteCount: Int64

    init(number: Int, after record: Record?, byteCount: Int64, at virtualTime: Double) {
      (self.number, self.byteCount) = (number, byteCount)
      lastEnd = record?.end
      isSeldom = record.map { $0.finish < virtualTime } ?? true
      start = max(virtualTime, record?.finish ?? 0)
      forgive(at: virtualTime)
    }

    mutating func note(byteCount: Int64, at virtualTime: Double) {
      self.byteCount = byteCount
      forgive(at: virtualTime)
    }

    /// Has the file wait for the others as if its last look had read no more than the next one will: it was larger then.
    private mutating func forgive(at virtualTime: Double) {
      start = min(start, virtualTime + cost)
    }

    var isHeavy: Bool { byteCount > LookSchedule.largestLightFile }

    /// How long the look will take, in seconds. A file system's calls take some time for every file.
    var cost: Double { 1e-4 + 3e-8 * Double(byteCount) }

    /// What decides in the order of fair queueing. A file that seldom changes comes before those of its size that change all
    /// the time, which are all at one virtual time, also where it is a little larger. Of files whose looks would end at one
    /// virtual time, that which was looked at last comes last.
    var fairOrder: (Double, UInt64) { (start + (isSeldom ? cost / 2 : cost), lastEnd?.nanoseconds ?? 0) }
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
  /// How much longer looks at light files have taken in the order of fair queueing than in the other one, in seconds.
  private var fairLead = 0.0
  private static let longestLead = 0.05
  /// Before this time there is no look at everything again.
  private var nextLookAtEverything: MonotonicTime
  /// Whether the last look was at something heavy, and light files come first.
  private var isTurnOfLight = false
  /// Whether sizes were noted after the last look.
  private var hasMeasured = false
  /// Before this time no size is asked for again.
  private var nextRepeatedMeasurement: MonotonicTime
  private static let measurementPause = 0.25

  /// Whether the next light file is the one that has waited longest.
  private var isTurnOfOldest: Bool { fairLead > 0 }

  /// Whether a file that begins to wait now may come before the time that the last question gave. Where a light file waits,
  /// another one has to wait as long, but a heavy one may not have to.
  mutating func mayComeSooner(at now: MonotonicTime = .now) -> Bool {
    lightCount == 0 || heavy.pause(at: now) <= 0
  }

  init(at start: MonotonicTime = .now) {
    light = LookPace(burst: 1, longestPause: 1, at: start)
    heavy = LookPace(burst: 0.25, longestPause: 10, at: start)
    (nextLookAtEverything, nextRepeatedMeasurement) = (start, start)
  }

  /// What is looked at next.
  ///
  /// - Parameters:
  ///   - files: The files that may have changed.
  ///   - unmeasured: Those of them that have changed since their sizes were noted.
  ///   - isEverything: Whether any file may have changed.
  ///   - now: The time.
  /// - Complexity: linear in the number of files.
  mutating func next(
    of files: Set<PropertyListKey>, unmeasured: Set<PropertyListKey>, isEverything: Bool,
    at now: MonotonicTime = .now
  ) -> Turn {
    var (lightFile, heavyFile): (PropertyListKey?, PropertyListKey?)
    var (lightOrder, heavyNumber) = ((0.0, UInt64(0)), 0)
    var (new, changedAgain): ([PropertyListKey], [PropertyListKey]) = ([], [])
    lightCount = 0
    // After too many names at once only everything is looked at, and no longer they.
    if waiting.count > 2 * LookSchedule.maximumCount { waiting = waiting.filter { files.contains($0.key) } }
    for file in files {
      guard let entry = waiting[file] else {
        new.append(file)
        continue
      }
      if unmeasured.contains(file) { changedAgain.append(file) }
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
    lightCount += new.count
    let turn = self.turn(ofLight: lightFile, heavy: heavyFile, isEverything: isEverything, at: now)
    let repetition = changedAgain.isEmpty ? .infinity : nextRepeatedMeasurement.seconds(since: now)
    let measured = repetition <= 0 ? new + changedAgain : new
    guard case .later(let pause) = turn else {
      // One look at least lies between two measurements: files whose names are new may come without end.
      return hasMeasured || measured.isEmpty ? turn : .sizes(measured)
    }
    let measurementPause = min(light.pause(at: now), heavy.pause(at: now))
    if measurementPause <= 0, !measured.isEmpty { return .sizes(measured) }
    return .later(min(pause, max(repetition, measurementPause)))
  }

  private mutating func turn(
    ofLight lightFile: PropertyListKey?, heavy heavyFile: PropertyListKey?, isEverything: Bool,
    at now: MonotonicTime
  ) -> Turn {
    let lightPause = lightCount == 0 ? .infinity : light.pause(at: now)
    var heavyPause = isEverything || heavyFile != nil ? heavy.pause(at: now) : .infinity
    let isTurnOfEverything = isEverything && (heavyFile == nil || nextLookAtEverything <= now)
    if isTurnOfEverything { heavyPause = max(heavyPause, nextLookAtEverything.seconds(since: now)) }
    if let lightFile, lightPause <= 0, isTurnOfLight || heavyPause > 0 { return .file(lightFile) }
    guard heavyPause <= 0 else { return .later(min(lightPause, heavyPause)) }
    if !isTurnOfEverything, let heavyFile { return .file(heavyFile) }
    return .everything
  }

  /// Notes the sizes of files that have begun to wait, or have changed while they wait.
  ///
  /// - Parameter seconds: How long it took to find them. With many files that counts, too.
  mutating func note(
    _ sizes: [(file: PropertyListKey, byteCount: Int64)], after seconds: Double, at now: MonotonicTime = .now
  ) {
    for (file, byteCount) in sizes {
      if waiting[file] != nil {
        waiting[file]?.note(byteCount: byteCount, at: virtualTime)
        nextRepeatedMeasurement = now + LookSchedule.measurementPause
        continue
      }
      waiting[file] = Waiting(
        number: waitCount, after: records[file], byteCount: byteCount, at: virtualTime)
      waitCount += 1
    }
    hasMeasured = true
    addSearch(seconds, at: now)
  }

  /// Notes the size of a file of which it is the turn.
  ///
  /// - Returns: Whether it has become large, and another file may come first. Once at most for each look.
  mutating func note(byteCount: Int64, of file: PropertyListKey) -> Bool {
    guard let entry = waiting[file], !entry.isHeavy, byteCount > LookSchedule.largestLightFile else {
      return false
    }
    waiting[file]?.note(byteCount: byteCount, at: virtualTime)
    return true
  }

  /// Counts a search that no look has followed, for a kind of files that may be looked at.
  mutating func addSearch(_ seconds: Double, at now: MonotonicTime = .now) {
    if light.pause(at: now) <= 0 { light.add(seconds, at: now) } else { heavy.add(seconds, at: now) }
  }

  /// Counts a look at a file, or at everything for nil, that has just ended.
  mutating func add(_ seconds: Double, for file: PropertyListKey?, at now: MonotonicTime = .now) {
    hasMeasured = false
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
      fairLead += isTurnOfOldest ? -seconds : seconds
      fairLead = max(-LookSchedule.longestLead, min(fairLead, LookSchedule.longestLead))
    }
    if records.count > LookSchedule.maximumCount { records = [:] }
    records[file] = Record(finish: entry.start + entry.cost, end: now)
  }
}
