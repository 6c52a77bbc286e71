/// A thread that runs one body at set times, and sleeps otherwise.
///
/// It needs no run loop, does not keep the process from ending, and is there only while a time is
/// set.
package final class TimerThread: @unchecked Sendable {
  // Unchecked, because the compiler cannot see that the condition guards the variables below.
  private let condition = Condition()
  private var deadline: MonotonicTime?
  private var isRunning = false
  private let body: @Sendable () -> MonotonicTime?

  /// Makes a thread that waits to be told a time.
  ///
  /// - Parameter body: What to do at that time; it gives the next time, or nil to wait to be told.
  package init(body: @escaping @Sendable () -> MonotonicTime?) {
    self.body = body
  }

  /// Has the body run at a time, or earlier if an earlier one is set already.
  package func schedule(at time: MonotonicTime) {
    condition.withLock {
      let isEarliest = deadline.map { time < $0 } ?? true
      if isEarliest { deadline = time }
      if !isRunning {
        isRunning = start()
      } else if isEarliest {
        condition.signal()
      }
    }
  }

  /// Starts the thread; false where the system has none to give, so that the next call tries again.
  private func start() -> Bool {
    // Holds on to this object, which lives as long as the thread does.
    SystemThread.start { self.run() }
  }

  private func run() {
    while waitForDeadline() {
      if let next = body() { schedule(at: next) }
    }
  }

  /// Waits for the time that is set; false where none is, and then the thread ends.
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
