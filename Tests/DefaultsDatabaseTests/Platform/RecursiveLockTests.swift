import DefaultsDatabase
import Foundation
import TestSupport
import Testing

/// A lock that its holder may take again.
struct RecursiveLockTests {
  @Test("its holder may take it again, and it is free after as many ends")
  func recursion() {
    let lock = RecursiveLock()
    #expect(!lock.isHeld)
    for _ in 0..<3 { lock.begin() }
    #expect(lock.isHeld && lock.depth == 3)
    for _ in 0..<2 { lock.end() }
    #expect(lock.isHeld)
    lock.end()
    #expect(!lock.isHeld)
  }

  @Test("a thread waits no longer than its deadline, and does not hold the lock then")
  func deadline() async {
    let lock = RecursiveLock()
    lock.begin()
    await EightThreads.run { _ in
      #expect(!lock.begin(until: .now + 0.01))
      #expect(!lock.isHeld)
    }
    // A task may go on on another thread than the one that holds the lock.
    let other = RecursiveLock()
    await EightThreads.run { _ in
      #expect(other.begin(until: .now + 60))
      other.end()
    }
  }

  @Test("threads with deadlines that come all the time do not keep out one without")
  func turns() async {
    // A thread that the system does not let run for a while asks again late; most often it does not.
    var others: [Int] = []
    // Two or so; otherwise nearly all of the 700.
    func hasTurn() -> Bool { others.last.map { $0 < 100 } ?? false }
    while others.count < 20, !hasTurn() { others.append(await othersBeforeNextTurn()) }
    #expect(hasTurn(), "\(others)")
  }

  /// How often others have had a lock, for which they come all the time with deadlines, while a thread without one
  /// waited for its next turn.
  private func othersBeforeNextTurn() async -> Int {
    let lock = RecursiveLock()
    let count = Lock(0)
    let others = Lock(0)
    let isUnderWay = DispatchSemaphore(value: 0)
    await EightThreads.run { thread in
      if thread == 0 {
        isUnderWay.wait()
        // Read by a holder, so that little time passes before this thread asks again.
        lock.begin()
        let before = count.withLock { $0 }
        lock.end()
        lock.begin()
        others.withLock { $0 = count.withLock { $0 } - before }
        lock.end()
        return
      }
      for _ in 0..<100 {
        #expect(lock.begin(until: .now + 600))
        let number = count.withLock { count in
          count += 1
          return count
        }
        if number == 10 { isUnderWay.signal() }
        // So long that others come.
        CurrentProcess.pause(microseconds: 500)
        lock.end()
      }
    }
    #expect(count.withLock { $0 } == 700)
    return others.withLock { $0 }
  }

  @Test("a thread that asks again at once does not come before one that has waited for long")
  func longWaits() async {
    // All but those in which the system lets the waiting thread begin to wait late; otherwise few.
    let turnCount = Lock(0)
    for _ in 0..<30 {
      let lock = RecursiveLock()
      let (isHeld, asks) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      let hasHadTurn = Lock(false)
      await EightThreads.run { thread in
        if thread == 0 {
          isHeld.wait()
          asks.signal()
          lock.begin()
          hasHadTurn.withLock { $0 = true }
          lock.end()
        } else if thread == 1 {
          lock.begin()
          isHeld.signal()
          asks.wait()
          CurrentProcess.pause(microseconds: 100_000)
          lock.end()
          lock.begin()
          if hasHadTurn.withLock({ $0 }) { turnCount.withLock { $0 += 1 } }
          lock.end()
        }
      }
    }
    #expect(turnCount.withLock { $0 } >= 24)
  }

