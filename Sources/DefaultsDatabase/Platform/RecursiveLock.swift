import Synchronization

/// A lock that its holder may take again, and for which a task can wait without blocking its thread.
///
/// It is for work that calls the program's code: a thread waits for it on a condition variable, with a deadline if it has
/// one, and knows at any time whether it holds the lock. Who is next:
///
/// - Threads with a deadline come first, in the order in which they ask or have taken a ``Place``. Otherwise those
///   without one could pass the lock among themselves until the deadline.
/// - After each of them comes one thread without a deadline, so that these do not starve.
/// - Among threads without a deadline, the one that asks when the lock is free takes it, because that is fast. One that
///   has waited longer than ``longWait`` comes before it.
package final class RecursiveLock: Sendable {
  private let state: Lock<State>
  private let condition = Condition()
  /// The thread that holds the lock; 0 for none. Changed in the state's lock; each thread may compare it with
  /// itself at any time, since only a thread itself makes it its own.
  private let owner = Atomic<UInt>(0)
  /// How often the holder has taken the lock, which only the holder reads and changes.
  private let holderDepth = Atomic(0)
  /// After how many seconds a thread without a deadline comes before those that ask later.
  private static let longWait = 0.05
  /// How long a resumed task is waited for, in seconds, before the others are resumed.
  private static let shortWait = 0.01

  private struct State {
    /// After how many seconds of work the holder counts as one that may take any time: a file system does not answer.
    let longestWork: Double
    /// Whether a thread holds the lock.
    var isHeld = false
    /// The places of the threads with a deadline that wait, in their order.
    var urgent: [Place] = []
    var lastPlace = Place(number: 0)
    /// When a thread was first seen to wait for what those with a deadline wait for now; nil if none has been since they
    /// began to wait for something else: the lock was released, or work has ended.
    var stallStart: MonotonicTime?
    /// Since when the holder only works, which ends by itself; nil if it runs what may take any time.
    var workStart: MonotonicTime?
    /// The threads without a deadline that wait, in their order, and since when.
    var ordinary: [(place: Place, start: MonotonicTime)] = []
    /// Whether the holder came with a deadline.
    var isHolderUrgent = false
    /// Whether the holder had the turn of a thread without a deadline.
    var isHolderInTurn = false
    /// Whether the first of the threads without a deadline is next.
    var isOrdinaryTurn = false
    /// The tasks that wait; each tries again when it is resumed.
    var waiting = JobQueue()
    /// When a task was last resumed while others waited.
    var lastResume: MonotonicTime?
    /// Resumes the other tasks if the lock stays free, because the actor of the first is busy; nil before it is needed.
    var latecomers: TimerThread?

    init(longestWork: Double) {
      self.longestWork = longestWork
    }

    /// Makes a new last place.
    mutating func newPlace() -> Place {
      lastPlace = Place(number: lastPlace.number + 1)
      return lastPlace
    }

    /// Whether anybody without a deadline may take the lock.
    var isFree: Bool { !isHeld && !isOrdinaryTurn && urgent.isEmpty }

    /// Whether the first of the threads without a deadline has the turn after the holder, which releases the lock.
    var isOrdinaryNext: Bool {
      guard let first = ordinary.first else { return false }
      if isHolderUrgent { return true }
      // After each turn the lock is free for all once, since tasks have no turns: the threads on which they would go on
      // may be among those that wait.
      let waited = MonotonicTime.now.seconds(since: first.start)
      return urgent.isEmpty && !isHolderInTurn && waited > RecursiveLock.longWait
    }

    /// Takes all tasks that wait.
    mutating func allTasks() -> [@Sendable () -> Void] {
      var tasks: [@Sendable () -> Void] = []
      while let task = waiting.next() { tasks.append(task) }
      return tasks
    }
  }

  /// A place in the order of the threads with a deadline; a thread may use it more than once.
  package struct Place: Comparable, Sendable {
    fileprivate let number: Int

    package static func < (left: Place, right: Place) -> Bool { left.number < right.number }
  }

  package init(longestWork: Double = 10) {
    state = Lock(State(longestWork: longestWork))
  }

  /// Takes the last place in the order of the threads with a deadline.
  package func nextPlace() -> Place { state.withLock { $0.newPlace() } }

  /// Whether the calling thread holds the lock.
  @inline(__always) package var isHeld: Bool {
    let thread = owner.load(ordering: .relaxed)
    return thread != 0 && thread == CurrentThread.identifier
  }

  /// How often the holder, which asks, has taken the lock.
  package var depth: Int { holderDepth.load(ordering: .relaxed) }

  private func setDepth(_ depth: Int) { holderDepth.store(depth, ordering: .relaxed) }

  /// Takes the lock, or takes it once more.
  ///
  /// - Parameters:
  ///   - deadline: When to stop waiting for other threads; nil for never.
  ///   - place: The caller's place among the threads with a deadline; by default the last.
  ///   - arrival: When the caller began to wait, if the time from then to the deadline begins again with each holder,
  ///     and is not counted while the holder works (``setWorking(_:)``), for ten seconds at most: it is not used up by
  ///     threads that came first and are soon done. A caller that could not ask before has waited since then for the
  ///     present holder, if others have.
  /// - Returns: false if the caller has stopped waiting, and then must not call ``end()``.
  @discardableResult
  package func begin(
    until deadline: MonotonicTime? = nil, at place: Place? = nil,
    forEachHolderSince arrival: MonotonicTime? = nil
  ) -> Bool {
    if isHeld {
      setDepth(depth + 1)
      return true
    }
    if let deadline {
      guard beginUrgently(until: deadline, at: place, forEachHolderSince: arrival) else { return false }
    } else {
      beginInTurn()
    }
    setDepth(1)
    return true
  }

  /// Waits until the lock is free and this thread is the first of those with a deadline, and takes it; false if the
  /// deadline has passed.
  private func beginUrgently(
    until deadline: MonotonicTime, at place: Place?, forEachHolderSince arrival: MonotonicTime?
  ) -> Bool {
    let place = state.withLock { state in
      let place = place ?? state.newPlace()
      state.urgent.insert(place, at: state.urgent.firstIndex { $0 > place } ?? state.urgent.endIndex)
      return place
    }
    var isTaken = false
    var resume: (@Sendable () -> Void)?
    state.withLock(waitingOn: condition) { state in
      if !state.isHeld, !state.isOrdinaryTurn, state.urgent.first == place {
        state.urgent.removeFirst()
        take(&state, isUrgent: true)
        isTaken = true
        return .end
      }
      let now = MonotonicTime.now
      let start = state.stallStart ?? now
      state.stallStart = start
      let countStart = state.workStart.map { $0 + state.longestWork } ?? start
      let end = arrival.map { max($0, start, countStart) + deadline.seconds(since: $0) } ?? deadline
      if now < end { return .wait(until: end) }
      state.urgent.removeAll { $0 == place }
      // The others have waited for this thread too.
      condition.broadcast()
      resume = nextTask(&state)
      return .end
    }
    resume?()
    return isTaken
  }

  /// Takes the lock when it is free, or it is this thread's turn.
  private func beginInTurn() {
    var place: Place?
    state.withLock(waitingOn: condition) { state in
      let isTurn = state.isOrdinaryTurn && !state.isHeld && state.ordinary.first?.place == place
      if state.isFree || place != nil && isTurn {
        state.ordinary.removeAll { $0.place == place }
        take(&state)
        return .end
      }
      if place == nil {
        let new = state.newPlace()
        state.ordinary.append((new, .now))
        place = new
      }
      return .wait()
    }
  }

  /// Makes the calling thread the holder.
  private func take(_ state: inout State, isUrgent: Bool = false) {
    owner.store(CurrentThread.identifier, ordering: .relaxed)
    state.isHeld = true
    state.isHolderUrgent = isUrgent
    state.isHolderInTurn = state.isOrdinaryTurn
    state.isOrdinaryTurn = false
    // Where nobody waits, the lock was free until now, and those that come wait for this holder.
    if state.urgent.isEmpty { state.stallStart = nil }
  }

  /// Takes the lock if that needs no waiting.
  private func tryToBegin() -> Bool {
    let isTaken = state.withLock { state in
      guard state.isFree else { return false }
      take(&state)
      return true
    }
    if isTaken { setDepth(1) }
    return isTaken
  }

  /// Whether the holder only works now.
  package var isHolderWorking: Bool { state.withLock { $0.workStart != nil } }

  /// Tells those that wait whether the holder, which calls this, only works now, or runs what may take any time.
  package func setWorking(_ isWorking: Bool) {
    state.withLock { state in
      state.workStart = isWorking ? .now : nil
      if isWorking { return }
      state.stallStart = nil
      condition.broadcast()
    }
  }

  /// Releases the lock, or undoes the last time that its holder took it again.
  package func end() {
    setDepth(depth - 1)
    if depth > 0 { return }
    let resume = state.withLock { state -> (@Sendable () -> Void)? in
      owner.store(0, ordering: .relaxed)
      state.isHeld = false
      state.workStart = nil
      state.stallStart = nil
      state.isOrdinaryTurn = state.isOrdinaryNext
      // Only some of those that wait can take the lock.
      if !state.urgent.isEmpty || state.isOrdinaryTurn {
        condition.broadcast()
        return nil
      }
      condition.signal()
      return nextTask(&state)
    }
    resume?()
  }

  // MARK: - Tasks

  /// How many tasks wait.
  package var waitingTaskCount: Int { state.withLock { $0.waiting.count } }

  /// Takes the first of the tasks that wait, to be resumed.
  ///
  /// All of them would try to take the lock at each release otherwise, n times n tries for n tasks.
  private func nextTask(_ state: inout State) -> (@Sendable () -> Void)? {
    let task = state.waiting.next()
    guard let task, !state.waiting.isEmpty else { return task }
    let timer = state.latecomers ?? TimerThread { [weak self] in self?.resumeOthers() }
    (state.latecomers, state.lastResume) = (timer, .now)
    if timer.schedule(at: .now + RecursiveLock.shortWait) { return task }
    let others = state.allTasks()
    return { for task in [task] + others { task() } }
  }

  /// Resumes all tasks that wait if the lock is free and the one that was resumed has not come; gives the time at which
  /// to look again, or nil.
  private func resumeOthers() -> MonotonicTime? {
    let (tasks, next) = state.withLock { state -> ([@Sendable () -> Void], MonotonicTime?) in
      // Otherwise the next release resumes one.
      guard state.isFree, !state.waiting.isEmpty, let last = state.lastResume else { return ([], nil) }
      let time = last + RecursiveLock.shortWait
      return time > .now ? ([], time) : (state.allTasks(), nil)
    }
    for task in tasks { task() }
    return next
  }

  /// Runs a body while the calling task's thread holds the lock, for which the task waits.
  ///
  /// - Parameters:
  ///   - isolation: The actor on which the body runs, by default the caller's.
  ///   - work: The body. It is synchronous, so that the task is never suspended while it holds the lock.
  package func wait<Result, Failure: Error>(
    isolation: isolated (any Actor)? = #isolation, toRun work: () throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    while true {
      if tryToBegin() {
        defer { end() }
        return try work()
      }
      await withCheckedContinuation(isolation: isolation) { task in
        let mayTry = state.withLock { state in
          if state.isFree { return true }
          state.waiting.append { task.resume() }
          return false
        }
        if mayTry { task.resume() }
      }
    }
  }
}
