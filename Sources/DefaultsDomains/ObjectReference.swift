import DefaultsDatabase

/// A reference to an object, for closures that may outlive it: it does not retain the object, nor slow it down before
/// the reference is read, as a `weak` variable would (``UnretainedReference``).
package final class ObjectReference: Sendable {
  private let state = Lock<UnretainedReference?>(nil)

  package init() {}

  /// Refers to an object, whose `deinit` has to call ``end()``.
  package func begin(_ object: AnyObject) {
    state.withLock { $0 = UnretainedReference(object) }
  }

  package func end() {
    state.withLock { $0 = nil }
  }

  /// The object; nil once its last reference was released.
  package var object: AnyObject? { state.withLock { $0?.retained } }
}
