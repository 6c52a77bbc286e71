import OpenStepPropertyList
import UserDefaultsCompat

extension Defaults {
  /// A version of sindresorhus/Defaults that changed how values are stored.
  public enum Version: Int, Sendable {
    /// Arrays, sets and dictionaries are stored as such; before, they were JSON text.
    case v5 = 5
  }

  /// Converts values that earlier versions stored as JSON text to the present form of the key's type.
  ///
  /// A value that the key can read is not changed. Neither is a value that is no such text, which is reported
  /// in `UserDefaults.errors`.
  public static func migrate<Value: Serializable & Codable>(_ keys: Key<Value>..., to version: Version) {
    migrate(keys, to: version)
  }

  /// Converts values that earlier versions stored as JSON text to the present form of the key's type.
  public static func migrate<Value: Serializable & Codable>(_ keys: [Key<Value>], to version: Version) {
    for key in keys {
      migrate(key) { (text) throws(CodingFailure) in try JSONText.value(text, as: Value.self) }
    }
  }

  /// Converts values that were stored as JSON text of another type, ``NativeType/CodableForm``.
  @_disfavoredOverload
  public static func migrate<Value: NativeType>(_ keys: Key<Value>..., to version: Version) {
    migrate(keys, to: version)
  }

  /// Converts values that were stored as JSON text of another type, ``NativeType/CodableForm``.
  @_disfavoredOverload
  public static func migrate<Value: NativeType>(_ keys: [Key<Value>], to version: Version) {
    for key in keys {
      migrate(key) { (text) throws(CodingFailure) in
        try JSONText.value(text, as: Value.CodableForm.self).toNative() as? Value
      }
    }
  }

  private static func migrate<Value: Serializable>(
    _ key: Key<Value>, decode: (String) throws(CodingFailure) -> Value?
  ) {
    let suite = key.suite
    guard case .string(let text)? = suite.ownValue(for: key.storedKey),
      (try? key.reader.value(of: .string(text))) == nil
    else { return }
    do throws(CodingFailure) {
      guard let value = try decode(text), let stored = try key.reader.encode(value) else { return }
      suite.write([key.storedKey: stored])
    } catch {
      key.reader.report(error, of: .string(text), name: key.name)
    }
  }
}

// MARK: - Types that replace others

extension Defaults {
  /// A type whose values were stored as JSON text of another type by an earlier version of the program.
  public protocol NativeType<CodableForm>: Serializable {
    /// The type that the JSON text contains.
    associatedtype CodableForm: CodableType
  }

  /// A type that JSON text of an earlier version contains.
  public protocol CodableType<NativeForm>: Codable {
    /// The present type.
    associatedtype NativeForm

    /// Converts to the present type.
    func toNative() -> NativeForm
  }
}

extension Array: Defaults.NativeType where Element: Defaults.NativeType {
  public typealias CodableForm = [Element.CodableForm]
}

extension Array: Defaults.CodableType where Element: Defaults.CodableType {
  public func toNative() -> [Element.NativeForm] { map { $0.toNative() } }
}

extension Dictionary: Defaults.NativeType
where Key: LosslessStringConvertible & Hashable, Value: Defaults.NativeType {
  public typealias CodableForm = [String: Value.CodableForm]
}

extension Dictionary: Defaults.CodableType where Key == String, Value: Defaults.CodableType {
  public func toNative() -> [String: Value.NativeForm] { mapValues { $0.toNative() } }
}

extension Optional: Defaults.NativeType where Wrapped: Defaults.NativeType {
  public typealias CodableForm = Wrapped.CodableForm
}
