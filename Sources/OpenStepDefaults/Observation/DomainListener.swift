package import DefaultsDatabase
package import OpenStepPropertyList

/// Hears of every change to the domains of a database, in memory or on disk, and of what goes wrong.
///
/// Called outside all locks, by the thread that made or found the change, when a lookup finds it.
package protocol DomainListener: AnyObject, Sendable {
  /// - Parameter keys: Whose values may have changed; nil for any.
  func domain(_ domain: PersistentDomain, didChange keys: Set<PropertyListKey>?)

  /// Told of every save that failed, of a file that cannot be read or is damaged, and of where one was moved.
  func database(didReport error: DatabaseError)
}
