import DefaultsDatabase
import DefaultsDomains
import DefaultsFoundation
public import Foundation
import OpenStepPropertyList

/// A user's defaults as Apple's systems have them today, on every system, over the classic store.
///
/// A program makes the class its own by one line, `typealias UserDefaults = UserDefaultsCompat.UserDefaults`.
/// A value is looked up in this order:
///
/// 1. what the administrator of the machine has set, which nothing hides (``objectIsForced(forKey:)``);
/// 2. ``argumentDomain``: what the command line says (`-Key value`);
/// 3. the application's domain, named after the process, or the suite's: where all setters write;
/// 4. the suites that were added (``addSuite(named:)``), in that order;
/// 5. ``globalDomain``: what all programs of the user share;
/// 6. ``registrationDomain``: what the program registers as its own defaults.
///
/// Values are property lists: strings, data, dates, numbers, truth values, and arrays and dictionaries
/// of such, and come back exactly as they were set. They lie in the files of the classic class
/// `NSUserDefaults`, as the strings that it would have written with a note of their type behind them,
/// so that a classic program reads them too.
///
/// Changes reach the disk within a quarter of a second and at normal exit, without any call. What
/// other processes change is found without a call as well. Every object is safe to use from any thread.
/// In a subclass the typed getters go by way of ``object(forKey:)`` and the typed setters by way of
/// ``set(_:forKey:)-(Any?,_)``, so that overriding those two is enough.
open class UserDefaults: NSObject, @unchecked Sendable {
  // Unchecked, because the class is open: its own state is constant and safe to share, and a subclass
  // has to promise the same of what it adds.
  package let store: DefaultsStore

  // MARK: - Creating

  private static let shared = UserDefaults()

  /// The shared object; inside ``UserDefaultsAdditions/withStandard(_:operation:)`` the one that is given there.
  open class var standard: UserDefaults {
    StandardOverride.current ?? shared
  }

  /// Makes an object that finds and sets what ``standard`` does, and has suites of its own.
  public override init() {
    store = DefaultsStore(
      user: PersistentDomains.inDirectory(named: nil),
      applicationName: ApplicationName.domainName(), process: .shared, managed: ManagedDomains.shared)
    super.init()
    postWhenTooLarge()
  }

  /// Makes an object for a suite: a domain that several programs share by its name.
  ///
  /// - Parameter suiteName: The domain's name; nil stands for the program's own, as in ``init()``.
  ///   A path or `#fileID` is a name like any other: its domain's file lies in the database, with `%2F` for
  ///   each `/`.
  /// - Returns: nil for the bundle identifier of the program and for the global domain, which every object has
  ///   anyway, as on Apple's systems; and for a name that is empty, holds NUL, or makes a file's name of more than
  ///   249 UTF-8 bytes. The name of the process, which is all that a command-line tool has, gives an object that
  ///   shares the program's own domain.
  public init?(suiteName: String?) {
    guard let name = UserDefaults.suiteName(suiteName) else { return nil }
    store = DefaultsStore(
      user: PersistentDomains.inDirectory(named: nil), applicationName: name,
      process: .shared, managed: ManagedDomains.shared)
    super.init()
    postWhenTooLarge()
  }

  private static func suiteName(_ text: String?) -> DomainName? {
    guard let text else { return ApplicationName.domainName() }
    do throws(DatabaseError) {
      let name = try DomainName(text)
      let isIdentifier = Bundle.main.bundleIdentifier.map { PropertyListKey($0) == PropertyListKey(text) }
      return isIdentifier ?? false || name == .global ? nil : name
    } catch {
      ErrorReports.shared.add(error)
      return nil
    }
  }

  /// Makes an object for another user's database.
  ///
  /// The administrator reads, watches and writes it with that user's rights towards files, and with no others.
  ///
  /// - Parameter user: An account's name; the current user's gives what ``init()`` does.
  /// - Returns: nil for an unknown user, or when the database can be neither read nor written, as where
  ///   the administrator's thread cannot give up its own rights. Never another user's database instead.
  @available(*, deprecated, message: "use init()")
  public init?(user: String) {
    guard let domains = PersistentDomains.ofUser(user) else { return nil }
    store = DefaultsStore(
      user: domains, applicationName: ApplicationName.domainName(),
      process: .shared, managed: ManagedDomains.shared)
    super.init()
    postWhenTooLarge()
  }

