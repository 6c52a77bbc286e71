import DefaultsDatabase

/// Passes the errors of all databases of the process to all readers.
///
/// It reports each save that failed, each file that is damaged or unreadable, the new path of each damaged
/// file that was moved aside, and what a class that uses the engine refuses.
package final class ErrorReports: Sendable {
  package static let shared = ErrorReports()

  private let state = Lock(State())

  private struct State {
    var readers = [Int: Reader]()
    var nextNumber = 0
  }

  private struct Reader {
    let isWanted: @Sendable (any Error) -> Bool
    let continuation: AsyncStream<any Error>.Continuation
  }

  /// A stream of the errors from now on; the newest hundred are kept for a slow reader.
  ///
  /// - Parameter isWanted: Whether an error is for this reader; others are not counted among the hundred.
  ///   Called by the threads that report errors; it must not call back.
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
      // Released outside the lock.
      _ = self?.state.withLock { $0.readers.removeValue(forKey: number) }
    }
    return stream
  }

  /// Whether there are readers.
  var hasReaders: Bool { state.withLock { !$0.readers.isEmpty } }

  /// Reports the errors of one call, each once: a fault of a directory is found with each file in it.
  func add(each errors: [DatabaseError]) {
    var seen: Set<DatabaseError> = []
    for error in errors where seen.insert(error).inserted { add(error) }
  }

  package func add(_ error: any Error) {
    for reader in state.withLock({ Array($0.readers.values) }) where reader.isWanted(error) {
      reader.continuation.yield(error)
    }
  }
}
