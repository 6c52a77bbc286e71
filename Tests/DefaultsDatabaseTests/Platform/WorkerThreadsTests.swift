import Foundation
import Testing

@testable import DefaultsDatabase

/// Jobs that a few threads share.
struct WorkerThreadsTests {
  @Test("every job runs once, in a few threads at a time, also one that asks for another")
  func jobs() {
    final class Record: @unchecked Sendable {
      // Unchecked, because the compiler cannot see that the condition guards the rest.
      let condition = NSCondition()
      var (running, most, done) = (0, 0, 0)
    }
    let record = Record()
    let threads = WorkerThreads(limit: 3)
    @Sendable func job(_ number: Int) {
      record.condition.withLock {
        record.running += 1
        record.most = max(record.most, record.running)
        // The first three wait for each other, which takes as many threads.
        if number < 3 {
          record.condition.broadcast()
          while record.most < 3 { record.condition.wait() }
        }
      }
      if number >= 500 { threads.run { job(number - 500) } }
      record.condition.withLock {
        record.running -= 1
        record.done += 1
        record.condition.broadcast()
      }
    }
    for number in 0..<1000 { threads.run { job(number) } }
    record.condition.withLock {
      let deadline = Date(timeIntervalSinceNow: 300)
      while record.done < 1500, record.condition.wait(until: deadline) {}
      #expect(record.done == 1500)
      #expect(record.most == 3)
    }
  }
}
