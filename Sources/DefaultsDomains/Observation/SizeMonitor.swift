package import DefaultsDatabase

/// Notices when a domain's file grows beyond the limit, and notifies the objects that write the domain.
///
/// There is one for each domain. A save notifies only the objects that have not been notified since the file
/// was last below the limit, so that it costs nothing for the others.
package final class SizeMonitor: Sendable {
  private let state = Lock(State())

  private struct State {
    var nextNumber = 0
    /// The functions to call, of the objects that have not been notified and of those that have.
    var waiting: [Int: @Sendable () -> Void] = [:]
    var notified: [Int: @Sendable () -> Void] = [:]
  }

  /// The maximum size in bytes; 0 or less for no limit.
  package static let limit = Lock(4 << 20)

  /// Sets a function to call when the limit is exceeded; gives a number for ``remove(_:)``.
  package func onExceeding(_ body: @escaping @Sendable () -> Void) -> Int {
    state.withLock { state in
      state.nextNumber += 1
      state.waiting[state.nextNumber] = body
      return state.nextNumber
    }
  }

  package func remove(_ number: Int) {
    // Released outside the lock.
    let removed = state.withLock { state in
      (state.waiting.removeValue(forKey: number), state.notified.removeValue(forKey: number))
    }
    withExtendedLifetime(removed) {}
  }

  /// Records a file's size; notifies once if it is above the limit.
  func fileWasSaved(_ byteCount: Int) {
    let limit = SizeMonitor.limit.withLock { $0 }
    let isAbove = limit > 0 && byteCount > limit
    let bodies = state.withLock { state -> [@Sendable () -> Void] in
      guard isAbove else {
        if !state.notified.isEmpty {
          state.waiting.merge(state.notified) { first, _ in first }
          state.notified = [:]
        }
        return []
      }
      let waiting = state.waiting
      guard !waiting.isEmpty else { return [] }
      state.notified.merge(waiting) { first, _ in first }
      state.waiting = [:]
      return waiting.sorted { $0.key < $1.key }.map(\.value)
    }
    for body in bodies { body() }
  }
}
