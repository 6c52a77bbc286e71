package import DefaultsDatabase
import DefaultsDomains
package import OpenStepPropertyList

/// Values as they are stored, and the search list with nothing left out, for what is built on top of this class.
extension NSUserDefaults {
  /// Stores a value in the application's domain, or removes it for nil, and tells of it.
  package final func setPropertyList(_ value: PropertyList?, forKey key: String) {
    if persistent.set(value, for: PropertyListKey(key), in: application) { postChange() }
  }

  /// Adds values to the registration domain, which is made and searched again where there is none.
  package final func register(_ values: [PropertyListKey: PropertyList]) {
    changeSearchList { state in
      let known = state.searchList.volatile[.registrationDomain]
      let merged = (known?.values ?? [:]).merging(values) { $1 }
      state.searchList.setVolatile(.values(merged), for: .registrationDomain)
      if known == nil, !state.searchList.names.contains(NSRegistrationDomain) {
        state.searchList.append(NSRegistrationDomain)
      }
    }
  }

  /// All keys along the search list with the values that a lookup finds.
  package final var propertyLists: [PropertyListKey: PropertyList] {
    path.union
  }

  /// The values of a persistent domain; nil where there is none of that name.
  package final func propertyLists(ofPersistentDomain name: String) -> [PropertyListKey: PropertyList]? {
    persistentDomain(name).flatMap { $0.exists ? $0.values : nil }
  }

  /// Makes a persistent domain hold these values and no others.
  package final func replacePersistentDomain(_ name: DomainName, with values: [PropertyListKey: PropertyList])
  {
    let domain = persistent.domain(name)
    search(domain)
    persistent.replace(domain, with: values)
    postChange()
  }

  /// The values of a volatile domain; nil where there is none of that name.
  package final func propertyLists(ofVolatileDomain name: String) -> [PropertyListKey: PropertyList]? {
    state.withLock { $0.searchList.volatile[PropertyListKey(name)] }?.values
  }

  /// Makes a volatile domain hold these values, whether or not there was one.
  package final func setVolatileDomain(_ values: [PropertyListKey: PropertyList], named name: String) {
    changeSearchList { $0.searchList.setVolatile(.values(values), for: PropertyListKey(name)) }
  }

  /// Sets the names to search; one that has no domain stays, and finds something as soon as it has one.
  package final func setWholeSearchList(_ names: [String]) {
    let volatile = state.withLock { Set($0.searchList.volatile.names) }
    let domains = names.filter { !volatile.contains(PropertyListKey($0)) }.compactMap(persistentDomain)
    changeSearchList { $0.searchList.set(names, persistent: domains) }
  }

  /// Searches a name right behind another one, or first of all where that is not searched, and nowhere else.
  package final func search(_ name: String, behind other: String) {
    let domain = persistentDomain(name)
    changeSearchList { $0.searchList.insert(name, domain, behind: other) }
  }

  /// Searches a name no longer.
  package final func stopSearching(_ name: String) {
    changeSearchList { $0.searchList.remove(name) }
  }

  /// The name of the application's domain.
  package final var applicationName: String { application.name.text }
}
