package import DefaultsDomains
import DefaultsFoundation
package import OpenStepPropertyList

/// Values as they are stored, for what is built on top of this class.
extension UserDefaults {
  /// What ``object(forKey:)`` is made from, in a subclass too.
  package final func storedValue(for key: PropertyListKey) -> PropertyList? {
    isExact ? store.value(for: key) : stored(key.text)
  }

  /// The same, once domains have been changed.
  ///
  /// - Parameter pending: As for ``DefaultsStore/value(for:pending:)``; in a subclass that of its own domain counts.
  package final func storedValue(
    for key: PropertyListKey, pending: (PersistentDomain) -> PropertyList??
  ) -> PropertyList? {
    isExact ? store.value(for: key, pending: pending) : pending(store.application) ?? stored(key.text)
  }

  /// The same; nil only where it is certain that there is no value.
  ///
  /// - Parameter ownDefault: A registered value that does not count.
  /// - Throws: why a file that comes first in the search, and may hold the key, could not be read.
  package final func certainStoredValue(
    for key: PropertyListKey, pending: (PersistentDomain) -> PropertyList??, besides ownDefault: PropertyList?
  ) throws -> PropertyList? {
    let found = try store.certainValue(for: key, pending: pending)
    guard isExact else { return pending(store.application) ?? stored(key.text) }
    if let found, found.domain == store.process.registration.name, found.value == ownDefault { return nil }
    return found?.value
  }

  /// Tells the registration domain that this object searches from all others.
  package final var registrationNumber: Int { store.process.number }

  /// Adds values to the registration domain.
  package final func registerStored(_ values: [PropertyListKey: PropertyList]) {
    store.register(values)
  }

  /// Adds a value to the registration domain, unless one is registered under the key already.
  package final func registerStored(_ value: PropertyList, ifAbsent key: PropertyListKey) {
    store.register(value, ifAbsent: key)
  }

  /// Sets and removes values, all or none of them, by one change for whoever looks or is told.
  ///
  /// - Parameter changes: The new values; nil removes a key.
  package final func setStored(_ changes: [PropertyListKey: PropertyList?]) {
    if isExact {
      put(changes)
    } else {
      for (key, value) in changes {
        if let value {
          set(FoundationValues.object(value), forKey: key.text)
        } else {
          removeObject(forKey: key.text)
        }
      }
    }
  }

  /// What the application's domain, or the suite's, has for a key; in a subclass what it finds.
  package final func ownValue(for key: PropertyListKey) -> PropertyList? {
    isExact ? store.application.value(for: key) : stored(key.text)
  }

  /// The keys of the application's domain, or the suite's, that can be removed; in a subclass those that it finds.
  package final var ownKeys: [PropertyListKey] {
    let keys =
      isExact
      ? Array(store.application.values.keys) : dictionaryRepresentation().keys.map { PropertyListKey($0) }
    return keys.filter { !store.isForced($0) }
  }
}
