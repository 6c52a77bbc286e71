extension Defaults {
  /// A type whose values can be stored.
  ///
  /// `Codable` types, enumerations with raw values and `NSSecureCoding` classes only need to declare the
  /// conformance. Any other type provides a ``Bridge``:
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

    /// Converts values to a form that can be stored, and back.
    static var bridge: Bridge { get }

    /// Whether values are property lists without conversion, and need no bridge.
    static var isNativelySupportedType: Bool { get }
  }

  /// Converts values to a form that can be stored, and back.
  ///
  /// Both functions take nil for a missing value, and give nil for a value that they cannot convert; that is
  /// reported as an error, and no stored value is lost.
  public protocol Bridge<Value, Serializable> {
    /// The type that the program uses.
    associatedtype Value
    /// The type that is stored: a property list, or a type that is ``Defaults/Serializable`` itself.
    associatedtype Serializable

    /// The stored form of a value.
    func serialize(_ value: Value?) -> Serializable?

    /// The value of a stored form.
    func deserialize(_ object: Serializable?) -> Value?
  }

  /// Makes an enumeration that is also `Codable` be stored by its raw value, not as JSON text.
  public protocol PreferRawRepresentable: RawRepresentable {}

  /// A collection that is stored as an array of its elements.
  public protocol CollectionSerializable<Element>: Collection, Serializable {
    /// Makes the collection from stored elements.
    init(_ elements: [Element])
  }

  /// Another kind of set, stored as an array of its elements.
  public protocol SetAlgebraSerializable<Element>: SetAlgebra, Serializable {
    /// The elements, in any order.
    func toArray() -> [Element]
  }

  /// A range of any kind, stored as an array of its two bounds.
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
