import DefaultsDatabase

/// Tells the readers of the process of each save of a domain.
package final class SaveReports: Sendable {
  package static let shared = SaveReports()

  /// What is called for every save; it may call back.
  ///
  /// A variable of its own, because a program that only looks up values sets it too.
  private static let handler = Lock<Handler?>(nil)

  /// A closure in a structure: each access to a closure as the lock's state would wrap it once more.
  private struct Handler {
    let call: @Sendable (DomainSave) -> Void
  }

  /// Sets what is called for every save.
  package static func setHandler(_ call: @escaping @Sendable (DomainSave) -> Void) {
    handler.withLock { $0 = Handler(call: call) }
  }

  private let state = Lock(State())

  private typealias Continuation = AsyncStream<DomainSave>.Continuation

  private struct State {
    /// By the domain, so that a save costs nothing for the readers of other domains.
    var readers = [ObjectIdentifier: [Int: Continuation]]()
    var nextNumber = 0

    mutating func remove(_ number: Int, of domain: ObjectIdentifier) -> Continuation? {
      defer { if readers[domain]?.isEmpty ?? false { readers[domain] = nil } }
      return readers[domain]?.removeValue(forKey: number)
    }
  }

  /// The saves of a domain from now on; the newest hundred are kept for a slow reader.
  package func stream(of domain: PersistentDomain) -> AsyncStream<DomainSave> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: DomainSave.self, bufferingPolicy: .bufferingNewest(100))
    let number = state.withLock { state in
      state.nextNumber += 1
      state.readers[ObjectIdentifier(domain), default: [:]][state.nextNumber] = continuation
      return state.nextNumber
    }
    continuation.onTermination = { [weak self] _ in
      // The domain lives as long as the reader, so that no other one gets its identifier.
      _ = self?.state.withLock { $0.remove(number, of: ObjectIdentifier(domain)) }
    }
    return stream
  }

  /// Adds a save to the streams of its domain.
  func tellReaders(of save: DomainSave, of domain: PersistentDomain) {
    let readers = state.withLock { $0.readers[ObjectIdentifier(domain)].map { Array($0.values) } ?? [] }
    for reader in readers { reader.yield(save) }
  }

  /// Calls what is called for every save, which may take any time; no lock may be held.
  func callHandler(with save: DomainSave) {
    SaveReports.handler.withLock { $0 }?.call(save)
  }
}
