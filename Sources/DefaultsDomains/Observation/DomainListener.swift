/// A listener to the changes of a domain's keys, in memory or on disk; see ``PersistentDomain/add(_:for:)``.
///
/// It is called outside all locks, when a lookup finds the new value: by the thread that made the change, or by a
/// worker thread if the change is external.
package protocol DomainListener: AnyObject, Sendable {
  /// Records a change of the domain, and calls none of the program's code.
  ///
  /// All listeners record a change before any of them notifies the program of it, so that each records the same value,
  /// even if the program's code then changes it again.
  ///
  /// - Returns: What notifies the program of the change; nil if nobody has to be notified.
  func domain(_ domain: PersistentDomain, didChange keys: ChangedKeys) -> (() -> Void)?

  /// Notifies the program of the changes of some keys that are recorded and that no other thread is about to notify it
  /// of.
  func tellRecorded(of keys: ChangedKeys)
}
