import OpenStepPropertyList
import Synchronization
public import UserDefaultsCompat

extension Defaults {
  /// A key whose type is not known, to name several of any types at once.
  public class AnyKey: @unchecked Sendable {
    // Unchecked, because Key adds a default value, which the program gives to whoever reads, on any thread.
    /// ``Defaults/Key``, so that an extension of `Defaults.Keys` can write `Key<Int>`.
    public typealias Key = Defaults.Key

    /// The name under which the value is stored; any text.
    public let name: String
    let storedKey: PropertyListKey
    /// nil for the standard object, whichever that is when the key is used.
    private let ownSuite: UserDefaults?
    /// Of the default value, what is registered; nil where it is asked for each time, or is nil.
    let registered: PropertyList?
    /// The registration domain in which the default value was registered last.
    private let registrationNumber: Atomic<Int>

    /// Where the value is stored.
    ///
    /// Of a key that was made without a suite it is `UserDefaults.standard`, also inside
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

    /// Registers the default value with another suite than the one of which the key was made, at its first use there.
    ///
    /// What the program itself has registered there stays.
    func registerDefault(in suite: UserDefaults) {
      guard let registered, suite.registrationNumber != registrationNumber.load(ordering: .relaxed) else {
        return
      }
      suite.registerStored(registered, ifAbsent: storedKey)
      // Not before: other threads rely on it.
      registrationNumber.store(suite.registrationNumber, ordering: .relaxed)
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
    let reader: ValueReader<Value>

    /// The value where none is stored.
    public var defaultValue: Value { makeDefault() }

    /// Makes a key, and registers its default value with the suite, where untyped getters find it.
    ///
    /// What is registered last under a name is the default value for all, as with `UserDefaults`: by another key of
    /// that name, or by `register(defaults:)`. In another suite the default value is registered when the key is
    /// used there first, unless one is registered already.
    ///
    /// - Parameters:
    ///   - name: The name under which the value is stored; any text.
    ///   - defaultValue: The value where none is stored; for an optional type leave it out.
    ///   - suite: Where the value is stored.
    ///   - iCloud: Accepted for programs that are built for Apple's systems by sindresorhus/Defaults as well; it has
    ///     no effect: nothing is synchronized with other devices.
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
        // Who changes the object that one read gives must not change the default value of the others. What
        // cannot be read again is given itself.
        makeDefault = { (try? reader.value(of: registered)) ?? defaultValue }
      } else {
        makeDefault = { defaultValue }
      }
      super.init(name: name, suite: suite, registering: registered)
    }

    /// Makes a key whose default value is asked for each time that it is needed.
    ///
    /// - Parameters:
    ///   - name: The name under which the value is stored; any text.
    ///   - suite: Where the value is stored.
    ///   - iCloud: Accepted, and without effect.
    ///   - defaultValue: Gives the value where none is stored or registered, on whichever thread asks.
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
    ///   - suite: Where the value is stored.
    ///   - iCloud: Accepted, and without effect.
    public convenience init<Wrapped>(
      _ name: String, suite: UserDefaults = .standard, iCloud: Bool = false
    ) where Value == Wrapped? {
      self.init(name, suite: suite, default: { nil })
    }
  }
}

extension Defaults.Key {
  /// The value for which something was found, or the default value.
  func value(of found: PropertyList?) -> Value {
    guard let found else { return defaultValue }
    do throws(CodingFailure) {
      return try reader.value(of: found)
    } catch {
      return defaultValue(insteadOf: found, because: error)
    }
  }

  /// The default value where what was found cannot be read, which it tells of.
  func defaultValue(insteadOf found: PropertyList, because failure: CodingFailure) -> Value {
    // A default value that is not read back is given itself.
    if found != registered { reader.report(failure, of: found, name: name) }
    return defaultValue
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
