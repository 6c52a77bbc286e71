import OpenStepPropertyList
public import UserDefaultsCompat

extension Defaults {
  /// Removes the stored values of keys, so that they have their default values again.
  public static func reset(_ keys: AnyKey...) {
    reset(keys)
  }

  /// Removes the stored values of keys of any types.
  public static func reset<each Value>(_ keys: repeat Key<each Value>) {
    for key in repeat each keys { key.reset() }
  }

  /// Removes the stored values of keys, so that they have their default values again.
  public static func reset(_ keys: [AnyKey]) {
    for key in keys { key.reset() }
  }

  /// Removes the stored values of keys by their names.
  ///
  /// - Parameters:
  ///   - keys: The names.
  ///   - suite: The object that stores the values.
  public static func reset(_ keys: String..., suite: UserDefaults = .standard) {
    reset(keys, suite: suite)
  }

  /// Removes the stored values of keys by their names.
  ///
  /// - Parameters:
  ///   - keys: The names.
  ///   - suite: The object that stores the values.
  public static func reset(_ keys: [String], suite: UserDefaults = .standard) {
    for key in keys { suite.write([PropertyListKey(key): nil]) }
  }
}
