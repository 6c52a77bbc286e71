package import DefaultsDatabase
import DefaultsDomains
import DefaultsFoundation
package import OpenStepPropertyList

/// Values as they are stored, and the unfiltered search list, for classes that build on this one.
extension NSUserDefaults {
  /// Stores a value in the application's domain, or removes it for nil, and notifies.
  package final func setPropertyList(_ value: PropertyList?, forKey key: String) {
    if persistent.set(value, for: PropertyListKey(key), in: application) {
      postChange()
    } else {
      postOtherChange()
    }
  }

  /// Whether a lookup finds a value for a key.
  package final func hasValue(forKey key: String) -> Bool {
    path.hasValue(for: key)
  }

  /// Adds values to the registration domain; if that was removed, it is made and searched again.
  ///
  /// O(n) for n values that are added, whatever is registered already.
  package final func register(_ values: [PropertyListKey: PropertyList]) {
    // The domain is changed outside of the lock: values that are replaced are freed, which takes long for large ones.
    if let known = state.withLock({ $0.searchList.ownRegistration }) {
      known.add(values)
      // The path stays: the same domain has more values.
      observing.withLock { $0 }?.keys.check(.several(Set(values.keys)))
      return
    }
    var isMadeMeanwhile = false
    changeSearchList(of: NSRegistrationDomain) { state in
      isMadeMeanwhile = state.searchList.ownRegistration != nil
      if isMadeMeanwhile { return }
      let known = state.searchList.volatile[.registrationDomain]
      let merged = (known?.values ?? [:]).merging(values) { $1 }
      state.searchList.setVolatile(.values(merged), for: .registrationDomain)
      if known == nil, !state.searchList.names.contains(NSRegistrationDomain) {
        state.searchList.append(NSRegistrationDomain)
      }
    }
    if isMadeMeanwhile { register(values) }
  }

  /// All keys along the search list with the values that a lookup finds.
  package final var propertyLists: [PropertyListKey: PropertyList] {
    path.union
  }

  /// The values of a persistent domain; nil if there is none of that name.
  package final func propertyLists(ofPersistentDomain name: String) -> [PropertyListKey: PropertyList]? {
    persistentDomain(name).flatMap { $0.exists ? $0.values : nil }
  }

  /// Which of the application's and the global domain have no key and no file.
  package final var missingDomains: [String] {
    [application.name, .global].filter { !persistent.hasContents($0) }.map(\.text)
  }

  /// Replaces all values of a persistent domain.
  package final func replacePersistentDomain(_ name: DomainName, with values: [PropertyListKey: PropertyList])
  {
    let domain = persistent.domain(name)
    search(domain)
    persistent.replace(domain, with: values)
    postChange()
  }

  /// Makes a persistent domain; the same as ``setPersistentDomain(_:forName:)`` with values as they are stored.
  package final func makePersistentDomain(
    named name: String, _ values: [PropertyListKey: PropertyList]
  ) throws {
    let domainName: DomainName
    do throws(DatabaseError) {
      domainName = try persistent.name(name)
    } catch {
      throw InvalidArgumentError(error.description)
    }
    guard state.withLock({ $0.searchList.volatile[PropertyListKey(name)] }) == nil else {
      throw InvalidArgumentError("a volatile domain has the name \"\(name)\"")
    }
    let domain = try persistent.refreshedDomain(domainName)
    guard persistent.fill(domain, with: values) else {
      throw InvalidArgumentError(
        "there is a persistent domain of the name \"\(name)\" already; remove it first")
    }
    search(domain)
    postChange()
  }

  /// Makes a volatile domain; the same as ``setVolatileDomain(_:forName:)`` with values as they are stored.
  package final func makeVolatileDomain(named name: String, _ values: [PropertyListKey: PropertyList]) throws
  {
    let key = PropertyListKey(name)
    if let domainName = try? persistent.name(name), persistentDomainExists(domainName) {
      throw InvalidArgumentError("a persistent domain has the name \"\(name)\"")
    }
    // Made without the object's lock, for which other threads wait.
    let domain = VolatileDomain.values(values)
    let isNew = changeSearchList(of: name) { state in
      guard state.searchList.volatile[key] == nil else { return false }
      state.searchList.setVolatile(domain, for: key)
      return true
    }
    guard isNew else {
      throw InvalidArgumentError(
        "there is a volatile domain of the name \"\(name)\" already; remove it first")
    }
  }

  /// The values of a volatile domain; nil if there is none of that name.
  package final func propertyLists(ofVolatileDomain name: String) -> [PropertyListKey: PropertyList]? {
    state.withLock { $0.searchList.volatile[PropertyListKey(name)] }?.values
  }

  /// Replaces all values of a volatile domain, or makes it.
  package final func setVolatileDomain(_ values: [PropertyListKey: PropertyList], named name: String) {
    // Made without the object's lock, for which other threads wait.
    let domain = VolatileDomain.values(values)
    changeSearchList(of: name) { $0.searchList.setVolatile(domain, for: PropertyListKey(name)) }
  }

  /// Sets the names to search; a name without a domain stays, and is searched as soon as it has one.
  package final func setWholeSearchList(_ names: [String]) {
    let volatile = state.withLock { Set($0.searchList.volatile.names) }
    let domains = names.filter { !volatile.contains(PropertyListKey($0)) }.compactMap(persistentDomain)
    changeSearchList { $0.searchList.set(names, persistent: domains) }
  }

  /// Adds or moves a name to the place right behind another, or to the front if the other is not in the list.
  package final func search(_ name: String, behind other: String) {
    let domain = persistentDomain(name)
    changeSearchList(of: name) { $0.searchList.insert(name, domain, behind: other) }
  }

  /// Removes a name from the search list.
  package final func stopSearching(_ name: String) {
    changeSearchList(of: name) { $0.searchList.remove(name) }
  }

  /// The name of the application's domain.
  package final var applicationName: String { application.name.text }
}
