import DefaultsDatabase
import Foundation
import OpenStepPropertyList
import TestSupport
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

  @Test("the two seconds begin with the call, and again when another commit of the database has its locks")
  func waits() async throws {
    let home = try TemporaryHome()
    let domains = PersistentDomains(database: UserDatabase(directory: home.path))
    let results = AsyncStream.makeStream(of: (before: MonotonicTime, arrival: MonotonicTime?).self)
    let called = MonotonicTime.now
    let areCalled = DispatchSemaphore(value: 0)
    for number in 0..<3 {
      domains.commitAsynchronously { turn in
        if number == 0 { areCalled.wait() }
        let before = MonotonicTime.now
        results.continuation.yield((before, turn.wait?.arrival))
        // The second one is refused.
        turn.end(hasLocks: number == 0)
      }
    }
    areCalled.signal()
    var all: [(before: MonotonicTime, arrival: MonotonicTime?)] = []
    for await result in results.stream {
      all.append(result)
      if all.count == 3 { break }
    }
    let (first, second) = (try #require(all[0].arrival), try #require(all[1].arrival))
    #expect(called <= first && first <= all[0].before)
    #expect(all[0].before <= second && second <= all[1].before)
    #expect(all[2].arrival == second)
  }

  @Test(
    "what the closures of several have captured is released when each is done, and outside of all locks",
    .timeLimit(.minutes(30)))
  func release() async throws {
    /// What a closure captures, which uses the same domains when it ends.
    final class Captured: Sendable {
      let domains: PersistentDomains
      let ends: AsyncStream<Void>.Continuation

      init(_ domains: PersistentDomains, _ ends: AsyncStream<Void>.Continuation) {
        (self.domains, self.ends) = (domains, ends)
      }

      deinit {
        if let name = try? DomainName("App") { domains.set("v", for: "k", in: domains.domain(name)) }
        ends.yield()
      }
    }
    let domains = PersistentDomains(database: nil)
    let ends = AsyncStream.makeStream(of: Void.self)
    let goOn = DispatchSemaphore(value: 0)
    for number in 0..<3 {
      let captured = Captured(domains, ends.continuation)
      domains.commitAsynchronously { turn in
        if number == 0 { goOn.wait() }
        withExtendedLifetime(captured) { turn.end() }
      }
    }
    goOn.signal()
    var count = 0
    for await _ in ends.stream {
      count += 1
      if count == 3 { break }
    }
    #expect(count == 3)
  }

  @Test("a forked child, which has none of its parent's threads, begins its own commits and saves")
  func forked() async {
    await #expect(processExitsWith: .exitCode(0)) {
      let domains = PersistentDomains(database: nil)
      let isBegun = DispatchSemaphore(value: 0)
      domains.commitAsynchronously { _ in
        isBegun.signal()
        while true { pause() }
      }
      isBegun.wait()
      domains.state.withLock { $0.work.hurriedSaves = 1 }
      guard let child = ForkedChild.make() else { _exit(3) }
      if child.isThisProcess {
        let isMade = DispatchSemaphore(value: 0)
        domains.commitAsynchronously { _ in isMade.signal() }
        let isIdle = domains.state.withLock { $0.work.hurriedSaves == 0 }
        _exit(isMade.wait(timeout: .now() + 600) == .success && isIdle ? 0 : 1)
      }
      _exit(child.status() == 0 ? 0 : 2)
    }
  }
}
