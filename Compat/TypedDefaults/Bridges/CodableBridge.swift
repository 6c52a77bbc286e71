public import Foundation

extension Defaults {
  /// A bridge to JSON text, which is readable in the file.
  public protocol CodableBridge: Bridge where Serializable == String, Value: Codable {}

  /// The bridge of types that are `Codable` and cannot be stored in another way.
  ///
  /// A value of more than 512 arrays and objects inside each other is refused. The type's own code may run on
  /// another thread while the caller waits, if the caller's stack is too small for it; a value that nests too deep
  /// for that stack to release it later is reported as an error there.
  public struct TopLevelCodableBridge<Value: Codable>: CodableBridge, ExplainingBridge, Sendable {
    /// Makes the bridge, which has no state of its own.
    public init() {}
  }

  /// The bridge of types that are `Codable` and have raw values.
  ///
  /// It also reads a raw value that was stored before the type was `Codable`.
  public struct RawRepresentableCodableBridge<Value: RawRepresentable & Codable>: CodableBridge,
    ExplainingBridge, Sendable
  {
    /// Makes the bridge, which has no state of its own.
    public init() {}
  }

  /// The bridge of classes that are `Codable` and `NSSecureCoding`.
  public struct CodableNSSecureCodingBridge<Value: Codable & NSSecureCoding & NSObject>: CodableBridge,
    ExplainingBridge, Sendable
  {
    /// Makes the bridge, which has no state of its own.
    public init() {}
  }

  /// The bridge of URLs; the keys of this package store URLs as `UserDefaults` does,
  /// and read JSON text as well.
  public struct URLBridge: CodableBridge, ExplainingBridge, Sendable {
    public typealias Value = URL

    /// Makes the bridge, which has no state of its own.
    public init() {}
  }
}

extension Defaults.CodableBridge {
  /// The value as JSON text; nil if it cannot be encoded.
  public func serialize(_ value: Value?) -> String? {
    value.flatMap { value in try? CodingStack.run { () throws(CodingFailure) in try JSONText.text(value) } }
  }

  /// The value of a JSON text; nil if the text is not JSON or not of this type.
  public func deserialize(_ object: String?) -> Value? {
    object.flatMap { try? decoded($0) }
  }
}

extension Defaults.CodableBridge {
  fileprivate func decoded(_ text: String) throws(CodingFailure) -> Value {
    try CodingStack.run { () throws(CodingFailure) in try JSONText.value(text, as: Value.self) }
  }
}

/// A bridge that throws the reason of a failure.
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
    return (try? decoded(object)) ?? (object as? Value.RawValue).flatMap(Value.init)
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
