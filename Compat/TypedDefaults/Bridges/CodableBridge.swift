public import Foundation

extension Defaults {
  /// A bridge by way of JSON text, which is readable in the file.
  public protocol CodableBridge: Bridge where Serializable == String, Value: Codable {}

  /// Of types that are `Codable` and nothing else that can be stored.
  public struct TopLevelCodableBridge<Value: Codable>: CodableBridge, ExplainingBridge, Sendable {
    public init() {}
  }

  /// Of types that are `Codable` and have raw values.
  ///
  /// A raw value that was stored as such, before the type was `Codable`, is read too.
  public struct RawRepresentableCodableBridge<Value: RawRepresentable & Codable>: CodableBridge,
    ExplainingBridge, Sendable
  {
    public init() {}
  }

  /// Of classes that are `Codable` and `NSSecureCoding`.
  public struct CodableNSSecureCodingBridge<Value: Codable & NSSecureCoding & NSObject>: CodableBridge,
    ExplainingBridge, Sendable
  {
    public init() {}
  }

  /// Of URLs; the keys of this package store them as `UserDefaults` does, and read JSON text as well.
  public struct URLBridge: CodableBridge, ExplainingBridge, Sendable {
    public typealias Value = URL

    public init() {}
  }
}

extension Defaults.CodableBridge {
  public func serialize(_ value: Value?) -> String? {
    value.flatMap { try? JSONText.text($0) }
  }

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

/// Values as JSON text: keys sorted, so that equal values are equal texts.
enum JSONText {
  /// Numbers that JSON has not, as the strings for which the classic class takes them.
  private static let names = (positive: "inf", negative: "-inf", none: "nan")

  static func text(_ value: some Encodable) throws(CodingFailure) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: names.positive, negativeInfinity: names.negative, nan: names.none)
    do {
      return String(decoding: try encoder.encode(value), as: UTF8.self)
    } catch {
      throw CodingFailure("cannot be encoded: \(reason(error))")
    }
  }

  static func value<Value: Decodable>(_ text: String, as type: Value.Type) throws(CodingFailure) -> Value {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: names.positive, negativeInfinity: names.negative, nan: names.none)
    do {
      return try decoder.decode(type, from: Data(text.utf8))
    } catch {
      throw CodingFailure(
        "does not decode from “\(text.prefix(80))\(text.utf8.count > 80 ? "…" : "")”: \(reason(error))")
    }
  }

  /// What Foundation says of an error in one sentence, with the way to the place.
  private static func reason(_ error: any Error) -> String {
    let context: (context: DecodingError.Context, path: [any CodingKey])?
    switch error {
    case DecodingError.keyNotFound(let key, let place): context = (place, place.codingPath + [key])
    case DecodingError.typeMismatch(_, let place), DecodingError.valueNotFound(_, let place),
      DecodingError.dataCorrupted(let place):
      context = (place, place.codingPath)
    case EncodingError.invalidValue(_, let place):
      return place.debugDescription
    default: context = nil
    }
    guard let context else { return "\(error)" }
    let path = context.path.map { $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue)" }.joined()
    return (path.isEmpty ? "" : "at \(path): ") + context.context.debugDescription
  }
}
