import DefaultsDatabase
import DefaultsDomains
import DefaultsFoundation
public import OpenStepDefaults
import OpenStepPropertyList

/// A user's defaults with the behaviour of GNUstep's class, in GNUstep's database, for ported programs.
///
/// A GNUstep program moves over by one file, in which the class takes its old name:
///
/// ```swift
/// @_exported import GNUstepCompat
/// typealias NSUserDefaults = GNUstepUserDefaults
/// ```
///
/// Where GNUstep as run (1.28) differs from OPENSTEP's text, which `NSUserDefaults` follows, this
/// class does what GNUstep does:
///
/// - Setters store numbers, truth values and dates as such; ``objectForKey(_:)`` gives `NSNumber`s and
///   `Date`s, and ``stringForKey(_:)`` gives nil for them.
/// - ``boolForKey(_:)`` gives true for every string in which Y, T or a digit other than zero follows on any number
///   of blanks, signs and zeros.
/// - The search list begins with `GSPrimaryDomain`, which contains the languages of
///   ``OpenStepDefaults/NSUserDefaults/setUserLanguages(_:)``; behind the global domain it has
///   `GSConfigDomain`: the installation's configuration and its `GlobalDefaults`.
/// - ``setPersistentDomain(_:forName:)`` replaces a domain, and the search list keeps names without a domain.
///
/// Where GNUstep 1.31 differs from 1.28, the class follows it in two points:
///
/// - The application's domain has the program's identifier for a name, if it has one: the
///   `CFBundleIdentifier` of `Info-gnustep.plist`, or where there is none, of `Info.plist`, beside the program
///   or in the folder `Resources` there. GNUstep moves the file of the process's name; this class moves
///   nothing: while that file exists and the identifier's does not, the process's name counts.
/// - The notification is posted for every call that sets, also for an equal value; for registered defaults,
///   volatile domains, suites, and a search list that is not equal to the present one; while the shared object
///   is made; and by a synchronize that writes changes of this object, reads external ones, or finds a domain
///   that is new.
///
/// It differs where GNUstep loses data: it reports a failed save, keeps a damaged file, keeps all digits of
/// numbers in memory and in its own files, and saves changes without a call. In a subclass the typed getters
/// call ``objectForKey(_:)`` and the typed setters call ``setObject(_:forKey:)``, so that overriding those two
/// is enough.
open class GNUstepUserDefaults: NSUserDefaults, @unchecked Sendable {
  // Unchecked like its superclass, to which it adds a lock with its contents.

  /// The persistent domains that the last synchronize has found; nil before the first. An object with
  /// GNUstep's standard search list is made with a synchronize.
  let knownDomains = Lock<Set<PropertyListKey>?>(nil)

  // MARK: - Creating

  /// The shared object for the current user, made on first use with GNUstep's standard search list.
  ///
  /// Its database is GNUstep's: the directory that GNUstep's configuration files name, else `GNUstep/Defaults`
  /// in the account's home. ``OpenStepDefaults/NSUserDefaults/resetStandardUserDefaults()`` makes it anew, and
  /// ``GSSetUserName(_:)`` makes it another user's.
  open override class func standardUserDefaults() -> GNUstepUserDefaults {
    SharedDefaults.object
  }

  /// Makes an object for the current user's GNUstep database, with an empty search list, as in GNUstep.
  ///
  /// It finds nothing until ``setSearchList(_:)`` is called; setters write to the application's domain
  /// nevertheless.
  public override init() {
    let database = GNUstepDatabase.current
    super.init(
      domains: database.domains, applicationName: nil, arguments: CommandLine.arguments,
      postsEveryChange: true, searchesNothing: true)
    addConfiguration(database.configuration)
  }

