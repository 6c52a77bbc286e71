import DefaultsDatabase
import DefaultsDomains
import Observation
import UserDefaultsCompat

/// Reports the reads and changes of a key to the Observation framework, for each store in which it is read.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
final class KeyTrackers: Sendable {
  private let key: Defaults.AnyKey
  private let state = Lock(State())

  private struct State {
    var trackers: [ObjectIdentifier: KeyTracker] = [:]
    /// The number of trackers at which those of released stores are removed, so that reading in many stores takes
    /// linear time.
    var sweepCount = 16

    /// The tracker of a store, and those that are removed.
    mutating func tracker(of store: DefaultsStore) -> (tracker: KeyTracker, removed: [KeyTracker]) {
      let identifier = ObjectIdentifier(store)
      let old = trackers[identifier]
      // Another store may have had the same identifier before.
      if let old, old.store === store { return (old, []) }
      var removed = old.map { [$0] } ?? []
      if trackers.count >= sweepCount {
        removed += trackers.values.filter { $0.store == nil }
        trackers = trackers.filter { $0.value.store != nil }
        sweepCount = max(16, 2 * trackers.count)
      }
      let new = KeyTracker(store)
      trackers[identifier] = new
      return (new, removed)
    }
  }

  init(_ key: Defaults.AnyKey) {
    self.key = key
  }

  /// Records that the key is read in a suite.
  func access(in suite: UserDefaults) {
    let (tracker, removed) = state.withLock { $0.tracker(of: suite.store) }
    // Released outside the lock.
    withExtendedLifetime(removed) {}
    tracker.access(key, in: suite)
  }
}

/// Reports the reads and changes of a key in one store to the Observation framework.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
private final class KeyTracker: Observable, Sendable {
  private let registrar = ObservationRegistrar()
  private let observation = Lock<KeyObservation?>(nil)
  /// nil when no object uses the store any more.
  weak let store: DefaultsStore?

  init(_ store: DefaultsStore) {
    self.store = store
  }

  /// The property whose key path stands for the default.
  private var value: Void { () }

  func access(_ key: Defaults.AnyKey, in suite: UserDefaults) {
    startObserving(key, in: suite)
    registrar.access(self, keyPath: \.value)
  }

  private func startObserving(_ key: Defaults.AnyKey, in suite: UserDefaults) {
    guard observation.withLock({ $0 == nil }) else { return }
    key.registerDefault(in: suite)
    let new = suite.store.observers.observe(key.storedKey, wantsPrior: true) { [weak self] change in
      // Inside an update nothing but what asked for that is called, since other updates wait: the change itself follows.
      guard let self, change.kind != .prior || !UpdateLock.shared.isHeld else { return }
      ClosureScope.outside {
        // A change too: between the two a reader may have read the old value again, because the first told it to.
        self.registrar.willSet(self, keyPath: \.value)
        if change.kind == .change { self.registrar.didSet(self, keyPath: \.value) }
      }
    }
    // If another thread has set its observation first, that one stays and this one ends.
    observation.withLock { if $0 == nil { $0 = new } }
  }
}
