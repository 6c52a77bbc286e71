import DefaultsDatabase
import Foundation

/// An observation of messages; its release ends the observation.
public final class UserDefaultsMessageObservation: Sendable {
  private let end: Lock<(@Sendable () -> Void)?>

  init(end: @escaping @Sendable () -> Void) {
    self.end = Lock(end)
  }

  deinit {
    invalidate()
  }

  /// Ends the observation; a handler that is running continues.
  public func invalidate() {
    let end = end.withLock { end in
      defer { end = nil }
      return end
    }
    end?()
  }
}
