import OpenStepDefaults
package import OpenStepPropertyList

/// Values as they are stored, for what is built on top of this class.
extension UserDefaults {
  /// What ``object(forKey:)`` is made from, in a subclass too.
  ///
  /// - Parameter includesRegistered: Whether the registration domain is searched; for a subclass it always is.
  package final func storedValue(for key: PropertyListKey, includesRegistered: Bool = true) -> PropertyList? {
    guard isExact else { return stored(key.text) }
    return includesRegistered ? store.value(for: key) : store.unregisteredValue(for: key)
  }

  /// The same; nil only where it is certain that there is no value.
  ///
  /// - Throws: why a file that comes first in the search, and may hold the key, could not be read.
  package final func certainStoredValue(
    for key: PropertyListKey, includesRegistered: Bool = true
  ) throws -> PropertyList? {
    let found = try store.certainValue(for: key)
    guard isExact else { return stored(key.text) }
    if !includesRegistered, found?.domain == store.process.registration.name { return nil }
    return found?.value
  }

  /// Adds values to the registration domain.
  package final func registerStored(_ values: [PropertyListKey: PropertyList]) {
    store.register(values)
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
