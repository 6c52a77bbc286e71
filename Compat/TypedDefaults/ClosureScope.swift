import DefaultsDatabase

/// The execution of a closure for which a task-local value is set.
///
/// Tasks that the closure starts inherit the value, and may keep it long after the closure has returned; this
/// object tells them that the value does not apply to them.
final class ClosureScope: Sendable {
  private let task = ClosureScope.presentTask
  private let isOver = Lock(false)

  /// The current task, or nil for a thread without one; used only for comparison, while the task is alive.
  private static var presentTask: Int? { withUnsafeCurrentTask { $0?.hashValue } }

  /// Whether the caller runs inside the closure.
  var isPresent: Bool { ClosureScope.presentTask == task && !isOver.withLock { $0 } }

  /// Records that the closure has returned.
  func end() {
    isOver.withLock { $0 = true }
  }

  /// Runs a body that is independent of the closure that this thread happens to run.
  static func outside(_ body: () -> Void) {
    Transaction.$inherited.withValue(nil) {
      Propagation.$inherited.withValue(nil) {
        Propagation.$silentKeys.withValue([], operation: body)
      }
    }
  }
}
