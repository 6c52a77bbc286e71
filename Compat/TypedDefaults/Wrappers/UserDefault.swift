public import UserDefaultsCompat

extension Defaults {
  /// The name of a default, for ``UserDefault``.
  ///
  /// ```swift
  /// extension Defaults.Name {
  ///   static let isFirstLaunch: Self = "isFirstLaunch"
  /// }
  /// ```
  public struct Name: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
    /// The text under which the value is stored.
    public let rawValue: String

    /// Makes a name of any text.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    public init(stringLiteral value: String) {
      self.init(rawValue: value)
    }
  }
}

/// A property that stands for the default of a name; nil if there is none.
///
/// ```swift
/// struct Storage {
///   @UserDefault(key: .isFirstLaunch) var isFirstLaunch: Bool?
/// }
///
/// let token = storage.$isFirstLaunch.observe { old, new in … }
/// ```
///
/// A stored value of another type gives nil, is reported in `UserDefaults.errors`, and is not changed.
@propertyWrapper
public struct UserDefault<Value: PropertyListValue>: Sendable {
  private let typedKey: Defaults.Key<Value?>

  /// The default's name.
  public var key: Defaults.Name { Defaults.Name(rawValue: typedKey.name) }

  /// Makes a property of a name.
  ///
  /// - Parameters:
  ///   - key: The default's name.
  ///   - suite: The object that stores the value.
  public init(key: Defaults.Name, suite: UserDefaults = .standard) {
    typedKey = Defaults.Key(key.rawValue, suite: suite)
  }

  /// The value; setting nil removes it.
  public var wrappedValue: Value? {
    get { Defaults[typedKey] }
    nonmutating set { Defaults[typedKey] = newValue }
  }

  /// The property itself, for ``observe(change:)``.
  public var projectedValue: Self { self }

  /// Observes the value until the result is invalidated or released.
  ///
  /// - Parameter change: Receives the old and the new value after each real change, on the thread that made it;
  ///   external changes, on a thread of the package.
  /// - Returns: An object that keeps the observation alive.
  @preconcurrency
  public func observe(change: @escaping @Sendable (Value?, Value?) -> Void) -> any Defaults.Observation {
    Defaults.observe(typedKey, options: []) { change($0.oldValue, $0.newValue) }
  }
}
