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
  /// - Parameter handler: Called after each change, by the thread that makes or reads it; see `KeyObservers`.
  package final func observe(_ key: String, _ handler: @escaping @Sendable () -> Void) -> KeyObservation {
    let (observing, isNew) = observing.withLock { observing in
      if let observing { return (observing, false) }
      let searched = SearchListObservers()
      // The path alone: with the object itself neither would ever be released.
      let new = Observing(
        searched: searched, keys: KeyObservers(in: searched) { [path] key in path.value(for: key) })
      observing = new
      return (new, true)
    }
    if isNew { searchListChanged() }
    return observing.keys.observe(PropertyListKey(key)) { _ in handler() }
  }

  /// Makes the observers follow the search list, after it or a volatile domain has changed.
  func searchListChanged() {
    guard let observing = observing.withLock({ $0 }) else { return }
    let keys = observing.searched.follow(
      { state.withLock { $0.searchList.persistentDomains } }, for: observing.keys)
    if !keys.isEmpty { observing.keys.check(.several(keys)) }
  }
}