  /// Makes an object for a database in any directory, which shares nothing else with other objects.
  ///
  /// - Parameters:
  ///   - directory: The folder of the database; it is made with the first save.
  ///   - applicationName: The name of the application's domain, not empty, without NUL, and of 249 UTF-8 bytes at
  ///     most, where `/` counts three times; by default the process's.
  ///   - arguments: The command line that makes the argument domain; its first element does not count.
  public init(directory: String, applicationName: String? = nil, arguments: [String] = []) {
    store = DefaultsStore(
      user: PersistentDomains.inDirectory(named: directory),
      applicationName: ApplicationName.domainName(applicationName),
      process: ProcessDomains(arguments: arguments), managed: nil)
    super.init()
    postWhenTooLarge()
  }

  init(store: DefaultsStore) {
    self.store = store
    super.init()
    postWhenTooLarge()
  }

  private func postWhenTooLarge() {
    store.onExceedingSize { [weak self] in
      guard let self else { return }
      NotificationCenter.default.post(name: UserDefaults.sizeLimitExceededNotification, object: self)
    }
  }

  // MARK: - Getting values

  /// Whether this is an object of this class itself, whose methods nobody can have overridden.
  package final var isExact: Bool { type(of: self) == UserDefaults.self }

  /// What is stored for a key, or what a subclass says is.
  func stored(_ key: String) -> PropertyList? {
    if isExact { return store.value(for: PropertyListKey(key)) }
    return object(forKey: key).flatMap { try? UserDefaults.propertyList($0, path: "") }
  }

  /// The first value for a key in the order of the search, or nil.
  ///
  /// A number or truth value comes as `NSNumber`, and so a cast by `as?` succeeds for `Bool`, `Double`,
  /// `Float` and each type of whole numbers up to 64 bits, if it holds the value exactly, but on Linux not
  /// for `CGFloat` and `Decimal`; others come as `String`, `Data`, `Date`, `[Any]` and `[String: Any]`.
  /// Constant time, but for the first time that a value of a file, an array, a dictionary or data is asked
  /// for; never touches the disk.
  ///
  /// The classic counterpart is `objectForKey(_:)`.
  open func object(forKey defaultName: String) -> Any? {
    store.object(for: defaultName)
  }

  /// The string for a key; of a number or truth value its digits, 1 or 0; else nil.
  ///
  /// The classic counterpart is `stringForKey(_:)`.
  open func string(forKey defaultName: String) -> String? {
    FoundationCoding.string(stored(defaultName))
  }

  /// The value for a key if it is an array, else nil.
  ///
  /// The classic counterpart is `arrayForKey(_:)`.
  open func array(forKey defaultName: String) -> [Any]? {
    isExact ? store.array(for: defaultName) : object(forKey: defaultName) as? [Any]
  }

  /// The value for a key if it is a dictionary with strings for keys, else nil.
  ///
  /// The classic counterpart is `dictionaryForKey(_:)`.
  open func dictionary(forKey defaultName: String) -> [String: Any]? {
    isExact ? store.dictionary(for: defaultName) : object(forKey: defaultName) as? [String: Any]
  }

  /// The value for a key if it is data, else nil.
  ///
  /// The classic counterpart is `dataForKey(_:)`.
  open func data(forKey defaultName: String) -> Data? {
    isExact ? store.data(for: defaultName) : FoundationCoding.data(stored(defaultName))
  }

  /// The value for a key if it is an array of strings only, else nil.
  ///
  /// The classic counterpart is `stringArrayForKey(_:)`.
  open func stringArray(forKey defaultName: String) -> [String]? {
    FoundationCoding.stringArray(stored(defaultName))
  }

  /// The whole number for a key: of a real its part before the point, of a truth value 1 or 0, of a string the number it begins with; else 0.
  ///
  /// What is too large or too small becomes the nearest limit.
  ///
  /// The classic counterpart is `integerForKey(_:)`.
  open func integer(forKey defaultName: String) -> Int {
    if isExact, let number = store.wholeNumber(for: defaultName) { return number }
    return FoundationCoding.integer(stored(defaultName))
  }

  /// The number for a key, rounded to single precision: of a truth value 1 or 0, of a string the number it begins with; else 0.
  ///
  /// The classic counterpart is `floatForKey(_:)`.
  open func float(forKey defaultName: String) -> Float {
    FoundationCoding.float(stored(defaultName))
  }

  /// The number for a key: of a truth value 1 or 0, of a string the number it begins with; else 0.
  ///
  /// The classic counterpart is `doubleForKey(_:)`.
  open func double(forKey defaultName: String) -> Double {
    FoundationCoding.double(stored(defaultName))
  }

  /// The truth value for a key: a number is true unless it is zero, a string if it begins like YES, true, or a number other than zero.
  ///
  /// The classic counterpart is `boolForKey(_:)`, which is stricter.
  open func bool(forKey defaultName: String) -> Bool {
    FoundationCoding.bool(stored(defaultName))
  }

