import Foundation

/// Calls of a watcher, one after the other.
final class WatcherCalls: @unchecked Sendable {
  // Unchecked, because the compiler cannot see that the condition guards the count.
  private let condition = NSCondition()
  private var count = 0

  func add() {
    condition.withLock {
      count += 1
      condition.broadcast()
    }
  }

  /// Waits until a condition holds after some call, or for five minutes; gives whether it holds.
  func wait(until isMet: () throws -> Bool) rethrows -> Bool {
    let deadline = Date(timeIntervalSinceNow: 300)
    var seen = -1
    while true {
      condition.lock()
      var isInTime = true
      while count == seen && isInTime { isInTime = condition.wait(until: deadline) }
      seen = count
      condition.unlock()
      if try isMet() { return true }
      if !isInTime { return false }
    }
  }

  var total: Int { condition.withLock { count } }
}
