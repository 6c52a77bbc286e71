import DefaultsDatabase
import OpenStepPropertyList

/// Calls of a watcher, one after the other.
final class WatcherCalls: Sendable {
  private let state = Lock(State())
  private let condition = Condition()
  private let read: @Sendable () throws -> [PropertyListKey: PropertyList]

  private struct State {
    var count = 0
    var values: [PropertyListKey: PropertyList] = [:]
  }

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
    state.withLock { state in
      state.count += 1
      state.values = values
      condition.broadcast()
    }
  }

  /// The value of a key as the last call found it; nil also where it could not be read.
  func told(_ key: String) -> PropertyList? {
    state.withLock { $0.values[PropertyListKey(key)] }
  }

  /// Waits until a condition holds after some call, or for five minutes; gives whether it holds.
  func wait(until isMet: () throws -> Bool) rethrows -> Bool {
    let deadline = MonotonicTime.now + 300
    var seen = -1
    while true {
      var count = 0
      state.withLock(waitingOn: condition) { state in
        count = state.count
        return count == seen && .now < deadline ? .wait(until: deadline) : .end
      }
      if try isMet() { return true }
      if count == seen { return false }
      seen = count
    }
  }

  var total: Int { state.withLock { $0.count } }
}
