#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#else
  #error("WorkerThreads: name this platform's C library here.")
#endif

/// A pool of threads that exist only while there is work.
///
/// Jobs begin in the order in which they are added. While there are fewer jobs than the limit of threads, a
/// job that waits for another process or for the program delays no other. Of the package's own work only a few threads'
/// is done at a time: those that pause or wait do not count.
package final class WorkerThreads: Sendable {
  /// The threads for the package's own work.
  package static var shared: WorkerThreads { own.threads }
  /// The threads that save, each of which may wait for another process.
  package static var forSaves: WorkerThreads { saves.threads }
  /// The threads that call the program's observers, which may take any time.
  package static var forObservers: WorkerThreads { observers.threads }
  /// The threads that make the program's asynchronous commits: at most one for each database waits.
  package static var forCommits: WorkerThreads { commits.threads }

  private static let own = OfThisProcess(limit: 8, workingLimit: 4)
  private static let saves = OfThisProcess(limit: 64, workingLimit: 3)
  private static let observers = OfThisProcess(limit: 64)
  private static let commits = OfThisProcess(limit: 64)

  /// A pool for each process, since a forked child does not inherit threads.
  private final class OfThisProcess: Sendable {
    private let limit: Int
    private let workingLimit: Int?
    private let current = Lock<WorkerThreads?>(nil)

    init(limit: Int, workingLimit: Int? = nil) {
      (self.limit, self.workingLimit) = (limit, workingLimit)
    }

    var threads: WorkerThreads {
      current.withLock { current in
        if let threads = current, threads.process == CurrentProcess.identifier { return threads }
        let threads = WorkerThreads(limit: limit, workingLimit: workingLimit)
        current = threads
        return threads
      }
    }
  }

  private let limit: Int
  private let workingLimit: Int
  private let process = CurrentProcess.identifier
  private let state = Lock(State())

  private struct State {
    var threadCount = 0
    /// How many of the threads pause, or wait for others.
    var pausingCount = 0
    var jobs = JobQueue()

    var workingCount: Int { threadCount - pausingCount }
  }

  /// - Parameters:
  ///   - limit: The maximum number of threads.
  ///   - workingLimit: The maximum number of threads that neither pause nor wait, but for a moment; nil for no further
  ///     limit.
  init(limit: Int, workingLimit: Int? = nil) {
    (self.limit, self.workingLimit) = (limit, workingLimit ?? limit)
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
      return mayStartThread(&state)
    }
    guard isThreadMissing, !SystemThread.start({ self.work() }) else { return }
    if isJob {
      state.withLock { $0.threadCount -= 1 }
    } else {
      work()
    }
  }

  /// Counts another thread if there may be one.
  private func mayStartThread(_ state: inout State) -> Bool {
    guard state.threadCount < limit, state.workingCount < workingLimit else { return false }
    state.threadCount += 1
    return true
  }

  private func work() {
    let outer = WorkerThreads.ofThisThread
    WorkerThreads.ofThisThread = self
    defer { WorkerThreads.ofThisThread = outer }
    while true {
      let job = state.withLock { state in
        // Those that have paused may be too many now.
        let job = state.workingCount > workingLimit ? nil : state.jobs.next()
        if job == nil { state.threadCount -= 1 }
        return job
      }
      guard let job else { return }
      job()
    }
  }

  // MARK: - Threads that pause

  private static let key: pthread_key_t? = {
    var key = pthread_key_t()
    // Without one, all threads count as working.
    return pthread_key_create(&key, nil) == 0 ? key : nil
  }()

  /// The pool whose jobs the calling thread runs; nil for none.
  private static var ofThisThread: WorkerThreads? {
    get {
      guard let key, let pool = pthread_getspecific(key) else { return nil }
      return Unmanaged<WorkerThreads>.fromOpaque(pool).takeUnretainedValue()
    }
    set {
      if let key { pthread_setspecific(key, newValue.map { Unmanaged.passUnretained($0).toOpaque() }) }
    }
  }

  /// Runs a body in which the calling thread pauses or waits for another; if it is one of a pool's, another one may work
  /// meanwhile.
  static func pausing<Result>(_ body: () -> Result) -> Result {
    guard let pool = ofThisThread else { return body() }
    pool.beginPause()
    defer { pool.state.withLock { $0.pausingCount -= 1 } }
    return body()
  }

  private func beginPause() {
    let isThreadMissing = state.withLock { state in
      state.pausingCount += 1
      return !state.jobs.isEmpty && mayStartThread(&state)
    }
    if isThreadMissing, !SystemThread.start({ self.work() }) { state.withLock { $0.threadCount -= 1 } }
  }
}
