package import OpenStepPropertyList

/// The domains in which the observers of an object look up their keys.
///
/// It sees to it that the domains tell the observers of the keys that somebody observes, and of no others.
package protocol ObservedDomains: AnyObject, Sendable {
  /// The domain of whose changes nobody is told, though lookups find what is in it; nil for none.
  var registration: PersistentDomain? { get }

  /// Has the observers told of the changes to a key from now on; called once for each observer, without a lock.
  func begin(telling observers: KeyObservers, of key: PropertyListKey)

  /// Takes back one call of ``begin(telling:of:)``.
  func end(telling observers: ObjectIdentifier, of key: PropertyListKey)
}
