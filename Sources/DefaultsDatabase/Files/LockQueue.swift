/// The threads of this process that change the files of one directory: they take their turns in the order in which
/// they ask, and only the first of them waits for other processes.
///
/// A thread's deadline limits how long it waits for another process, or for a closure of the program that another
/// thread runs. Time in which threads of this process read and write files does not count: the deadline moves on by
/// it, because each of these threads finishes. Otherwise a slow disk would make the last of many threads fail.
package final class LockQueue: Sendable {
  private let turns = TicketLock()
  private let state = Lock(State())

  private struct State {
    /// How long threads have waited for other processes, in seconds, without the present stall.
    var waited = 0.0
    /// What keeps the thread whose turn it is from working; nil if it works.
    var stall: Stall?

    /// How long threads have waited for other processes, in seconds.
    func waited(at now: MonotonicTime) -> Double {
      waited + (stall.map { $0.counts ? now.seconds(since: $0.start) : 0 } ?? 0)
    }

    /// How long a thread has waited for the closure that is running, in seconds.
    func waitedForClosure(at now: MonotonicTime, since arrival: MonotonicTime) -> Double {
      stall.map { $0.counts ? 0 : now.seconds(since: max($0.start, arrival)) } ?? 0
    }
  }

  private struct Stall {
    let start: MonotonicTime
    /// Whether it counts when it is over: a wait for a process does, and a closure does not.
    var counts: Bool
  }

  /// A thread's wait for its turn.
  package struct Wait: Sendable {
    fileprivate let queue: LockQueue
    /// When it began.
    package let arrival: MonotonicTime
    /// How long the thread could wait for others then, in seconds.
    package let patience: Double
    fileprivate let waitedBefore: Double

    /// How long the thread may still wait for others, in seconds; negative after the deadline.
    package var remaining: Double { remaining(at: .now) }

    private func remaining(at now: MonotonicTime) -> Double {
      queue.state.withLock { state in
        let waited = state.waited(at: now) - waitedBefore
        return patience - waited - state.waitedForClosure(at: now, since: arrival)
      }
    }

    /// Whether others have kept this thread waiting until its deadline.
    package var isOver: Bool { remaining <= 0 }

    /// The deadline, moved on by the time in which threads of this process worked.
    package var deadline: MonotonicTime {
      let now = MonotonicTime.now
      return now + remaining(at: now)
    }
  }

  /// Whether the thread whose turn it is waits for another process, or for a closure of the program.
  package var isStalled: Bool { state.withLock { $0.stall != nil } }

  /// Begins to measure a wait.
  package func wait(until deadline: MonotonicTime) -> Wait {
    let now = MonotonicTime.now
    return Wait(
      queue: self, arrival: now, patience: deadline.seconds(since: now),
      waitedBefore: state.withLock { $0.waited(at: now) })
  }

  /// Runs a body in the caller's turn.
  ///
  /// - Parameters:
  ///   - deadline: When to stop waiting for others.
  ///   - body: Is given the deadline as it is then.
  /// - Returns: nil if the caller has stopped waiting.
  func turn<Result>(
    until deadline: MonotonicTime, _ body: (MonotonicTime) throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result? {
    let wait = wait(until: deadline)
    guard turns.begin(until: deadline, if: { wait.isOver }) else { return nil }
    defer { turns.end() }
    return try body(wait.deadline)
  }

  /// Runs a body in which the thread whose turn it is waits for another process.
  func waitingForProcesses<Result>(
    _ body: () throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    try stalled(counts: true, body)
  }

  /// Leaves the present wait for a process out of the count, because the lock was free: on a busy machine, taking a
  /// free lock takes time as well.
  func lockWasFree() { state.withLock { $0.stall?.counts = false } }

  /// Runs a closure of the program, or what waits for one, in the turn of this thread.
  ///
  /// Others wait for it as for another process, but a closure that has returned counts no longer: many short ones
  /// are not the fault of any.
  func inClosure<Result>(
    _ body: () throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    try stalled(counts: false, body)
  }

  /// Measures anew how long the thread whose turn it is has been inside a closure: it waited for another one, which
  /// has returned.
  package func beginStallAgain() {
    state.withLock { state in
      guard let stall = state.stall else { return }
      state.stall = Stall(start: .now, counts: stall.counts)
    }
  }

  private func stalled<Result>(
    counts: Bool, _ body: () throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    state.withLock { $0.stall = Stall(start: .now, counts: counts) }
    defer {
      let now = MonotonicTime.now
      state.withLock { state in
        state.waited = state.waited(at: now)
        state.stall = nil
      }
    }
    return try body()
  }
}
