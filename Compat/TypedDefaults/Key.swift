import OpenStepPropertyList
import Synchronization
public import UserDefaultsCompat

extension Defaults {
  /// A key without its type, for lists of keys of different types.
  public class AnyKey: @unchecked Sendable {
    // Unchecked, because `Key` adds a default value, which any thread that reads the key receives.
    /// ``Defaults/Key``, so that an extension of `Defaults.Keys` can write `Key<Int>`.
    public typealias Key = Defaults.Key

    /// The name under which the value is stored; any text.
    public let name: String
    let storedKey: PropertyListKey
    /// The suite of the key; nil for the object that is standard when the key is used.
    private let ownSuite: UserDefaults?
    /// The registered form of the default value; nil if a closure computes it, or if it is nil.
    let registered: PropertyList?
    /// The number of the registration domain in which the default value was registered last.
    private let registrationNumber: Atomic<Int>

    /// The object that stores the value.
    ///
    /// For a key without a suite it is `UserDefaults.standard`, also inside
    /// `UserDefaults.withStandard(_:operation:)`.
    public var suite: UserDefaults { ownSuite ?? .standard }

    init(name: String, suite: UserDefaults, registering registered: PropertyList?) {
      self.name = name
      storedKey = PropertyListKey(name)
      ownSuite = suite === UserDefaults.standard ? nil : suite
      self.registered = registered
      registrationNumber = Atomic(suite.registrationNumber)
      if let registered { suite.registerStored([storedKey: registered]) }
    }

    /// Removes the stored value, so that the key has its default value again.
    public func reset() {
      let suite = suite
      registerDefault(in: suite)
      suite.write([storedKey: nil])
    }

    /// Registers the default value with a suite other than the key's original one, at its first use there.
    ///
    /// A default that the program itself has registered there stays.
    func registerDefault(in suite: UserDefaults) {
      guard let registered, suite.registrationNumber != registrationNumber.load(ordering: .relaxed) else {
        return
      }
      suite.registerStored(registered, ifAbsent: storedKey)
      // Stored afterwards, because other threads rely on it.
      registrationNumber.store(suite.registrationNumber, ordering: .relaxed)
    }
  }

  /// The type that programs extend to declare their keys.
  public typealias Keys = AnyKey

  /// ``AnyKey`` by its name in sindresorhus/Defaults.
  public typealias _AnyKey = AnyKey

  /// The name, the type and the default value of a default.
  ///
  /// Declare keys as `static let`: each caches the value that it decoded last.
  public final class Key<Value: Serializable>: AnyKey, @unchecked Sendable {
    // Unchecked, because of the program's closure, which is constant.
    private let makeDefault: () -> Value
    let reader: ValueReader<Value>

    /// The value if none is stored.
    public var defaultValue: Value { makeDefault() }

    /// Makes a key, and registers its default value with the suite, where untyped getters find it.
    ///
    /// As with `UserDefaults`, the last registration for a name replaces earlier ones, whether it was made by
    /// another key of that name or by `register(defaults:)`. In another suite the default value is registered
    /// when the key is first used there, unless a value is registered already.
    ///
    /// - Parameters:
    ///   - name: The name under which the value is stored; any text.
    ///   - defaultValue: The value if none is stored; omit it for an optional type.
    ///   - suite: The object that stores the value. If it is `UserDefaults.standard` when the key is made, also inside
    ///     `UserDefaults.withStandard(_:operation:)`, it is the object that is standard when the key is used.
    ///   - iCloud: Without effect: nothing is synchronized with other devices. It is accepted for programs
    ///     that use sindresorhus/Defaults on Apple's systems.
    public init(
      _ name: String, default defaultValue: Value, suite: UserDefaults = .standard, iCloud: Bool = false
    ) {
      let reader = ValueReader<Value>()
      self.reader = reader
      var registered: PropertyList?
      do {
        registered = try reader.encode(defaultValue)
      } catch {
        reader.report(error, name: name)
      }
      if let registered, SharedReferences.may(beIn: defaultValue) {
        // A program that changes the object from one read must not change the default value of other reads. A
        // value that cannot be decoded again is returned itself.
        makeDefault = { (try? reader.value(of: registered)) ?? defaultValue }
      } else {
        makeDefault = { defaultValue }
      }
      super.init(name: name, suite: suite, registering: registered)
    }

    /// Makes a key whose default value is computed each time that it is needed.
    ///
    /// - Parameters:
    ///   - name: The name under which the value is stored; any text.
    ///   - suite: The object that stores the value. If it is `UserDefaults.standard` when the key is made, also inside
    ///     `UserDefaults.withStandard(_:operation:)`, it is the object that is standard when the key is used.
    ///   - iCloud: Accepted, without effect.
    ///   - defaultValue: Computes the value if none is stored or registered, on any
    ///     thread that reads the key.
    @preconcurrency
    public init(
      _ name: String, suite: UserDefaults = .standard, iCloud: Bool = false,
      default defaultValue: @escaping @Sendable () -> Value
    ) {
      makeDefault = defaultValue
      reader = ValueReader()
      super.init(name: name, suite: suite, registering: nil)
    }

    /// Makes a key of an optional type, whose default value is nil.
    ///
    /// - Parameters:
    ///   - name: The name under which the value is stored; any text.
    ///   - suite: The object that stores the value. If it is `UserDefaults.standard` when the key is made, also inside
    ///     `UserDefaults.withStandard(_:operation:)`, it is the object that is standard when the key is used.
    ///   - iCloud: Accepted, without effect.
    public convenience init<Wrapped>(
      _ name: String, suite: UserDefaults = .standard, iCloud: Bool = false
    ) where Value == Wrapped? {
      self.init(name, suite: suite, default: { nil })
    }
  }
}

extension Defaults.Key {
  /// The decoded form of a found value, or the default value.
  func value(of found: PropertyList?) -> Value {
    guard let found else { return defaultValue }
    do throws(CodingFailure) {
      return try reader.value(of: found)
    } catch {
      return defaultValue(insteadOf: found, because: error)
    }
  }

  /// The default value in place of a found value that cannot be read, which is reported.
  func defaultValue(insteadOf found: PropertyList, because failure: CodingFailure) -> Value {
    // A registered default value that cannot be decoded is returned itself, and not reported.
    if found != registered { reader.report(failure, of: found, name: name) }
    return defaultValue
  }
}

extension Defaults.Key where Value: Equatable {
  /// Whether the value is equal to the default value, stored or not.
  public var isDefaultValue: Bool { suite[self] == defaultValue }
}

extension Defaults.AnyKey: Hashable {
  /// Whether two keys have the same name and the same suite.
  public static func == (left: Defaults.AnyKey, right: Defaults.AnyKey) -> Bool {
    left.storedKey == right.storedKey && left.suite === right.suite
  }

  public func hash(into hasher: inout Hasher) {
    // Without the suite: a key without one has different suites in some tasks.
    hasher.combine(storedKey)
  }
}
