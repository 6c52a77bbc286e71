import DefaultsDatabase

/// The handle of one observer, which is called until the handle is invalidated or released.
package final class KeyObservation: Sendable {
  private let end: Lock<(@Sendable () -> Void)?>

  init(end: @escaping @Sendable () -> Void) {
    self.end = Lock(end)
  }

  deinit {
    invalidate()
  }

  /// Ends the observation; a call that another thread has begun may still be running.
  package func invalidate() {
    let end = end.withLock { end in
      defer { end = nil }
      return end
    }
    end?()
  }
}
