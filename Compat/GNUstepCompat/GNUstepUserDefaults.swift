import DefaultsDatabase
import DefaultsFoundation
public import OpenStepDefaults
import OpenStepPropertyList

/// A user's defaults with the behaviour of GNUstep's class, in GNUstep's database, for ported programs.
///
/// Where GNUstep as run (1.28) differs from OPENSTEP's text, which `NSUserDefaults` follows, this
/// class does what GNUstep does:
///
/// - Setters store numbers, truth values and dates as such; ``objectForKey(_:)`` gives `NSNumber`s and
///   `Date`s, and ``stringForKey(_:)`` gives nil for them.
/// - ``boolForKey(_:)`` gives true for every string that begins with Y, T or a number other than zero.
/// - The search list begins with `GSPrimaryDomain`, which contains the languages of
///   ``OpenStepDefaults/NSUserDefaults/setUserLanguages(_:)``; behind the global domain it has
///   `GSConfigDomain`: the installation's configuration and its `GlobalDefaults`.
/// - ``setPersistentDomain(_:forName:)`` replaces a domain, the search list keeps names without a domain, and
///   every change posts the notification.
///
/// It differs where GNUstep loses data: it reports a failed save, keeps a damaged file, keeps all digits of
/// numbers in memory and in its own files, and saves changes without a call.
open class GNUstepUserDefaults: NSUserDefaults, @unchecked Sendable {
  // Unchecked like its superclass, to which it adds no state.

  /// Makes an object for the current user's GNUstep database, with GNUstep's standard search list.
  ///
  /// The database is the directory that GNUstep's configuration files name, else `GNUstep/Defaults` in the
  /// account's home.
  ///
  /// - Parameters:
  ///   - applicationName: The name of the application's domain; by default the process's.
  ///   - arguments: The command line for the argument domain; its first element is ignored.
  public init(applicationName: String? = nil, arguments: [String] = CommandLine.arguments) {
    let configuration = GNUstepConfiguration()
    super.init(
      domains: GNUstepDatabase.domains(nil, configuration), applicationName: applicationName,
      arguments: arguments, postsEveryChange: true)
    addDomains(of: configuration)
  }

  /// Makes an object for another directory of GNUstep's, with GNUstep's standard search list.
  public override init(directory: String, applicationName: String? = nil, arguments: [String] = []) {
    let configuration = GNUstepConfiguration()
    super.init(
      domains: GNUstepDatabase.domains(directory, configuration), applicationName: applicationName,
      arguments: arguments, postsEveryChange: true)
    addDomains(of: configuration)
  }

  private func addDomains(of configuration: GNUstepConfiguration?) {
    let languages = NSUserDefaults.userLanguages(of: self)
    setVolatileDomain(
      [PropertyListKey(NSLanguages): .array(languages.map { .string($0) })], named: GSPrimaryDomain)
    setVolatileDomain(configuration?.defaults ?? [:], named: GSConfigDomain)
    var names = searchList()
    names.insert(GSPrimaryDomain, at: 0)
    names.insert(GSConfigDomain, at: names.firstIndex(of: NSGlobalDomain).map { $0 + 1 } ?? names.count)
    setWholeSearchList(names)
  }

  // MARK: - Getting values

  open override func objectForKey(_ key: String) -> Any? {
    propertyListForKey(key).map(FoundationValues.object)
  }

  open override func stringForKey(_ key: String) -> String? {
    guard case .string(let text) = propertyListForKey(key) else { return nil }
    return text
  }

  open override func stringArrayForKey(_ key: String) -> [String]? {
    FoundationCoding.stringArray(propertyListForKey(key))
  }

  open override func boolForKey(_ key: String) -> Bool {
    FoundationCoding.bool(propertyListForKey(key))
  }

  open override func integerForKey(_ key: String) -> Int {
    FoundationCoding.integer(propertyListForKey(key))
  }

