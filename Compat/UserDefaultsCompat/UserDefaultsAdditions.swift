import DefaultsDatabase
public import DefaultsDomains
import OpenStepPropertyList

/// What ``UserDefaults`` offers beyond Apple's class; no other class conforms.
///
/// A member that a program declares in an extension of the class, in a subclass or in its own protocol takes
/// precedence over the member of the same name in this protocol's extension: existing code keeps its meaning.
/// For the same reason the types of this module are not nested in the class, except for those that Apple's
/// class has: two nested types of one name would be ambiguous.
public protocol UserDefaultsAdditions: UserDefaults {}

extension UserDefaults: UserDefaultsAdditions {}

extension UserDefaultsAdditions {
  /// Checks whether ``UserDefaults/set(_:forKey:)-(Any?,_)`` accepts a value.
  ///
  /// - Throws: `InvalidArgumentError`, which names the key, the type, and the path inside the value.
  @_disfavoredOverload
  public static func validate(_ value: Any?, forKey defaultName: String = "value") throws {
    guard let value else { return }
    // The property list is released at once, and may be nested deeper than the caller's stack can release.
    try LargeStack.runWithStackToRelease { _ = try UserDefaults.propertyList(value, forKey: defaultName) }
  }

  /// Where the value that is found for a key comes from: its domain and, if a file holds it, the file with the line and
  /// the column.
  ///
  /// A value that the administrator sets has the administrator's file. The file is read for that, so this is for
  /// messages, tests and tools. A value that is not saved yet has a domain but no file. So does a value of the
  /// arguments or of the registration domain. What a subclass finds elsewhere does not count.
  ///
  /// - Returns: nil if no domain has the key.
  @_disfavoredOverload
  public func origin(of defaultName: String) -> DefaultOrigin? {
    store.origin(of: PropertyListKey(defaultName))
  }

  /// Why the last read or write of the database failed, or which call was last refused; else nil.
  ///
  /// For a damaged file it gives the place of the damage, or the path to which a save moved the file. The
  /// next ``UserDefaults/synchronize()`` clears a refusal.
  @_disfavoredOverload
  public var lastError: (any Error)? {
    LossReport.shared.programAsked()
    return store.lastError
  }

  /// Every failed save, damaged or unreadable file and refused call of all objects of
  /// the process, from now on.
  ///
  /// Each call gives a sequence with every error, for one loop: several loops over one sequence would share
  /// its errors. While the errors are not read, the newest hundred are kept.
  @_disfavoredOverload
  public static var errors: UserDefaultsErrors {
    UserDefaultsErrors(stream: ErrorReports.shared.stream())
  }
}
