import DefaultsDatabase
import DefaultsFoundation
import OpenStepPropertyList
import UserDefaultsCompat

/// Converts the values of a type to their stored form; made once for each key.
///
/// Scalars and containers are converted directly to property lists and back, without Foundation's objects in
/// between; every other type by its bridge, whose result is converted in the same way.
struct ValueCoder<Value>: @unchecked Sendable {
  // Unchecked, because the closures capture the program's bridges, whose methods are only called.
  /// The stored form of a value; nil for an empty optional.
  let encode: (Value) throws(CodingFailure) -> PropertyList?
  /// The value of a stored form.
  let decode: (PropertyList) throws(CodingFailure) -> Value
  /// Whether decoding takes longer than a comparison with the form that was decoded last.
  var isCostly = true

  init(
    encode: @escaping (Value) throws(CodingFailure) -> PropertyList?,
    decode: @escaping (PropertyList) throws(CodingFailure) -> Value
  ) {
    self.encode = encode
    self.decode = decode
  }
}

/// A type that is stored without a bridge.
protocol DirectlyStored {
  static func coder() -> ValueCoder<Self>
}

extension ValueCoder {
  /// The stored form of a value, which is made with a larger stack where that is needed; nil for an empty
  /// optional.
  func encodeWithRoom(_ value: Value) throws(CodingFailure) -> PropertyList? {
    guard isCostly else { return try encode(value) }
    return try CodingStack.encode { () throws(CodingFailure) in try encode(value) }
  }

  /// The value of a stored form, which is made with a larger stack where that is needed.
  func decodeWithRoom(_ stored: PropertyList) throws(CodingFailure) -> Value {
    try CodingStack.run(thenRelease: stored) { () throws(CodingFailure) in try decode(stored) }
  }
}

extension ValueCoder where Value: Defaults.Serializable {
  init() {
    if let direct = Value.self as? any DirectlyStored.Type, let coder = ValueCoder.direct(direct) {
      self = coder
    } else if let scalar = Value.self as? any StoredScalar.Type, let coder = ValueCoder.scalar(scalar) {
      self = coder
    } else if Value.isNativelySupportedType {
      self = .native
    } else {
      self = .bridged(by: Value.bridge)
    }
  }

  private static func direct<Direct: DirectlyStored>(_ type: Direct.Type) -> Self? {
    type.coder() as? Self
  }

  private static func scalar<Scalar: StoredScalar>(_ type: Scalar.Type) -> Self? {
    var coder = ValueCoder<Scalar>(
      encode: { (value) throws(CodingFailure) in value.stored },
      decode: { (stored) throws(CodingFailure) in
        guard let value = Scalar(stored: stored) else {
          throw CodingFailure(expected: Scalar.self, found: stored)
        }
        return value
      })
    coder.isCostly = false
    return coder as? Self
  }

  private static func bridged<Bridge: Defaults.Bridge>(by bridge: Bridge) -> Self {
    let inner = DeferredCoder<Bridge.Serializable> { .ofSerialized(by: Value.self) }
    return Self(
      encode: { (value) throws(CodingFailure) in
        // The stored form may contain values of the same type.
        try CodingStack.check()
        let serialized: Bridge.Serializable?
        if let explaining = bridge as? any ExplainingBridge {
          serialized = try explaining.explain(serializing: value) as? Bridge.Serializable
        } else {
          serialized = bridge.serialize(value as? Bridge.Value)
        }
        guard let serialized else {
          throw CodingFailure("cannot be turned into a property list by \(Bridge.self)")
        }
        return try inner.coder.encode(serialized)
      },
      decode: { (stored) throws(CodingFailure) in
        // The stored form may contain values of the same type.
        try CodingStack.check()
        let serialized = try inner.coder.decode(stored)
        let value: Any?
        if let explaining = bridge as? any ExplainingBridge {
          value = try explaining.explain(deserializing: serialized)
        } else {
          value = bridge.deserialize(serialized)
        }
        guard let value = value as? Value else { throw CodingFailure(expected: Value.self, found: stored) }
        return value
      })
  }
}

extension ValueCoder {
  /// The coder of a bridge's result: a type that can be stored itself, or any kind of property list.
  fileprivate static func ofSerialized(by owner: Any.Type) -> Self {
    func coder<Inner: Defaults.Serializable>(_ type: Inner.Type) -> Self? { ValueCoder<Inner>() as? Self }
    if Value.self != owner, let type = Value.self as? any Defaults.Serializable.Type, let coder = coder(type)
    {
      return coder
    }
    return native
  }

  /// The coder of a type whose values are property lists as objects.
  fileprivate static var native: Self {
    Self(
      encode: { (value) throws(CodingFailure) in try ObjectCoder.propertyList(value) },
      decode: { (stored) throws(CodingFailure) in
        guard let value = FoundationValues.object(stored, as: Value.self) else {
          throw CodingFailure(expected: Value.self, found: stored)
        }
        return value
      })
  }
}

/// A coder that is made at its first use: the coder of a type whose stored form contains values of its own
/// type would otherwise recurse without end.
private final class DeferredCoder<Value>: Sendable {
  private let make: @Sendable () -> ValueCoder<Value>
  private let made = Lock<ValueCoder<Value>?>(nil)

  init(_ make: @escaping @Sendable () -> ValueCoder<Value>) {
    self.make = make
  }

  deinit {
    // It has another one inside for each level of the deepest value that was coded.
    let coder = Lock(made.withLock { $0.take() })
    LargeStack.runWithStackToRelease { coder.withLock { $0 = nil } }
  }

  var coder: ValueCoder<Value> {
    if let coder = made.withLock({ $0 }) { return coder }
    // Outside the lock, because it asks the program for a bridge.
    let new = make()
    return made.withLock { coder in
      coder = coder ?? new
      return coder ?? new
    }
  }
}
