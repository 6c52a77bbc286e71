@_exported public import UserDefaultsCompat

/// Defaults whose names, types and default values are declared once.
///
/// ```swift
/// extension Defaults.Keys {
///   static let quality = Key<Double>("quality", default: 0.8)
/// }
///
/// Defaults[.quality]        // 0.8
/// Defaults[.quality] += 0.1
/// ```
///
/// The calls are those of sindresorhus/Defaults, without SwiftUI on systems that lack it, and without iCloud:
/// a key's parameter `iCloud` has no effect. Two things differ on purpose: a key may have any name, and a
/// stored value that cannot be read as the key's type is never ignored silently; see ``value(for:)``.
public enum Defaults {
  /// The value of a key, or the key's default value if there is none.
  ///
  /// A stored value that is not of the key's type gives the default value as well. It is reported in
  /// `UserDefaults.errors` and stays in the file; when the program sets another value, the old one is
  /// kept under another key, see ``ValueError/keptAs(_:)``. A value that cannot be stored is reported
  /// too, and changes nothing.
  ///
  /// Setting nil, where the type is optional, removes the key.
  ///
  /// `Defaults[.key] += 1` reads and then sets, and a change that another thread makes in between is lost:
  /// ``modify(_:_:)`` makes both one. (An accessor that did so could be suspended in the middle, by an asynchronous
  /// method that changes the value in place.)
  public static subscript<Value: Serializable>(key: Key<Value>) -> Value {
    get { key.suite[key] }
    set { key.suite[key] = newValue }
  }

  /// The value of a key in another suite than the key's own.
  ///
  /// - Parameters:
  ///   - key: The key, whose name, type and default value are used.
  ///   - suite: The suite to use; nil for the key's own.
  public static subscript<Value: Serializable>(key key: Key<Value>, suite suite: UserDefaults? = nil) -> Value
  {
    get { (suite ?? key.suite)[key] }
    set { (suite ?? key.suite)[key] = newValue }
  }

  /// The value of a key; nil if there is none, whatever the key's default value.
  ///
  /// - Throws: ``ValueError`` if the stored value cannot be read as the key's type, and the database's error
  ///   if a file that may contain it is damaged or unreadable.
  public static func value<Value: Serializable>(for key: Key<Value>) throws -> Value? {
    try key.suite.value(for: key)
  }

  /// Sets the value of a key, or throws the reason of a refusal.
  ///
  /// The subscript reports a refusal in `UserDefaults.errors` and continues; this throws it instead, without
  /// reporting it. Inside a transaction the value is set when the transaction ends.
  ///
  /// - Parameters:
  ///   - value: The value; nil, if the type is optional, removes the key.
  ///   - key: The key.
  /// - Throws: ``ValueError`` if the value cannot be stored, and the database's error if an administrator has
  ///   set the key; the old value stays.
  public static func set<Value: Serializable>(_ value: Value, for key: Key<Value>) throws {
    try key.suite.set(value, for: key)
  }

  /// Removes every key of a suite, for all programs that use it, by one change.
  ///
  /// Registered default values and other domains are not changed.
  public static func removeAll(suite: UserDefaults = .standard) {
    suite.removeAll()
  }
}

/// Another name of ``Defaults``, for programs in which that name means something else.
public typealias _Defaults = Defaults
