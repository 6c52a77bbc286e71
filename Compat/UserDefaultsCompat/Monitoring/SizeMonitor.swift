import DefaultsDatabase

/// Notices when the file of an object's application domain grows beyond the limit.
final class SizeMonitor: Sendable {
  private let state = Lock(State())

  private struct State {
    var isAbove = false
    var onExceeding: (@Sendable () -> Void)?
  }

  /// The size in bytes that is too much; 0 or less for none.
  static let limit = Lock(4 << 20)

  /// Sets what to do when the limit is passed.
  func onExceeding(_ body: @escaping @Sendable () -> Void) {
    state.withLock { $0.onExceeding = body }
  }

  /// Takes note of a file's size; what is above the limit already is told of once.
  func fileWasSaved(_ byteCount: Int) {
    let limit = SizeMonitor.limit.withLock { $0 }
    let isAbove = limit > 0 && byteCount > limit
    let body = state.withLock { state in
      defer { state.isAbove = isAbove }
      return isAbove && !state.isAbove ? state.onExceeding : nil
    }
    body?()
  }
}
