package import DefaultsDatabase
import OpenStepPropertyList

/// Notices when a domain's file grows beyond the limit, and notifies the objects that write the domain.
///
/// There is one for each domain. A save notifies only the objects that have not been notified since the file
/// was last below the limit, so that it costs nothing for the others.
package final class SizeMonitor: Sendable {
  private let state = Lock(State())

  private struct Observer {
    let number: Int
    /// nil once it is removed.
    var target: Target?
  }

  private struct Target {
    let object: UnretainedReference
    let notify: @Sendable (AnyObject) -> Void
  }

  private struct State {
    var lastNumber = 0
    /// Sorted by number. Most processes have one, for which a dictionary would take long (Architecture, “Start-up”).
    var observers: [Observer] = []
    /// How many of them are removed; they leave the array when they are half of it.
    var removedCount = 0
    /// The number of the last observer that has been notified since the file was last below the limit: all before
    /// it have been notified, too.
    var lastNotified = 0

    /// The index of the first observer with a number above another; O(log n).
    func index(after number: Int) -> Int {
      observers.indices.partitioningIndex { observers[$0].number > number }
    }
  }

  /// The maximum size in bytes; 0 or less for no limit.
  package static let limit = Lock(4 << 20)

  /// Sets a function to call with an object when the limit is exceeded; constant time on average.
  ///
  /// The object is not retained. Its `deinit` has to call ``remove(_:)``.
  ///
  /// - Returns: A number for ``remove(_:)``.
  package func add(_ object: AnyObject, onExceeding notify: @escaping @Sendable (AnyObject) -> Void) -> Int {
    state.withLock { state in
      state.lastNumber += 1
      let target = Target(object: UnretainedReference(object), notify: notify)
      state.observers.append(Observer(number: state.lastNumber, target: target))
      return state.lastNumber
    }
  }

  /// Removes an observer; O(log n) on average.
  package func remove(_ number: Int) {
    // Released outside the lock.
    let removed = state.withLock { state -> Target? in
      let index = state.index(after: number - 1)
      guard index < state.observers.count, state.observers[index].number == number,
        let target = state.observers[index].target
      else { return nil }
      state.observers[index].target = nil
      state.removedCount += 1
      if 2 * state.removedCount > state.observers.count {
        state.observers.removeAll { $0.target == nil }
        state.removedCount = 0
      }
      return target
    }
    withExtendedLifetime(removed) {}
  }

  /// Whether a file is beyond the limit.
  private static func isAboveLimit(_ byteCount: Int) -> Bool {
    let limit = SizeMonitor.limit.withLock { $0 }
    return limit > 0 && byteCount > limit
  }

  /// Records the size of a file that was read; another process may have made it small.
  func fileWasRead(_ byteCount: Int) {
    if !SizeMonitor.isAboveLimit(byteCount) { state.withLock { $0.lastNotified = 0 } }
  }

  /// Records a file's size; notifies once if it is above the limit.
  func fileWasSaved(_ byteCount: Int) {
    let isAbove = SizeMonitor.isAboveLimit(byteCount)
    let calls = state.withLock { state -> [(object: AnyObject, notify: @Sendable (AnyObject) -> Void)] in
      guard isAbove else {
        state.lastNotified = 0
        return []
      }
      let waiting = state.observers[state.index(after: state.lastNotified)...]
      state.lastNotified = state.lastNumber
      // Under the lock, since an object's `deinit` waits for it.
      return waiting.compactMap { observer in
        observer.target.flatMap { target in target.object.retained.map { ($0, target.notify) } }
      }
    }
    for call in calls { call.notify(call.object) }
  }
}
