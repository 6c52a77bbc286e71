import OpenStepPropertyList
import TestSupport
import Testing

@testable import DefaultsDatabase

private let small: PropertyListKey = "small"
private let largeSize = LookSchedule.largestLightFile + 1

/// Which files are looked at now, and which later, by a clock of the test's own.
@Suite(.enabled(if: Thoroughness.runsHere, Comment(rawValue: Thoroughness.elsewhere)))
struct LookScheduleTests {
  /// Files that change all the time, and looks at them, one after the other.
  private struct Storm {
    let start: MonotonicTime
    var now: MonotonicTime
    var schedule: LookSchedule
    /// What may have changed and has not been looked at, and since when.
    var news: [PropertyListKey: MonotonicTime] = [:]
    /// What has changed since its size was noted.
    var unmeasured: Set<PropertyListKey> = []
    /// The sizes of files that are neither large nor of the usual size.
    var sizes: [PropertyListKey: Int64] = [small: 100]
    /// The same of files that are not known one by one any more, since they were too many.
    var unnamed: [PropertyListKey: MonotonicTime] = [:]
    var everythingSince: MonotonicTime?
    /// How long each search takes that no look follows, and all took, in seconds.
    var search = 0.0
    var searches = 0.0
    /// How long each waited at most, and was looked at in all, in seconds.
    var waits: [PropertyListKey: Double] = [:]
    var looks: [PropertyListKey: Double] = [:]
    var longestWaitOfEverything = 0.0

    init() {
      start = .now
      (now, schedule) = (start, LookSchedule(at: start))
    }

    /// The share of the time that the looks at some files took.
    func share(of isMeant: (PropertyListKey) -> Bool = { _ in true }) -> Double {
      looks.filter { isMeant($0.key) }.values.reduce(0, +) / now.seconds(since: start)
    }

    mutating func change(_ file: PropertyListKey) {
      if news[file] == nil { news[file] = now }
      unmeasured.insert(file)
      guard news.count > 1024 else { return }
      unnamed.merge(news) { min($0, $1) }
      (news, everythingSince) = ([:], everythingSince ?? now)
    }

    mutating func noteWait(of file: PropertyListKey, since start: MonotonicTime) {
      waits[file] = max(waits[file] ?? 0, now.seconds(since: start))
    }

    /// Changes some files all the time, and a rare one now and then.
    ///
    /// - Parameters:
    ///   - rest: How long the rare one is left alone at first, in seconds.
    ///   - pause: How long it is left alone each time, in seconds.
    ///   - step: Makes the next look, or waits.
    mutating func run(
      for seconds: Double, changing files: [PropertyListKey], and rare: PropertyListKey,
      after rest: Double = 0,
      every pause: Double, step: (inout Storm) -> Void
    ) {
      var nextChange = now + rest
      while now.seconds(since: start) < seconds {
        for file in files { change(file) }
        if now >= nextChange {
          change(rare)
          nextChange = now + pause
        }
        step(&self)
      }
    }

    /// Makes the next look, or waits a moment.
    ///
    /// - Parameters:
    ///   - large: The files that are large.
    ///   - bytes: The size of the others, but of those in ``sizes``.
    ///   - seconds: How long a look at a file takes, or at everything for nil.
    /// - Returns: The file; nil for everything or for no look.
    @discardableResult
    mutating func step(
      large: Set<PropertyListKey> = [], bytes: Int64 = 100, _ seconds: (PropertyListKey?) -> Double
    ) -> PropertyListKey? {
      let files = Set(news.keys)
      switch schedule.next(of: files, unmeasured: unmeasured, isEverything: everythingSince != nil, at: now) {
      case .later(let pause):
        // A part of a nanosecond would be no time.
        now = now + min(max(pause, 0.000_001), 0.05)
        return nil
      case .everything:
        longestWaitOfEverything = max(longestWaitOfEverything, now.seconds(since: everythingSince ?? now))
        for (file, start) in unnamed.merging(news, uniquingKeysWith: { min($0, $1) }) {
          noteWait(of: file, since: start)
        }
        (news, unmeasured, unnamed, everythingSince) = ([:], [], [:], nil)
        now = now + seconds(nil)
        schedule.add(seconds(nil), for: nil, at: now)
        return nil
      case .sizes(let files):
        unmeasured.subtract(files)
        let found = files.map { ($0, large.contains($0) ? largeSize : sizes[$0] ?? bytes) }
        now = now + search
        searches += search
        schedule.note(found, after: search, at: now)
        return nil
      case .file(let file):
        noteWait(of: file, since: news.removeValue(forKey: file) ?? now)
        unmeasured.remove(file)
        looks[file, default: 0] += seconds(file)
        now = now + seconds(file)
        schedule.add(seconds(file), for: file, at: now)
        return file
      }
    }
  }

