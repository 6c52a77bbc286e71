import DefaultsDatabase
import OpenStepPropertyList

/// Makes many processes count one number up by commits at the same time.
struct CountTrial: TortureTrial {
  let processes: Int
  /// How often each process counts.
  let commits: Int
  /// Whether one of them is stopped, and an additional one killed, while it holds the lock.
  let isDisturbed: Bool

  /// The number of commits that were acknowledged.
  private(set) var acknowledged = 0
  /// The number of processes that were killed, each of which may have counted once more.
  private(set) var killed = 0
  /// The number at the end.
  private(set) var counted = 0
  private(set) var seconds = 0.0

  /// The key of the number.
  static let key = "count"
  /// The time for which a process is stopped, in seconds: longer than the others wait.
  private static let stop = 2.5

  init(processes: Int, commits: Int, isDisturbed: Bool, on bench: TortureBench) throws {
    (self.processes, self.commits, self.isDisturbed) = (processes, commits, isDisturbed)
    let directory = bench.freshPath("count")
    var notes: [String] = []
    func makeJob(_ commits: Int) -> TortureJob {
      notes.append(bench.freshPath("notes"))
      return TortureJob(.count, directory: directory, notes: notes[notes.count - 1], keys: commits)
    }
    let start = MonotonicTime.now
    var counters: [TortureProcess] = []
    if isDisturbed {
      counters.append(try bench.startAndStopHoldingLock { makeJob(commits) })
      for _ in 1..<processes { counters.append(try bench.start(makeJob(commits))) }
      bench.tell("a process that counts is stopped while it holds the lock")
      try bench.pause(seconds: CountTrial.stop)
      counters[0].send(.continue)
      let victim = try bench.start(makeJob(0))
      guard try bench.stopHoldingLock(victim) else {
        throw TortureError("a child has failed: \(victim.complaint)")
      }
      victim.send(.kill)
      try bench.wait(for: "the end of a killed child") { !victim.isRunning }
      killed = 1
      bench.tell("a process that counts is killed while it holds the lock")
    } else {
      for _ in 0..<processes { counters.append(try bench.start(makeJob(commits))) }
    }
    try bench.waitForEnd(of: counters)
    seconds = MonotonicTime.now.seconds(since: start)
    for path in notes { acknowledged += try TortureNotes.read(path).count }
    let values = try UserDatabase(directory: directory).load(DomainName(TortureChild.domain)).values
    counted = values[PropertyListKey(CountTrial.key)]?.scalarText.flatMap { Int($0) } ?? 0
  }

  /// Whether each acknowledged commit has counted, and of the others at most those under way at a kill.
  var isClean: Bool { (acknowledged...acknowledged + killed).contains(counted) }

  /// The duration, divided by the number of commits.
  var millisecondsPerCommit: Double { seconds * 1000 / Double(max(1, acknowledged)) }

  var rows: [TortureRow] {
    let disturbance = isDisturbed ? ", one stopped, one killed" : ""
    return [
      TortureRow("count by \(processes) processes × \(commits) commits\(disturbance)", acknowledged),
      TortureRow("  counted", counted),
      TortureRow("  time for each commit", millisecondsPerCommit, decimals: 1, unit: "ms"),
    ]
  }
}
