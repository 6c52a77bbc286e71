package import DefaultsDatabase
package import DefaultsDomains
import DefaultsFoundation
public import Foundation
import OpenStepPropertyList

/// A user's defaults: settings by name, looked up along a list of domains.
///
/// This is the class of OPENSTEP 4 according to its documentation; where that is silent, it does what GNUstep
/// does. A domain is a dictionary with a name. The standard object searches, in this order,
///
/// 1. `NSArgumentDomain`: the arguments of the command line (`-Key value`); volatile,
/// 2. the application's domain, named after the process, or as the program says
///    (``NSUserDefaultsAdditions/setApplicationName(_:formerNames:)``); persistent, and the one to which all
///    setters write,
/// 3. `NSGlobalDomain`: the values that all programs share; persistent,
/// 4. a domain for each preferred language with its names of days and months and the like; volatile,
/// 5. `NSRegistrationDomain`: the program's own defaults, which it registers; volatile.
///
/// Persistent domains are text property lists in `~/.OpenStep/Defaults`, one file each. Values are strings,
/// data, arrays and dictionaries; truth values and numbers are strings such as `YES` and `42`, and numbers
/// and dates given to a setter become strings.
///
/// Changes are written to disk within a quarter of a second and at normal exit, without any call; external
/// changes are read at each ``synchronize()``, which is also called every 30 seconds by threads of the package, for
/// several objects at the same time (an object on GNUstep's database follows the changes as they happen). A process
/// that ends waits at most two seconds for others that hold the lock; changes that could not be written by then are
/// lost, and so are those of the last quarter of a second before an end without exit handlers: `_exit`,
/// `quick_exit`, `abort`, a trap or a signal.
///
/// Every object is safe to use from any thread. A child process that was made by `fork` must not use any
/// object before it runs another program, because it lacks the thread that saves. In a subclass the typed
/// getters call ``objectForKey(_:)`` and the typed setters call ``setObject(_:forKey:)``, so that
/// overriding those two is enough.
open class NSUserDefaults: @unchecked Sendable {
  // Unchecked, because the class is open: its own state is constant or guarded by the lock, and a subclass
  // has to guard what it adds.
  let persistent: PersistentDomains
  let application: PersistentDomain
  private let global: PersistentDomain
  let state: SharedState
  /// The chain of domains in the order of the search list.
  let path: SearchPath
  /// The observers of keys; nil before the first.
  let observing = Lock<Observing?>(nil)

  // MARK: - Creating

  private static let standard = Lock(makeStandard())

  private static func makeStandard() -> NSUserDefaults {
    let defaults = NSUserDefaults()
    defaults.setStandardSearchList()
    return defaults
  }

  /// The shared object for the current user, made on first use with the standard search list.
  ///
  /// All callers get the same object, so a change of its search list affects all of them.
  open class func standardUserDefaults() -> NSUserDefaults {
    standard.withLock { $0 }
  }

  /// Replaces the shared object by a new one with the same registration domain.
  package static func remakeStandard() {
    let (old, new) = (standardUserDefaults(), makeStandard())
    let registered = old.state.withLock { $0.searchList.volatile[.registrationDomain] }
    if let registered {
      new.changeSearchList(of: NSRegistrationDomain) {
        // A copy: what is registered with one of the objects later, the other one does not have.
        $0.searchList.setVolatile(.values(registered.values), for: .registrationDomain)
      }
    }
    standard.withLock { $0 = new }
  }

  /// Makes an object for the current user with an empty search list.
  ///
  /// It has the argument domain and a registration domain of its own, but finds nothing until
  /// ``setSearchList(_:)`` is called; setters write to the application's domain nevertheless. The database is
  /// the directory that `OPENSTEP_DEFAULTS_DIR` names, else `.OpenStep/Defaults` in the home directory.
  public init() {
    (persistent, application, global) = NSUserDefaults.parts(
      PersistentDomains.inDirectory(named: nil))
    (state, path) = NSUserDefaults.searched(in: persistent, arguments: CommandLine.arguments)
    Synchronizer.shared.add(self)
  }

