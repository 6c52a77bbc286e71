public import Foundation

extension Defaults {
  /// The bridge of UUIDs, stored as text.
  public struct UUIDBridge: Bridge, Sendable {
    /// Makes the bridge, which has no state of its own.
    public init() {}

    public func serialize(_ value: UUID?) -> String? {
      value?.uuidString
    }

    public func deserialize(_ object: String?) -> UUID? {
      object.flatMap(UUID.init)
    }
  }

  /// The bridge of ranges, stored as arrays of their bounds.
  public struct RangeBridge<Value: RangeSerializable>: Bridge, Sendable {
    /// Makes the bridge, which has no state of its own.
    public init() {}

    public func serialize(_ value: Value?) -> Any? {
      value.flatMap { ArrayBridge<Value.Bound>().serialize([$0.lowerBound, $0.upperBound]) }
    }

    public func deserialize(_ object: Any?) -> Value? {
      guard let bounds = ArrayBridge<Value.Bound>().deserialize(object), bounds.count == 2,
        // The initializer below does not check the order.
        bounds[0] <= bounds[1]
      else { return nil }
      return Value(uncheckedBounds: (lower: bounds[0], upper: bounds[1]))
    }
  }

  /// The bridge of values of any type.
  public struct AnyBridge: Bridge, Sendable {
    /// Makes the bridge, which has no state of its own.
    public init() {}

    public func serialize(_ value: AnySerializable?) -> Any? {
      value?.object
    }

    public func deserialize(_ object: Any?) -> AnySerializable? {
      object.map { AnySerializable(object: $0) }
    }
  }
}
