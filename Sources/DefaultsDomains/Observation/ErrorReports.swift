import DefaultsDatabase

/// Hands what goes wrong with any database of the process to all who ask for it.
///
/// That is every save that failed, every file that is damaged or cannot be read, every place to which
/// a damaged one was moved, and what a class on top refuses.
package final class ErrorReports: Sendable {
  package static let shared = ErrorReports()

  private let state = Lock(State())

  private struct State {
    var readers: [Int: Reader] = [:]
    var nextNumber = 0
  }

  private struct Reader {
    let isWanted: @Sendable (any Error) -> Bool
    let continuation: AsyncStream<any Error>.Continuation
  }

  /// A stream of the errors from now on; the newest hundred are kept for a reader that is slow.
  ///
  /// - Parameter isWanted: Which errors are for this reader; the others take no room among the hundred. Called by the
  ///   threads that tell of errors; must not call back.
  package func stream(
    where isWanted: @escaping @Sendable (any Error) -> Bool = { _ in true }
  ) -> AsyncStream<any Error> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: (any Error).self, bufferingPolicy: .bufferingNewest(100))
    let number = state.withLock { state in
      state.nextNumber += 1
      state.readers[state.nextNumber] = Reader(isWanted: isWanted, continuation: continuation)
      return state.nextNumber
    }
    continuation.onTermination = { [weak self] _ in
      // Let go of outside the lock.
      _ = self?.state.withLock { $0.readers.removeValue(forKey: number) }
    }
    return stream
  }

  /// Whether somebody reads what is told.
  var hasReaders: Bool { state.withLock { !$0.readers.isEmpty } }

  package func add(_ error: any Error) {
    for reader in state.withLock({ Array($0.readers.values) }) where reader.isWanted(error) {
      reader.continuation.yield(error)
    }
  }
}
