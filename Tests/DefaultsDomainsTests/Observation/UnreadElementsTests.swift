import DefaultsDatabase
import OpenStepPropertyList
import TestSupport
import Testing

@testable import DefaultsDomains

/// The queue behind the asynchronous sequences of changes.
struct UnreadElementsTests {
  private typealias Unread = UnreadElements<Int>

  /// What is left of a sequence that has been finished.
  private func rest(of sequence: AsyncStream<Int>) async -> [Int] {
    var elements: [Int] = []
    for await element in sequence { elements.append(element) }
    return elements
  }

  @Test("the newest elements are kept, within a number and within the memory of their values")
  func bounds() async {
    let (many, manyUnread) = Unread.makeSequence()
    for number in 1...2500 { manyUnread.append(number, byteCount: 1) }
    manyUnread.finish()
    #expect(await rest(of: many) == Array(1501...2500))
    let (large, largeUnread) = Unread.makeSequence()
    for number in 1...100 { largeUnread.append(number, byteCount: 1 << 20) }
    largeUnread.finish()
    #expect(await rest(of: large) == Array(37...100))
    let (huge, hugeUnread) = Unread.makeSequence()
    for number in 1...3 { hugeUnread.append(number, byteCount: 1 << 30) }
    hugeUnread.finish()
    #expect(await rest(of: huge) == [3])
  }

  @Test("what is read in between makes room")
  func reading() async {
    let (sequence, unread) = Unread.makeSequence()
    var iterator = sequence.makeAsyncIterator()
    for round in 0..<100 {
      for number in 0..<60 { unread.append(100 * round + number, byteCount: 1 << 20) }
      for number in 0..<60 { #expect(await iterator.next() == 100 * round + number) }
    }
    unread.finish()
    #expect(await iterator.next() == nil)
  }

  // To release a value takes stack for each container in it.
  @Test("deep values are dropped, and left, on the smallest stack of a program")
  func deepValues() async {
    let isReleased = await onThread(stack: 64 << 10) {
      let (sequence, unread) = UnreadElements<PropertyList>.makeSequence()
      for depth in 998...1000 { unread.append(nested(depth, inDictionaries: false), byteCount: 1 << 30) }
      withExtendedLifetime(sequence) {}
      return true
    }
    #expect(isReleased)
  }

  /// Runs each job of a task at once, where it is enqueued.
  private final class ImmediateExecutor: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
      UnownedJob(job).runSynchronously(on: asUnownedTaskExecutor())
    }
  }

  // Its loop set a key under a lock that the set takes.
  @Test("a caller that holds a lock resumes no reader, whatever executor the reader has")
  func readerUnderLock() async {
    let (sequence, unread) = Unread.makeSequence()
    let read = Lock<[Int]>([])
    let executor = ImmediateExecutor()
    // It waits for an element as soon as it is made.
    let task = Task(executorPreference: executor) {
      for await element in sequence { read.withLock { $0.append(element) } }
    }
    var rest = Unread.Rest()
    unread.append(1, byteCount: 1, leaving: &rest)
    #expect(read.withLock { $0 } == [])
    rest.complete()
    #expect(read.withLock { $0 } == [1])
    unread.append(2, byteCount: 1)
    #expect(read.withLock { $0 } == [1, 2])
    unread.finish()
    await task.value
  }

  @Test("a reader that waits receives the next element, and the end")
  func waiting() async {
    let (sequence, unread) = Unread.makeSequence()
    let (received, receipts) = AsyncStream.makeStream(of: Int.self)
    let reading = Task {
      for await element in sequence { receipts.yield(element) }
    }
    var iterator = received.makeAsyncIterator()
    for number in 0..<1000 {
      unread.append(number, byteCount: 1)
      #expect(await iterator.next() == number)
    }
    unread.finish()
    await reading.value
  }

  @Test(
    "it ends when the reading task is cancelled, and when the sequence is released",
    .timeLimit(.minutes(30)), arguments: [true, false])
  func end(isCancelled: Bool) async {
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    let unread: Unread
    if isCancelled {
      let (sequence, queue) = Unread.makeSequence()
      unread = queue
      unread.whenEnded { end.yield() }
      let reading = Task { await rest(of: sequence) }
      reading.cancel()
      #expect(await reading.value == [])
    } else {
      unread = Unread.makeSequence().unread
      unread.whenEnded { end.yield() }
    }
    var iterator = ends.makeAsyncIterator()
    #expect(await iterator.next() != nil)
    unread.append(1, byteCount: 1)
    let isTold = Lock(false)
    unread.whenEnded { isTold.withLock { $0 = true } }
    #expect(isTold.withLock { $0 })
  }
}
