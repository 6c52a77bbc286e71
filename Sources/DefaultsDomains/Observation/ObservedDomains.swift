package import OpenStepPropertyList

/// The domains in which the observers of an object look up their keys.
///
/// It makes the domains notify the observers of the observed keys, and of no others.
package protocol ObservedDomains: AnyObject, Sendable {
  /// The domain whose changes are not reported, though lookups find its values; nil for none.
  var registration: PersistentDomain? { get }

  /// The persistent domains in which the keys are looked up, in no order.
  var all: [PersistentDomain] { get }

  /// Makes the domains notify the observers of the changes to a key; called once for each observer, without a
  /// lock.
  func begin(telling observers: KeyObservers, of key: PropertyListKey)

  /// Undoes one call of ``begin(telling:of:)``.
  func end(telling observers: ObjectIdentifier, of key: PropertyListKey)
}
