import BenchmarkKit
import DefaultsDatabase
import Foundation

/// One piece of work, done by two threads at once and by one.
final class TwoThreads: Sendable {
  private let keys: [[String]]
  private let count: Int
  private let work: @Sendable ([String], Int) -> Double

  /// Takes the work: passes over keys, of which each thread has its own.
  init(_ bench: Workbench, work: @escaping @Sendable ([String], Int) -> Double) {
    keys = [TestKeys.make(1000), TestKeys.make(1000)]
    self.work = work
    var count = 1
    while work(keys[0], count) < (bench.isBrief ? 10_000 : 40_000_000) { count *= 2 }
    self.count = count
  }

  /// How much two threads get done in the time of one, in percent; 200 where they do not meet.
  ///
  /// The best of three of each, in turn: where anything else runs, it takes half of what two threads need, and
  /// nothing from one.
  func scaling() -> Double {
    var (alone, together) = (Double.infinity, Double.infinity)
    for _ in 0..<3 {
      alone = min(alone, run(threads: 1))
      together = min(together, run(threads: 2))
    }
    return 200 * alone / together
  }

  /// This as the limit of a row. What shares nothing gets nearly 200 % done where nothing else runs.
  func limit(_ name: String) -> Contender {
    Contender(name, .limit, .value(scaling), leastQuiet: 150)
  }

  /// The nanoseconds from the first thread's start to the last one's end.
  private func run(threads: Int) -> Double {
    let group = DispatchGroup()
    let start = StartLine(count: threads)
    let times = Times()
    for index in 0..<threads {
      group.enter()
      Thread { [self] in
        start.wait()
        let begin = monotonicTime()
        _ = work(keys[index], count)
        times.add(begin: begin, end: monotonicTime())
        group.leave()
      }.start()
    }
    group.wait()
    return times.span
  }
}

/// Where threads wait until all are there.
private final class StartLine: Sendable {
  private let missing: Lock<Int>
  private let condition = Condition()

  init(count: Int) {
    missing = Lock(count)
  }

  func wait() {
    missing.withLock { missing in
      missing -= 1
      condition.broadcast()
    }
    missing.withLock(waitingOn: condition) { $0 > 0 ? .wait() : .end }
  }
}

/// From when to when threads worked.
private final class Times: Sendable {
  private let times = Lock((begin: UInt64.max, end: UInt64.min))

  func add(begin: UInt64, end: UInt64) {
    times.withLock { $0 = (min($0.begin, begin), max($0.end, end)) }
  }

  var span: Double { times.withLock { Double($0.end - $0.begin) } }
}
