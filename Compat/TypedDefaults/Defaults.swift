@_exported public import UserDefaultsCompat

/// Defaults with names, types and default values that are declared once.
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
/// The calls are those of sindresorhus/Defaults, without SwiftUI (on systems that lack it) and iCloud (a key's
/// parameter `iCloud` is accepted, and has no effect). Two
/// things are different on purpose: a key may have any name, and a stored value that cannot be read as the
/// key's type is never passed over in silence; see ``value(for:)``.
public enum Defaults {
  /// The value of a key, or the key's default value where there is none.
  ///
  /// A stored value that is not of the key's type gives the default value as well; it is told of in
  /// `UserDefaults.errors`, stays in the file, and the first value that is set after that has it
  /// kept under another name, as ``ValueError/keptAs(_:)`` says. A value that cannot be stored is
  /// told of there too, and leaves the old one as it is.
  ///
  /// Setting nil, where the type is optional, removes the key.
  public static subscript<Value: Serializable>(key: Key<Value>) -> Value {
    get { key.suite[key] }
    set { key.suite[key] = newValue }
  }

  /// The value of a key in another suite than its own.
  ///
  /// - Parameters:
  ///   - key: The key, of which the name, the type and the default value count.
  ///   - suite: Where to look and set; nil for the key's own.
  public static subscript<Value: Serializable>(key key: Key<Value>, suite suite: UserDefaults? = nil) -> Value
  {
    get { (suite ?? key.suite)[key] }
    set { (suite ?? key.suite)[key] = newValue }
  }

  /// The value of a key; nil where there is none, whatever the key's default value.
  ///
  /// - Throws: ``ValueError`` where the stored value cannot be read as the key's type, and the database's
  ///   error where a file that may hold it is damaged or unreadable.
  public static func value<Value: Serializable>(for key: Key<Value>) throws -> Value? {
    try key.suite.value(for: key)
  }

  /// Sets the value of a key, or throws why that is refused.
  ///
  /// Where the subscript tells of a refusal in `UserDefaults.errors` and goes on, this throws it, and does not tell
  /// of it there as well. Inside a transaction the value is set when that ends.
  ///
  /// - Parameters:
  ///   - value: The value; nil, where the type is optional, removes the key.
  ///   - key: The key.
  /// - Throws: ``ValueError`` where the value cannot be stored, and the database's error where an administrator
  ///   has set the key; the old value stays.
  public static func set<Value: Serializable>(_ value: Value, for key: Key<Value>) throws {
    try key.suite.set(value, for: key)
  }

  /// Removes every key of a suite, for all programs that use it, by one change.
  ///
  /// Registered default values and other domains stay as they are.
  public static func removeAll(suite: UserDefaults = .standard) {
    suite.removeAll()
  }
}

/// The facade's name where ``Defaults`` means something else.
public typealias _Defaults = Defaults
