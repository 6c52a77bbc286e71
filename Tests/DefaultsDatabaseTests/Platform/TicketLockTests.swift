import Foundation
import TestSupport
import Testing

@testable import DefaultsDatabase

/// A lock whose threads take their turns in the order in which they ask.
struct TicketLockTests {
  /// The processor time that as many threads take to have one turn each, all of which have asked before the first begins.
  private static func timeOfTurns(_ count: Int) -> Duration {
    let lock = TicketLock()
    lock.begin()
    let group = DispatchGroup()
    let asked = DispatchSemaphore(value: 0)
    for _ in 0..<count {
      group.enter()
      let thread = Thread {
        asked.signal()
        lock.begin()
        lock.end()
        group.leave()
      }
      thread.stackSize = 1 << 16
      thread.start()
    }
    for _ in 0..<count { asked.wait() }
    let before = clock()
    lock.end()
    group.wait()
    return .microseconds(clock() - before)
  }

  // The end of a process waited for a turn of each thread that sets keys without a pause.
  @Test(
    "an urgent thread has its turn before all who wait, and the others have theirs after it, in their order")
  func urgent() async {
    let lock = TicketLock()
    let names = Lock<[String]>([])
    let group = DispatchGroup()
    lock.begin()
    for (name, isUrgent, givesUp) in [
      ("first", false, false), ("second", false, false), ("nobody", true, true), ("urgent", true, false),
      ("most urgent", true, false),
    ] {
      let waits = DispatchSemaphore(value: 0)
      group.enter()
      Thread.detachNewThread {
        // It is asked as soon as it waits.
        let isServed = lock.begin(isUrgent: isUrgent, until: .now) {
          waits.signal()
          return givesUp
        }
        if isServed {
          names.withLock { $0.append(name) }
          lock.end()
        }
        group.leave()
      }
      waits.wait()
    }
    lock.end()
    await withCheckedContinuation { done in group.notify(queue: .global()) { done.resume() } }
    #expect(names.withLock { $0 } == ["urgent", "most urgent", "first", "second"])
    #expect(!lock.isTaken && lock.begin(isUrgent: true))
    lock.end()
    #expect(!lock.isTaken)
  }

  // Every thread woke at the end of each turn.
  @Test("ten times as many threads that wait take hardly more than ten times as long for their turns")
  func manyThreads() async {
    // The processor time is the process's.
    await #expect(processExitsWith: .success) {
      let ratio = growth(from: 100, to: 1000, bound: 40) { TicketLockTests.timeOfTurns($0) }
      #expect(ratio < 40, "\(ratio)")
    }
  }
}
