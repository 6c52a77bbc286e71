import OpenStepPropertyList
import UserDefaultsCompat

extension Defaults {
  /// A version of sindresorhus/Defaults that changed how values are stored.
  public enum Version: Int, Sendable {
    /// Arrays, sets and dictionaries are stored as such; before, they were JSON text.
    case v5 = 5
  }

  /// Stores values anew that earlier versions stored as JSON text, each in the form that the key's type has now.
  ///
  /// A value that the key can read is left alone; so is one that is no such text either, which is told of
  /// in `UserDefaults.errors`.
  public static func migrate<Value: Serializable & Codable>(_ keys: Key<Value>..., to version: Version) {
    migrate(keys, to: version)
  }

  /// Stores values anew that earlier versions stored as JSON text.
  public static func migrate<Value: Serializable & Codable>(_ keys: [Key<Value>], to version: Version) {
    for key in keys {
      migrate(key) { (text) throws(CodingFailure) in try JSONText.value(text, as: Value.self) }
    }
  }

  /// Stores values anew that were JSON text of another type, that of ``NativeType/CodableForm``.
  @_disfavoredOverload
  public static func migrate<Value: NativeType>(_ keys: Key<Value>..., to version: Version) {
    migrate(keys, to: version)
  }

  /// Stores values anew that were JSON text of another type, that of ``NativeType/CodableForm``.
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
      (try? key.reader.coder.decode(.string(text))) == nil
    else { return }
    do throws(CodingFailure) {
      guard let value = try decode(text), let stored = try key.reader.encode(value) else { return }
      suite.write([key.storedKey: stored])
    } catch {
      key.reader.report(error, of: .string(text), name: key.name)
    }
  }
}

// MARK: - Types that were others before

extension Defaults {
  /// A type whose values were stored as JSON text of another type by an earlier version of the program.
  public protocol NativeType<CodableForm>: Serializable {
    /// What the JSON text holds.
    associatedtype CodableForm: CodableType
  }

  /// What JSON text of an earlier version holds.
  public protocol CodableType<NativeForm>: Codable {
    /// The type of today.
    associatedtype NativeForm

    /// The value of today.
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
