public import Foundation

extension Defaults {
  /// A bridge by way of JSON text, which is readable in the file.
  public protocol CodableBridge: Bridge where Serializable == String, Value: Codable {}

  /// Of types that are `Codable` and nothing else that can be stored.
  public struct TopLevelCodableBridge<Value: Codable>: CodableBridge, ExplainingBridge, Sendable {
    /// Makes the bridge, which has no state of its own.
    public init() {}
  }

  /// Of types that are `Codable` and have raw values.
  ///
  /// A raw value that was stored as such, before the type was `Codable`, is read too.
  public struct RawRepresentableCodableBridge<Value: RawRepresentable & Codable>: CodableBridge,
    ExplainingBridge, Sendable
  {
    /// Makes the bridge, which has no state of its own.
    public init() {}
  }

  /// Of classes that are `Codable` and `NSSecureCoding`.
  public struct CodableNSSecureCodingBridge<Value: Codable & NSSecureCoding & NSObject>: CodableBridge,
    ExplainingBridge, Sendable
  {
    /// Makes the bridge, which has no state of its own.
    public init() {}
  }

  /// Of URLs; the keys of this package store them as `UserDefaults` does, and read JSON text as well.
  public struct URLBridge: CodableBridge, ExplainingBridge, Sendable {
    public typealias Value = URL

    /// Makes the bridge, which has no state of its own.
    public init() {}
  }
}

extension Defaults.CodableBridge {
  /// The value as JSON text; nil where it cannot be encoded.
  public func serialize(_ value: Value?) -> String? {
    value.flatMap { try? JSONText.text($0) }
  }

  /// The value that JSON text stands for; nil where the text is not JSON or not of this type.
  public func deserialize(_ object: String?) -> Value? {
    object.flatMap { try? JSONText.value($0, as: Value.self) }
  }
}

/// A bridge that tells why it cannot.
protocol ExplainingBridge {
  func explain(serializing value: Any) throws(CodingFailure) -> Any?
  func explain(deserializing object: Any) throws(CodingFailure) -> Any?
}

extension ExplainingBridge where Self: Defaults.CodableBridge {
  func explain(serializing value: Any) throws(CodingFailure) -> Any? {
    guard let value = value as? Value else { return nil }
    return try JSONText.text(value)
  }

  func explain(deserializing object: Any) throws(CodingFailure) -> Any? {
    guard let text = object as? String else { return nil }
    return try JSONText.value(text, as: Value.self)
  }
}

extension Defaults.RawRepresentableCodableBridge {
  public func deserialize(_ object: String?) -> Value? {
    guard let object else { return nil }
    return (try? JSONText.value(object, as: Value.self)) ?? (object as? Value.RawValue).flatMap(Value.init)
  }

  func explain(deserializing object: Any) throws(CodingFailure) -> Any? {
    guard let text = object as? String else { return nil }
    do {
      return try JSONText.value(text, as: Value.self)
    } catch {
      guard let value = (text as? Value.RawValue).flatMap(Value.init) else { throw error }
      return value
    }
  }
}
