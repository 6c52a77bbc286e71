import DefaultsDatabase

/// Hands what goes wrong with any database of the process to all who ask for it.
///
/// That is every save that failed, every file that is damaged or cannot be read, every place to which
/// a damaged one was moved, and what a class on top refuses.
package final class ErrorReports: Sendable {
  package static let shared = ErrorReports()

  private let state = Lock(State())

  private struct State {
    var readers: [Int: AsyncStream<any Error>.Continuation] = [:]
    var nextNumber = 0
  }

  /// A stream of the errors from now on; the newest hundred are kept for a reader who is slow.
  package func stream() -> AsyncStream<any Error> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: (any Error).self, bufferingPolicy: .bufferingNewest(100))
    let number = state.withLock { state in
      state.nextNumber += 1
      state.readers[state.nextNumber] = continuation
      return state.nextNumber
    }
    continuation.onTermination = { [weak self] _ in
      // Let go of outside the lock.
      _ = self?.state.withLock { $0.readers.removeValue(forKey: number) }
    }
    return stream
  }

  package func add(_ error: any Error) {
    for reader in state.withLock({ Array($0.readers.values) }) { reader.yield(error) }
  }
}
