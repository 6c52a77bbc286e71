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
/// Jobs begin in the order in which they are added. Only a few threads work at a time. A thread that pauses, waits for
/// others or runs the program's code does not count, nor does one that has worked for longer than a moment without a pause,
/// as in a call of a file system that does not answer: as many threads may work besides, so that their number doubles with
/// each moment for as long as all of them are held up.
package final class WorkerThreads: @unchecked Sendable {
  // Unchecked, because the compiler cannot see that the condition guards the state.

  /// The threads for the package's own work.
  package static var shared: WorkerThreads { own.threads }
  /// The threads that save, each of which may wait for another process.
  package static var forSaves: WorkerThreads { saves.threads }
  /// The threads that synchronize classic objects, which calls the program's observers.
  package static var forSynchronizing: WorkerThreads { synchronizing.threads }
  /// The threads that call the program's observers, which may take any time.
  package static var forObservers: WorkerThreads { observers.threads }
  /// The threads that make the program's asynchronous commits: at most one for each database waits.
  package static var forCommits: WorkerThreads { commits.threads }

  private static let own = OfThisProcess(workingLimit: 3)
  private static let saves = OfThisProcess(workingLimit: 2)
  private static let synchronizing = OfThisProcess(workingLimit: 2)
  private static let observers = OfThisProcess()
  private static let commits = OfThisProcess()

  /// A pool for each process, since a forked child does not inherit threads.
  private final class OfThisProcess: Sendable {
    private let workingLimit: Int?
    private let current = Lock<WorkerThreads?>(nil)

    init(workingLimit: Int? = nil) {
      self.workingLimit = workingLimit
    }

    var threads: WorkerThreads {
      current.withLock { current in
        if let threads = current, threads.process == CurrentProcess.identifier { return threads }
        let threads = WorkerThreads(limit: 64, workingLimit: workingLimit)
        current = threads
        return threads
      }
    }
  }

  private let limit: Int
  private let workingLimit: Int
  private let moment: Double
  private let process = CurrentProcess.identifier
  private let condition = Condition()
  private var state = State()

  private struct State {
    var threadCount = 0
    /// How many of the threads pause.
    var pausingCount = 0
    var working: [Worker] = []
    /// Whether a thread, the reserve, waits until one more may work.
    var hasReserve = false
    var jobs = JobQueue()
  }

  /// A thread while it runs jobs.
  private final class Worker {
    let pool: WorkerThreads
    /// When it has begun its job, or has ended its last pause. The pool's condition guards it.
    var start = MonotonicTime.now
    /// Used by the thread itself only.
    var isPausing = false

    init(in pool: WorkerThreads) {
      self.pool = pool
    }
  }

  /// - Parameters:
  ///   - limit: The maximum number of threads.
  ///   - workingLimit: The maximum number of threads that work, as long as none of them works for longer than a moment;
  ///     nil for no further limit.
  ///   - moment: The length of a moment, in seconds.
  init(limit: Int, workingLimit: Int? = nil, moment: Double = 0.05) {
    (self.limit, self.workingLimit, self.moment) = (limit, workingLimit ?? limit, moment)
  }

  /// Runs a body on one of the threads; on the calling thread if the system provides none.
  ///
  /// A caller on a thread of the program runs the bodies of others too where the system provides no thread; they would
  /// never run otherwise.
  ///
  /// - Parameter isJob: Whether a job of this pool calls, which may hold locks; where the system provides no thread, the
  ///   body runs after that job.
  package func run(fromJob isJob: Bool = false, _ body: @escaping @Sendable () -> Void) {
    let isThreadMissing = condition.withLock {
      state.jobs.append(body)
      return countThreadIfMissing()
    }
    guard isThreadMissing, !startThread(), !isJob else { return }
    condition.withLock { state.threadCount += 1 }
    work(waits: false)
  }

  // MARK: - The number of threads

  /// Counts another thread if one is missing, as the next to work or as the reserve. The condition is locked.
  private func countThreadIfMissing() -> Bool {
    guard !state.jobs.isEmpty, !state.hasReserve, state.threadCount < limit else { return false }
    let activeCount = state.threadCount - state.pausingCount
    let delayedCount = delayedCount
    // After pauses more may work than the limit, and no thread be on its way: one has to see when they are held up.
    guard activeCount <= state.working.count || activeCount - delayedCount <= max(workingLimit, delayedCount)
    else { return false }
    state.threadCount += 1
    return true
  }

  /// Whether one more thread may work. The condition is locked.
  private var mayWork: Bool {
    let delayedCount = delayedCount
    return state.working.count - delayedCount < max(workingLimit, delayedCount)
  }

  /// How many threads have worked for longer than a moment. The condition is locked.
  private var delayedCount: Int {
    let now = MonotonicTime.now
    return state.working.count { $0.start + moment <= now }
  }

  /// Starts a thread that is counted already; false if the system provides none.
  private func startThread() -> Bool {
    if SystemThread.start({ self.work(waits: true) }) { return true }
    condition.withLock { state.threadCount -= 1 }
    return false
  }

  /// Runs jobs for as long as this thread may.
  private func work(waits: Bool) {
    let outer = WorkerThreads.ofThisThread
    let worker = Worker(in: self)
    WorkerThreads.ofThisThread = worker
    defer { WorkerThreads.ofThisThread = outer }
    while let (job, isThreadMissing) = nextJob(of: worker, waits: waits) {
      if isThreadMissing { _ = startThread() }
      job()
      condition.withLock { state.working.removeAll { $0 === worker } }
    }
  }

  /// Takes the next job; nil if the thread is not needed, which is not counted any more then.
  ///
  /// - Parameter waits: Whether the thread waits as the reserve if one is missing.
  private func nextJob(
    of worker: Worker, waits: Bool
  ) -> (job: @Sendable () -> Void, isThreadMissing: Bool)? {
    condition.withLock {
      while !state.jobs.isEmpty {
        if mayWork, let job = state.jobs.next() {
          worker.start = .now
          state.working.append(worker)
          return (job, countThreadIfMissing())
        }
        if !waits || state.hasReserve { break }
        state.hasReserve = true
        condition.waitUncounted(until: nextDelay)
        state.hasReserve = false
      }
      state.threadCount -= 1
      return nil
    }
  }

  /// When the next of the threads that work will have done so for longer than a moment. The condition is locked.
  private var nextDelay: MonotonicTime {
    let now = MonotonicTime.now
    return state.working.map { $0.start + moment }.filter { $0 > now }.min() ?? now
  }

  // MARK: - Threads that pause

  private static let key: pthread_key_t? = {
    var key = pthread_key_t()
    // Without one, all threads count as working.
    return pthread_key_create(&key, nil) == 0 ? key : nil
  }()

  /// The calling thread while it runs jobs; nil for another thread.
  private static var ofThisThread: Worker? {
    get {
      guard let key, let worker = pthread_getspecific(key) else { return nil }
      return Unmanaged<Worker>.fromOpaque(worker).takeUnretainedValue()
    }
    set {
      if let key { pthread_setspecific(key, newValue.map { Unmanaged.passUnretained($0).toOpaque() }) }
    }
  }

  /// Runs a body in which the calling thread pauses, waits for others or runs the program's code; if it is one of a
  /// pool's, another one may work meanwhile.
  package static func pausing<Result>(_ body: () -> Result) -> Result {
    guard let worker = ofThisThread, !worker.isPausing, worker.pool.process == CurrentProcess.identifier
    else {
      return body()
    }
    worker.isPausing = true
    worker.pool.beginPause(of: worker)
    defer {
      worker.pool.endPause(of: worker)
      worker.isPausing = false
    }
    return body()
  }

  private func beginPause(of worker: Worker) {
    let isThreadMissing = condition.withLock {
      state.working.removeAll { $0 === worker }
      state.pausingCount += 1
      if state.hasReserve { condition.signal() }
      return countThreadIfMissing()
    }
    if isThreadMissing { _ = startThread() }
  }

  private func endPause(of worker: Worker) {
    condition.withLock {
      worker.start = .now
      state.working.append(worker)
      state.pausingCount -= 1
    }
  }
}
