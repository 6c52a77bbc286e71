/// The errors of ``UserDefaultsAdditions/errors``, in the order in which they occurred, without an end.
public struct UserDefaultsErrors: AsyncSequence, Sendable {
  public typealias Failure = Never

  let stream: AsyncStream<any Error>

  /// Iterates over the errors.
  public struct Iterator: AsyncIteratorProtocol {
    var iterator: AsyncStream<any Error>.Iterator

    /// The next error, as soon as there is one; nil when the task is cancelled.
    ///
    /// - Parameter actor: The actor that waits, by default the caller's.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async -> (any Error)? {
      await iterator.next(isolation: actor)
    }
  }

  public func makeAsyncIterator() -> Iterator {
    Iterator(iterator: stream.makeAsyncIterator())
  }
}
