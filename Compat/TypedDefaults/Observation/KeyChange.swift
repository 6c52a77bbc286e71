import DefaultsDomains
import OpenStepPropertyList

extension Defaults {
  /// What an observer wants besides the changes themselves.
  public enum ObservationOption: Hashable, Sendable {
    /// A call at once, before the observation is returned.
    case initial
    /// A call before each change as well.
    case prior
  }

  /// What an observer wants besides the changes themselves.
  public typealias ObservationOptions = Set<ObservationOption>

  /// What has changed.
  public struct KeyChange<Value: Serializable> {
    /// Whether the change is still to be made; the new value is not known then.
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
