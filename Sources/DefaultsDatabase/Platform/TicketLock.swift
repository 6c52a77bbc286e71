/// A ticket lock: threads take their turns one at a time, in the order in which they ask.
///
/// It is for long work: with a plain mutex, a thread that asks again and again may keep the others out for
/// any time. Not recursive.
package final class TicketLock: @unchecked Sendable {
  // Unchecked, because the compiler cannot see that the condition guards the numbers.
  private let condition = Condition()
  private var nextNumber: UInt64 = 0
  private var numberServed: UInt64 = 0
  /// The threads that wait, in the order of their numbers, each with a condition of its own: all of them would wake at the
  /// end of every turn otherwise, and go on waiting.
  private var waiting: [(number: UInt64, turn: Condition)] = []
  /// The numbers whose threads have stopped waiting.
  private var abandoned: Set<UInt64> = []

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
    condition.withLock {
      let number = nextNumber
      nextNumber += 1
      if number == numberServed { return true }
      let turn = Condition(sharingMutexOf: condition)
      waiting.append((number, turn))
      defer {
        if let index = waiting.firstIndex(where: { $0.number == number }) { waiting.remove(at: index) }
      }
      while number != numberServed {
        let now = MonotonicTime.now
        if let deadline, now >= deadline, mayGiveUp() {
          abandoned.insert(number)
          return false
        }
        turn.wait(until: deadline.map { max($0, now + 0.02) })
      }
      return true
    }
  }

  /// Ends the caller's turn.
  package func end() {
    condition.withLock {
      repeat { numberServed += 1 } while abandoned.remove(numberServed) != nil
      waiting.first { $0.number == numberServed }?.turn.signal()
    }
  }

  /// Whether a thread has its turn now.
  package var isTaken: Bool {
    condition.withLock { nextNumber != numberServed }
  }
}
