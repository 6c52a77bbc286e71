import Synchronization

/// A lock that its holder may take again, and for which a task can wait without blocking its thread.
///
/// It is for work that calls the program's code: a thread waits for it on a condition variable, with a
/// deadline if it has one, and knows at any time whether it holds the lock. Threads with a deadline come before
/// those without one, which could otherwise take the lock in turns until the deadline has passed, and among
/// themselves in the order in which they ask; but after each of them comes one of the others, which would otherwise
/// wait as long as threads with a deadline come.
package final class RecursiveLock: @unchecked Sendable {
  // Unchecked, because the compiler cannot see that the condition guards the waiting tasks, and that only the
  // holder uses the depth.
  private let condition = Condition()
  /// The thread that holds the lock; 0 for none. Changed under the condition; each thread may compare it with
  /// itself at any time, since only a thread itself makes it its own.
  private let owner = Atomic<UInt>(0)
  /// How often the holder has taken the lock.
  package private(set) var depth = 0
  /// The threads with a deadline that wait, by number, in the order in which they came.
  private var urgent: [Int] = []
  private var lastNumber = 0
  /// How often a thread has made itself the holder.
  private var holderCount = 0
  /// How many threads without a deadline wait.
  private var ordinaryCount = 0
  /// Whether the holder came with a deadline.
  private var isHolderUrgent = false
  /// Whether one of the threads without a deadline is next.
  private var isOrdinaryTurn = false
  /// The tasks that wait; each tries again when it is resumed.
  private var waiting: [CheckedContinuation<Void, Never>] = []

  package init() {}

  /// Whether the calling thread holds the lock.
  @inline(__always) package var isHeld: Bool {
    let thread = owner.load(ordering: .relaxed)
    return thread != 0 && thread == CurrentThread.identifier
  }

  /// Takes the lock, or takes it once more.
  ///
  /// - Parameters:
  ///   - deadline: When to stop waiting for another thread; nil for never.
  ///   - onNewHolder: Called when another thread has become the holder; it must not use this lock. If it is given, the
  ///     time until the deadline begins again then, so that it is not used up by threads that came first and are soon
  ///     done.
  /// - Returns: false if the caller has stopped waiting, and then must not call ``end()``.
  @discardableResult
  package func begin(until deadline: MonotonicTime? = nil, onNewHolder: (() -> Void)? = nil) -> Bool {
    if isHeld {
      depth += 1
      return true
    }
    let (isTaken, task) = condition.withLock { () -> (Bool, CheckedContinuation<Void, Never>?) in
      guard let deadline else {
        ordinaryCount += 1
        while !isFree { condition.wait() }
        ordinaryCount -= 1
        take()
        return (true, nil)
      }
      if waitUrgently(until: deadline, onNewHolder) {
        take(isUrgent: true)
        return (true, nil)
      }
      // The others have waited for this thread too.
      condition.broadcast()
      return (false, waiting.isEmpty ? nil : waiting.removeFirst())
    }
    task?.resume()
    if isTaken { depth = 1 }
    return isTaken
  }

  /// Waits until the lock is free and this thread is the first of those with a deadline; false if that has passed.
  /// The condition is locked.
  private func waitUrgently(until deadline: MonotonicTime, _ onNewHolder: (() -> Void)?) -> Bool {
    lastNumber += 1
    let number = lastNumber
    urgent.append(number)
    defer { urgent.removeAll { $0 == number } }
    let patience = deadline.seconds(since: .now)
    var (end, holder) = (deadline, holderCount)
    while owner.load(ordering: .relaxed) != 0 || isOrdinaryTurn || urgent.first != number {
      let now = MonotonicTime.now
      if let onNewHolder, holder != holderCount {
        (end, holder) = (now + patience, holderCount)
        onNewHolder()
      }
      if now >= end { return false }
      condition.wait(until: end)
    }
    return true
  }

  /// Whether a thread without a deadline may take the lock; the condition is locked.
  private var isFree: Bool { owner.load(ordering: .relaxed) == 0 && (isOrdinaryTurn || urgent.isEmpty) }

  /// Makes the calling thread the holder; the condition is locked.
  private func take(isUrgent: Bool = false) {
    owner.store(CurrentThread.identifier, ordering: .relaxed)
    holderCount += 1
    isHolderUrgent = isUrgent
    isOrdinaryTurn = false
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

  /// Releases the lock, or undoes the last time that its holder took it again.
  package func end() {
    depth -= 1
    if depth > 0 { return }
    let task = condition.withLock { () -> CheckedContinuation<Void, Never>? in
      owner.store(0, ordering: .relaxed)
      // Tasks are not counted: the threads on which they would go on may be among those that wait.
      isOrdinaryTurn = isHolderUrgent && ordinaryCount > 0
      // Only some of those that wait can take the lock.
      if !urgent.isEmpty {
        condition.broadcast()
        return nil
      }
      condition.signal()
      return waiting.isEmpty ? nil : waiting.removeFirst()
    }
    task?.resume()
  }

  /// Runs a body while the calling task's thread holds the lock, for which the task waits.
  ///
  /// - Parameters:
  ///   - isolation: The actor on which the body runs, by default the caller's.
  ///   - work: Takes the lock once more with ``begin(until:)``, and has released it when it returns, so that
  ///     the task is not suspended while it holds the lock.
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
          waiting.append(task)
          return false
        }
        if mayTry { task.resume() }
      }
    }
  }
}
