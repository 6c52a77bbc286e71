import DefaultsDomains

/// What ``UserDefaults`` has beyond Apple's class; no other class conforms.
///
/// Members of a protocol's extension give way to those of the same name that a program declares, in an
/// extension of the class, in a subclass or in a protocol of its own: code that was written for a class without
/// these members keeps its meaning. For the same reason the types of this module stand beside the class and not
/// inside it, but for those that Apple's has: two nested types of one name would be ambiguous.
public protocol UserDefaultsAdditions: UserDefaults {}

extension UserDefaults: UserDefaultsAdditions {}

extension UserDefaultsAdditions {
  /// Tells whether ``UserDefaults/set(_:forKey:)-(Any?,_)`` takes a value.
  ///
  /// - Throws: `InvalidArgumentError`, which names the key, the type, and the path inside the value.
  @_disfavoredOverload
  public static func validate(_ value: Any?, forKey defaultName: String = "value") throws {
    if let value { _ = try UserDefaults.propertyList(value, forKey: defaultName) }
  }

  /// Why the database could not be read or written when it last was, or what was last refused; else nil.
  ///
  /// A damaged file is named with the place of the damage, or where it was moved before a save. A
  /// refusal is forgotten by the next ``UserDefaults/synchronize()``.
  @_disfavoredOverload
  public var lastError: (any Error)? {
    LossReport.shared.programAsked()
    return store.lastError
  }

  /// Every failed save, damaged or unreadable file and refused call of any object of the process, from now on.
  ///
  /// Each call gives a sequence of its own, with every error, for one loop: several loops over the same one
  /// would share its errors. Where nobody reads, the newest hundred are kept.
  @_disfavoredOverload
  public static var errors: UserDefaultsErrors {
    UserDefaultsErrors(stream: ErrorReports.shared.stream())
  }
}