  @Test("while a holder works the time of who waits for each holder is not counted, and then it begins again")
  func work() async {
    let lock = RecursiveLock()
    let (isHeld, isDone) = (AsyncStream.makeStream(of: Void.self), DispatchSemaphore(value: 0))
    let workEnd = Lock<MonotonicTime?>(nil)
    Thread.detachNewThread {
      lock.begin()
      lock.setWorking(true)
      isHeld.continuation.yield()
      // Longer than the other waits for what may take any time.
      CurrentProcess.pause(microseconds: 1_300_000)
      workEnd.withLock { $0 = .now }
      lock.setWorking(false)
      isDone.wait()
      lock.end()
    }
    for await _ in isHeld.stream { break }
    let place = lock.nextPlace()
    #expect(!lock.begin(until: .now + 1, at: place, forEachHolderSince: .now))
    let now = MonotonicTime.now
    // A second, less the time for which the system has not let this thread run before it began to wait.
    #expect(workEnd.withLock { $0 }.map { now.seconds(since: $0) >= 0.5 } == true)
    isDone.signal()
    #expect(lock.begin(until: .now + 60, at: place, forEachHolderSince: .now))
    lock.end()
  }

  // It kept the others waiting without end, for instance while a server did not answer.
  @Test("work that does not end counts like anything else after a while")
  func endlessWork() async {
    let lock = RecursiveLock(longestWork: 0.5)
    let start = MonotonicTime.now
    let (isHeld, isDone) = (AsyncStream.makeStream(of: Void.self), DispatchSemaphore(value: 0))
    Thread.detachNewThread {
      lock.begin()
      lock.setWorking(true)
      isHeld.continuation.yield()
      isDone.wait()
      lock.end()
    }
    for await _ in isHeld.stream { break }
    #expect(!lock.begin(until: .now + 0.2, forEachHolderSince: .now))
    #expect(MonotonicTime.now.seconds(since: start) >= 0.7)
    #expect(lock.isHolderWorking)
    isDone.signal()
    #expect(lock.begin(until: .now + 60, forEachHolderSince: .now))
    lock.end()
  }

  @Test("threads and tasks have it one at a time")
  func exclusion() async {
    final class Counter: @unchecked Sendable {
      // Unchecked: the lock guards the number.
      var number = 0
    }
    let lock = RecursiveLock()
    let counter = Counter()
    async let tasks: Void = withTaskGroup(of: Void.self) { group in
      for _ in 0..<50 {
        group.addTask {
          for _ in 0..<100 {
            await lock.wait {
              #expect(lock.isHeld)
              counter.number += 1
            }
          }
        }
      }
    }
    await EightThreads.run { _ in
      for _ in 0..<1000 {
        lock.begin()
        counter.number += 1
        lock.end()
      }
    }
    await tasks
    #expect(counter.number == 13_000)
  }

  /// Runs its tasks on a queue of its own, so that it waits for no thread of the tasks of other tests.
  private actor Waiter {
    private final class Executor: SerialExecutor {
      private let queue = DispatchQueue(label: "RecursiveLockTests")

      func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
      }
    }

    private let executor = Executor()

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func wait(for lock: RecursiveLock, _ body: @Sendable () -> Void) async { await lock.wait(toRun: body) }

    /// Runs a body that keeps this actor's other tasks waiting.
    func run<Result: Sendable>(_ body: @Sendable () -> Result) -> Result { body() }
  }

  // It waited as long as the actor was busy, and for ever if that waited for it.
  @Test("where the actor of the first task is busy, the free lock goes to another", .timeLimit(.minutes(20)))
  func busyActor() async {
    let lock = RecursiveLock()
    let (busy, free) = (Waiter(), Waiter())
    let (isDone, mayRelease) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let isHeld = AsyncStream.makeStream(of: Void.self)
    Thread.detachNewThread {
      lock.begin()
      isHeld.continuation.yield()
      mayRelease.wait()
      lock.end()
    }
    for await _ in isHeld.stream { break }
    async let first: Void = busy.wait(for: lock) {}
    while lock.waitingTaskCount < 1 { await Task.yield() }
    async let second: Void = free.wait(for: lock) { isDone.signal() }
    while lock.waitingTaskCount < 2 { await Task.yield() }
    let hasCome = await busy.run {
      mayRelease.signal()
      return isDone.wait(timeout: .now() + 600) == .success
    }
    #expect(hasCome)
    await first
    await second
  }
}
