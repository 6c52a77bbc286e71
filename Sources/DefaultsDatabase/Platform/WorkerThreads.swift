/// A pool of threads that exist only while there is work.
///
/// Jobs begin in the order in which they are added. While there are fewer jobs than the limit of threads, a
/// job that waits for another process or for the program delays no other.
package final class WorkerThreads: Sendable {
  /// The threads for the package's own work.
  package static var shared: WorkerThreads { own.threads }
  /// The threads that save, each of which may wait for another process.
  package static var forSaves: WorkerThreads { saves.threads }
  /// The threads that call the program's observers, which may take any time.
  package static var forObservers: WorkerThreads { observers.threads }
  /// The threads that make the program's asynchronous commits: at most one for each database waits.
  package static var forCommits: WorkerThreads { commits.threads }

  private static let own = OfThisProcess(limit: 8)
  private static let saves = OfThisProcess(limit: 64)
  private static let observers = OfThisProcess(limit: 64)
  private static let commits = OfThisProcess(limit: 64)

  /// A pool for each process, since a forked child does not inherit threads.
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
    var jobs = JobQueue()
  }

  init(limit: Int) {
    self.limit = limit
  }

  /// Runs a body on one of the threads; on the calling thread if the system provides none.
  ///
  /// A caller on a thread of the program runs the bodies of others too where the system provides no thread; they would
  /// never run otherwise.
  ///
  /// - Parameter isJob: Whether a job of this pool calls, which may hold locks; where the system provides no thread, the
  ///   body runs after that job.
  package func run(fromJob isJob: Bool = false, _ body: @escaping @Sendable () -> Void) {
    let isThreadMissing = state.withLock { state in
      state.jobs.append(body)
      guard state.threadCount < limit else { return false }
      state.threadCount += 1
      return true
    }
    guard isThreadMissing, !SystemThread.start({ self.work() }) else { return }
    if isJob {
      state.withLock { $0.threadCount -= 1 }
    } else {
      work()
    }
  }

  private func work() {
    while true {
      let job = state.withLock { state in
        let job = state.jobs.next()
        if job == nil { state.threadCount -= 1 }
        return job
      }
      guard let job else { return }
      job()
    }
  }
}
