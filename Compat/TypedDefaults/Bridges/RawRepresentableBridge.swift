extension Defaults {
  /// The bridge of types with raw values, which are stored in place of the values.
  public struct RawRepresentableBridge<Value: RawRepresentable>: Bridge, Sendable {
    public typealias Serializable = Value.RawValue

    /// Makes the bridge, which has no state of its own.
    public init() {}

    public func serialize(_ value: Value?) -> Serializable? {
      value?.rawValue
    }

    public func deserialize(_ object: Serializable?) -> Value? {
      object.flatMap(Value.init)
    }
  }
}
