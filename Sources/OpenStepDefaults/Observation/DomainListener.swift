/// Hears of every change to the domains of a database, in memory or on disk.
///
/// Called outside all locks, by the thread that made or found the change, when a lookup finds it.
package protocol DomainListener: AnyObject, Sendable {
  func domain(_ domain: PersistentDomain, didChange keys: ChangedKeys)

  /// - Parameter byteCount: How large the domain's file is after a save by this process; 0 for none.
  func domain(_ domain: PersistentDomain, didSave byteCount: Int)
}
