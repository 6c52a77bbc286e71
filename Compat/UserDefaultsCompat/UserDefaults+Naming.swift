import DefaultsDomains
import DefaultsFoundation

/// The program's own name, for all databases and classes.
extension UserDefaultsAdditions {
  /// Names the program, for every object of the process that is made without a name of its own.
  ///
  /// The program's own defaults are in the domain of its name, which is the process's name unless this is
  /// called; of ``UserDefaults`` as of the classic `NSUserDefaults`. A program that was renamed names its
  /// former names too, and keeps its settings: while the database has a domain of a former name and none of the
  /// present one, objects use the former domain; where it has both, the present one. Nothing is moved, so that
  /// the former program finds its settings as well. An object that is made with an application name, or for a
  /// suite, uses that name.
  ///
  /// Not in Apple's class, in which a program has its bundle's identifier.
  ///
  /// - Parameters:
  ///   - name: The program's name.
  ///   - formerNames: The names that it had, the latest first.
  /// - Throws: `InvalidArgumentError` if a name is empty, contains `/` or NUL or is longer than 249 UTF-8
  ///   bytes, and if an object without a name of its own was made already, in whatever class: the call comes
  ///   first in a program. A call that repeats an earlier one changes nothing.
  ///
  /// The classic counterpart is `setApplicationName(_:formerNames:)`.
  @_disfavoredOverload
  public static func setApplicationName(_ name: String, formerNames: [String] = []) throws {
    try ApplicationName.setName(name, formerNames: formerNames)
  }

  /// The name of the domain in which this object stores: its suite's, or the program's own.
  ///
  /// Where a program for Apple's systems writes its bundle's identifier, as in
  /// `removePersistentDomain(forName: Bundle.main.bundleIdentifier!)`, this is the name that means the same domain
  /// everywhere; on Linux a program has no such identifier. Constant time.
  ///
  /// The classic counterpart is `domainName`.
  @_disfavoredOverload
  public var domainName: String { store.application.name.text }
}
