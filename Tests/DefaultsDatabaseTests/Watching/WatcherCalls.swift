import DefaultsDatabase
import Foundation
import OpenStepPropertyList

/// Calls of a watcher, one after the other.
final class WatcherCalls: @unchecked Sendable {
  // Unchecked, because the compiler cannot see that the condition guards the count and the values.
  private let condition = NSCondition()
  private var count = 0
  private var values: [PropertyListKey: PropertyList] = [:]
  private let read: @Sendable () throws -> [PropertyListKey: PropertyList]

  /// - Parameter read: Reads the values in each call, so that what was changed without a call is not found.
  init(reading read: @escaping @Sendable () throws -> [PropertyListKey: PropertyList] = { [:] }) {
    self.read = read
  }

  /// Calls that read a domain of a database.
  convenience init(reading name: String, in database: UserDatabase) {
    self.init { try database.load(DomainName(name)).values }
  }

  func add() {
    let values = (try? read()) ?? [:]
    condition.withLock {
      count += 1
      self.values = values
      condition.broadcast()
    }
  }

  /// The value of a key as the last call found it; nil also where it could not be read.
  func told(_ key: String) -> PropertyList? {
    condition.withLock { values[PropertyListKey(key)] }
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
