public import Foundation

// Scalars are stored as themselves.

extension Bool: Defaults.Serializable { public static var isNativelySupportedType: Bool { true } }
extension String: Defaults.Serializable { public static var isNativelySupportedType: Bool { true } }
extension Data: Defaults.Serializable { public static var isNativelySupportedType: Bool { true } }
extension Date: Defaults.Serializable { public static var isNativelySupportedType: Bool { true } }
extension Double: Defaults.Serializable { public static var isNativelySupportedType: Bool { true } }
extension Float: Defaults.Serializable { public static var isNativelySupportedType: Bool { true } }
extension CGFloat: Defaults.Serializable { public static var isNativelySupportedType: Bool { true } }
extension Int: Defaults.Serializable { public static var isNativelySupportedType: Bool { true } }
extension Int8: Defaults.Serializable { public static var isNativelySupportedType: Bool { true } }
extension Int16: Defaults.Serializable { public static var isNativelySupportedType: Bool { true } }
extension Int32: Defaults.Serializable { public static var isNativelySupportedType: Bool { true } }
extension Int64: Defaults.Serializable { public static var isNativelySupportedType: Bool { true } }
extension UInt: Defaults.Serializable { public static var isNativelySupportedType: Bool { true } }
extension UInt8: Defaults.Serializable { public static var isNativelySupportedType: Bool { true } }
extension UInt16: Defaults.Serializable { public static var isNativelySupportedType: Bool { true } }
extension UInt32: Defaults.Serializable { public static var isNativelySupportedType: Bool { true } }
extension UInt64: Defaults.Serializable { public static var isNativelySupportedType: Bool { true } }

extension URL: Defaults.Serializable {
  public static var bridge: Defaults.URLBridge { Defaults.URLBridge() }
}

extension UUID: Defaults.Serializable {
  public static var bridge: Defaults.UUIDBridge { Defaults.UUIDBridge() }
}

extension Decimal: Defaults.Serializable {
  public static var bridge: Defaults.TopLevelCodableBridge<Decimal> { Defaults.TopLevelCodableBridge() }
}

extension Locale: Defaults.Serializable {
  public static var bridge: Defaults.TopLevelCodableBridge<Locale> { Defaults.TopLevelCodableBridge() }
}

// MARK: - Containers

extension Optional: Defaults.Serializable where Wrapped: Defaults.Serializable {
  public static var isNativelySupportedType: Bool { Wrapped.isNativelySupportedType }
  public static var bridge: Defaults.OptionalBridge<Wrapped> { Defaults.OptionalBridge() }
}

extension Array: Defaults.Serializable where Element: Defaults.Serializable {
  public static var isNativelySupportedType: Bool { Element.isNativelySupportedType }
  public static var bridge: Defaults.ArrayBridge<Element> { Defaults.ArrayBridge() }
}

extension Set: Defaults.Serializable where Element: Defaults.Serializable {
  public static var bridge: Defaults.SetBridge<Element> { Defaults.SetBridge() }
}

extension Dictionary: Defaults.Serializable where Value: Defaults.Serializable {
  public static var isNativelySupportedType: Bool { Key.self == String.self && Value.isNativelySupportedType }
  public static var bridge: Defaults.DictionaryBridge<Key, Value> { Defaults.DictionaryBridge() }
}

extension Defaults.CollectionSerializable where Element: Defaults.Serializable {
  /// Stores the elements as an array.
  public static var bridge: Defaults.CollectionBridge<Self> { Defaults.CollectionBridge() }
}

extension Defaults.SetAlgebraSerializable where Element: Defaults.Serializable & Hashable {
  /// Stores the elements as an array.
  public static var bridge: Defaults.SetAlgebraBridge<Self> { Defaults.SetAlgebraBridge() }
}

extension Range: Defaults.RangeSerializable where Bound: Defaults.Serializable {
  public static var bridge: Defaults.RangeBridge<Range> { Defaults.RangeBridge() }
}

extension ClosedRange: Defaults.RangeSerializable where Bound: Defaults.Serializable {
  public static var bridge: Defaults.RangeBridge<ClosedRange> { Defaults.RangeBridge() }
}

// MARK: - Types whose other conformances determine the bridge

extension Defaults.Serializable where Self: Codable {
  /// Stores JSON text, for a type that is `Codable`.
  public static var bridge: Defaults.TopLevelCodableBridge<Self> { Defaults.TopLevelCodableBridge() }
}

extension Defaults.Serializable where Self: RawRepresentable {
  /// Stores the raw value.
  public static var bridge: Defaults.RawRepresentableBridge<Self> { Defaults.RawRepresentableBridge() }
}

extension Defaults.Serializable where Self: NSObject & NSSecureCoding {
  /// Stores a keyed archive.
  public static var bridge: Defaults.NSSecureCodingBridge<Self> { Defaults.NSSecureCodingBridge() }
}

extension Defaults.Serializable where Self: Codable & RawRepresentable {
  /// Stores JSON text, for a type that is `Codable` and has raw values.
  public static var bridge: Defaults.RawRepresentableCodableBridge<Self> {
    Defaults.RawRepresentableCodableBridge()
  }
}

extension Defaults.Serializable where Self: Codable & RawRepresentable & Defaults.PreferRawRepresentable {
  /// Stores the raw value, for a type that asks for it.
  public static var bridge: Defaults.RawRepresentableBridge<Self> { Defaults.RawRepresentableBridge() }
}

extension Defaults.Serializable where Self: Codable & NSObject & NSSecureCoding {
  /// Stores JSON text, for a class that is `Codable` and can be archived.
  public static var bridge: Defaults.CodableNSSecureCodingBridge<Self> {
    Defaults.CodableNSSecureCodingBridge()
  }
}

extension Defaults.Serializable
where Self: Codable & NSObject & NSSecureCoding & Defaults.PreferNSSecureCoding {
  /// Stores a keyed archive, for a class that asks for it.
  public static var bridge: Defaults.NSSecureCodingBridge<Self> { Defaults.NSSecureCodingBridge() }
}
