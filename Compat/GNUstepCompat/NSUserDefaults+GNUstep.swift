import DefaultsDatabase
import DefaultsDomains
import DefaultsFoundation
public import Foundation
public import OpenStepDefaults
import OpenStepPropertyList

/// What GNUstep adds to the class, under its names.
extension NSUserDefaults {
  // MARK: - Creating

  /// Makes an object for the GNUstep database of the current user, with the standard search list.
  ///
  /// The database is the directory that GNUstep's configuration files name, else `GNUstep/Defaults` in the
  /// account's home. Files keep the formats in which GNUstep's programs left them, new ones are XML, as
  /// those write it, and changes are made under GNUstep's lock, so that its programs may run at the same
  /// time. What they change is seen without a call.
  ///
  /// Values are strings all the same, as OPENSTEP has them: a number in a file is shown as its digits, and
  /// stays a number there unless it is set anew. ``GNUstepUserDefaults`` shows and sets numbers.
  ///
  /// - Parameters:
  ///   - directory: Another directory of GNUstep's; nil for the one of the configuration.
  ///   - applicationName: The name of the application's domain; by default the process's.
  ///   - arguments: The command line that makes the argument domain; its first element does not count.
  public convenience init(
    gnustepDirectory directory: String?, applicationName: String? = nil,
    arguments: [String] = CommandLine.arguments
  ) {
    self.init(
      domains: GNUstepDatabase.domains(directory, GNUstepConfiguration()), applicationName: applicationName,
      arguments: arguments)
  }

  /// Makes an object, with an empty search list, for the GNUstep database in which a file lies or would lie.
  ///
  /// As GNUstep 1.28 does it: of the path the directory counts, and the application's domain is not the file of
  /// the path but the one in that directory that has the application's name.
  public convenience init(contentsOfFile path: String) {
    let directory = (path as NSString).deletingLastPathComponent
    self.init(gnustepDirectory: directory.isEmpty ? "." : directory)
    setSearchList([])
  }

  /// Saves the shared object and makes it anew: with the standard search list and without the volatile
  /// domains that were added, but with what was registered.
  public static func resetStandardUserDefaults() {
    _ = standardUserDefaults().synchronize()
    chosenLanguages.withLock { $0 = nil }
    remakeStandard()
  }

  // MARK: - Suites

  /// Searches a suite as well, right behind the application's domain, so that the one that was added last comes first.
  ///
  /// Of the application's own name, its domain is moved to the front of the list.
  public func addSuiteNamed(_ name: String) {
    search(name, behind: applicationName)
  }

  /// Searches a suite no longer.
  public func removeSuiteNamed(_ name: String) {
    stopSearching(name)
  }

  // MARK: - URLs

  /// Sets a URL for a key; nil removes the key.
  ///
  /// A file's URL is stored as its path, with `~` for the home folder; any other as an archive.
  public func setURL(_ url: URL?, forKey key: String) {
    setPropertyList(url.map(URLCoding.propertyList), forKey: key)
  }

  // swift-format-ignore: AlwaysUseLowerCamelCase
  /// The URL for a key: what ``setURL(_:forKey:)`` stored, or of a string that of the file with this path; else nil.
  public func URLForKey(_ key: String) -> URL? {
    URLCoding.url(propertyListForKey(key))
  }

  // MARK: - Languages

  /// What ``setUserLanguages(_:)`` has set, for the process.
  private static let chosenLanguages = Lock<[String]?>(nil)

  /// The languages that the user prefers, by name, the most wanted first; English at least.
  public static func userLanguages() -> [String] {
    userLanguages(of: standardUserDefaults())
  }

  /// Prefers other languages in this process, in objects that are made from now on and in ``userLanguages()``.
  ///
  /// English is put at the end where it does not stand in them.
  public static func setUserLanguages(_ languages: [String]) {
    chosenLanguages.withLock { $0 = languages }
  }

  static func userLanguages(of defaults: NSUserDefaults) -> [String] {
    let chosen = chosenLanguages.withLock { $0 }
    return LanguagePreferences.names(
      preferred: chosen ?? defaults.stringArrayForKey(NSLanguages), environment: CurrentProcess.preference)
  }
}
