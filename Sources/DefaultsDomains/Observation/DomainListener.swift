/// A listener to the changes of a domain's keys, in memory or on disk; see ``PersistentDomain/add(_:for:)``.
///
/// It is called outside all locks, when a lookup finds the new value: by the thread that made the change, or by a
/// worker thread if the change is external.
package protocol DomainListener: AnyObject, Sendable {
  func domain(_ domain: PersistentDomain, didChange keys: ChangedKeys)
}
