extension Defaults {
  /// A type whose values can be stored.
  ///
  /// `Codable` types, enumerations with raw values and `NSSecureCoding` classes need to declare it and
  /// nothing more. Any other type gives a ``Bridge``:
  ///
  /// ```swift
  /// extension User: Defaults.Serializable {
  ///   static let bridge = UserBridge()
  /// }
  /// ```
  public protocol Serializable<Bridge>: SendableMetatype {
    /// The type that the program uses: the bridge's.
    typealias Value = Bridge.Value
    /// The type that is stored: the bridge's.
    typealias Serializable = Bridge.Serializable
    /// The type of ``bridge``.
    associatedtype Bridge: Defaults.Bridge

    /// What turns values into something that can be stored, and back.
    static var bridge: Bridge { get }

    /// Whether values are property lists by themselves, and need no bridge.
    static var isNativelySupportedType: Bool { get }
  }

  /// Turns values into something that can be stored, and back.
  ///
  /// Both ways take and give nil for what is not there or cannot be turned; giving nil for a value
  /// that is there is told of as an error, and loses nothing.
  public protocol Bridge<Value, Serializable> {
    /// The type that the program uses.
    associatedtype Value
    /// The type that is stored: a property list, or a type that is ``Defaults/Serializable`` itself.
    associatedtype Serializable

    /// What is stored for a value.
    func serialize(_ value: Value?) -> Serializable?

    /// The value for which something was stored.
    func deserialize(_ object: Serializable?) -> Value?
  }

  /// Has an enumeration that is also `Codable` stored by its raw value, not as JSON text.
  public protocol PreferRawRepresentable: RawRepresentable {}

  /// A collection that is stored as an array of its elements.
  public protocol CollectionSerializable<Element>: Collection, Serializable {
    /// Makes the collection of what is stored.
    init(_ elements: [Element])
  }

  /// A set of any kind that is stored as an array of its elements.
  public protocol SetAlgebraSerializable<Element>: SetAlgebra, Serializable {
    /// The elements, in any order.
    func toArray() -> [Element]
  }

  /// A range of any kind that is stored as an array of its two bounds.
  public protocol Range<Bound> {
    /// The type of both bounds.
    associatedtype Bound: Comparable, Defaults.Serializable

    /// The bound below all elements.
    var lowerBound: Bound { get }
    /// The bound above all elements.
    var upperBound: Bound { get }

    /// Makes a range of two bounds that are known to be in order.
    init(uncheckedBounds: (lower: Bound, upper: Bound))
  }

  /// A range whose bounds can be stored.
  public typealias RangeSerializable = Defaults.Range & Serializable
}

/// ``Defaults/Serializable`` by its name in earlier versions of sindresorhus/Defaults.
public typealias DefaultsSerializable = Defaults.Serializable

/// ``Defaults/Bridge`` by its name in earlier versions of sindresorhus/Defaults.
public typealias DefaultsBridge = Defaults.Bridge

extension Defaults.Serializable {
  public static var isNativelySupportedType: Bool { false }
}
