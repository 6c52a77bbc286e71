/// A save of a domain by this process: its changes are on stable storage.
public struct DomainSave: Hashable, Sendable {
  /// The domain's name.
  public let domain: String
  /// The path of the directory in which the domain's file lies.
  public let directory: String
  /// The size of the domain's file after the save, in bytes; 0 if the domain has no file now.
  public let byteCount: Int
}

/// The saves of a domain from the moment at which the sequence was made, without an end.
///
/// It is for one loop; several loops over one sequence would share its elements. While they are not read, the
/// newest hundred are kept.
public struct DomainSaves: AsyncSequence, Sendable {
  public typealias Failure = Never

  private let stream: AsyncStream<DomainSave>

  package init(of domain: PersistentDomain) {
    stream = SaveReports.shared.stream(of: domain)
  }

  /// Iterates over the saves.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate var iterator: AsyncStream<DomainSave>.Iterator

    /// The next save, as soon as there is one; nil when the task is cancelled.
    ///
    /// - Parameter actor: The actor that waits, by default the caller's.
    public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> DomainSave? {
      await iterator.next(isolation: actor)
    }
  }

  public func makeAsyncIterator() -> Iterator {
    Iterator(iterator: stream.makeAsyncIterator())
  }
}