  private func names(_ count: Int) -> [PropertyListKey] {
    (0..<count).map { PropertyListKey("file \($0)") }
  }

  // Files whose looks took between a tenth and a third of a second kept all others from being looked at.
  @Test(
    "a heavy file that changes all the time has a quarter of the time, and a small one waits for one look at most",
    arguments: [0.101, 0.11, 0.15, 0.2, 0.25, 0.3, 0.33, 0.34, 0.5, 1, 3])
  func heavyFile(seconds: Double) {
    var storm = Storm()
    storm.run(for: 300 * seconds, changing: ["big"], and: small, every: 0.5) { storm in
      storm.step(large: ["big"]) { $0 == "big" ? seconds : 0.001 }
    }
    #expect((0.2...0.27).contains(storm.share { $0 == "big" }))
    #expect(storm.waits[small] ?? .infinity <= seconds + 0.06)
  }

  // Such files were looked at one by one before any other, and a small one waited for half a minute.
  @Test(
    "among many files that change all the time one that seldom changes comes first, and the others in turn",
    arguments: Thoroughness.cases([(60, 0.005), (20, 0.03), (40, 0.01)], unoptimized: 1))
  func manyFiles(count: Int, seconds: Double) {
    var storm = Storm()
    let files = names(count)
    storm.run(for: 30, changing: files, and: small, after: 5, every: 0.5) { storm in
      storm.step(bytes: Int64(seconds / 3e-8)) { $0 == small ? 0.0001 : seconds }
    }
    #expect(storm.waits[small] ?? .infinity < 0.5)
    // A second in a row, and then a quarter of the time.
    #expect((0.2...0.3).contains(storm.share()))
    let round = Double(count) * seconds / 0.25
    for file in files { #expect(storm.waits[file] ?? .infinity < 2 * round + 1) }
  }

  // By the order of fair queueing alone such a file waited for minutes.
  @Test(
    "a light file of some size that seldom changes is not kept back by many small ones",
    arguments: Thoroughness.cases([30, 100, 300], unoptimized: 2))
  func largestLightFile(count: Int) {
    var storm = Storm()
    let files = names(count)
    storm.sizes["rare"] = 900_000
    storm.run(for: 12, changing: files, and: "rare", after: 5, every: 1) { storm in
      storm.step(bytes: 20) { $0 == "rare" ? 0.03 : 0.004 }
    }
    // Two rounds of all.
    let round = Double(count) * 0.004 / 0.25
    #expect(storm.waits["rare"] ?? .infinity < 2 * round + 0.5)
  }

  @Test("a file is not kept back by others whose names are new each time")
  func newNames() {
    var storm = Storm()
    for number in 0..<500 {
      storm.change("old")
      for one in 0..<5 { storm.change(PropertyListKey("\(number) \(one)")) }
      storm.step { _ in 0.02 }
      if storm.news.count > 100 { storm.news = storm.news.filter { $0.key == "old" } }
    }
    #expect(storm.looks["old"] ?? 0 > 0.05)
    #expect(storm.waits["old"] ?? .infinity < 10)
  }

  @Test("heavy files have turns, whatever each takes, and waits of ten seconds at most lie between them")
  func turns() {
    var storm = Storm()
    let files: [PropertyListKey] = ["a", "b", "c", "d"]
    var counts: [PropertyListKey: Int] = [:]
    while storm.now.seconds(since: storm.start) < 300 {
      for file in files + [small] { storm.change(file) }
      if let file = storm.step(large: Set(files), { $0 == small ? 0.001 : $0 == "a" ? 20 : 0.5 }) {
        counts[file, default: 0] += 1
      }
    }
    let turns = files.map { counts[$0] ?? 0 }
    #expect((turns.max() ?? 0) - (turns.min() ?? 0) <= 1 && turns[0] > 5, "\(turns)")
    #expect(storm.waits[small] ?? .infinity < 20.1)
  }

  @Test("neither everything, nor a heavy file, nor a light one is kept back by the others")
  func everything() {
    var storm = Storm()
    while storm.now.seconds(since: storm.start) < 200 {
      if storm.everythingSince == nil { storm.everythingSince = storm.now }
      for file in ["big", small] { storm.change(file) }
      storm.step(large: ["big"]) {
        $0 == small ? 0.001 : $0 == nil ? 0.05 : 0.5
      }
    }
    #expect(storm.longestWaitOfEverything < 4)
    #expect(storm.waits["big"] ?? .infinity < 4)
    #expect(storm.waits[small] ?? .infinity < 1)
  }

  @Test(
    "looks at everything that follow each other leave pauses that are nine times as long, a second at most")
  func pausesOfEverything() {
    var schedule = LookSchedule()
    let start = MonotonicTime.now
    for (seconds, pause) in [(0.01, 0.09), (0.1, 0.9), (0.2, 1)] {
      schedule = LookSchedule(at: start)
      schedule.add(seconds, for: nil, at: start + 1)
      guard case .later(let found) = schedule.next(of: [], unmeasured: [], isEverything: true, at: start + 1)
      else {
        Issue.record("no pause")
        continue
      }
      #expect(abs(found - pause) < 0.001)
      #expect(schedule.next(of: [], unmeasured: [], isEverything: true, at: start + 1 + pause) == .everything)
    }
  }

  // New large names came before every large file that was known, which was never told of as long as they came.
  @Test(
    "a large file is not kept back by others whose names are new each time",
    arguments: [(0.04, 0.2), (0.2, 0.3), (0.04, 0.025)])
  func newLargeNames(seconds: Double, pause: Double) {
    var storm = Storm()
    var names: [PropertyListKey] = []
    var (nextName, nextChange) = (storm.now, storm.now)
    while storm.now.seconds(since: storm.start) < 200 {
      if storm.now >= nextName {
        // Of the last thirty one is removed, and then it is small.
        names.append(PropertyListKey("new \(names.count)"))
        storm.change(names[names.count - 1])
        if names.count > 30 { storm.change(names[names.count - 31]) }
        nextName = nextName + pause
      }
      if storm.now >= nextChange {
        storm.change("victim")
        nextChange = storm.now + 5
      }
      let large = Set(names.suffix(30) + ["victim"])
      storm.step(large: large) { file in file.map(large.contains) ?? true ? seconds : 0.0001 }
    }
    let round = 32 * seconds / 0.25
    #expect(storm.waits["victim"] ?? .infinity < round + 1, "\(storm.waits["victim"] ?? -1)")
  }

  // Searches that no look followed were not counted, and took a whole processor.
  @Test(
    "new names of large files, thousands a second, take no more than a half of the time, and keep none back")
  func searches() {
    var storm = Storm()
    storm.search = 0.002
    var (count, nextChange) = (0, storm.now)
    while storm.now.seconds(since: storm.start) < 20 {
      while Double(count) < 2000 * storm.now.seconds(since: storm.start) {
        storm.change(PropertyListKey("new \(count)"))
        count += 1
      }
      if storm.now >= nextChange {
        storm.change(small)
        nextChange = storm.now + 0.5
      }
      storm.step(bytes: largeSize) { $0 == nil ? 0.02 : $0 == small ? 0.0001 : 0.003 }
    }
    #expect(storm.share() + storm.searches / 20 < 0.55)
    #expect(storm.waits[small] ?? .infinity < 1.5, "\(storm.waits[small] ?? -1)")
  }

  // All files of a round were at one virtual time, and the name decided; and then each byte of the size.
  @Test(
    "among files of one size that change all the time one of about that size that seldom changes comes first",
    arguments: Thoroughness.cases([3, 0] as [Int64], unoptimized: 1))
  func equalSizes(difference: Int64) {
    var storm = Storm()
    let files = names(80)
    let bytes: Int64 = 900_000
    var (nextChange, waits) = (storm.now + 30, [Double]())
    var seldom = PropertyListKey("z0")
    while waits.count <= 10, storm.now.seconds(since: storm.start) < 300 {
      for file in files { storm.change(file) }
      if storm.now >= nextChange {
        seldom = PropertyListKey(waits.count % 2 == 0 ? "z" : "a")
        storm.sizes[seldom] = bytes + difference
        storm.change(seldom)
        nextChange = storm.now + 10_000
      }
      if storm.step(bytes: bytes, { _ in 0.03 }) == seldom {
        waits.append(storm.waits.removeValue(forKey: seldom) ?? .infinity)
        nextChange = storm.now + 14
      }
    }
    #expect(waits.count > 10 && waits.allSatisfy { $0 < 1 }, "\(waits)")
  }

  @Test("a file that was large and is small now waits as a small one")
  func shrunkFile() {
    let start = MonotonicTime.now
    var schedule = LookSchedule(at: start)
    func next() -> LookSchedule.Turn {
      schedule.next(of: ["a"], unmeasured: [], isEverything: false, at: start)
    }
    #expect(next() == .sizes(["a"]))
    schedule.note([("a", largeSize)], after: 0, at: start)
    #expect(next() == .file("a"))
    schedule.add(3, for: "a", at: start)
    #expect(next() == .sizes(["a"]))
    schedule.note([("a", 10)], after: 0, at: start)
    #expect(next() == .file("a"))
  }

  // Its size was asked for when it began to wait, and not again before its turn.
  @Test(
    "a file that becomes small while it waits, waits as a small one from then on",
    arguments: [(6, largeSize, 0.3), (20, largeSize, 2), (150, 900_000, 0.03)])
  func shrunkWhileItWaits(count: Int, bytes: Int64, seconds: Double) {
    var storm = Storm()
    let files = names(count)
    var (shrinks, lookTime) = ([Double](), MonotonicTime?.none)
    var nextChange = storm.now + 20
    while shrinks.count < 4 {
      for file in files { storm.change(file) }
      if storm.now >= nextChange {
        if storm.sizes["victim"] != bytes {
          // Its turn would be a round later.
          storm.sizes["victim"] = bytes
          storm.change("victim")
          nextChange = storm.now + 2.5 * seconds
        } else if storm.news["victim"] == nil {
          // It was its turn at once.
          (storm.sizes["victim"], nextChange) = (nil, storm.now + 5)
        } else {
          storm.sizes["victim"] = 10
          storm.change("victim")
          (lookTime, nextChange) = (storm.now, storm.now + 10_000)
        }
      }
      if storm.step(bytes: bytes, { $0 == "victim" ? 0.0001 : seconds }) == "victim", let start = lookTime {
        shrinks.append(storm.now.seconds(since: start))
        (lookTime, nextChange) = (nil, storm.now + 20)
      }
    }
    #expect(shrinks.allSatisfy { $0 < seconds + 1 }, "\(shrinks)")
  }

  @Test("a large file waits for small ones, also one that has become large, once for each look")
  func size() {
    let start = MonotonicTime.now
    var schedule = LookSchedule(at: start)
    func next(of files: Set<PropertyListKey>, at now: MonotonicTime? = nil) -> LookSchedule.Turn {
      schedule.next(of: files, unmeasured: [], isEverything: false, at: now ?? start)
    }
    func note(_ size: Int64, of file: PropertyListKey) -> Bool { schedule.note(byteCount: size, of: file) }
    schedule.note([("a", 10), ("b", 10)], after: 0, at: start)
    #expect(next(of: ["a", "b"]) == .file("a"))
    let isLarge = [note(10, of: "a"), note(largeSize, of: "a"), note(10, of: "a"), note(largeSize, of: "a")]
    #expect(isLarge == [false, true, false, false])
    #expect(next(of: ["a"]) == .file("a"))
    schedule.add(1, for: "a", at: start)
    // Its pause lasts three seconds.
    #expect(next(of: ["a", "b"]) == .sizes(["a"]))
    schedule.note([("a", largeSize)], after: 0, at: start)
    #expect(next(of: ["a", "b"]) == .file("b"))
    #expect(next(of: ["a"]) != .file("a"))
    #expect(next(of: ["a"], at: start + 3.01) == .file("a"))
  }

  @Test(
    "a new file may come sooner than a light one that waits for its pace, as long as heavy ones may be looked at"
  )
  func wakes() {
    let start = MonotonicTime.now
    var schedule = LookSchedule(at: start)
    schedule.note([("light", 10)], after: 0, at: start)
    schedule.add(2, for: "light", at: start)
    schedule.note([("light", 10)], after: 0, at: start)
    guard case .later = schedule.next(of: ["light"], unmeasured: [], isEverything: false, at: start) else {
      Issue.record("no pause")
      return
    }
    var maySooner = schedule.mayComeSooner(at: start)
    #expect(maySooner)
    schedule.add(2, for: nil, at: start)
    schedule.note([("light", 10)], after: 0, at: start)
    _ = schedule.next(of: ["light"], unmeasured: [], isEverything: false, at: start)
    maySooner = schedule.mayComeSooner(at: start)
    #expect(!maySooner)
  }

  @Test("of files that were never looked at the smallest comes first")
  func estimates() {
    let start = MonotonicTime.now
    var schedule = LookSchedule(at: start)
    schedule.note([("a", 3000), ("b", 200_000), ("c", 10)], after: 0, at: start)
    #expect(schedule.next(of: ["a", "b", "c"], unmeasured: [], isEverything: false, at: start) == .file("c"))
    schedule.add(0.001, for: "c", at: start)
    // The next one is the one that has waited longest.
    #expect(schedule.next(of: ["a", "b"], unmeasured: [], isEverything: false, at: start) == .file("a"))
  }

  // Its size was asked for when it was its turn among the light ones.
  @Test(
    "a large file that seldom changes does not wait for the light ones, which change all the time",
    arguments: Thoroughness.cases([(40, 0.03), (150, 0.03), (1000, 0.003)], unoptimized: 1))
  func largeAmongLight(count: Int, seconds: Double) {
    var storm = Storm()
    let files = names(count)
    storm.run(for: 20, changing: files, and: "large", after: 5, every: 1) { storm in
      storm.step(large: ["large"], bytes: Int64(seconds / 3e-8)) { $0 == "large" ? 0.1 : seconds }
    }
    #expect(storm.waits["large"] ?? .infinity < 0.5, "\(storm.waits["large"] ?? -1)")
  }

  // Each new name took a turn in the order of fair queueing, and then the next turn was one of the other order.
  @Test(
    "new names of large light files do not keep a small one back, nor do small new names among such files",
    arguments: [(0, 60.0), (40, 10.0), (40, 100.0)])
  func newLightNames(count: Int, rate: Double) {
    var storm = Storm()
    let files = names(count)
    if count == 0 {
      // A burst of such files, of which none is known.
      for number in 0..<400 { storm.change(PropertyListKey("burst \(number)")) }
    }
    var (names, nextName) = (0, storm.now)
    storm.run(for: 20, changing: files, and: small, after: 2, every: 1) { storm in
      while count > 0, nextName <= storm.now {
        let name = PropertyListKey("new \(names)")
        storm.sizes[name] = 1
        storm.change(name)
        (names, nextName) = (names + 1, nextName + 1 / rate)
      }
      let isLarge = { (file: PropertyListKey) in !file.text.hasPrefix("new") && file != small }
      storm.step(bytes: 900_000, { $0.map(isLarge) ?? true ? 0.03 : 0.000_3 })
    }
    #expect(storm.waits[small] ?? .infinity < 0.6, "\(storm.waits[small] ?? -1)")
  }

  @Test("a large file has its turns among small ones whose names are new each time")
  func largeAmongNewNames() {
    var storm = Storm()
    for number in 0..<500 {
      storm.change(PropertyListKey("\(number)"))
      storm.change("large")
      storm.step(large: ["large"]) { $0 == "large" ? 0.2 : 0.0001 }
    }
    #expect(storm.waits["large"] ?? .infinity < 1)
  }
}
