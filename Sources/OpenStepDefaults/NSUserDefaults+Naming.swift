import DefaultsDomains
import DefaultsFoundation

/// The program's own name, for all databases and classes.
extension NSUserDefaultsAdditions {
  /// Names the program, for every object of the process that is made without a name of its own.
  ///
  /// The program's own defaults are in the domain of its name, which is the process's name unless this is
  /// called; of ``NSUserDefaults`` as of `GNUstepUserDefaults` and of `UserDefaults`. A program that was
  /// renamed names its former names too, and keeps its settings: while a database has a domain of a former
  /// name and none of the present one, objects for that database use the former domain; where it has both, the
  /// present one. Nothing is moved, so that the former program finds its settings as well. An object that is
  /// made with an application name uses that name.
  ///
  /// Not in OPENSTEP's text, in which a program has its process's name.
  ///
  /// - Parameters:
  ///   - name: The program's name.
  ///   - formerNames: The names that it had, the latest first.
  /// - Throws: ``InvalidArgumentError`` if a name is empty, contains `/` or NUL or is longer than 249 UTF-8
  ///   bytes, and if an object without a name of its own was made already, in whatever class: the call comes
  ///   first in a program. A call that repeats an earlier one changes nothing.
  @_disfavoredOverload
  public static func setApplicationName(_ name: String, formerNames: [String] = []) throws {
    try ApplicationName.setName(name, formerNames: formerNames)
  }
}