  /// Makes an object for another user's database, with an empty search list.
  ///
  /// The administrator's process uses only that user's rights to files for it.
  ///
  /// - Parameter user: An account's name.
  /// - Returns: nil for an unknown user, or if the database can be neither read nor written, for example
  ///   because the administrator's thread cannot change its rights. Never another user's database instead. In the
  ///   atlas: `classic/searchList/8cf0e183`.
  public init?(user: String) {
    guard let domains = PersistentDomains.ofUser(user) else { return nil }
    (persistent, application, global) = NSUserDefaults.parts(domains)
    (state, path) = NSUserDefaults.searched(in: persistent, arguments: CommandLine.arguments)
    Synchronizer.shared.add(self)
  }

  /// Makes an object for a database in any directory, with the standard search list; for tests and tools.
  ///
  /// - Parameters:
  ///   - directory: The database's directory; the first save creates it. An empty text is no directory: nothing is
  ///     read, and saves fail.
  ///   - applicationName: The name of the application's domain, not empty, without NUL, and of at most 249
  ///     UTF-8 bytes, where `/` counts as three; another one stops the program. By default the name that
  ///     ``NSUserDefaultsAdditions/setApplicationName(_:formerNames:)`` set, else the process's.
  ///   - arguments: The command line for the argument domain; its first element is ignored.
  public init(directory: String, applicationName: String? = nil, arguments: [String] = []) {
    (persistent, application, global) = NSUserDefaults.parts(
      PersistentDomains.inDirectory(named: directory),
      applicationName: applicationName)
    (state, path) = NSUserDefaults.searched(in: persistent, arguments: arguments)
    setStandardSearchList()
    Synchronizer.shared.add(self)
  }

  /// Makes an object for the persistent domains of any database, with the standard search list or an empty one.
  ///
  /// - Parameter postsEveryChange: Whether the notification is posted as in GNUstep.
  package init(
    domains: PersistentDomains, applicationName: String?, arguments: [String], postsEveryChange: Bool = false,
    searchesNothing: Bool = false
  ) {
    (persistent, application, global) = NSUserDefaults.parts(
      domains, applicationName: applicationName)
    (state, path) = NSUserDefaults.searched(in: persistent, arguments: arguments)
    state.withLock { $0.postsEveryChange = postsEveryChange }
    if !searchesNothing { setStandardSearchList() }
    Synchronizer.shared.add(self)
  }

  /// Makes an object whose domains exist only in memory, with the standard search list; for tests.
  ///
  /// - Parameters:
  ///   - applicationName: The name of the application's domain, as for a database in a directory.
  ///   - arguments: The command line for the argument domain; its first element is ignored.
  public init(inMemoryWithApplicationName applicationName: String, arguments: [String] = []) {
    (persistent, application, global) = NSUserDefaults.parts(
      PersistentDomains(database: nil), applicationName: applicationName)
    (state, path) = NSUserDefaults.searched(in: persistent, arguments: arguments)
    setStandardSearchList()
  }

  /// Makes an object for a database of its own, on any file system, with the standard search list.
  package init(database: UserDatabase, applicationName: String) {
    (persistent, application, global) = NSUserDefaults.parts(
      PersistentDomains(database: database), applicationName: applicationName)
    (state, path) = NSUserDefaults.searched(in: persistent, arguments: [])
    setStandardSearchList()
    Synchronizer.shared.add(self)
  }

  /// Makes the object that a commit's closure is given, with another object's search list.
  package init(draftOf original: NSUserDefaults, in domains: PersistentDomains) {
    persistent = domains
    application = domains.domain(original.application.name)
    global = domains.domain(.global)
    var copy = original.state.withLock { $0 }
    copy.searchList = copy.searchList.draft(replacing: original.application, by: application)
    state = SharedState(copy)
    path = SearchPath(state)
  }

  private static func parts(
    _ persistent: PersistentDomains, applicationName: String? = nil
  ) -> (PersistentDomains, PersistentDomain, PersistentDomain) {
    SaveNotification.begin
    let name = ApplicationName.domain(applicationName, in: persistent)
    let (domain, global) = persistent.domainAndGlobal(name)
    domain.makePermanent()
    global.makePermanent()
    return (persistent, domain, global)
  }

  /// The state of an object with an empty search list, and its chain of domains.
  private static func searched(
    in persistent: PersistentDomains, arguments: [String]
  ) -> (SharedState, SearchPath) {
    let state = SharedState(State(in: persistent, arguments: arguments))
    return (state, SearchPath(state))
  }

