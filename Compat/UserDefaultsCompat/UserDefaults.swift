import DefaultsDatabase
import DefaultsDomains
import DefaultsFoundation
public import Foundation
import OpenStepPropertyList

/// A user's defaults with the class of Apple's present systems, on every system, over the classic store.
///
/// A program adopts the class by one line, `typealias UserDefaults = UserDefaultsCompat.UserDefaults`. A
/// value is looked up in this order:
///
/// 1. the values that the machine's administrator has set, which nothing hides (``objectIsForced(forKey:)``);
/// 2. ``argumentDomain``: the arguments of the command line (`-Key value`);
/// 3. the application's domain, named after the process or as the program says
///    (``UserDefaultsAdditions/setApplicationName(_:formerNames:)``), or the suite's: the one to which all
///    setters write;
/// 4. the suites that were added (``addSuite(named:)``), in that order;
/// 5. ``globalDomain``: the values that all programs of the user share;
/// 6. ``registrationDomain``: the program's own defaults, which it registers.
///
/// Values are property lists: strings, data, dates, numbers, truth values, and arrays and dictionaries of
/// these, and are read back exactly as they were set. The files are those of the classic class
/// `NSUserDefaults`: each value is the string that the classic class would have written, followed by a note
/// of its type, so that a classic program reads it too.
///
/// Changes are written to disk within a quarter of a second and at normal exit, and external changes are
/// noticed, both without any call. Every object is safe to use from any thread. In a subclass the typed
/// getters call ``object(forKey:)`` and the typed setters call ``set(_:forKey:)-(Any?,_)``, so that
/// overriding those two is enough.
open class UserDefaults: NSObject, @unchecked Sendable {
  // Unchecked, because the class is open: its own state is constant once an object is made, and safe to share,
  // and a subclass has to guard what it adds.
  package let store: DefaultsStore
  /// For observers, which do not retain the object.
  let reference = ObjectReference()
  /// The object's number in the monitor of its domain's size.
  private var sizeMonitoring = 0

  // MARK: - Creating

  private static let shared = UserDefaults()

  /// The shared object; inside ``UserDefaultsAdditions/withStandard(_:operation:)`` the object passed there.
  open class var standard: UserDefaults {
    StandardOverride.current ?? shared
  }

  /// Does nothing, as on Apple's systems: ``standard`` remains the same object.
  open class func resetStandardUserDefaults() {}

  /// Makes an object with the same domains as ``standard``, and with suites of its own.
  ///
  /// It calls ``init(suiteName:)`` with nil, as on Apple's systems; a subclass whose initializer gives nil for that
  /// ends the program here.
  public override convenience init() {
    self.init(suiteName: nil)!
  }

  /// Makes an object for a suite: a domain that several programs share by its name.
  ///
  /// - Parameter suiteName: The domain's name; nil for the program's own, as in ``init()``. A path or
  ///   `#fileID` is a name like any other: its domain's file lies in the database, with `%2F` for each `/`.
  /// - Returns: nil for the program's bundle identifier and for the global domain, as on Apple's systems,
  ///   because every object has both anyway; and for a name that is empty, contains NUL, or makes a file name
  ///   of more than 249 UTF-8 bytes. The name of the process, which is the only name of a command-line tool,
  ///   gives an object that shares the program's own domain.
  public init?(suiteName: String?) {
    let domains = PersistentDomains.inDirectory(named: nil)
    guard let name = UserDefaults.suiteName(suiteName, in: domains) else { return nil }
    store = DefaultsStore(
      user: domains, applicationName: name,
      process: .shared, managed: ManagedDomains.shared)
    super.init()
    registerSelf()
  }

  /// Makes an object for another user's database.
  ///
  /// The administrator's process uses only that user's rights to files for it.
  ///
  /// - Parameter user: An account's name; for the current user's name the result is that of ``init()``.
  /// - Returns: nil for an unknown user, or if the database can be neither read nor written, for example
  ///   because the administrator's thread cannot change its rights. Never another user's database instead.
  @available(*, deprecated, message: "use init()")
  public init?(user: String) {
    guard let domains = PersistentDomains.ofUser(user) else { return nil }
    store = DefaultsStore(
      user: domains, applicationName: ApplicationName.domain(nil, in: domains),
      process: .shared, managed: ManagedDomains.shared)
    super.init()
    registerSelf()
  }

