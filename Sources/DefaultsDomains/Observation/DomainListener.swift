/// A listener to the changes of a domain's keys, in memory or on disk; see ``PersistentDomain/add(_:for:)``.
///
/// It is called outside all locks, by the thread that made or found the change, when a lookup finds the new
/// value.
package protocol DomainListener: AnyObject, Sendable {
  func domain(_ domain: PersistentDomain, didChange keys: ChangedKeys)
}
