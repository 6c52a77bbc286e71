import DefaultsDatabase
import Foundation
import Testing

@testable import DefaultsDomains

/// In which order asynchronous commits begin, and for which others they wait.
struct CommitTurnTests {
  @Test(
    "they begin in the order of the calls, one at a time, and those of another database do not wait for them")
  func order() async {
    let (held, free) = (PersistentDomains(database: nil), PersistentDomains(database: nil))
    let (begun, freeBegun) = (AsyncStream.makeStream(of: Int.self), AsyncStream.makeStream(of: Void.self))
    let goOn = DispatchSemaphore(value: 0)
    let waiting = Lock((now: 0, most: 0))
    for number in 0..<200 {
      held.commitAsynchronously { turn in
        waiting.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
        begun.continuation.yield(number)
        // As for a lock.
        goOn.wait()
        waiting.withLock { $0.now -= 1 }
        // Others end it by returning.
        if number.isMultiple(of: 2) { turn.end() }
      }
    }
    free.commitAsynchronously { _ in freeBegun.continuation.yield() }
    for await _ in freeBegun.stream { break }
    var expected = 0
    for await number in begun.stream {
      #expect(number == expected)
      goOn.signal()
      expected += 1
      if expected == 200 { break }
    }
    #expect(waiting.withLock { $0.most } == 1)
  }

  @Test("the next one begins when one has its locks, whatever this one does then")
  func next() async {
    let domains = PersistentDomains(database: nil)
    let (isLastBegun, results) = (DispatchSemaphore(value: 0), AsyncStream.makeStream(of: Bool.self))
    for _ in 0..<20 {
      domains.commitAsynchronously { turn in
        turn.end()
        // As in a closure.
        results.continuation.yield(isLastBegun.wait(timeout: .now() + 600) == .success)
      }
    }
    domains.commitAsynchronously { _ in for _ in 0..<20 { isLastBegun.signal() } }
    var count = 0
    for await isBegun in results.stream {
      #expect(isBegun)
      count += 1
      if count == 20 { break }
    }
  }
}