  /// Makes an object for a database in any directory, which shares nothing with objects of other databases.
  ///
  /// - Parameters:
  ///   - directory: The database's directory; the first save creates it. An empty text is no directory: nothing is
  ///     read, and saves fail.
  ///   - applicationName: The name of the application's domain, not empty, without NUL, and of at most 249
  ///     UTF-8 bytes, where `/` counts as three; another one stops the program. By default the name that
  ///     ``UserDefaultsAdditions/setApplicationName(_:formerNames:)`` set, else the process's.
  ///   - arguments: The command line for the argument domain; its first element is ignored.
  public init(directory: String, applicationName: String? = nil, arguments: [String] = []) {
    let domains = PersistentDomains.inDirectory(named: directory)
    store = DefaultsStore(
      user: domains, applicationName: ApplicationName.domain(applicationName, in: domains),
      process: ProcessDomains(arguments: arguments), managed: nil)
    super.init()
    registerSelf()
  }

  // Usable from inlinable code, though there is none, because a class of another module inherits convenience initializers
  // only from a class of which it can see every designated initializer.
  @usableFromInline
  init(store: DefaultsStore) {
    self.store = store
    super.init()
    registerSelf()
  }

  /// Lets observers and the monitor of its domain's size refer to the object, until its `deinit`.
  private func registerSelf() {
    reference.begin(self)
    if store.isDraft { return }
    SaveNotification.begin
    sizeMonitoring = store.application.sizeMonitor.add(self) {
      NotificationCenter.default.post(name: UserDefaults.sizeLimitExceededNotification, object: $0)
    }
  }

  deinit {
    reference.end()
    store.application.sizeMonitor.remove(sizeMonitoring)
  }

  // MARK: - Getting values

  /// The first value for a key along the search, or nil.
  ///
  /// A number or truth value is an `NSNumber`, so that a cast by `as?` succeeds for `Bool`, `Double`, `Float`,
  /// `CGFloat` and each integer type of up to 64 bits that holds the value exactly, but on Linux not for
  /// `Decimal`; other values are `String`, `Data`, `Date`, `[Any]` and `[String: Any]`. Constant time, except
  /// for the first read of a value from a file, an array, a dictionary or data; never accesses the disk.
  ///
  /// The classic counterpart is `objectForKey(_:)`.
  open func object(forKey defaultName: String) -> Any? {
    store.object(for: defaultName)
  }

  /// The string for a key; for a number its digits, for a truth value 1 or 0; else nil.
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

  /// The integer for a key: a real number without its fraction, 1 or 0 for a truth value, the number at a
  /// string's beginning; else 0.
  ///
  /// A number beyond the limits of `Int` becomes the nearest limit.
  ///
  /// The classic counterpart is `integerForKey(_:)`.
  open func integer(forKey defaultName: String) -> Int {
    if isExact, let number = store.wholeNumber(for: defaultName) { return number }
    return FoundationCoding.integer(stored(defaultName))
  }

  /// The number for a key in single precision: 1 or 0 for a truth value, the number at a
  /// string's beginning; else 0.
  ///
  /// The classic counterpart is `floatForKey(_:)`.
  open func float(forKey defaultName: String) -> Float {
    FoundationCoding.float(stored(defaultName))
  }

  /// The number for a key: 1 or 0 for a truth value, the number at a string's beginning; else 0.
  ///
  /// The classic counterpart is `doubleForKey(_:)`.
  open func double(forKey defaultName: String) -> Double {
    FoundationCoding.double(stored(defaultName))
  }

  /// The truth value for a key: of a number whether it is not zero, of a string whether Y, T or a digit from 1 to 9
  /// comes first, after white space, a sign and zeros.
  ///
  /// The classic counterpart is `boolForKey(_:)`, which is stricter. In the atlas: `modern/bool-string/0aab6bbe`,
  /// `modern/bool-string/e4688a79`.
  open func bool(forKey defaultName: String) -> Bool {
    FoundationCoding.bool(stored(defaultName))
  }

  /// The URL that ``set(_:forKey:)-(URL?,_)`` stored for a key, or the file URL of a string,
  /// which is a path; else nil.
  ///
  /// A `~` at the start of a path stands for the home directory. Data that is not the
  /// archive of a URL gives nil.
  open func url(forKey defaultName: String) -> URL? {
    if isExact, let archived = store.archivedURL(for: defaultName) { return archived }
    return URLCoding.url(stored(defaultName))
  }

  /// All keys along the search with the values that ``object(forKey:)`` gives.
  ///
  /// The classic counterpart is `dictionaryRepresentation()`.
  open func dictionaryRepresentation() -> [String: Any] {
    store.objects
  }

  // MARK: - Setting values

  /// Sets the value for a key in the application's domain; nil removes the key.
  ///
  /// A value is a property list, or a URL, which is stored as by ``set(_:forKey:)-(URL?,_)``. Posts
  /// ``didChangeNotification``. Constant time, apart from the conversion of the value. A key that the administrator has
  /// set stays as it is, which ``UserDefaultsAdditions/lastError`` and `UserDefaults.errors` tell; so it does for every
  /// setter and for ``removeObject(forKey:)``.
  ///
  /// - Precondition: The value is a property list that nests at most 500 containers. Anything else is a
  ///   programming error and stops the program with a message, as on Apple's systems;
  ///   ``UserDefaultsAdditions/validate(_:forKey:)`` checks a value before.
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

