import DefaultsDatabase

/// Stands for one observer: while it is held and not invalidated, the observer is called.
package final class KeyObservation: Sendable {
  private let end: Lock<(@Sendable () -> Void)?>

  init(end: @escaping @Sendable () -> Void) {
    self.end = Lock(end)
  }

  deinit {
    invalidate()
  }

  /// Ends the observation; a call that another thread is making at this moment may still run.
  package func invalidate() {
    let end = end.withLock { end in
      defer { end = nil }
      return end
    }
    end?()
  }
}
