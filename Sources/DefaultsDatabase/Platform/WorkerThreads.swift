/// A few threads that run what is to be done, for as many as ask.
///
/// There are threads only while there is something to do, and never more than the limit. Jobs begin in the order in
/// which they are asked for; up to the limit, one that waits for another process or for the program keeps no other
/// waiting.
package final class WorkerThreads: Sendable {
  /// The threads of this process that do the package's own work.
  package static var shared: WorkerThreads { own.threads }
  /// Those that call the program's observers, who may keep them as long as they like.
  package static var forObservers: WorkerThreads { observers.threads }

  private static let own = OfThisProcess(limit: 8)
  private static let observers = OfThisProcess(limit: 64)

  /// A child that is forked has threads of its own.
  private final class OfThisProcess: Sendable {
    private let limit: Int
    private let current = Lock<WorkerThreads?>(nil)

    init(limit: Int) {
      self.limit = limit
    }

    var threads: WorkerThreads {
      current.withLock { current in
        if let threads = current, threads.process == CurrentProcess.identifier { return threads }
        let threads = WorkerThreads(limit: limit)
        current = threads
        return threads
      }
    }
  }

  private let limit: Int
  private let process = CurrentProcess.identifier
  private let state = Lock(State())

  private struct State {
    var threadCount = 0
    /// A queue whose first `begun` jobs were taken.
    var jobs: [@Sendable () -> Void] = []
    var begun = 0

    mutating func next() -> (@Sendable () -> Void)? {
      guard begun < jobs.count else {
        (jobs, begun) = ([], 0)
        return nil
      }
      let job = jobs[begun]
      begun += 1
      // Amortized constant time: as many were taken as are moved.
      if begun >= 64, begun > jobs.count / 2 {
        jobs.removeFirst(begun)
        begun = 0
      }
      return job
    }
  }

  init(limit: Int) {
    self.limit = limit
  }

  /// Runs a body on one of the threads; on the calling one where the system has no thread to give.
  ///
  /// For threads of the package itself, which the body may keep.
  package func run(_ body: @escaping @Sendable () -> Void) {
    let isThreadMissing = state.withLock { state in
      state.jobs.append(body)
      guard state.threadCount < limit else { return false }
      state.threadCount += 1
      return true
    }
    guard isThreadMissing, !SystemThread.start({ self.work() }) else { return }
    work()
  }

  private func work() {
    while true {
      let job = state.withLock { state in
        let job = state.next()
        if job == nil { state.threadCount -= 1 }
        return job
      }
      guard let job else { return }
      job()
    }
  }
}
