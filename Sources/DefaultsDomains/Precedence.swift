import DefaultsDatabase
import Synchronization

/// Gives threads that take a lock many times in a row precedence over those that take it once.
///
/// A mutex of the system is not fair: where one thread sets values without a pause, another that looks at many values bit by
/// bit would get the lock by chance only, and wait for minutes. Here the first waits, for one bit, as soon as the second asks.
final class Precedence: Sendable {
  private let waitingCount = Atomic(0)
  /// Held by whoever has precedence.
  private let gate = Lock(false)

  /// Runs a body that takes the lock, before those who are about to call ``giveWay()``.
  func take<Result>(_ body: () -> Result) -> Result {
    waitingCount.wrappingAdd(1, ordering: .relaxed)
    defer { waitingCount.wrappingSubtract(1, ordering: .relaxed) }
    return gate.withLock { _ in body() }
  }

  /// Waits for a thread that has precedence, before the lock is taken; not inside ``take(_:)``.
  @inline(__always) func giveWay() {
    if waitingCount.load(ordering: .relaxed) > 0 { gate.withLock { _ in } }
  }
}
