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

  @Test("a job that pauses delays no other, and when none does, only a few work at a time")
  func pausing() async {
    // On a busy machine each of the jobs below may take long.
    let threads = WorkerThreads(limit: 40, workingLimit: 2, moment: 3600)
    let isFree = Lock(false)
    let ended = AsyncStream.makeStream(of: Void.self)
    let count = Lock((running: 0, most: 0))
    // Each of them pauses until the last one has run.
    for _ in 0..<30 {
      threads.run {
        while !isFree.withLock({ $0 }) { CurrentProcess.pause(microseconds: 100) }
        ended.continuation.yield()
      }
    }
    threads.run { isFree.withLock { $0 = true } }
    var number = 0
    for await _ in ended.stream {
      number += 1
      if number == 30 { break }
    }
    for _ in 0..<200 {
      threads.run {
        count.withLock { $0 = ($0.running + 1, max($0.most, $0.running + 1)) }
        for _ in 0..<100 { sched_yield() }
        count.withLock { $0.running -= 1 }
        ended.continuation.yield()
      }
    }
    for await _ in ended.stream {
      number += 1
      if number == 230 { break }
    }
    #expect(count.withLock { $0.most } <= 2)
  }

  @Test("jobs that are held up without a pause delay others for a moment, each time their number doubles")
  func heldUp() async {
    let threads = WorkerThreads(limit: 40, workingLimit: 2)
    let isFree = DispatchSemaphore(value: 0)
    let ended = AsyncStream.makeStream(of: Int.self)
    for number in 0..<39 {
      threads.run {
        isFree.wait()
        ended.continuation.yield(number)
      }
    }
    threads.run { ended.continuation.yield(39) }
    var numbers: Set<Int> = []
    for await number in ended.stream {
      // All others are held up until this one, the last, has run.
      if numbers.isEmpty { for _ in 0..<39 { isFree.signal() } }
      if numbers.isEmpty { #expect(number == 39) }
      numbers.insert(number)
      if numbers.count == 40 { break }
    }
    #expect(numbers == Set(0..<40))
  }

  @Test("jobs that are held up after pauses, all at once, delay a later one for a moment")
  func heldUpAfterPauses() async {
    // The later one comes before they count as held up.
    let threads = WorkerThreads(limit: 40, workingLimit: 2, moment: 1)
    let (mayGoOn, isFree) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let (paused, ended) = (AsyncStream.makeStream(of: Void.self), AsyncStream.makeStream(of: Void.self))
    func six(_ stream: AsyncStream<Void>) async {
      var count = 0
      for await _ in stream {
        count += 1
        if count == 6 { break }
      }
    }
    for _ in 0..<6 {
      threads.run {
        WorkerThreads.pausing {
          paused.continuation.yield()
          mayGoOn.wait()
        }
        paused.continuation.yield()
        isFree.wait()
        ended.continuation.yield()
      }
    }
    await six(paused.stream)
    for _ in 0..<6 { mayGoOn.signal() }
    await six(paused.stream)
    threads.run { for _ in 0..<6 { isFree.signal() } }
    await six(ended.stream)
  }

  @Test("the program's code in a job, which waits for another job, is no work")
  func program() async {
    // No job becomes too long.
    let threads = WorkerThreads(limit: 40, workingLimit: 2, moment: 3600)
    let isFree = DispatchSemaphore(value: 0)
    let ended = AsyncStream.makeStream(of: Void.self)
    for _ in 0..<20 {
      threads.run {
        WorkerThreads.pausing { WorkerThreads.pausing { isFree.wait() } }
        ended.continuation.yield()
      }
    }
    threads.run { for _ in 0..<20 { isFree.signal() } }
    var count = 0
    for await _ in ended.stream {
      count += 1
      if count == 20 { break }
    }
    #expect(count == 20)
  }
}
