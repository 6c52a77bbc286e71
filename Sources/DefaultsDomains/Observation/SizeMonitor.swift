package import DefaultsDatabase

/// Notices when a domain's file grows beyond the limit, and tells the objects that write the domain.
///
/// There is one for a domain. A save tells only those objects that have not been told since the file was below the
/// limit, so that it costs nothing for the others.
package final class SizeMonitor: Sendable {
  private let state = Lock(State())

  private struct State {
    var nextNumber = 0
    /// What to do for each object that was not told yet, and for each that was.
    var waiting: [Int: @Sendable () -> Void] = [:]
    var told: [Int: @Sendable () -> Void] = [:]
  }

  /// The size in bytes that is too much; 0 or less for none.
  package static let limit = Lock(4 << 20)

  /// Sets what to do when the limit is passed; gives a number to end that with.
  package func onExceeding(_ body: @escaping @Sendable () -> Void) -> Int {
    state.withLock { state in
      state.nextNumber += 1
      state.waiting[state.nextNumber] = body
      return state.nextNumber
    }
  }

  package func remove(_ number: Int) {
    // Let go of outside the lock.
    let removed = state.withLock { state in
      (state.waiting.removeValue(forKey: number), state.told.removeValue(forKey: number))
    }
    withExtendedLifetime(removed) {}
  }

  /// Takes note of a file's size; what is above the limit already is told of once.
  func fileWasSaved(_ byteCount: Int) {
    let limit = SizeMonitor.limit.withLock { $0 }
    let isAbove = limit > 0 && byteCount > limit
    let bodies = state.withLock { state -> [@Sendable () -> Void] in
      guard isAbove else {
        if !state.told.isEmpty {
          state.waiting.merge(state.told) { first, _ in first }
          state.told = [:]
        }
        return []
      }
      let waiting = state.waiting
      guard !waiting.isEmpty else { return [] }
      state.told.merge(waiting) { first, _ in first }
      state.waiting = [:]
      return waiting.sorted { $0.key < $1.key }.map(\.value)
    }
    for body in bodies { body() }
  }
}
