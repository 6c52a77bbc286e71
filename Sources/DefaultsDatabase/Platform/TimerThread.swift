/// A thread that runs one body at scheduled times, and sleeps otherwise.
///
/// It needs no run loop, does not keep the process from ending, and exists only while a time is scheduled.
package final class TimerThread: Sendable {
  private let state = Lock(State())
  private let condition = Condition()
  private let body: @Sendable () -> MonotonicTime?

  private struct State {
    var deadline: MonotonicTime?
    var isRunning = false
  }

  /// Makes a timer without a scheduled time.
  ///
  /// - Parameter body: The work; it returns the next time, or nil for none.
  package init(body: @escaping @Sendable () -> MonotonicTime?) {
    self.body = body
  }

  /// Schedules the body for a time, or leaves an earlier one that is scheduled already.
  ///
  /// - Returns: false if the system provides no thread now; the next call tries again.
  @discardableResult
  package func schedule(at time: MonotonicTime) -> Bool {
    state.withLock { state in
      let isEarliest = state.deadline.map { time < $0 } ?? true
      if isEarliest { state.deadline = time }
      if !state.isRunning {
        state.isRunning = start()
      } else if isEarliest {
        condition.signal()
      }
      return state.isRunning
    }
  }

  /// Starts the thread; false if the system provides none.
  private func start() -> Bool {
    // The closure retains this object as long as the thread runs.
    SystemThread.start { self.run() }
  }

  private func run() {
    while waitForDeadline() {
      if let next = body() { schedule(at: next) }
    }
  }

  /// Waits for the scheduled time; false if there is none, so that the thread ends.
  private func waitForDeadline() -> Bool {
    var isDue = false
    state.withLock(waitingOn: condition) { state in
      guard let deadline = state.deadline else {
        state.isRunning = false
        return .end
      }
      if deadline > .now { return .wait(until: deadline) }
      state.deadline = nil
      isDue = true
      return .end
    }
    return isDue
  }
}
