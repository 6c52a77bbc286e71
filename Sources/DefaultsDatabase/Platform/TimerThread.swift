/// A thread that runs one body at scheduled times, and sleeps otherwise.
///
/// It needs no run loop, does not keep the process from ending, and exists only while a time is scheduled.
package final class TimerThread: @unchecked Sendable {
  // Unchecked, because the compiler cannot see that the condition guards the variables below.
  private let condition = Condition()
  private var deadline: MonotonicTime?
  private var isRunning = false
  private let body: @Sendable () -> MonotonicTime?

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
    condition.withLock {
      let isEarliest = deadline.map { time < $0 } ?? true
      if isEarliest { deadline = time }
      if !isRunning {
        isRunning = start()
      } else if isEarliest {
        condition.signal()
      }
      return isRunning
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
    condition.withLock {
      while let deadline {
        if deadline <= .now {
          self.deadline = nil
          return true
        }
        condition.wait(until: deadline)
      }
      isRunning = false
      return false
    }
  }
}
