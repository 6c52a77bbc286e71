import DefaultsDatabase
import DefaultsDomains
import Observation
import UserDefaultsCompat

/// Reports the reads and changes of a key to the Observation framework, for each store in which it is read.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
final class KeyTrackers: Sendable {
  private let key: Defaults.AnyKey
  private let trackers = Lock<[KeyTracker]>([])

  init(_ key: Defaults.AnyKey) {
    self.key = key
  }

  /// Records that the key is read in a suite.
  func access(in suite: UserDefaults) {
    let (tracker, over) = trackers.withLock { trackers in
      if let tracker = trackers.first(where: { $0.store === suite.store }) {
        return (tracker, [KeyTracker]())
      }
      let over = trackers.filter { $0.store == nil }
      trackers.removeAll { $0.store == nil }
      let new = KeyTracker(suite.store)
      trackers.append(new)
      return (new, over)
    }
    // Released outside the lock.
    withExtendedLifetime(over) {}
    tracker.access(key, in: suite)
  }
}

/// Reports the reads and changes of a key in one store to the Observation framework.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
private final class KeyTracker: Observable, Sendable {
  private let registrar = ObservationRegistrar()
  private let observation = Lock<KeyObservation?>(nil)
  /// Its reference is nil when no object uses the store any more.
  private let weakStore: WeakStore

  // Unchecked, because the reference is set once.
  private struct WeakStore: @unchecked Sendable {
    weak var store: DefaultsStore?
  }

  var store: DefaultsStore? { weakStore.store }

  init(_ store: DefaultsStore) {
    weakStore = WeakStore(store: store)
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
      guard let self else { return }
      ClosureScope.outside {
        if change.kind == .prior {
          self.registrar.willSet(self, keyPath: \.value)
        } else {
          self.registrar.didSet(self, keyPath: \.value)
        }
      }
    }
    // If another thread has set its observation first, that one stays and this one ends.
    observation.withLock { if $0 == nil { $0 = new } }
  }
}
