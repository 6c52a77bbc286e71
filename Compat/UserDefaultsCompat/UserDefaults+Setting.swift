import DefaultsDomains
import Foundation
import OpenStepPropertyList

/// What all setters have in common.
extension UserDefaults {
  /// Stores a value, or removes it for nil, and notifies.
  func put(_ value: PropertyList?, for key: String) {
    if store.set(value, for: PropertyListKey(key)) { postChange() }
  }

  /// Sets and removes several values at one moment, and notifies once.
  func put(_ changes: [PropertyListKey: PropertyList?]) {
    if store.set(changes) { postChange() }
  }

  /// Stores a value; in a subclass by `set(_:forKey:)`, which may be overridden.
  func put(_ value: PropertyList, or object: @autoclosure () -> Any, for key: String) {
    guard isExact else { return set(object(), forKey: key) }
    put(value, for: key)
  }

  /// Posts the notification of a change; after the update that this thread makes, if it makes one.
  func postChange() {
    if store.isDraft { return }
    // Without an update, no closure is made, which takes as long as a fifteenth of a set.
    guard UpdateLock.shared.isHeld else { return postChangeNow() }
    UpdateLock.shared.afterwards { self.postChangeNow() }
  }

  private func postChangeNow() {
    NotificationCenter.default.post(name: UserDefaults.didChangeNotification, object: self)
  }
}
