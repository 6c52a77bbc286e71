/// The patience that the changes of many domains or files share: after one of them has waited in vain for a lock, or for
/// the reader of a pipe, the next ones do not wait, because the same process probably still holds what they need.
///
/// A change that comes much later, as in an editor's session, waits again.
package final class SharedPatience: Sendable {
  /// When a change last waited in vain; nil for never.
  private let end = Lock<MonotonicTime?>(nil)

  package init() {}

  /// Whether a change waited in vain a moment ago.
  var isOver: Bool { end.withLock { $0.map { .now < $0 + UserDatabase.patience } ?? false } }

  /// When a change that begins now stops waiting.
  var deadline: MonotonicTime { isOver ? .now : .now + UserDatabase.patience }

  /// Notes that a change waited in vain.
  func noteRefusal() { end.withLock { $0 = .now } }
}
