package import DefaultsDomains
import OpenStepPropertyList

/// Observing the keys of an object.
///
/// Not in OPENSTEP's class, whose only news is the notification; C programs and others of this package use it.
extension NSUserDefaults {
  /// The observers of an object's keys.
  struct Observing: Sendable {
    let searched: SearchListObservers
    let keys: KeyObservers
  }

  /// Observes what a lookup finds for a key, until the result is invalidated or released, or this object is.
  ///
  /// - Parameter handler: Called after each change: by the thread that makes it or, by a synchronize, reads it from the
  ///   disk, or by a worker thread that follows the disk; see `KeyObservers`.
  package final func observe(_ key: String, _ handler: @escaping @Sendable () -> Void) -> KeyObservation {
    let (observing, isNew) = observing.withLock { observing in
      if let observing { return (observing, false) }
      let searched = SearchListObservers()
      // The path alone: with the object itself neither would ever be released.
      let new = Observing(
        searched: searched, keys: KeyObservers(in: searched) { [path] key in path.found(for: key) })
      observing = new
      return (new, true)
    }
    if isNew { searchListChanged() }
    return observing.keys.observe(PropertyListKey(key)) { _ in handler() }
  }

  /// Makes the observers follow the search list, after it has changed.
  func searchListChanged() {
    guard let observing = observing.withLock({ $0 }) else { return }
    observing.searched.follow(for: observing.keys) { state.withLock { $0.searchList.persistentDomains } }
    observing.keys.check(.any)
  }

  /// Makes the observers follow the search list, after some of its domains have come, gone or changed places.
  ///
  /// A key is looked up only where its last value was found in one of them, or one of them has a value for it.
  func searchListChanged(in domains: [SearchPath.Domain]) {
    guard let observing = observing.withLock({ $0 }) else { return }
    for case .persistent(let domain) in domains {
      observing.searched.follow(domain, for: observing.keys) {
        state.withLock { $0.searchList.contains(domain) }
      }
    }
    observing.keys.check { key, source in
      domains.contains { $0.identity == source || $0.hasValue(for: key) }
    }
  }
}