  /// Makes an object for another user's GNUstep database, with an empty search list.
  ///
  /// The database is the directory that this user's configuration names. The administrator's process uses only
  /// that user's rights to files for it.
  ///
  /// - Parameter user: An account's name.
  /// - Returns: nil for an unknown user, for which GNUstep opens the caller's own database, or if the database
  ///   can be neither read nor written.
  public override init?(user: String) {
    guard let database = GNUstepDatabase.ofUser(user) else { return nil }
    super.init(
      domains: database.domains, applicationName: nil, arguments: CommandLine.arguments,
      postsEveryChange: true, searchesNothing: true)
    addConfiguration(database.configuration)
  }

  /// Makes an object, with an empty search list, for the GNUstep database of a file's directory.
  ///
  /// As in GNUstep, only the path's directory counts: the application's domain is not the file of the path, but
  /// the file in that directory with the application's name. An empty path is the current user's database.
  public init(contentsOfFile path: String) {
    let database = GNUstepDatabase.ofFile(path)
    super.init(
      domains: database.domains, applicationName: nil, arguments: CommandLine.arguments,
      postsEveryChange: true, searchesNothing: true)
    addConfiguration(database.configuration)
  }

  /// Makes an object for the current user's GNUstep database, with GNUstep's standard search list.
  ///
  /// - Parameters:
  ///   - applicationName: The name of the application's domain, which GNUstep's database can have (not empty, without
  ///     `/` and NUL, at most 249 bytes): another one stops the program; nil for the one that GNUstep gives it.
  ///   - arguments: The command line for the argument domain; its first element is ignored.
  public init(applicationName: String?, arguments: [String] = CommandLine.arguments) {
    let database = GNUstepDatabase.current
    super.init(
      domains: database.domains, applicationName: applicationName, arguments: arguments,
      postsEveryChange: true)
    addStandardDomains(of: database.configuration)
  }

  /// Makes an object for another directory of GNUstep's, with GNUstep's standard search list.
  public override init(directory: String, applicationName: String? = nil, arguments: [String] = []) {
    let database = GNUstepDatabase.inDirectory(directory)
    super.init(
      domains: database.domains, applicationName: applicationName, arguments: arguments,
      postsEveryChange: true)
    addStandardDomains(of: database.configuration)
  }

  /// Makes an object whose domains exist only in memory, with GNUstep's standard search list; for tests.
  ///
  /// - Parameters:
  ///   - applicationName: The name of the application's domain.
  ///   - arguments: The command line for the argument domain; its first element is ignored.
  public override init(inMemoryWithApplicationName applicationName: String, arguments: [String] = []) {
    super.init(
      domains: PersistentDomains(database: nil), applicationName: applicationName, arguments: arguments,
      postsEveryChange: true)
    addStandardDomains(of: GNUstepConfiguration())
  }

  /// Makes the object that a commit's closure is given.
  init(draftOf original: GNUstepUserDefaults, in domains: PersistentDomains) {
    super.init(draftOf: original as NSUserDefaults, in: domains)
  }

  // MARK: - Getting values

  /// The value for a key: the stored one, or in a subclass the one that `objectForKey(_:)` gives, which may be
  /// overridden.
  private func stored(_ key: String) -> PropertyList? {
    if type(of: self) == GNUstepUserDefaults.self { return propertyListForKey(key) }
    return objectForKey(key).flatMap { try? FoundationValues.propertyList($0, path: "") }
  }

  open override func objectForKey(_ key: String) -> Any? {
    propertyListForKey(key).map(FoundationValues.object)
  }

  /// The result of ``objectForKey(_:)``, as in GNUstep.
  open func valueForKey(_ key: String) -> Any? {
    objectForKey(key)
  }

  open override func stringForKey(_ key: String) -> String? {
    guard case .string(let text) = stored(key) else { return nil }
    return text
  }

  open override func stringArrayForKey(_ key: String) -> [String]? {
    FoundationCoding.stringArray(stored(key))
  }

  open override func boolForKey(_ key: String) -> Bool {
    PropertyListObject.boolValue(of: stored(key))
  }

  open override func integerForKey(_ key: String) -> Int {
    FoundationCoding.integer(stored(key))
  }

  open override func floatForKey(_ key: String) -> Float {
    PropertyListObject.floatValue(of: stored(key))
  }

