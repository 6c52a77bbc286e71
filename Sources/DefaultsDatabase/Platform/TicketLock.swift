/// A ticket lock: threads take their turns one at a time, in the order in which they ask.
///
/// It is for long work: with a plain mutex, a thread that asks again and again may keep the others out for
/// any time. Not recursive.
package final class TicketLock: Sendable {
  private let state = Lock(State())

  private struct State {
    var nextNumber: UInt64 = 0
    var numberServed: UInt64 = 0
    /// The threads that wait, in the order of their numbers, each with a condition of its own: all of them would wake at
    /// the end of every turn otherwise, and go on waiting.
    var waiting: [(number: UInt64, turn: Condition)] = []
    /// The numbers whose threads have stopped waiting.
    var abandoned: Set<UInt64> = []

    mutating func removeWaiting(_ number: UInt64) {
      if let index = waiting.firstIndex(where: { $0.number == number }) { waiting.remove(at: index) }
    }
  }

  package init() {}

  /// Waits for the caller's turn.
  ///
  /// - Parameters:
  ///   - deadline: When to stop waiting; nil for never.
  ///   - mayGiveUp: Asked repeatedly after the deadline whether to stop; it must not use this lock.
  /// - Returns: false if the caller has stopped waiting, and then must not call ``end()``.
  @discardableResult
  package func begin(
    until deadline: MonotonicTime? = nil, if mayGiveUp: () -> Bool = { true }
  ) -> Bool {
    let ticket = state.withLock { state -> (number: UInt64, turn: Condition)? in
      let number = state.nextNumber
      state.nextNumber += 1
      if number == state.numberServed { return nil }
      state.waiting.append((number, Condition()))
      return state.waiting.last
    }
    guard let (number, turn) = ticket else { return true }
    var isServed = false
    state.withLock(waitingOn: turn) { state in
      let now = MonotonicTime.now
      if number == state.numberServed {
        state.removeWaiting(number)
        isServed = true
        return .end
      }
      if let deadline, now >= deadline, mayGiveUp() {
        state.removeWaiting(number)
        state.abandoned.insert(number)
        return .end
      }
      return .wait(until: deadline.map { max($0, now + 0.02) })
    }
    return isServed
  }

  /// Ends the caller's turn.
  package func end() {
    state.withLock { state in
      repeat { state.numberServed += 1 } while state.abandoned.remove(state.numberServed) != nil
      state.waiting.first { $0.number == state.numberServed }?.turn.signal()
    }
  }

  /// Whether a thread has its turn now.
  package var isTaken: Bool {
    state.withLock { $0.nextNumber != $0.numberServed }
  }
}
