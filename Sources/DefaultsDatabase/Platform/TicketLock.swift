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
    /// The urgent threads that wait. The first of them has its turn behind the present one, under the same number.
    var urgent: [Condition] = []
    /// The urgent thread whose turn has come, by its condition.
    var urgentServed: Condition?

    mutating func removeWaiting(_ number: UInt64) {
      if let index = waiting.firstIndex(where: { $0.number == number }) { waiting.remove(at: index) }
    }

    /// Begins the turn of a thread that waits, if it has come; the number is nil for an urgent one.
    mutating func takesTurn(_ number: UInt64?, _ turn: Condition) -> Bool {
      guard let number else {
        guard urgentServed === turn else { return false }
        urgentServed = nil
        return true
      }
      guard number == numberServed else { return false }
      removeWaiting(number)
      return true
    }

    mutating func giveUp(_ number: UInt64?, _ turn: Condition) {
      if let number {
        removeWaiting(number)
        abandoned.insert(number)
      } else {
        urgent.removeAll { $0 === turn }
      }
    }
  }

  package init() {}

  /// Waits for the caller's turn.
  ///
  /// - Parameters:
  ///   - isUrgent: Whether the turn comes before that of all who wait and are not urgent.
  ///   - deadline: When to stop waiting; nil for never.
  ///   - mayGiveUp: Asked repeatedly after the deadline whether to stop; it must not use this lock.
  /// - Returns: false if the caller has stopped waiting, and then must not call ``end()``.
  @discardableResult
  package func begin(
    isUrgent: Bool = false, until deadline: MonotonicTime? = nil, if mayGiveUp: () -> Bool = { true }
  ) -> Bool {
    let ticket = state.withLock { state -> (number: UInt64?, turn: Condition)? in
      let isFree = state.nextNumber == state.numberServed
      if isUrgent, !isFree {
        state.urgent.append(Condition())
        return state.urgent.last.map { (nil, $0) }
      }
      let number = state.nextNumber
      state.nextNumber += 1
      if isFree { return nil }
      state.waiting.append((number, Condition()))
      return state.waiting.last.map { ($0.number, $0.turn) }
    }
    guard let (number, turn) = ticket else { return true }
    var isServed = false
    state.withLock(waitingOn: turn) { state in
      let now = MonotonicTime.now
      isServed = state.takesTurn(number, turn)
      if isServed { return .end }
      if let deadline, now >= deadline, mayGiveUp() {
        state.giveUp(number, turn)
        return .end
      }
      return .wait(until: deadline.map { max($0, now + 0.02) })
    }
    return isServed
  }

  /// Ends the caller's turn.
  package func end() {
    state.withLock { state in
      if !state.urgent.isEmpty {
        let next = state.urgent.removeFirst()
        state.urgentServed = next
        return next.signal()
      }
      repeat { state.numberServed += 1 } while state.abandoned.remove(state.numberServed) != nil
      state.waiting.first { $0.number == state.numberServed }?.turn.signal()
    }
  }

  /// Whether a thread has its turn now.
  package var isTaken: Bool {
    state.withLock { $0.nextNumber != $0.numberServed }
  }
}