  open override func doubleForKey(_ key: String) -> Double {
    PropertyListObject.doubleValue(of: stored(key))
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

  /// Calls ``setObject(_:forKey:)``, as in GNUstep.
  open func setValue(_ value: Any?, forKey key: String) {
    setObject(value, forKey: key)
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

  /// Adds defaults to the registration domain, replacing those registered before for the same keys, and posts
  /// the notification.
  ///
  /// - Precondition: Every value is a property list, as for ``setObject(_:forKey:)``.
  open override func registerDefaults(_ dictionary: [String: Any]) {
    do throws(InvalidArgumentError) {
      register(try GNUstepUserDefaults.propertyLists(dictionary))
    } catch {
      Misuse.stop("GNUstepUserDefaults.registerDefaults(_:): \(error)")
    }
    postOtherChange()
  }

  // MARK: - Domains

  /// Sets the names to search; a name without a domain stays, and is searched as soon as it has one.
  ///
  /// Setting the list that it has already posts no notification.
  open override func setSearchList(_ names: [String]) {
    guard !names.elementsEqual(searchList(), by: { $0.utf8.elementsEqual($1.utf8) }) else { return }
    setWholeSearchList(names)
    postOtherChange()
  }

  open override func persistentDomainForName(_ name: String) -> [String: Any]? {
    propertyLists(ofPersistentDomain: name).map(FoundationValues.dictionary)
  }

  /// Replaces the contents of a persistent domain by a dictionary.
  ///
  /// - Throws: `InvalidArgumentError` for the name of a volatile domain, for a name that no file can have, and for a value
  ///   that is no property list; nothing is changed then.
  open override func setPersistentDomain(_ dictionary: [String: Any], forName name: String) throws {
    let values = try GNUstepUserDefaults.propertyLists(dictionary)
    try replaceDomain(named: name, with: values)
  }

  /// Removes a persistent domain with all its keys; where another program makes it again, the next synchronize
  /// finds it anew.
  open override func removePersistentDomainForName(_ name: String) {
    _ = knownDomains.withLock { $0?.remove(PropertyListKey(name)) }
    super.removePersistentDomainForName(name)
  }

  /// Writes this process's changes and reads external changes.
  ///
  /// It posts the notification once if it wrote changes that were made here, read external ones, or found a
  /// domain that is new.
  ///
  /// - Returns: true if all changes are on stable storage and every file could be read; otherwise false, where
  ///   GNUstep says YES. `lastError` gives the reason, and the changes are kept for the next attempt.
  @discardableResult
  open override func synchronize() -> Bool {
    let (missing, found) = (missingDomains, foundDomains)
    let known = knownDomains.withLock { known in
      defer { known = known?.union(found) ?? found }
      return known
    }
    if !found.isSubset(of: known ?? []) { postAtNextSynchronize() }
    let hasSucceeded = super.synchronize()
    if known == nil, !missing.isEmpty {
      for _ in missing { postOtherChange() }
      postAtNextSynchronize()
    }
    return hasSucceeded
  }

  open override func volatileDomainForName(_ name: String) -> [String: Any]? {
    propertyLists(ofVolatileDomain: name).map(FoundationValues.dictionary)
  }

  /// Makes a volatile domain from a dictionary.
  ///
  /// - Throws: `InvalidArgumentError` if a domain of that name exists, volatile or persistent, and for a value that is no
  ///   property list; nothing is changed then.
  open override func setVolatileDomain(_ dictionary: [String: Any], forName name: String) throws {
    let values = try GNUstepUserDefaults.propertyLists(dictionary)
    // The superclass checks the name and makes the domain; its values are then set with their types.
    try super.setVolatileDomain([:], forName: name)
    setVolatileDomain(values, named: name)
    postOtherChange()
  }

  /// Removes a volatile domain, and posts the notification, even where there is none of that name; the name
  /// stays in the search list.
  open override func removeVolatileDomainForName(_ name: String) {
    super.removeVolatileDomainForName(name)
    postOtherChange()
  }
}