  private func setStandardSearchList() {
    let front = [NSArgumentDomain, application.name.text, NSGlobalDomain]
    changeSearchList { $0.searchList.set(front, persistent: [application, global]) }
    // The user may have set the languages in the domains before them.
    let languages = LanguagePreferences.names(
      preferred: stringArray(lookUp(NSLanguages)),
      environment: CurrentProcess.preference
    ).filter {
      // A program of that name would not find its own settings.
      !haveEqualBytes($0, application.name.text)
    }
    changeSearchList { state in
      for language in languages {
        guard let domain = LanguageDomain(name: language) else { continue }
        state.searchList.setVolatile(.computed(domain), for: PropertyListKey(language))
      }
      state.searchList.set(front + languages + [NSRegistrationDomain], persistent: [])
    }
  }

  // MARK: - Getting values

  /// Whether this is not a subclass's object, so that no method is overridden.
  var isExact: Bool { type(of: self) == NSUserDefaults.self }

  func lookUp(_ key: String) -> PropertyList? {
    path.value(for: key)
  }

  private func stringArray(_ value: PropertyList?) -> [String]? {
    guard case .array(let elements) = value else { return nil }
    let strings = elements.compactMap(\.scalarText)
    return strings.count == elements.count ? strings : nil
  }

  /// The first value for a key along the search list: a `String`, `Data`, `[Any]` or `[String: Any]`.
  ///
  /// It shows this process's changes at once, and external ones after a synchronize. Takes constant time,
  /// except that the first look at a value from a file parses it; never accesses the disk.
  open func objectForKey(_ key: String) -> Any? {
    path.object(for: key, to: .classic, ClassicValues.object)
  }

  /// The value for a key if it is an array, else nil.
  open func arrayForKey(_ key: String) -> [Any]? {
    isExact
      ? path.array(for: key, to: .classic, ClassicValues.object) : objectForKey(key) as? [Any]
  }

  /// Whether the string for a key is "yes" in any case or begins with a number whose integer is not zero.
  ///
  /// In the atlas: `classic/bool-string/87d19f47`, `classic/bool-string/0adddf10`, `classic/bool-string/b1038b56`.
  open func boolForKey(_ key: String) -> Bool {
    stringForKey(key).map(StringCoding.bool) ?? false
  }

  /// The value for a key if it is data, else nil.
  open func dataForKey(_ key: String) -> Data? {
    objectForKey(key) as? Data
  }

  /// The value for a key if it is a dictionary, else nil.
  open func dictionaryForKey(_ key: String) -> [String: Any]? {
    isExact
      ? path.dictionary(for: key, to: .classic, ClassicValues.object) : objectForKey(key) as? [String: Any]
  }

  /// The decimal number that the string for a key begins with, rounded to single precision; 0 without one.
  open func floatForKey(_ key: String) -> Float {
    stringForKey(key).map(StringCoding.float) ?? 0
  }

  /// The decimal number that the string for a key begins with, correctly rounded; 0 without one.
  ///
  /// Not in OPENSTEP's text, but in every later class.
  open func doubleForKey(_ key: String) -> Double {
    isExact ? path.double(for: key) : stringForKey(key).map(StringCoding.double) ?? 0
  }

  /// The whole number that the string for a key begins with; 0 without one, the nearest limit beyond 64 bits.
  ///
  /// In the atlas: `classic/integer-string/e267fe4f`, `classic/integer-string/671d2222`.
  open func integerForKey(_ key: String) -> Int {
    isExact ? path.integer(for: key) : stringForKey(key).map(StringCoding.integer) ?? 0
  }

  /// The value for a key if it is an array of strings only, else nil.
  open func stringArrayForKey(_ key: String) -> [String]? {
    isExact ? stringArray(lookUp(key)) : arrayForKey(key) as? [String]
  }

  /// The value for a key if it is a string, else nil.
  open func stringForKey(_ key: String) -> String? {
    isExact ? lookUp(key)?.scalarText : objectForKey(key) as? String
  }

  // MARK: - Setting values

  /// Sets the value for a key in the application's domain, whatever the search list; nil removes the key.
  ///
  /// A value is a string, data, or an array or dictionary (with string keys) of values; numbers, truth values
  /// and dates become strings at any depth. Setting a value that is equal to the present one changes nothing.
  /// Constant time, apart from the conversion of the value. In the atlas: `classic/refuse/a4d423c6`,
  /// `classic/refuse/35eb51cb`, `classic/encoding/ac40c936`.
  ///
  /// - Precondition: The key is not empty, and the value is a property list that nests at most 500
  ///   containers. Anything else is a programming error and stops the program with a message;
  ///   ``NSUserDefaultsAdditions/checkObject(_:forKey:)`` checks a value before.
  open func setObject(_ value: Any?, forKey key: String) {
    guard let value else { return removeObjectForKey(key) }
    let checked: PropertyList
    do {
      checked = try NSUserDefaults.propertyList(value, forKey: key)
    } catch {
      Misuse.stop("NSUserDefaults.setObject(_:forKey:): \(error)")
    }
    setPropertyList(checked, forKey: key)
  }