  open override func floatForKey(_ key: String) -> Float {
    FoundationCoding.float(propertyListForKey(key))
  }

  open override func doubleForKey(_ key: String) -> Double {
    FoundationCoding.double(propertyListForKey(key))
  }

  open override func dictionaryRepresentation() -> [String: Any] {
    FoundationValues.dictionary(propertyLists)
  }

  // MARK: - Setting values

  /// Sets the value for a key in the application's domain; nil removes the key.
  ///
  /// - Precondition: The key is not empty, and the value is a property list: GNUstep raises an exception for
  ///   anything else. `NSUserDefaults.checkObject(_:forKey:)` checks a value before.
  open override func setObject(_ value: Any?, forKey key: String) {
    guard let value else { return removeObjectForKey(key) }
    if key.isEmpty { Misuse.stop("GNUstepUserDefaults.setObject(_:forKey:): the key is empty") }
    setPropertyList(GNUstepUserDefaults.propertyList(value, "the value for the key \"\(key)\""), forKey: key)
  }

  open override func setBool(_ value: Bool, forKey key: String) {
    setObject(value, forKey: key)
  }

  open override func setInteger(_ value: Int, forKey key: String) {
    setObject(value, forKey: key)
  }

  /// Sets the double-precision number that prints as the same digits; GNUstep reads it back as that number.
  open override func setFloat(_ value: Float, forKey key: String) {
    setObject(Double(value.description) ?? Double(value), forKey: key)
  }

  open override func setDouble(_ value: Double, forKey key: String) {
    setObject(value, forKey: key)
  }

  open override func registerDefaults(_ dictionary: [String: Any]) {
    register(GNUstepUserDefaults.propertyLists(dictionary))
  }

  // MARK: - Domains

  /// Sets the names to search; a name without a domain stays, and is searched as soon as it has one.
  open override func setSearchList(_ names: [String]) {
    setWholeSearchList(names)
  }

  open override func persistentDomainForName(_ name: String) -> [String: Any]? {
    propertyLists(ofPersistentDomain: name).map(FoundationValues.dictionary)
  }

  /// Replaces the contents of a persistent domain by a dictionary.
  ///
  /// - Throws: `InvalidArgumentError` for the name of a volatile domain, and for a
  ///   name that no file can have.
  open override func setPersistentDomain(_ dictionary: [String: Any], forName name: String) throws {
    guard propertyLists(ofVolatileDomain: name) == nil else {
      throw InvalidArgumentError("a volatile domain has the name \"\(name)\"")
    }
    do throws(DatabaseError) {
      let domain = try DomainName(name, in: .gnustep)
      replacePersistentDomain(domain, with: GNUstepUserDefaults.propertyLists(dictionary))
    } catch {
      throw InvalidArgumentError(error.description)
    }
  }

  open override func volatileDomainForName(_ name: String) -> [String: Any]? {
    propertyLists(ofVolatileDomain: name).map(FoundationValues.dictionary)
  }

  /// Makes a volatile domain from a dictionary.
  ///
  /// - Throws: `InvalidArgumentError` if a domain of that name exists, volatile or persistent.
  open override func setVolatileDomain(_ dictionary: [String: Any], forName name: String) throws {
    // The superclass checks the name and makes the domain; its values are then set with their types.
    try super.setVolatileDomain([:], forName: name)
    setVolatileDomain(GNUstepUserDefaults.propertyLists(dictionary), named: name)
  }

  private static func propertyList(_ value: Any, _ path: String) -> PropertyList {
    do {
      return try FoundationValues.propertyList(value, path: path)
    } catch {
      Misuse.stop("GNUstepUserDefaults: \(error)")
    }
  }

  private static func propertyLists(_ dictionary: [String: Any]) -> [PropertyListKey: PropertyList] {
    guard case .dictionary(let entries) = propertyList(dictionary, "the dictionary") else { return [:] }
    return entries
  }
}
