import DefaultsDatabase
import DefaultsDomains
import DefaultsFoundation
public import Foundation
public import OpenStepDefaults
import OpenStepPropertyList

/// GNUstep's additions to the class, under their GNUstep names.
extension NSUserDefaults {
  // MARK: - Creating

  /// Makes an object for the GNUstep database of the current user, with the standard search list.
  ///
  /// The database is the directory that GNUstep's configuration files name, else `GNUstep/Defaults` in the
  /// account's home. Existing files keep their formats, new files are XML, as GNUstep writes it, and
  /// changes are made under GNUstep's lock, so that its programs may run at the same time. Their changes
  /// are noticed without a call.
  ///
  /// Values are strings nevertheless, as in OPENSTEP: a number in a file is shown as its digits, and stays a
  /// number in the file unless it is set again. ``GNUstepUserDefaults`` shows and sets numbers.
  ///
  /// - Parameters:
  ///   - directory: Another directory of GNUstep's; nil for the configured one.
  ///   - applicationName: The name of the application's domain; by default the process's.
  ///   - arguments: The command line for the argument domain; its first element is ignored.
  public convenience init(
    gnustepDirectory directory: String?, applicationName: String? = nil,
    arguments: [String] = CommandLine.arguments
  ) {
    self.init(
      domains: GNUstepDatabase.inDirectory(orCurrent: directory).domains, applicationName: applicationName,
      arguments: arguments)
  }

  /// Saves the shared object and replaces it by a new one: with the standard search list, without the
  /// volatile domains that were added, and with the registered defaults.
  ///
  /// Called of ``GNUstepUserDefaults`` it means that class's shared object; where there is none yet, it does
  /// nothing, as in GNUstep.
  public static func resetStandardUserDefaults() {
    if self is GNUstepUserDefaults.Type { return SharedDefaults.remake() }
    _ = standardUserDefaults().synchronize()
    chosenLanguages.withLock { $0 = nil }
    remakeStandard()
  }

  // MARK: - Suites

  /// Adds a suite to the search list, right behind the application's domain, so that the suite
  /// added last is searched first.
  ///
  /// For the application's own name, it moves the application's domain to the front of the list.
  public func addSuiteNamed(_ name: String) {
    search(name, behind: applicationName)
    postOtherChange()
  }

  /// Removes a suite from the search list.
  public func removeSuiteNamed(_ name: String) {
    stopSearching(name)
    postOtherChange()
  }

  // MARK: - URLs

  /// Sets a URL for a key; nil removes the key.
  ///
  /// A file URL is stored as its path, with `~` for the home directory; any other as an archive.
  public func setURL(_ url: URL?, forKey key: String) {
    // By the methods that a subclass may override.
    setObject(url.map { FoundationValues.object(URLCoding.propertyList($0)) }, forKey: key)
  }

  // swift-format-ignore: AlwaysUseLowerCamelCase
  /// The URL that ``setURL(_:forKey:)`` stored for a key, or the file URL of a string,
  /// which is a path; else nil.
  public func URLForKey(_ key: String) -> URL? {
    objectForKey(key).flatMap { URLCoding.url(try? FoundationValues.propertyList($0, path: "")) }
  }

  // MARK: - Languages

  /// The languages of ``setUserLanguages(_:)`` for the classic class, for the whole process.
  private static let chosenLanguages = Lock<[String]?>(nil)

  /// The names of the languages that the user prefers, the preferred one first; at least English.
  ///
  /// Called of ``GNUstepUserDefaults`` it gives the `NSLanguages` of that class's shared object, as in GNUstep.
  public static func userLanguages() -> [String] {
    let shared = standardUserDefaults()
    if self is GNUstepUserDefaults.Type { return shared.stringArrayForKey(NSLanguages) ?? [] }
    let chosen = chosenLanguages.withLock { $0 }
    return LanguagePreferences.names(
      preferred: chosen ?? shared.stringArrayForKey(NSLanguages), environment: CurrentProcess.preference)
  }

  /// Sets the preferred languages of this process, for ``userLanguages()``; nil for the user's own.
  ///
  /// English is appended if the list does not contain it. Called of ``GNUstepUserDefaults`` it changes the
  /// `GSPrimaryDomain` of that class's shared object at once, as in GNUstep; the search list stays.
  public static func setUserLanguages(_ languages: [String]?) {
    if self is GNUstepUserDefaults.Type { return SharedDefaults.object.setLanguages(languages) }
    chosenLanguages.withLock { $0 = languages }
  }
}

// Not in an extension of the class, which would forbid a subclass to have an initializer of that name.
extension NSUserDefaultsAdditions where Self == NSUserDefaults {
  /// Makes an object, with an empty search list, for the GNUstep database of a file's directory.
  ///
  /// As in GNUstep 1.28, only the path's directory counts: the application's domain is not the file of the
  /// path, but the file in that directory with the application's name. An empty path is the current user's
  /// database.
  public init(contentsOfFile path: String) {
    self.init(
      domains: GNUstepDatabase.ofFile(path).domains, applicationName: nil, arguments: CommandLine.arguments,
      searchesNothing: true)
  }
}
