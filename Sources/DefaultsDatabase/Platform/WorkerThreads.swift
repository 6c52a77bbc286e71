/// A pool of threads that exist only while there is work.
///
/// Jobs begin in the order in which they are added. At most `workingLimit` threads work at a time. A thread whose job
/// takes longer than a moment does not count: it waits for another process, for the program or for a file system. For
/// each such thread one more may work, so that their number doubles with each moment while all of them are held up.
package final class WorkerThreads: Sendable {
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
  private static let saves = OfThisProcess(workingLimit: 3)
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

  private let process = CurrentProcess.identifier
  private let state: Lock<State>
  private let condition = Condition()

  private struct State {
    let limit: Int
    let workingLimit: Int
    let moment: Double
    var threadCount = 0
    /// When the job of each thread that has one began.
    var starts: [MonotonicTime] = []
    var jobs = JobQueue()

    init(limit: Int, workingLimit: Int, moment: Double) {
      (self.limit, self.workingLimit, self.moment) = (limit, workingLimit, moment)
    }

    /// How many threads have no job: they come, or one of them, the reserve, waits until it may work.
    var idleCount: Int { threadCount - starts.count }

    /// Counts another thread if there are jobs, and no thread without one; it works, or is the reserve.
    mutating func countThreadIfMissing() -> Bool {
      guard !jobs.isEmpty, idleCount == 0, threadCount < limit else { return false }
      threadCount += 1
      return true
    }

    /// Whether one more thread may work.
    var mayWork: Bool {
      let now = MonotonicTime.now
      let longCount = starts.count { $0 + moment <= now }
      return starts.count - longCount < max(workingLimit, longCount)
    }

    /// When the next of the threads that work will have done so for a moment.
    var nextEndOfMoment: MonotonicTime {
      let now = MonotonicTime.now
      return starts.map { $0 + moment }.filter { $0 > now }.min() ?? now
    }
  }

  /// - Parameters:
  ///   - limit: The maximum number of threads.
  ///   - workingLimit: The maximum number of threads that work, as long as no job takes longer than a moment; nil for no
  ///     further limit.
  ///   - moment: How long a job may take until its thread does not count, in seconds.
  init(limit: Int, workingLimit: Int? = nil, moment: Double = 0.05) {
    state = Lock(State(limit: limit, workingLimit: workingLimit ?? limit, moment: moment))
  }

  /// Runs a body on one of the threads; on the calling thread if the system provides none.
  ///
  /// If the system provides no thread, a caller on a thread of the program also runs the other jobs that wait, which
  /// would never run otherwise.
  ///
  /// - Parameter isJob: Whether a job of this pool calls, which may hold locks; where the system provides no thread, the
  ///   body runs after that job.
  package func run(fromJob isJob: Bool = false, _ body: @escaping @Sendable () -> Void) {
    let isThreadMissing = state.withLock { state in
      state.jobs.append(body)
      if state.mayWork { condition.signal() }
      return state.countThreadIfMissing()
    }
    guard isThreadMissing, !startThread(), !isJob else { return }
    state.withLock { $0.threadCount += 1 }
    work(isReplaceable: false)
  }

  /// Starts a thread that is counted already; false if the system provides none.
  private func startThread() -> Bool {
    if SystemThread.start({ self.work(isReplaceable: true) }) { return true }
    state.withLock { $0.threadCount -= 1 }
    return false
  }

  /// Runs jobs as long as there are any for this thread.
  ///
  /// - Parameter isReplaceable: Whether the system provides another one in place of this thread, which works only
  ///   where it may then.
  private func work(isReplaceable: Bool) {
    var last: MonotonicTime?
    while let (job, start, isThreadMissing) = nextJob(after: last, isReplaceable) {
      if isThreadMissing { _ = startThread() }
      job()
      last = start
    }
  }

  /// Takes a job; nil if there is none for the calling thread, which is not counted any more then.
  ///
  /// - Parameter last: When the thread's last job began, which is done; nil for none.
  private func nextJob(
    after last: MonotonicTime?, _ isReplaceable: Bool
  ) -> (job: @Sendable () -> Void, start: MonotonicTime, isThreadMissing: Bool)? {
    var done = last
    var next: (job: @Sendable () -> Void, start: MonotonicTime, isThreadMissing: Bool)?
    state.withLock(waitingOn: condition) { state in
      if let last = done, let index = state.starts.firstIndex(of: last) { state.starts.remove(at: index) }
      done = nil
      if !state.jobs.isEmpty {
        if state.mayWork || !isReplaceable, let job = state.jobs.next() {
          let start = MonotonicTime.now
          state.starts.append(start)
          next = (job, start, state.countThreadIfMissing())
          return .end
        }
        // One is enough to wait.
        if state.idleCount <= 1 { return .wait(until: state.nextEndOfMoment) }
      }
      state.threadCount -= 1
      return .end
    }
    return next
  }
}
