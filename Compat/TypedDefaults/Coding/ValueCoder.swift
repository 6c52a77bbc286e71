import DefaultsDatabase
import DefaultsFoundation
import OpenStepPropertyList
import UserDefaultsCompat

/// How the values of a type are stored, found out once for each type that is asked for.
///
/// Scalars and containers go straight to the property list and back, without Foundation's objects
/// between; every other type by its bridge, and what that gives in the same way again.
struct ValueCoder<Value>: @unchecked Sendable {
  // Unchecked, because the closures hold bridges, which programs make; they are called, and nothing else.
  /// What is stored for a value; nil for an optional that holds nothing.
  let encode: (Value) throws(CodingFailure) -> PropertyList?
  /// The value for which something was stored.
  let decode: (PropertyList) throws(CodingFailure) -> Value
  /// Whether decoding costs more than comparing with what was decoded last.
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

  /// Of a type that says itself that it is a property list.
  private static var native: Self {
    Self(
      encode: { (value) throws(CodingFailure) in try ObjectCoder.propertyList(value) },
      decode: { (stored) throws(CodingFailure) in
        guard let value = FoundationValues.object(stored) as? Value else {
          throw CodingFailure(expected: Value.self, found: stored)
        }
        return value
      })
  }

  /// Makes sure that there is room for one more value of a type that is stored as others of its own type, and so on.
  private static func checkStack() throws(CodingFailure) {
    guard StackSpace.left > GuardedEncodable.reserve else {
      throw CodingFailure("nests deeper than the stack of this thread has room for")
    }
  }

  private static func bridged<Bridge: Defaults.Bridge>(by bridge: Bridge) -> Self {
    let inner = DeferredCoder<Bridge.Serializable> { .ofSerialized(by: Value.self) }
    return Self(
      encode: { (value) throws(CodingFailure) in
        try checkStack()
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
        try checkStack()
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
  /// Of what a bridge gives: a type that can be stored itself, or any kind of property list.
  fileprivate static func ofSerialized(by owner: Any.Type) -> Self {
    func coder<Inner: Defaults.Serializable>(_ type: Inner.Type) -> Self? { ValueCoder<Inner>() as? Self }
    if Value.self != owner, let type = Value.self as? any Defaults.Serializable.Type, let coder = coder(type)
    {
      return coder
    }
    return Self(
      encode: { (value) throws(CodingFailure) in try ObjectCoder.propertyList(value) },
      decode: { (stored) throws(CodingFailure) in
        guard let value = FoundationValues.object(stored) as? Value else {
          throw CodingFailure(expected: Value.self, found: stored)
        }
        return value
      })
  }
}

/// A coder that is made when it is used first: one of a type that is stored as something which holds others of
/// its own type would else be made of itself without end.
private final class DeferredCoder<Value>: Sendable {
  private let make: @Sendable () -> ValueCoder<Value>
  private let made = Lock<ValueCoder<Value>?>(nil)

  init(_ make: @escaping @Sendable () -> ValueCoder<Value>) {
    self.make = make
  }

  var coder: ValueCoder<Value> {
    if let coder = made.withLock({ $0 }) { return coder }
    // Outside the lock, as it asks the program for a bridge.
    let new = make()
    return made.withLock { coder in
      coder = coder ?? new
      return coder ?? new
    }
  }
}
