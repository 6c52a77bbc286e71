import DefaultsDatabase
import Foundation
import TestSupport
import Testing
import TypedDefaults

/// Observers of several keys, which several threads change.
@Suite(.timeLimit(.minutes(30)))
struct SeveralKeysTests {
  private let first: Defaults.Key<Int>
  private let second: Defaults.Key<Int>
  /// The threads of the calls.
  private let calls = Log<UInt>()

  init() {
    let suite = UserDefaults.inMemory()
    first = Defaults.Key("first", default: 0, suite: suite)
    second = Defaults.Key("second", default: 0, suite: suite)
  }

  /// Runs a body on a thread of its own, and waits until it has returned.
  private func elsewhere(_ body: @escaping @Sendable () -> Void) {
    let end = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      body()
      end.signal()
    }
    end.wait()
  }

  /// Has another thread change the second key a number of times.
  private func changeSecond(times: Int) {
    elsewhere { [second] in for _ in 0..<times { Defaults[second] += 1 } }
  }

  // The thread went on for as long as others changed the keys, and for all that they had left.
  @Test("who changes one of several keys once comes back, though another thread goes on changing them")
  func handOver() {
    let isOver = Lock(false)
    let end = MonotonicTime.now + 60
    let observation = Defaults.observe(keys: first, second, options: []) { [calls] in
      calls.add(CurrentThread.identifier)
      if isOver.withLock({ $0 }) || end < .now { return }
      // Two more calls wait after each, but not so many that some become one.
      CurrentProcess.pause(microseconds: 1000)
      changeSecond(times: 2)
    }
    Defaults[first] = 1
    #expect(.now < end)
    isOver.withLock { $0 = true }
    #expect(calls.all.first == CurrentThread.identifier)
    // A worker thread makes all calls that were left.
    awaitTold { calls.all.count == 1 + Defaults[second] }
    #expect(calls.all.count == 1 + Defaults[second])
    #expect(calls.all.last != CurrentThread.identifier)
    withExtendedLifetime(observation) {}
  }

  @Test("of more than 10,000 calls that wait the newest become one")
  func bound() {
    let observation = Defaults.observe(keys: first, second, options: []) { [calls] in
      calls.add(CurrentThread.identifier)
      if calls.all.count == 1 { changeSecond(times: 10_050) }
    }
    Defaults[first] = 1
    awaitTold { calls.all.count >= 10_001 }
    // All calls have been made: this one does not wait.
    elsewhere { [first] in Defaults[first] = 2 }
    awaitTold { calls.all.count >= 10_002 }
    #expect(calls.all.count == 10_002)
    withExtendedLifetime(observation) {}
  }

  @Test("calls that wait when an observation ends are not made")
  func end() {
    let held = Log<any Defaults.Observation>()
    held.add(
      Defaults.observe(keys: first, second, options: []) { [calls] in
        calls.add(CurrentThread.identifier)
        changeSecond(times: 3)
        for observation in held.take() { observation.invalidate() }
      })
    Defaults[first] = 1
    #expect(calls.all == [CurrentThread.identifier])
  }
}