  /// Removes a key from the application's domain; a lookup may then find a value in another domain.
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

  /// Sets a single-precision number for a key; a NaN loses its sign and its payload, which the
  /// text does not represent.
  ///
  /// The classic counterpart is `setFloat(_:forKey:)`.
  open func set(_ value: Float, forKey defaultName: String) {
    put(value.stored, or: value, for: defaultName)
  }

  /// Sets a double-precision number for a key; a NaN loses its sign and its payload, which the
  /// text does not represent.
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
  /// A file URL is stored as its path, with `~` for the home directory, so that it stays valid if the home
  /// moves; any other as an archive, as on Apple's systems. Every URL is read back equal. In the atlas:
  /// `modern/url/6409777c`, `modern/url/32542659`.
  open func set(_ url: URL?, forKey defaultName: String) {
    if let url {
      put(URLCoding.propertyList(url), or: url, for: defaultName)
    } else {
      removeObject(forKey: defaultName)
    }
  }

  /// Adds defaults to the registration domain, which all objects of the process share.
  ///
  /// They are used if no other domain has the key, are not stored, and replace those registered before for
  /// the same keys. Observers of the keys are not called.
  ///
  /// - Precondition: Every value is a property list, or a URL.
  ///
  /// The classic counterpart is `registerDefaults(_:)`.
  open func register(defaults registrationDictionary: [String: Any]) {
    store.register(UserDefaults.propertyLists(registrationDictionary, of: #function))
  }

  // MARK: - Suites

  /// Adds a suite to the search, after the application's domain and the suites added before.
  ///
  /// Setters still write to the application's domain. A name that no domain can have is ignored and reported
  /// in ``UserDefaultsAdditions/errors``. In the atlas: `modern/order/1bcf67e6`.
  open func addSuite(named suiteName: String) {
    if let name = domainName(suiteName) { store.addSuite(name) }
  }

  /// Removes a suite from the search.
  open func removeSuite(named suiteName: String) {
    if let name = domainName(suiteName) { store.removeSuite(name) }
  }

  // MARK: - Domains

  /// The keys and values of a persistent domain; nil if it has none.
  ///
  /// A domain that no object uses is read from its file. It takes O(n) for n keys.
  ///
  /// The classic counterpart is `persistentDomainForName(_:)`.
  open func persistentDomain(forName domainName: String) -> [String: Any]? {
    guard let name = try? DomainName(domainName) else { return nil }
    let values = store.user.domain(name).values
    return values.isEmpty ? nil : FoundationValues.dictionary(values)
  }

  /// Replaces the contents of a persistent domain by a dictionary; what other processes write into it before it is saved is
  /// replaced, too.
  ///
  /// A name that no domain can have, or that a volatile domain has, is refused: nothing is changed, and
  /// ``UserDefaultsAdditions/lastError`` and ``UserDefaultsAdditions/errors`` give the reason. They also
  /// report each key that an administrator has set in that domain: its new value is stored, but hidden.
  ///
  /// - Precondition: Every value is a property list, or a URL.
  ///
  /// The classic counterpart is `setPersistentDomain(_:forName:)`, which replaces nothing. In the atlas:
  /// `modern/persistent/04bda56e`.
  open func setPersistentDomain(_ domain: [String: Any], forName domainName: String) {
    let values = UserDefaults.propertyLists(domain, of: #function)
    guard let name = persistentName(domainName) else { return }
    store.replaceDomain(name, with: values)
    store.reportForcedKeys(values.keys, in: name)
    postChange()
  }

  /// Removes a persistent domain with all its keys, including those that other processes add meanwhile.
  ///
  /// A name is refused as by ``setPersistentDomain(_:forName:)``.
  ///
  /// The classic counterpart is `removePersistentDomainForName(_:)`.
  open func removePersistentDomain(forName domainName: String) {
    guard let name = persistentName(domainName) else { return }
    store.removeDomain(name)
    postChange()
  }

  /// The names of all persistent domains, sorted: files, domains made in memory, the
  /// application's and the global one.
  ///
  /// The classic counterpart is `persistentDomainNames()`.
  @available(*, deprecated, message: "use persistentDomain(forName:) with a name that you know")
  open func persistentDomainNames() -> [String] {
    store.persistentNames
  }

  /// The names of all volatile domains, sorted.
  ///
  /// The classic counterpart is `volatileDomainNames()`.
  open var volatileDomainNames: [String] {
    store.volatileNames
  }

  /// The keys and values of a volatile domain; empty if there is none of that name.
  ///
  /// The classic counterpart is `volatileDomainForName(_:)`.
  open func volatileDomain(forName domainName: String) -> [String: Any] {
    FoundationValues.dictionary(store.volatileValues(domainName) ?? [:])
  }

  /// Replaces the contents of a volatile domain by a dictionary.
  ///
  /// A change of the argument or registration domain takes effect for all objects at once; a domain of any
  /// other name belongs to this object, and no lookup searches it.
  ///
  /// - Precondition: Every value is a property list, or a URL.
  ///
  /// The classic counterpart is `setVolatileDomain(_:forName:)`, which replaces nothing. In the atlas:
  /// `modern/volatile/a3d05a62`.
  open func setVolatileDomain(_ domain: [String: Any], forName domainName: String) {
    store.setVolatile(UserDefaults.propertyLists(domain, of: #function), for: domainName)
  }

  /// Removes a volatile domain; of the argument and the registration domain it removes the contents.
  ///
  /// The classic counterpart is `removeVolatileDomainForName(_:)`.
  open func removeVolatileDomain(forName domainName: String) {
    store.removeVolatile(domainName)
  }

  /// Whether the machine's administrator has set the value of a key, so that no program can change it.
  open func objectIsForced(forKey key: String) -> Bool {
    store.isForced(PropertyListKey(key))
  }

  /// Whether the machine's administrator has set the value of a key in a domain.
  open func objectIsForced(forKey key: String, inDomain domain: String) -> Bool {
    guard let name = try? DomainName(domain) else { return false }
    return store.isForced(PropertyListKey(key), in: name)
  }

  // MARK: - Key-value coding and printing

  #if canImport(Darwin)
    /// The result of ``object(forKey:)``.
    open override func value(forKey key: String) -> Any? { object(forKey: key) }

    /// Calls ``set(_:forKey:)-(Any?,_)``.
    open override func setValue(_ value: Any?, forKey key: String) { set(value, forKey: key) }
  #else
    /// The result of ``object(forKey:)``.
    open func value(forKey key: String) -> Any? { object(forKey: key) }

    /// Calls ``set(_:forKey:)-(Any?,_)``.
    open func setValue(_ value: Any?, forKey key: String) { set(value, forKey: key) }

    /// The value at a path of keys, joined by dots: the first key is a default's name, the others apply
    /// to the value found so far.
    ///
    /// In a dictionary a key gives its value. An array gives an array of the results for its elements,
    /// with `NSNull` for an element without one. `@count`, `@sum`, `@avg`, `@min`, `@max`,
    /// `@unionOfObjects`, `@distinctUnionOfObjects`, `@unionOfArrays` and `@distinctUnionOfArrays` act on
    /// an array as on Apple's systems, and so do `@count`, `@allKeys` and `@allValues` on a dictionary,
    /// and `self` on anything. A default whose own name contains a dot is not found: use
    /// ``value(forKey:)``, which takes names literally.
    ///
    /// A path that continues into a string, a number or another object without keys gives nil. On Apple's
    /// systems it raises an exception, which other programs' data could cause in this one.
    open func value(forKeyPath keyPath: String) -> Any? {
      let (key, rest) = KeyPathValues.parts(of: keyPath[...])
      let found = value(forKey: key)
      guard let rest else { return found }
      return found.flatMap { KeyPathValues.value(of: $0, forKeyPath: rest) }
    }

    /// Calls ``setValue(_:forKey:)`` for each key; `NSNull` stands for nil, which removes the key.
    open func setValuesForKeys(_ keyedValues: [String: Any]) {
      for (key, value) in keyedValues { setValue(KeyPathValues.isNull(value) ? nil : value, forKey: key) }
    }

    /// The result of ``value(forKey:)`` for each key, and `NSNull` for nil.
    open func dictionaryWithValues(forKeys keys: [String]) -> [String: Any] {
      Dictionary(keys.map { ($0, value(forKey: $0) ?? NSNull()) }) { first, _ in first }
    }
  #endif

  /// The class, the application's domain, and the database's directory.
  open override var description: String {
    "<\(type(of: self)): “\(store.application.name)” in \(store.user.database?.directory ?? "memory")>"
  }

  // MARK: - Saving

  /// Writes this process's changes, reads external changes, and returns whether all of it succeeded.
  ///
  /// Changes are saved without it. If it returns true, all changes are on stable storage; if false,
  /// ``UserDefaultsAdditions/lastError`` gives the reason, and the changes are kept for the next attempt. It
  /// waits at most two seconds for another process.
  ///
  /// The classic counterpart is `synchronize()`.
  @discardableResult
  open func synchronize() -> Bool {
    store.synchronize()
  }
}