  /// The URL for a key: what ``set(_:forKey:)-(URL?,_)`` stored, or of a string that of the file with this path; else nil.
  ///
  /// A `~` at the start of a path stands for the home folder. Data that holds no URL gives nil,
  /// whatever else is in it.
  open func url(forKey defaultName: String) -> URL? {
    if isExact, let archived = store.archivedURL(for: defaultName) { return archived }
    return URLCoding.url(stored(defaultName))
  }

  /// All keys in the order of the search with the values that ``object(forKey:)`` gives.
  ///
  /// The classic counterpart is `dictionaryRepresentation()`.
  open func dictionaryRepresentation() -> [String: Any] {
    store.objects
  }

  // MARK: - Setting values

  /// Sets the value for a key in the application's domain; nil removes the key.
  ///
  /// A value is a property list; a URL is set as ``set(_:forKey:)-(URL?,_)`` does it. Posts
  /// ``didChangeNotification``. Constant time, but for the conversion of the value.
  ///
  /// - Precondition: The value is a property list that nests at most 500 containers. Anything else is a
  ///   mistake in the program and stops it with a message, as on Apple's systems;
  ///   ``UserDefaultsAdditions/validate(_:forKey:)`` tells before.
  ///
  /// The classic counterpart is `setObject(_:forKey:)`.
  open func set(_ value: Any?, forKey defaultName: String) {
    guard let value else { return removeObject(forKey: defaultName) }
    do {
      put(try UserDefaults.propertyList(value, forKey: defaultName), for: defaultName)
    } catch {
      Misuse.stop("UserDefaults.set(_:forKey:): \(error)")
    }
  }

  static func propertyList(
    _ value: Any, forKey key: String
  ) throws(InvalidArgumentError) -> PropertyList {
    return try propertyList(value, path: "the value for the key \"\(key)\"")
  }

  private static func propertyList(
    _ value: Any, path: String
  ) throws(InvalidArgumentError) -> PropertyList {
    if let url = URLCoding.url(given: value) { return URLCoding.propertyList(url) }
    return try FoundationValues.propertyList(value, path: path)
  }

  /// Stores a value, or removes it for nil, and tells of it.
  private func put(_ value: PropertyList?, for key: String) {
    if store.set(value, for: PropertyListKey(key)) { postChange() }
  }

  /// Sets and removes several values at one moment, and tells of it once.
  func put(_ changes: [PropertyListKey: PropertyList?]) {
    if store.set(changes) { postChange() }
  }

  /// Stores a value, by way of what a subclass may have overridden.
  private func put(_ value: PropertyList, or object: @autoclosure () -> Any, for key: String) {
    guard isExact else { return set(object(), forKey: key) }
    put(value, for: key)
  }

  private func postChange() {
    NotificationCenter.default.post(name: UserDefaults.didChangeNotification, object: self)
  }

  /// Removes a key from the application's domain; a value in another domain may then be found.
  ///
  /// The classic counterpart is `removeObjectForKey(_:)`.
  open func removeObject(forKey defaultName: String) {
    put(nil, for: defaultName)
  }

  /// Sets a whole number for a key.
  ///
  /// The classic counterpart is `setInteger(_:forKey:)`.
  open func set(_ value: Int, forKey defaultName: String) {
    put(.integer(PropertyListInteger(Int64(value))), or: value, for: defaultName)
  }

  /// Sets a single-precision number for a key; a NaN loses its sign and its payload, which no text holds.
  ///
  /// The classic counterpart is `setFloat(_:forKey:)`.
  open func set(_ value: Float, forKey defaultName: String) {
    put(value.stored, or: value, for: defaultName)
  }

  /// Sets a double-precision number for a key; a NaN loses its sign and its payload, which no text holds.
  ///
  /// The classic counterpart is `setDouble(_:forKey:)`.
  open func set(_ value: Double, forKey defaultName: String) {
    put(value.stored, or: value, for: defaultName)
  }

  /// Sets a truth value for a key.
  ///
  /// The classic counterpart is `setBool(_:forKey:)`.
  open func set(_ value: Bool, forKey defaultName: String) {
    put(.boolean(value), or: value, for: defaultName)
  }

  /// Sets a URL for a key; nil removes the key.
  ///
  /// A file's URL is stored as its path, with `~` for the home folder, so that it follows the folder;
  /// any other as an archive, as on Apple's systems. Every URL comes back equal.
  open func set(_ url: URL?, forKey defaultName: String) {
    if let url {
      put(URLCoding.propertyList(url), or: url, for: defaultName)
    } else {
      removeObject(forKey: defaultName)
    }
  }

