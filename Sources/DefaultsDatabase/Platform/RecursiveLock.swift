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
package final class RecursiveLock: @unchecked Sendable {
  // Unchecked, because the compiler cannot see that the condition guards the waiting tasks, and that only the
  // holder uses the depth.
  private let condition = Condition()
  /// The thread that holds the lock; 0 for none. Changed under the condition; each thread may compare it with
  /// itself at any time, since only a thread itself makes it its own.
  private let owner = Atomic<UInt>(0)
  /// How often the holder has taken the lock.
  package private(set) var depth = 0
  /// The places of the threads with a deadline that wait, in their order.
  private var urgent: [Place] = []
  private var lastPlace = Place(number: 0)
  /// When a thread was first seen to wait for what those with a deadline wait for now; nil if none has been since they
  /// began to wait for something else: the lock was released, or work has ended.
  private var stallStart: MonotonicTime?
  /// Since when the holder only works, which ends by itself; nil if it runs what may take any time.
  private var workStart: MonotonicTime?
  /// After how many seconds of work the holder counts as one that may take any time: a file system does not answer.
  private let longestWork: Double
  /// The threads without a deadline that wait, in their order, and since when.
  private var ordinary: [(place: Place, start: MonotonicTime)] = []
  /// Whether the holder came with a deadline.
  private var isHolderUrgent = false
  /// Whether the holder had the turn of a thread without a deadline.
  private var isHolderInTurn = false
  /// Whether the first of the threads without a deadline is next.
  private var isOrdinaryTurn = false
  /// After how many seconds a thread without a deadline comes before those that ask later.
  private static let longWait = 0.05
  /// The tasks that wait; each tries again when it is resumed.
  private var waiting = JobQueue()
  /// When a task was last resumed while others waited.
  private var lastResume = MonotonicTime.now
  /// Resumes the other tasks if the lock stays free, because the actor of the first is busy.
  private lazy var latecomers = TimerThread { [weak self] in self?.resumeOthers() }
  /// How long a resumed task is waited for, in seconds, before the others are resumed.
  private static let shortWait = 0.01

  /// A place in the order of the threads with a deadline; a thread may use it more than once.
  package struct Place: Comparable, Sendable {
    fileprivate let number: Int

    package static func < (left: Place, right: Place) -> Bool { left.number < right.number }
  }

  package init(longestWork: Double = 10) {
    self.longestWork = longestWork
  }

  /// Takes the last place in the order of the threads with a deadline.
  package func nextPlace() -> Place { condition.withLock { newPlace() } }

  /// Whether the calling thread holds the lock.
  @inline(__always) package var isHeld: Bool {
    let thread = owner.load(ordering: .relaxed)
    return thread != 0 && thread == CurrentThread.identifier
  }

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
      depth += 1
      return true
    }
    let (isTaken, resume) = condition.withLock { () -> (Bool, (@Sendable () -> Void)?) in
      guard let deadline else {
        if !isFree { waitForTurn() }
        take()
        return (true, nil)
      }
      if waitUrgently(until: deadline, at: place ?? newPlace(), forEachHolderSince: arrival) {
        take(isUrgent: true)
        return (true, nil)
      }
      // The others have waited for this thread too.
      condition.broadcast()
      return (false, nextTask())
    }
    resume?()
    if isTaken { depth = 1 }
    return isTaken
  }

  /// Makes a new last place; the condition is locked.
  private func newPlace() -> Place {
    lastPlace = Place(number: lastPlace.number + 1)
    return lastPlace
  }

  /// Waits until the lock is free and this thread is the first of those with a deadline; false if that has passed.
  /// The condition is locked.
  private func waitUrgently(
    until deadline: MonotonicTime, at place: Place, forEachHolderSince arrival: MonotonicTime?
  ) -> Bool {
    urgent.insert(place, at: urgent.firstIndex { $0 > place } ?? urgent.endIndex)
    defer { urgent.removeAll { $0 == place } }
    while owner.load(ordering: .relaxed) != 0 || isOrdinaryTurn || urgent.first != place {
      let now = MonotonicTime.now
      let start = stallStart ?? now
      stallStart = start
      let countStart = workStart.map { $0 + longestWork } ?? start
      let end = arrival.map { max($0, start, countStart) + deadline.seconds(since: $0) } ?? deadline
      if now >= end { return false }
      condition.wait(until: end)
    }
    return true
  }

  /// Waits until the lock is free, or it is this thread's turn. The condition is locked.
  private func waitForTurn() {
    let place = newPlace()
    ordinary.append((place, .now))
    defer { ordinary.removeAll { $0.place == place } }
    while !isFree {
      if isOrdinaryTurn, owner.load(ordering: .relaxed) == 0, ordinary.first?.place == place { return }
      condition.wait()
    }
  }

  /// Whether anybody without a deadline may take the lock; the condition is locked.
  private var isFree: Bool { owner.load(ordering: .relaxed) == 0 && !isOrdinaryTurn && urgent.isEmpty }

  /// Whether the first of the threads without a deadline has the turn after the holder, which releases the lock.
  private var isOrdinaryNext: Bool {
    guard let first = ordinary.first else { return false }
    if isHolderUrgent { return true }
    // After each turn the lock is free for all once, since tasks have no turns: the threads on which they would go on may
    // be among those that wait.
    return urgent.isEmpty && !isHolderInTurn && MonotonicTime.now.seconds(since: first.start) > Self.longWait
  }

  /// Makes the calling thread the holder; the condition is locked.
  private func take(isUrgent: Bool = false) {
    owner.store(CurrentThread.identifier, ordering: .relaxed)
    isHolderUrgent = isUrgent
    isHolderInTurn = isOrdinaryTurn
    isOrdinaryTurn = false
    // Where nobody waits, the lock was free until now, and those that come wait for this holder.
    if urgent.isEmpty { stallStart = nil }
  }

  /// Takes the lock if that needs no waiting.
  private func tryToBegin() -> Bool {
    let isTaken = condition.withLock {
      if isFree {
        take()
        return true
      }
      return false
    }
    if isTaken { depth = 1 }
    return isTaken
  }

  /// Whether the holder only works now.
  package var isHolderWorking: Bool { condition.withLock { workStart != nil } }

  /// Tells those that wait whether the holder, which calls this, only works now, or runs what may take any time.
  package func setWorking(_ isWorking: Bool) {
    condition.withLock {
      workStart = isWorking ? .now : nil
      if isWorking { return }
      stallStart = nil
      condition.broadcast()
    }
  }

  /// Releases the lock, or undoes the last time that its holder took it again.
  package func end() {
    depth -= 1
    if depth > 0 { return }
    let resume = condition.withLock { () -> (@Sendable () -> Void)? in
      owner.store(0, ordering: .relaxed)
      workStart = nil
      stallStart = nil
      isOrdinaryTurn = isOrdinaryNext
      // Only some of those that wait can take the lock.
      if !urgent.isEmpty || isOrdinaryTurn {
        condition.broadcast()
        return nil
      }
      condition.signal()
      return nextTask()
    }
    resume?()
  }

  /// Takes the first of the tasks that wait, to be resumed; the condition is locked.
  ///
  /// All of them would try to take the lock at each release otherwise, n times n tries for n tasks.
  private func nextTask() -> (@Sendable () -> Void)? {
    let task = waiting.next()
    guard let task, !waiting.isEmpty else { return task }
    lastResume = .now
    if latecomers.schedule(at: lastResume + RecursiveLock.shortWait) { return task }
    let others = allTasks()
    return { for task in [task] + others { task() } }
  }

  /// How many tasks wait.
  package var waitingTaskCount: Int { condition.withLock { waiting.count } }

  /// Takes all tasks that wait; the condition is locked.
  private func allTasks() -> [@Sendable () -> Void] {
    var tasks: [@Sendable () -> Void] = []
    while let task = waiting.next() { tasks.append(task) }
    return tasks
  }

  /// Resumes all tasks that wait if the lock is free and the one that was resumed has not come; gives the time at which
  /// to look again, or nil.
  private func resumeOthers() -> MonotonicTime? {
    let (tasks, next) = condition.withLock { () -> ([@Sendable () -> Void], MonotonicTime?) in
      // Otherwise the next release resumes one.
      guard isFree, !waiting.isEmpty else { return ([], nil) }
      let time = lastResume + RecursiveLock.shortWait
      return time > .now ? ([], time) : (allTasks(), nil)
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
        let mayTry = condition.withLock {
          if isFree { return true }
          waiting.append { task.resume() }
          return false
        }
        if mayTry { task.resume() }
      }
    }
  }
}
