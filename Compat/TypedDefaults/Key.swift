import OpenStepPropertyList
public import UserDefaultsCompat

extension Defaults {
  /// A key whose type is not known, to name several of any types at once.
  public class AnyKey: @unchecked Sendable {
    // Unchecked, because Key adds a default value, which the program gives to whoever reads, on any thread.
    public typealias Key = Defaults.Key

    /// The name under which the value is stored; any text.
    public let name: String
    let storedKey: PropertyListKey
    /// nil for the standard object, whichever that is when the key is used.
    private let ownSuite: UserDefaults?

    /// Where the value is stored.
    ///
    /// Of a key that was made without a suite it is `UserDefaults.standard`, also inside
    /// `UserDefaults.withStandard(_:operation:)`.
    public var suite: UserDefaults { ownSuite ?? .standard }

    init(name: String, suite: UserDefaults) {
      self.name = name
      storedKey = PropertyListKey(name)
      ownSuite = suite === UserDefaults.standard ? nil : suite
    }

    /// Removes the stored value, so that the key has its default value again.
    public func reset() {
      suite.write([storedKey: nil])
    }
  }

  /// Where programs declare their keys, in an extension.
  public typealias Keys = AnyKey

  /// ``AnyKey`` by its name in sindresorhus/Defaults.
  public typealias _AnyKey = AnyKey

  /// The name, the type and the default value of a default.
  ///
  /// Make keys once, as `static let`: each remembers the value that it decoded last.
  public final class Key<Value: Serializable>: AnyKey, @unchecked Sendable {
    // Unchecked, because of the program's closure, which is constant.
    private let makeDefault: () -> Value
    /// Whether the default value is the key's own, and stands before what the program registers.
    let hasFixedDefault: Bool
    let reader: ValueReader<Value>

    /// The value where none is stored.
    public var defaultValue: Value { makeDefault() }

    /// Makes a key, and registers its default value with the suite, where untyped getters find it.
    ///
    /// - Parameters:
    ///   - name: The name under which the value is stored; any text.
    ///   - defaultValue: The value where none is stored; for an optional type leave it out.
    ///   - suite: Where the value is stored.
    public init(_ name: String, default defaultValue: Value, suite: UserDefaults = .standard) {
      let reader = ValueReader<Value>()
      self.reader = reader
      var registered: PropertyList?
      do {
        registered = try reader.encode(defaultValue)
      } catch {
        reader.report(error, name: name)
      }
      hasFixedDefault = registered != nil
      if let registered, SharedReferences.may(beIn: defaultValue) {
        // Who changes the object that one read gives must not change the default value of the others. What
        // cannot be read again is given itself.
        makeDefault = { (try? reader.value(of: registered)) ?? defaultValue }
      } else {
        makeDefault = { defaultValue }
      }
      super.init(name: name, suite: suite)
      if let registered { suite.registerStored([storedKey: registered]) }
    }

    /// Makes a key whose default value is asked for each time that it is needed.
    ///
    /// - Parameters:
    ///   - name: The name under which the value is stored; any text.
    ///   - suite: Where the value is stored.
    ///   - defaultValue: Gives the value where none is stored, on whichever thread asks.
    @preconcurrency
    public init(
      _ name: String, suite: UserDefaults = .standard, default defaultValue: @escaping @Sendable () -> Value
    ) {
      makeDefault = defaultValue
      hasFixedDefault = false
      reader = ValueReader()
      super.init(name: name, suite: suite)
    }

    /// Makes a key of an optional type, whose default value is nil.
    ///
    /// - Parameters:
    ///   - name: The name under which the value is stored; any text.
    ///   - suite: Where the value is stored.
    public convenience init<Wrapped>(_ name: String, suite: UserDefaults = .standard)
    where Value == Wrapped? {
      self.init(name, suite: suite, default: { nil })
    }
  }
}

extension Defaults.Key where Value: Equatable {
  /// Whether the value is the same as the default value, stored or not.
  public var isDefaultValue: Bool { suite[self] == defaultValue }
}

extension Defaults.AnyKey: Hashable {
  /// Whether two keys name the same default: the same name in the same suite.
  public static func == (left: Defaults.AnyKey, right: Defaults.AnyKey) -> Bool {
    left.storedKey == right.storedKey && left.suite === right.suite
  }

  public func hash(into hasher: inout Hasher) {
    // Not the suite as well: that of a key without one is another in some tasks.
    hasher.combine(storedKey)
  }
}
