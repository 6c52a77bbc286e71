import DefaultsDatabase
import Synchronization

/// Gives threads that take a lock many times in a row precedence over threads that take it once.
///
/// The system's mutex is not fair. A thread that takes a snapshot in parts would starve, for minutes, while
/// another one sets values without a pause. Here the other one waits for one part as soon as the first asks.
final class Precedence: Sendable {
  private let waitingCount = Atomic(0)
  /// Held by the thread that has precedence.
  private let gate = Lock(false)

  /// Runs a body that takes the lock, before the threads that then call ``giveWay()``.
  func take<Result>(_ body: () -> Result) -> Result {
    waitingCount.wrappingAdd(1, ordering: .relaxed)
    defer { waitingCount.wrappingSubtract(1, ordering: .relaxed) }
    return gate.withLock { _ in body() }
  }

  /// Waits for a thread that has precedence; called before the lock is taken, and not inside ``take(_:)``.
  @inline(__always) func giveWay() {
    if waitingCount.load(ordering: .relaxed) > 0 { gate.withLock { _ in } }
  }
}
