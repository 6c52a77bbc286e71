import DefaultsDatabase

/// The run of a closure for which a task-local value is set.
///
/// The tasks that the closure starts inherit the value, and may keep it long after the closure has returned;
/// by this they tell that it is not meant for them.
final class ClosureScope: Sendable {
  private let task = ClosureScope.presentTask
  private let isOver = Lock(false)

  /// The task that runs, or nil for a thread without one; only for comparing, while the task is alive.
  private static var presentTask: Int? { withUnsafeCurrentTask { $0?.hashValue } }

  /// Whether the closure is running, and this is called by it.
  var isPresent: Bool { ClosureScope.presentTask == task && !isOver.withLock { $0 } }

  /// Notes that the closure has returned.
  func end() {
    isOver.withLock { $0 = true }
  }

  /// Runs what has nothing to do with the closure that happens to be running on this thread.
  static func outside(_ body: () -> Void) {
    Transaction.$inherited.withValue(nil) {
      Propagation.$inherited.withValue(nil) {
        Propagation.$silentKeys.withValue([], operation: body)
      }
    }
  }
}
