import DefaultsDomains
import OpenStepPropertyList

extension Defaults {
  /// Calls that an observer receives in addition to those after changes.
  public enum ObservationOption: Hashable, Sendable {
    /// A call at once, before the observation is returned.
    case initial
    /// A call before each change as well.
    case prior
  }

  /// Calls that an observer receives in addition to those after changes.
  public typealias ObservationOptions = Set<ObservationOption>

  /// A change of a key.
  public struct KeyChange<Value: Serializable> {
    /// Whether this is the call before the change; the new value is not known then.
    public let isPrior: Bool
    /// The value now, or the key's default value.
    public let newValue: Value
    /// The value before, or the key's default value.
    public let oldValue: Value

    init(_ change: DefaultsDomains.KeyChange, of key: Key<Value>) {
      isPrior = change.kind == .prior
      newValue = key.value(of: change.new)
      oldValue = key.value(of: change.old)
    }
  }
}

extension Defaults.KeyChange: Equatable where Value: Equatable {}
extension Defaults.KeyChange: Sendable where Value: Sendable {}