  /// Adds defaults to the registration domain, which all objects of the process share.
  ///
  /// They are found where no other domain has the key, are not stored, and replace those registered
  /// before under the same keys. Observers of the keys are not told.
  ///
  /// - Precondition: Every value is a property list, or a URL.
  ///
  /// The classic counterpart is `registerDefaults(_:)`.
  open func register(defaults registrationDictionary: [String: Any]) {
    store.register(UserDefaults.propertyLists(registrationDictionary, of: #function))
  }

  private static func propertyLists(
    _ dictionary: [String: Any], of function: String
  ) -> [PropertyListKey: PropertyList] {
    var result = [PropertyListKey: PropertyList](minimumCapacity: dictionary.count)
    do {
      for (key, value) in dictionary {
        result[PropertyListKey(key)] = try propertyList(value, forKey: key)
      }
    } catch {
      Misuse.stop("UserDefaults.\(function): \(error)")
    }
    return result
  }

  // MARK: - Suites

  /// Searches a suite as well, after the application's domain and the suites added before.
  ///
  /// Setters go on writing to the application's domain. A name that no domain can have is ignored and
  /// told of in ``UserDefaultsAdditions/errors``.
  open func addSuite(named suiteName: String) {
    if let name = domainName(suiteName) { store.addSuite(name) }
  }

  /// Searches a suite no longer.
  open func removeSuite(named suiteName: String) {
    if let name = domainName(suiteName) { store.removeSuite(name) }
  }

  /// A domain's name, or nil, which is told of, for one that no domain can have.
  private func domainName(_ text: String) -> DomainName? {
    do throws(DatabaseError) {
      return try DomainName(text)
    } catch {
      store.report(error)
      return nil
    }
  }

  // MARK: - Domains

  /// The name of the domain of the command line's arguments.
  public static let argumentDomain = DomainName.argument.text
  /// The name of the domain that all programs of a user share.
  public static let globalDomain = DomainName.global.text
  /// The name of the domain of registered defaults.
  public static let registrationDomain = DomainName.registration.text

  /// The keys and values of a persistent domain; nil where it has none.
  ///
  /// The classic counterpart is `persistentDomainForName(_:)`.
  open func persistentDomain(forName domainName: String) -> [String: Any]? {
    guard let name = try? DomainName(domainName) else { return nil }
    let values = store.user.domain(name).values
    return values.isEmpty ? nil : FoundationValues.dictionary(values)
  }

  /// Makes a persistent domain hold what a dictionary does, and no more.
  ///
  /// A name that no domain can have, or that is a volatile domain's, is refused: nothing is changed, and
  /// ``UserDefaultsAdditions/lastError`` and ``UserDefaultsAdditions/errors`` tell why. They also tell of each key that an administrator has set in that
  /// domain: its new value is stored, and is not seen.
  ///
  /// - Precondition: Every value is a property list, or a URL.
  ///
  /// The classic counterpart is `setPersistentDomain(_:forName:)`, which replaces nothing.
  open func setPersistentDomain(_ domain: [String: Any], forName domainName: String) {
    let values = UserDefaults.propertyLists(domain, of: #function)
    guard let name = persistentName(domainName) else { return }
    store.replaceDomain(name, with: values)
    store.reportForcedKeys(values.keys, in: name)
    postChange()
  }

  /// Removes a persistent domain with all its keys, those that others add meanwhile included.
  ///
  /// A name is refused as by ``setPersistentDomain(_:forName:)``.
  ///
  /// The classic counterpart is `removePersistentDomainForName(_:)`.
  open func removePersistentDomain(forName domainName: String) {
    guard let name = persistentName(domainName) else { return }
    store.removeDomain(name)
    postChange()
  }

  /// The name of a persistent domain that is to be changed; nil, which is told of, for one that is refused.
  private func persistentName(_ text: String) -> DomainName? {
    guard store.process.domain(named: text) == nil else {
      store.report(
        DatabaseError(
          .refused, path: "“\(text)”", message: "is the name of a volatile domain",
          advice: "nothing was changed; use setVolatileDomain(_:forName:)"))
      return nil
    }
    return domainName(text)
  }

  /// The names of all volatile domains, sorted.
  ///
  /// The classic counterpart is `volatileDomainNames()`.
  open var volatileDomainNames: [String] {
    store.volatileNames
  }

  /// The keys and values of a volatile domain; empty where there is none of that name.
  ///
  /// The classic counterpart is `volatileDomainForName(_:)`.
  open func volatileDomain(forName domainName: String) -> [String: Any] {
    FoundationValues.dictionary(store.volatileValues(domainName) ?? [:])
  }

  /// Makes a volatile domain hold what a dictionary does, and no more.
  ///
  /// A change of the argument or registration domain is seen by all objects at once; a domain of any
  /// other name belongs to this object, and no lookup finds what is in it.
  ///
  /// - Precondition: Every value is a property list, or a URL.
  ///
  /// The classic counterpart is `setVolatileDomain(_:forName:)`, which replaces nothing.
  open func setVolatileDomain(_ domain: [String: Any], forName domainName: String) {
    store.setVolatile(UserDefaults.propertyLists(domain, of: #function), for: domainName)
  }

  /// Removes a volatile domain, or all that is in it where the process has to have it.
  ///
  /// The classic counterpart is `removeVolatileDomainForName(_:)`.
  open func removeVolatileDomain(forName domainName: String) {
    store.removeVolatile(domainName)
  }

  /// Whether the administrator of the machine has set the value of a key, which no program can change then.
  open func objectIsForced(forKey key: String) -> Bool {
    store.isForced(PropertyListKey(key))
  }

  /// Whether the administrator of the machine has set the value of a key in a domain.
  open func objectIsForced(forKey key: String, inDomain domain: String) -> Bool {
    guard let name = try? DomainName(domain) else { return false }
    return store.isForced(PropertyListKey(key), in: name)
  }

  // MARK: - Key-value coding and printing

  #if canImport(Darwin)
    /// What ``object(forKey:)`` gives.
    open override func value(forKey key: String) -> Any? { object(forKey: key) }

    /// Does what ``set(_:forKey:)-(Any?,_)`` does.
    open override func setValue(_ value: Any?, forKey key: String) { set(value, forKey: key) }
  #else
    /// What ``object(forKey:)`` gives.
    open func value(forKey key: String) -> Any? { object(forKey: key) }

    /// Does what ``set(_:forKey:)-(Any?,_)`` does.
    open func setValue(_ value: Any?, forKey key: String) { set(value, forKey: key) }

    /// What a path of keys, joined by dots, leads to: the first is a default's, the others go into what was found.
    ///
    /// In a dictionary a key finds its value. An array gives an array with what the rest of the path finds in
    /// each element, and `NSNull` where that is nothing. `@count`, `@sum`, `@avg`, `@min`, `@max`, `@unionOfObjects`,
    /// `@distinctUnionOfObjects`, `@unionOfArrays` and `@distinctUnionOfArrays` do with an array what they do
    /// on Apple's systems, as do `@count`, `@allKeys` and `@allValues` with a dictionary, and `self` with
    /// anything. A default whose own name has a dot is not found by it: ``value(forKey:)`` takes names as they are.
    ///
    /// Where a path leads into a string, a number or another object without keys there is nil; on Apple's
    /// systems that is an exception, which what another program stores could then cause in this one.
    open func value(forKeyPath keyPath: String) -> Any? {
      let (key, rest) = KeyPathValues.parts(of: keyPath)
      let found = value(forKey: key)
      guard let rest else { return found }
      return found.flatMap { KeyPathValues.value(of: $0, forKeyPath: rest) }
    }

    /// Does ``setValue(_:forKey:)`` with each key; `NSNull` stands for nil, which removes the key.
    open func setValuesForKeys(_ keyedValues: [String: Any]) {
      for (key, value) in keyedValues { setValue(value is NSNull ? nil : value, forKey: key) }
    }

    /// What ``value(forKey:)`` gives for each key, and `NSNull` for nil.
    open func dictionaryWithValues(forKeys keys: [String]) -> [String: Any] {
      Dictionary(keys.map { ($0, value(forKey: $0) ?? NSNull()) }) { first, _ in first }
    }
  #endif

  /// The class, the application's domain, and where the database lies.
  open override var description: String {
    "<\(type(of: self)): “\(store.application.name)” in \(store.user.database?.directory ?? "memory")>"
  }

  // MARK: - Saving, and what went wrong

  /// Writes this process's changes, reads what others changed, and tells whether all of it succeeded.
  ///
  /// Not needed for saving, which happens by itself. When it returns true, all changes are on stable
  /// storage; when false, ``UserDefaultsAdditions/lastError`` says why, and the changes are kept for the next attempt. Waits
  /// at most two seconds for another process.
  ///
  /// The classic counterpart is `synchronize()`.
  @discardableResult
  open func synchronize() -> Bool {
    store.synchronize()
  }
}