  static func propertyList(
    _ value: Any, forKey key: String, maximumDepth: Int = ObjectConversion.maximumDepth
  ) throws(InvalidArgumentError) -> PropertyList {
    guard !key.isEmpty else { throw InvalidArgumentError("the key is empty") }
    return try ClassicValues.propertyList(
      value, path: "the value for the key \"\(key)\"", maximumDepth: maximumDepth)
  }

  /// Removes a key from the application's domain; a lookup may then find a value in another domain.
  open func removeObjectForKey(_ key: String) {
    setPropertyList(nil, forKey: key)
  }

  /// Sets a string; in a subclass by `setObject(_:forKey:)`, which may be overridden.
  private func set(_ text: String, forKey key: String) {
    guard isExact, !key.isEmpty else { return setObject(text, forKey: key) }
    setPropertyList(.string(text), forKey: key)
  }

  /// Sets the string `YES` or `NO` for a key.
  open func setBool(_ value: Bool, forKey key: String) {
    set(StringCoding.text(value), forKey: key)
  }

  /// Sets the shortest string that reads back as the same number; `nan`, `inf` and `-inf` as such.
  open func setFloat(_ value: Float, forKey key: String) {
    set(PropertyList.text(of: value), forKey: key)
  }

  /// Sets the shortest string that reads back as the same number; `nan`, `inf` and `-inf` as such.
  ///
  /// Not in OPENSTEP's text, but in every later class.
  open func setDouble(_ value: Double, forKey key: String) {
    set(PropertyList.text(of: value), forKey: key)
  }

  /// Sets the string of a number's decimal digits for a key.
  open func setInteger(_ value: Int, forKey key: String) {
    set(String(value), forKey: key)
  }

  /// Adds defaults to the registration domain, replacing those registered before for the same keys.
  ///
  /// If the registration domain was removed, it is made again, and its name is appended to the search list
  /// unless the list contains it.
  ///
  /// - Precondition: Every value is a property list, as for ``setObject(_:forKey:)``.
  open func registerDefaults(_ dictionary: [String: Any]) {
    let values: [PropertyListKey: PropertyList]
    do {
      values = try ClassicValues.propertyLists(dictionary, path: "the dictionary")
    } catch {
      Misuse.stop("NSUserDefaults.registerDefaults(_:): \(error)")
    }
    register(values)
  }

  // MARK: - The search list

  /// The names of the domains that ``objectForKey(_:)`` searches, front to back.
  open func searchList() -> [String] {
    state.withLock { $0.searchList.names.texts }
  }

  /// Sets the names of the domains to search, front to back; names without a domain are ignored.
  ///
  /// A domain is any volatile one of this object, any persistent one on disk or in memory, and always
  /// the application's and the global one. Setters still write to the application's domain. In the atlas:
  /// `classic/searchList/977d3e38`.
  open func setSearchList(_ names: [String]) {
    let volatile = state.withLock { Set($0.searchList.volatile.names) }
    let candidates = names.filter { !volatile.contains(PropertyListKey($0)) }.compactMap {
      try? persistent.name($0)
    }
    // Retained until the search list retains the domains that it contains.
    let read = persistent.domains(candidates)
    defer { withExtendedLifetime(read) {} }
    var known: [String] = []
    var domains: [PersistentDomain] = []
    for name in names {
      if volatile.contains(PropertyListKey(name)) {
        known.append(name)
      } else if let domainName = try? persistent.name(name),
        domainName == application.name || persistentDomainExists(domainName)
      {
        known.append(name)
        domains.append(persistent.domain(domainName))
      }
    }
    changeSearchList { $0.searchList.set(known, persistent: domains) }
  }

  /// All keys along the search list with the values that a lookup finds.
  open func dictionaryRepresentation() -> [String: Any] {
    path.objects(to: .classic, ClassicValues.object)
  }

  // MARK: - Persistent domains

