/// The patience of those that change many domains or files one after the other: once a change has waited in vain for a
/// lock, the next ones do not wait, because the same process probably still keeps it, or theirs.
///
/// A change that comes much later, as in an editor's session, waits again.
package final class SharedPatience: Sendable {
  /// When a change was last refused for the lock; nil for never.
  private let end = Lock<MonotonicTime?>(nil)

  package init() {}

  /// Whether a change was refused for the lock a moment ago.
  var isOver: Bool { end.withLock { $0.map { .now < $0 + UserDatabase.patience } ?? false } }

  /// Notes that a change was refused for the lock.
  func noteRefusal() { end.withLock { $0 = .now } }
}
