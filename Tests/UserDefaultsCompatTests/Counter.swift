import DefaultsDatabase

/// Counts calls from any thread.
final class Counter: Sendable {
  private let count = Lock(0)

  var value: Int { count.withLock { $0 } }

  func increment() {
    count.withLock { $0 += 1 }
  }
}
