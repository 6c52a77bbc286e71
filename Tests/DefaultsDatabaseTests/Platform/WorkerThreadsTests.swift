import Foundation
import Testing

@testable import DefaultsDatabase

/// Jobs that a few threads share.
struct WorkerThreadsTests {
  @Test("every job runs once, in a few threads at a time, also one that asks for another")
  func jobs() {
    let record = Lock((running: 0, most: 0, done: 0))
    let isChanged = Condition()
    let threads = WorkerThreads(limit: 3)
    @Sendable func job(_ number: Int) {
      record.withLock { record in
        record.running += 1
        record.most = max(record.most, record.running)
        isChanged.broadcast()
      }
      // The first three wait for each other, which takes as many threads.
      if number < 3 { record.withLock(waitingOn: isChanged) { $0.most < 3 ? .wait() : .end } }
      if number >= 500 { threads.run { job(number - 500) } }
      record.withLock { record in
        record.running -= 1
        record.done += 1
        isChanged.broadcast()
      }
    }
    for number in 0..<1000 { threads.run { job(number) } }
    let deadline = MonotonicTime.now + 300
    record.withLock(waitingOn: isChanged) { record in
      record.done < 1500 && .now < deadline ? .wait(until: deadline) : .end
    }
    let (_, most, done) = record.withLock { $0 }
    #expect(done == 1500)
    #expect(most == 3)
  }

  @Test("only a few work at a time, as long as no job takes long")
  func few() async {
    // On a busy machine each of the jobs may take long.
    let threads = WorkerThreads(limit: 40, workingLimit: 2, moment: 3600)
    let ended = AsyncStream.makeStream(of: Void.self)
    let count = Lock((running: 0, most: 0))
    for _ in 0..<200 {
      threads.run {
        count.withLock { $0 = ($0.running + 1, max($0.most, $0.running + 1)) }
        for _ in 0..<100 { sched_yield() }
        count.withLock { $0.running -= 1 }
        ended.continuation.yield()
      }
    }
    await next(200, in: ended.stream)
    #expect(count.withLock { $0.most } <= 2)
  }

  @Test("jobs that are held up delay the others for a moment each time their number doubles")
  func heldUp() async {
    let threads = WorkerThreads(limit: 40, workingLimit: 2)
    let isFree = DispatchSemaphore(value: 0)
    let ended = AsyncStream.makeStream(of: Void.self)
    for _ in 0..<39 {
      threads.run {
        isFree.wait()
        ended.continuation.yield()
      }
    }
    threads.run { for _ in 0..<39 { isFree.signal() } }
    await next(39, in: ended.stream)
  }

  @Test("a job that comes when more than usual are at work, and stay so, is run")
  func heldUpAfterOthers() async {
    let threads = WorkerThreads(limit: 40, workingLimit: 2)
    let (isFree, isLast) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let (begun, ended) = (AsyncStream.makeStream(of: Void.self), AsyncStream.makeStream(of: Void.self))
    for number in 0..<8 {
      threads.run {
        begun.continuation.yield()
        (number < 4 ? isFree : isLast).wait()
        ended.continuation.yield()
      }
    }
    await next(8, in: begun.stream)
    // Those because of which the last four could begin end: the four are too many now, and no thread waits.
    for _ in 0..<4 { isFree.signal() }
    await next(4, in: ended.stream)
    threads.run { for _ in 0..<4 { isLast.signal() } }
    await next(4, in: ended.stream)
  }

  /// Awaits a number of events.
  private func next(_ count: Int, in stream: AsyncStream<Void>) async {
    var events = stream.makeAsyncIterator()
    for _ in 0..<count { _ = await events.next() }
  }
}