  /// The keys and values of a persistent domain; nil where there is none of that name.
  ///
  /// The first call for a name reads the domain's file; the values then stay until the next ``synchronize()``.
  ///
  /// - Complexity: O(n) for n keys.
  open func persistentDomainForName(_ name: String) -> [String: Any]? {
    guard let domain = persistentDomain(name), domain.exists else { return nil }
    return ClassicValues.dictionary(domain.values)
  }

  /// The names of all persistent domains, sorted: files, domains made in memory, the
  /// application's and the global one.
  open func persistentDomainNames() -> [String] {
    var names: Set<DomainName> = [.global]
    if application.exists { names.insert(application.name) }
    names.formUnion(persistent.names())
    return names.sorted().map(\.text)
  }

  /// Removes a persistent domain with all its keys, including those that other processes add meanwhile.
  open func removePersistentDomainForName(_ name: String) {
    // A name that no file can have is no domain's.
    guard let domainName = try? persistent.name(name), persistent.remove(domainName) else { return }
    postChange()
  }

  /// Makes a persistent domain from a dictionary; in the atlas: `classic/persistent/b84c0044`.
  ///
  /// Keys that another process gives the domain before it is saved stay in it.
  ///
  /// - Throws: ``InvalidArgumentError`` if a persistent domain of that name holds a key already, in memory or
  ///   on disk, or if a volatile one has the name; if the name is empty, contains NUL, or makes a file name
  ///   of more than 249 UTF-8 bytes (`/` counts as three, since it becomes `%2F`); if a value is no property
  ///   list. `DatabaseError` if the file of that name cannot be read. Nothing is changed then.
  open func setPersistentDomain(_ dictionary: [String: Any], forName name: String) throws {
    try makePersistentDomain(named: name, try ClassicValues.propertyLists(dictionary, path: "the dictionary"))
  }

  /// Writes this process's changes and reads external changes.
  ///
  /// It writes all changes to the database. It reads the domains that this object searches or was asked for
  /// by name, if their files have changed; it releases a domain that it was asked for and does not search.
  ///
  /// Writing merges: it replaces only the keys changed here in each file. External changes post
  /// ``NSUserDefaultsDidChangeNotification`` once. It waits at most two seconds for another process, even if
  /// other threads of this process wait already.
  ///
  /// - Returns: true if all changes are on stable storage and every file could be read; otherwise false, and
  ///   then ``NSUserDefaultsAdditions/lastError`` gives the reason and the changes are kept for the next
  ///   attempt. A damaged file does not make it fail: the file's bytes are kept, and
  ///   ``NSUserDefaultsAdditions/lastError`` describes the damage.
  @discardableResult
  open func synchronize() -> Bool {
    let error = persistent.save(andRefresh: true, of: [application, global] + releaseAskedFor())
    let changes = persistent.externalChanges
    if state.withLock({ $0.noteSynchronize(externalChanges: changes, hasSucceeded: error == nil) }) { post() }
    return error == nil
  }

  // MARK: - Volatile domains

  /// Removes a volatile domain; its name stays in the search list without effect.
  open func removeVolatileDomainForName(_ name: String) {
    changeSearchList(of: name) { $0.searchList.removeVolatile(PropertyListKey(name)) }
  }

  /// Makes a volatile domain from a dictionary, in a time that does not depend on the number of domains.
  ///
  /// In the atlas: `classic/volatile/9555c691`.
  ///
  /// - Throws: ``InvalidArgumentError`` if a volatile or persistent domain of that name exists, or if a value
  ///   is no property list. Nothing is changed then.
  open func setVolatileDomain(_ dictionary: [String: Any], forName name: String) throws {
    try makeVolatileDomain(named: name, try ClassicValues.propertyLists(dictionary, path: "the dictionary"))
  }

  /// The keys and values of a volatile domain; nil where there is none of that name.
  open func volatileDomainForName(_ name: String) -> [String: Any]? {
    state.withLock { $0.searchList.volatile[PropertyListKey(name)] }.map {
      ClassicValues.dictionary($0.values)
    }
  }

  /// The names of all volatile domains, sorted.
  open func volatileDomainNames() -> [String] {
    state.withLock { $0.searchList.volatile.names }.map(\.text)
  }
}

extension PropertyListKey {
  static let argumentDomain = PropertyListKey(NSArgumentDomain)
  static let registrationDomain = PropertyListKey(NSRegistrationDomain)
}
