import DefaultsFoundation
import OpenStepPropertyList
import UserDefaultsCompat

extension Defaults {
  /// The bridge of optionals: their contents, or nothing.
  public struct OptionalBridge<Wrapped: Serializable>: Bridge, Sendable {
    public typealias Value = Wrapped.Value
    public typealias Serializable = Wrapped.Serializable

    /// Makes the bridge, which has no state of its own.
    public init() {}

    public func serialize(_ value: Value?) -> Serializable? {
      Wrapped.bridge.serialize(value)
    }

    public func deserialize(_ object: Serializable?) -> Value? {
      Wrapped.bridge.deserialize(object)
    }
  }

  /// The bridge of arrays: all elements or none, except that nil elements are left out.
  public struct ArrayBridge<Element: Defaults.Serializable>: ContainerBridge, Sendable {
    public typealias Value = [Element]

    /// Makes the bridge, which has no state of its own.
    public init() {}
  }

  /// The bridge of sets, stored as arrays in a fixed order, so that equal sets are stored alike.
  public struct SetBridge<Element: Defaults.Serializable & Hashable>: ContainerBridge, Sendable {
    public typealias Value = Set<Element>

    /// Makes the bridge, which has no state of its own.
    public init() {}
  }

  /// The bridge of dictionaries whose keys can be written as text and read back.
  ///
  /// These are keys of types that are `LosslessStringConvertible`, of enumerations and other types
  /// with such raw values, and of types that are stored as text or a number; a dictionary with other
  /// keys is refused when it is set.
  public struct DictionaryBridge<Key: Hashable, Element: Defaults.Serializable>: ContainerBridge, Sendable {
    public typealias Value = [Key: Element]

    /// Makes the bridge, which has no state of its own.
    public init() {}
  }

  /// The bridge of collections, stored as arrays.
  public struct CollectionBridge<Value: CollectionSerializable>: Bridge, Sendable
  where Value.Element: Defaults.Serializable {
    /// Makes the bridge, which has no state of its own.
    public init() {}

    public func serialize(_ value: Value?) -> Any? {
      value.flatMap { ArrayBridge<Value.Element>().serialize(Array($0)) }
    }

    public func deserialize(_ object: Any?) -> Value? {
      ArrayBridge<Value.Element>().deserialize(object).map { Value($0) }
    }
  }

  /// The bridge of other kinds of sets, stored as arrays.
  public struct SetAlgebraBridge<Value: SetAlgebraSerializable>: Bridge, Sendable
  where Value.Element: Defaults.Serializable & Hashable {
    /// Makes the bridge, which has no state of its own.
    public init() {}

    public func serialize(_ value: Value?) -> Any? {
      value.flatMap { SetBridge<Value.Element>().serialize(Set($0.toArray())) }
    }

    public func deserialize(_ object: Any?) -> Value? {
      ArrayBridge<Value.Element>().deserialize(object).map { Value($0) }
    }
  }

  /// The bridge of a type that this package stores directly.
  public protocol ContainerBridge: Bridge where Value: Defaults.Serializable, Serializable == Any {}
}

extension Defaults.ContainerBridge {
  /// The value as a property list; nil if an element cannot be stored.
  public func serialize(_ value: Value?) -> Any? {
    guard let value, let stored = try? ValueCoder<Value>().encode(value) else { return nil }
    return FoundationValues.object(stored)
  }

  /// The value of a stored property list; nil if an element cannot be read.
  public func deserialize(_ object: Any?) -> Value? {
    guard let object, let stored = try? FoundationValues.propertyList(object, path: "") else { return nil }
    return try? ValueCoder<Value>().decode(stored)
  }
}
