import DefaultsDatabase
import Foundation
import TestSupport
import Testing

@testable import UserDefaultsCompat

private typealias UserDefaults = UserDefaultsCompat.UserDefaults

/// A key that threads change faster than its observers return.
struct ContendedKeyTests {
  private final class Flag: Sendable {
    private let state = Lock(false)

    var isSet: Bool { state.withLock { $0 } }

    func set() { state.withLock { $0 = true } }
  }

  /// The changes that an observer was told, each as its old and its new value.
  private final class Told: Sendable {
    private let changes = Lock<[(old: Int?, new: Int?)]>([])

    var all: [(old: Int?, new: Int?)] { changes.withLock { $0 } }

    func add(_ old: Int?, _ new: Int?) { changes.withLock { $0.append((old, new)) } }

    /// Whether each old value is the new one of the change before.
    var isChain: Bool { zip(all, all.dropFirst()).allSatisfy { $0.new == $1.old } }
  }

  @Test("a set returns although other threads go on changing the key", .timeLimit(.minutes(20)))
  func captured() {
    let defaults = UserDefaults.inMemory()
    let (told, isOver) = (Told(), Flag())
    let (mayChange, hasChanged, isLast) = (
      DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
    )
    let observation = defaults.observe("k", options: [.old, .new]) { _, change in
      let new = change.newValue as? Int
      told.add(change.oldValue as? Int, new)
      if new == -1 { isLast.signal() }
      guard !isOver.isSet else { return }
      // Each call ends with one more change to report, whose own thread has left it to this one. That thread
      // changes the key in such a call only: it would have to report the change by itself else.
      mayChange.signal()
      hasChanged.wait()
    }
    Thread.detachNewThread {
      var number = 0
      while true {
        mayChange.wait()
        if isOver.isSet { break }
        number += 1
        defaults.set(number, forKey: "k")
        hasChanged.signal()
      }
      defaults.set(-1, forKey: "k")
      // A call may be waiting for one more change.
      hasChanged.signal()
    }
    defaults.set(0, forKey: "k")
    isOver.set()
    mayChange.signal()
    isLast.wait()
    #expect(told.isChain && told.all.first?.new == 0)
    withExtendedLifetime(observation) {}
  }

  @Test(
    "the changes that wait for an observer are bounded in number, and the last one is told",
    .timeLimit(.minutes(20)), arguments: [false, true])
  func bounded(isPrior: Bool) {
    let defaults = UserDefaults.inMemory()
    let told = Told()
    let (isBlocked, mayGoOn, isLast) = (
      DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
    )
    let observation = defaults.observe("k", options: isPrior ? [.old, .new, .prior] : [.old, .new]) {
      _, change in
      if change.isPrior { return }
      let new = change.newValue as? Int
      told.add(change.oldValue as? Int, new)
      if new == 30_000 { isLast.signal() }
      guard new == 0 else { return }
      isBlocked.signal()
      mayGoOn.wait()
    }
    Thread.detachNewThread { defaults.set(0, forKey: "k") }
    isBlocked.wait()
    for number in 1...30_000 { defaults.set(number, forKey: "k") }
    mayGoOn.signal()
    // A worker thread may go on with the rest.
    isLast.wait()
    #expect(told.isChain)
    // The notices before a change count, too.
    #expect(told.all.count <= 10_010 && told.all.count >= 5_000, "\(told.all.count)")
    withExtendedLifetime(observation) {}
  }
}
