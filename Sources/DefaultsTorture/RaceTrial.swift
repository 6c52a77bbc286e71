import DefaultsDatabase
import OpenStepPropertyList

/// Makes many processes or threads write different keys into one domain at the same time.
///
/// Each writer also sets keys and removes them again, and replaces another domain as a whole.
struct RaceTrial: TortureTrial {
  let processes: Int
  let threads: Int
  /// The number of keys that each writer sets.
  let keys: Int
  /// Whether one of the writers is stopped, and an additional one killed, while it holds the lock.
  let isDisturbed: Bool

  /// The number of keys that were set, and are missing or have another value.
  private(set) var lost = 0
  /// The number of keys that were removed, but exist.
  private(set) var returned = 0
  /// How often a domain that is replaced as a whole held values of two writers.
  private(set) var mixtures = 0
  /// How often a synchronize was refused because another process held the lock.
  private(set) var refusals = 0
  /// The number of acknowledged keys of the killed writer.
  private(set) var acknowledgedByKilled = 0
  private(set) var seconds = 0.0

  /// The time for which a writer is stopped, in seconds: longer than the others wait.
  private static let stop = 2.5

  /// Runs the race.
  ///
  /// - Parameter keysPerSave: How many keys a writer sets before each synchronize.
  init(
    processes: Int, threads: Int = 1, keys: Int, keysPerSave: Int = 1, isDisturbed: Bool,
    on bench: TortureBench
  ) throws {
    (self.processes, self.threads, self.keys, self.isDisturbed) = (processes, threads, keys, isDisturbed)
    let directory = bench.freshPath("race")
    let start = MonotonicTime.now
    func makeJob(_ number: Int) -> TortureJob {
      TortureJob(
        .race, directory: directory, notes: bench.freshPath("outcome"), number: number, keys: keys,
        threads: threads, keysPerSave: keysPerSave)
    }
    var killed: [TortureNotes.Note] = []
    let racers: [TortureProcess]
    if isDisturbed {
      let first = try bench.startAndStopHoldingLock { makeJob(0) }
      racers = try [first] + (1..<processes).map { try bench.start(makeJob($0)) }
      bench.tell("a writer is stopped while it holds the lock")
      try bench.pause(seconds: RaceTrial.stop)
      first.send(.continue)
      killed = try RaceTrial.killHoldingLock(in: directory, number: processes, on: bench)
      bench.tell("a writer is killed while it holds the lock")
    } else {
      racers = try (0..<processes).map { try bench.start(makeJob($0)) }
    }
    try bench.waitForEnd(of: racers)
    seconds = MonotonicTime.now.seconds(since: start)
    try count(in: UserDatabase(directory: directory), killed: killed)
    for racer in racers {
      let outcome = try TortureRacer.outcome(racer.job.notes)
      guard outcome.failure.isEmpty else { throw TortureError(outcome.failure) }
      refusals += outcome.refusals
      mixtures += outcome.mixtures
    }
  }

  /// Starts an additional writer, kills it while it holds the lock, and returns its acknowledged keys.
  private static func killHoldingLock(
    in directory: String, number: Int, on bench: TortureBench
  ) throws -> [TortureNotes.Note] {
    let notes = bench.freshPath("notes")
    let process = try bench.start(TortureJob(.write, directory: directory, notes: notes, number: number))
    try bench.waitForNotes(notes, of: process)
    guard try bench.stopHoldingLock(process) else {
      throw TortureError("a child has failed: \(process.complaint)")
    }
    process.send(.kill)
    try bench.wait(for: "the end of a killed child") { !process.isRunning }
    return try TortureNotes.read(notes)
  }

  private mutating func count(in database: UserDatabase, killed: [TortureNotes.Note]) throws {
    let values = try database.load(DomainName(TortureChild.domain)).values
    for writer in 0..<(processes * threads) {
      for number in 0..<keys
      where values[PropertyListKey(TortureRacer.key(number, of: writer))] != .string(String(number)) {
        lost += 1
      }
      if values[PropertyListKey(TortureRacer.lastKey(of: writer))] != .string(String(keys - 1)) { lost += 1 }
    }
    acknowledgedByKilled = killed.count
    for note in killed
    where values[PropertyListKey("\(processes)-\(note.number)")] != .string(String(note.number)) {
      lost += 1
    }
    returned = values.keys.count { $0.text.hasPrefix(TortureRacer.passing) }
    let replaced = try database.load(DomainName(TortureChild.replacedDomain)).values
    let texts = Dictionary(uniqueKeysWithValues: replaced.map { ($0.key.text, $0.value.scalarText ?? "") })
    if !texts.isEmpty && !TortureRacer.isWhole(texts) { mixtures += 1 }
  }

  var isClean: Bool { lost == 0 && returned == 0 && mixtures == 0 }

  /// The duration of the race, divided by the number of all writers' keys.
  var millisecondsPerKey: Double { seconds * 1000 / Double(max(1, processes * threads * keys)) }

  var rows: [TortureRow] {
    let writers = processes == 1 ? "\(threads) threads" : "\(processes) processes"
    let disturbance = isDisturbed ? ", one stopped, one killed" : ""
    return [
      TortureRow("race of \(writers) × \(keys) keys\(disturbance)", processes * threads * keys),
      TortureRow("  keys lost", lost),
      TortureRow("  removed keys that came back", returned),
      TortureRow("  replaced domains that were mixed", mixtures),
    ] + (isDisturbed ? [TortureRow("  refused while a writer was stopped", refusals)] : [])
      + [TortureRow("  time for each key", millisecondsPerKey, decimals: 1, unit: "ms")]
  }
}
