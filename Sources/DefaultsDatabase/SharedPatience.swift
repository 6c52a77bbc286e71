/// The patience of a command that changes many domains one after the other: a change that waits in vain for the lock is
/// the last to wait, because the same process probably still keeps it.
package final class SharedPatience: Sendable {
  private let state = Lock(false)

  package init() {}

  /// Whether a change has waited in vain.
  var isOver: Bool { state.withLock { $0 } }

  func end() { state.withLock { $0 = true } }
}
