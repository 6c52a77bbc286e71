import DefaultsDatabase
import DefaultsDomains
import DefaultsFoundation
import OpenStepDefaults
package import OpenStepPropertyList

/// GNUstep's own domains of an object, and its values.
extension GNUstepUserDefaults {
  // MARK: - Domains

  /// Adds the volatile domain of the configuration, which every object has.
  func addConfiguration(_ configuration: GNUstepConfiguration?) {
    setVolatileDomain(configuration?.defaults ?? [:], named: GSConfigDomain)
  }

  /// Adds the domains of GNUstep's standard search list to it, as GNUstep does in a first synchronize.
  func addStandardDomains(of configuration: GNUstepConfiguration?) {
    addConfiguration(configuration)
    let preferred = FoundationCoding.stringArray(propertyListForKey(NSLanguages))
    let languages = GNUstepUserDefaults.languages(preferred)
    if languages != preferred { setPrimaryLanguages(languages) }
    var names = searchList()
    names.insert(GSPrimaryDomain, at: 0)
    names.insert(GSConfigDomain, at: names.firstIndex(of: NSGlobalDomain).map { $0 + 1 } ?? names.count)
    setWholeSearchList(names)
    let found = foundDomains
    knownDomains.withLock { $0 = found }
    if !missingDomains.isEmpty { postAtNextSynchronize() }
  }

  /// The persistent domains that there are. The other ones of the application's and the global domain GNUstep
  /// makes in its first synchronize: it posts the notification of each, and writes them in the next one.
  var foundDomains: Set<PropertyListKey> {
    Set(persistentDomainNames().map { PropertyListKey($0) })
      .subtracting(missingDomains.map { PropertyListKey($0) })
  }

  /// Replaces a persistent domain; the same as ``setPersistentDomain(_:forName:)`` with values as they are
  /// stored.
  package final func replaceDomain(
    named name: String, with values: @autoclosure () -> [PropertyListKey: PropertyList]
  ) throws {
    guard propertyLists(ofVolatileDomain: name) == nil else {
      throw InvalidArgumentError("a volatile domain has the name \"\(name)\"")
    }
    do throws(DatabaseError) {
      replacePersistentDomain(try DomainName(name, in: .gnustep), with: values())
    } catch {
      throw InvalidArgumentError(error.description)
    }
  }

  // MARK: - Languages

  private static func languages(_ preferred: [String]?) -> [String] {
    LanguagePreferences.names(preferred: preferred, environment: CurrentProcess.preference)
  }

  /// Sets the languages of `GSPrimaryDomain`, without a notification.
  private func setPrimaryLanguages(_ languages: [String]) {
    setVolatileDomain(
      [PropertyListKey(NSLanguages): .array(languages.map { .string($0) })], named: GSPrimaryDomain)
  }

  /// Sets the preferred languages, or for nil those of the other domains, as GNUstep does.
  func setLanguages(_ languages: [String]?) {
    removeVolatileDomainForName(GSPrimaryDomain)
    guard let languages else { return }
    setPrimaryLanguages(GNUstepUserDefaults.languages(languages))
    postOtherChange()
  }

  // MARK: - Values

  /// A value to store; one that is no property list stops the program.
  static func propertyList(_ value: Any, _ path: String) -> PropertyList {
    do {
      return try FoundationValues.propertyList(value, path: path)
    } catch {
      Misuse.stop("GNUstepUserDefaults: \(error)")
    }
  }

  /// The values of a dictionary to store.
  ///
  /// - Throws: `InvalidArgumentError` for a value that is no property list.
  static func propertyLists(
    _ dictionary: [String: Any]
  ) throws(InvalidArgumentError) -> [PropertyListKey: PropertyList] {
    let value = try FoundationValues.propertyList(dictionary, path: "the dictionary")
    guard case .dictionary(let entries) = value else { return [:] }
    return entries
  }
}
