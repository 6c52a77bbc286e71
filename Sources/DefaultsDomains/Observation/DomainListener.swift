/// Hears of the changes to keys of a domain, in memory or on disk.
///
/// Called outside all locks, by the thread that made or found the change, when a lookup finds it. Who is to hear of
/// what: ``PersistentDomain/add(_:for:)``.
package protocol DomainListener: AnyObject, Sendable {
  func domain(_ domain: PersistentDomain, didChange keys: ChangedKeys)
}
