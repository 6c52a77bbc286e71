package import DefaultsDomains
import DefaultsFoundation
package import OpenStepPropertyList

/// Values as they are stored, for classes that build on this one.
extension UserDefaults {
  /// Whether this is not a subclass's object, so that no method is overridden.
  package final var isExact: Bool { type(of: self) == UserDefaults.self }

  /// The stored value for a key, or the value that a subclass gives.
  func stored(_ key: String) -> PropertyList? {
    if isExact { return store.value(for: PropertyListKey(key)) }
    return object(forKey: key).flatMap {
      // Another program may have stored more nested containers than a setter takes.
      try? UserDefaults.propertyList($0, path: "", maximumDepth: PropertyList.maximumDepth)
    }
  }

  /// The value from which ``object(forKey:)`` makes its result, in a subclass too.
  package final func storedValue(for key: PropertyListKey) -> PropertyList? {
    isExact ? store.value(for: key) : stored(key.text)
  }

  /// The stored value, as if some domains had pending values.
  ///
  /// - Parameter pending: As for ``DefaultsStore/value(for:pending:)``; in a subclass only its
  ///   own domain's value is used.
  package final func storedValue(
    for key: PropertyListKey, pending: (PersistentDomain) -> PropertyList??
  ) -> PropertyList? {
    isExact ? store.value(for: key, pending: pending) : pending(store.application) ?? stored(key.text)
  }

  /// The stored value, as if some domains had pending values; nil only if it is certain that there is none.
  ///
  /// - Parameter ownDefault: A registered value that is to be ignored.
  /// - Throws: the reason if a file that is searched earlier, and may contain the key, could not be read.
  package final func certainStoredValue(
    for key: PropertyListKey, pending: (PersistentDomain) -> PropertyList??, besides ownDefault: PropertyList?
  ) throws -> PropertyList? {
    let found = try store.certainValue(for: key, pending: pending)
    guard isExact else { return pending(store.application) ?? stored(key.text) }
    if let found, found.domain == store.process.registration.name, found.value == ownDefault { return nil }
    return found?.value
  }

  /// The number that distinguishes the registration domain of this object from others.
  package final var registrationNumber: Int { store.process.number }

  /// Adds values to the registration domain.
  package final func registerStored(_ values: [PropertyListKey: PropertyList]) {
    store.register(values)
  }

  /// Adds a value to the registration domain, unless one is registered for the key already.
  package final func registerStored(_ value: PropertyList, ifAbsent key: PropertyListKey) {
    store.register(value, ifAbsent: key)
  }

  /// Sets and removes values, all or none of them, as one change for readers and observers.
  ///
  /// - Parameter changes: The new values; nil removes a key.
  package final func setStored(_ changes: [PropertyListKey: PropertyList?]) {
    if isExact {
      put(changes)
    } else {
      for (key, value) in changes {
        if let value, value.extent.depth > ObjectConversion.maximumDepth {
          // Another program's, which no setter takes.
          put([key: value])
        } else if let value {
          set(FoundationValues.object(value), forKey: key.text)
        } else {
          removeObject(forKey: key.text)
        }
      }
    }
  }

  /// The value of the application's domain, or the suite's, for a key; in a subclass the value that it finds.
  package final func ownValue(for key: PropertyListKey) -> PropertyList? {
    isExact ? store.application.value(for: key) : stored(key.text)
  }

  /// The keys of the application's domain, or the suite's, that can be removed; in a
  /// subclass the keys that it finds.
  package final var ownKeys: [PropertyListKey] {
    let keys =
      isExact
      ? Array(store.application.values.keys) : dictionaryRepresentation().keys.map { PropertyListKey($0) }
    return keys.filter { !store.isForced($0) }
  }
}
