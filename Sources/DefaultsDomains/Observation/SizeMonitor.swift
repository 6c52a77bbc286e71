package import DefaultsDatabase

/// Notices when a domain's file grows beyond the limit, and notifies the objects that write the domain.
///
/// There is one for each domain. A save notifies only the objects that have not been notified since the file
/// was last below the limit, so that it costs nothing for the others.
package final class SizeMonitor: Sendable {
  private let state = Lock(State())

  private struct Observer {
    let number: Int
    let object: UnretainedReference
    let notify: @Sendable (AnyObject) -> Void
  }

  private struct State {
    var lastNumber = 0
    /// The observers that have not been notified, and those that have, by their objects.
    var waiting: [ObjectIdentifier: Observer] = [:]
    var notified: [ObjectIdentifier: Observer] = [:]
  }

  /// The maximum size in bytes; 0 or less for no limit.
  package static let limit = Lock(4 << 20)

  /// Sets a function to call with an object when the limit is exceeded.
  ///
  /// The object is not retained. Its `deinit` has to call ``remove(_:)``.
  package func add(_ object: AnyObject, onExceeding notify: @escaping @Sendable (AnyObject) -> Void) {
    state.withLock { state in
      state.lastNumber += 1
      state.waiting[ObjectIdentifier(object)] = Observer(
        number: state.lastNumber, object: UnretainedReference(object), notify: notify)
    }
  }

  package func remove(_ object: AnyObject) {
    // Released outside the lock.
    let removed = state.withLock { state in
      (
        state.waiting.removeValue(forKey: ObjectIdentifier(object)),
        state.notified.removeValue(forKey: ObjectIdentifier(object))
      )
    }
    withExtendedLifetime(removed) {}
  }

  /// Records a file's size; notifies once if it is above the limit.
  func fileWasSaved(_ byteCount: Int) {
    let limit = SizeMonitor.limit.withLock { $0 }
    let isAbove = limit > 0 && byteCount > limit
    let calls = state.withLock {
      state -> [(number: Int, object: AnyObject, notify: @Sendable (AnyObject) -> Void)] in
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
      // Under the lock, since an object's `deinit` waits for it.
      return waiting.values.compactMap { observer in
        observer.object.retained.map { (observer.number, $0, observer.notify) }
      }
    }
    for call in calls.sorted(by: { $0.number < $1.number }) { call.notify(call.object) }
  }
}
