import UserDefaultsCompat

#if canImport(SwiftUI)
  public import SwiftUI
#endif

/// A property that stands for a default, in a type of any kind.
///
/// ```swift
/// struct Editor {
///   @Default(.quality) var quality
/// }
/// ```
///
/// Reading it inside `withObservationTracking(_:onChange:)` or in a SwiftUI view observes all changes,
/// including external ones. It is told of a change before the value is set; of what `modify` or a transaction changes,
/// when these have ended. In a class marked `@Observable`, mark the property `@ObservationIgnored`, because
/// it does the observing itself.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
@propertyWrapper
public struct Default<Value: Defaults.Serializable>: Sendable {
  private let key: Defaults.Key<Value>
  private let trackers: KeyTrackers

  /// Makes a property of a key.
  public init(_ key: Defaults.Key<Value>) {
    self.key = key
    trackers = KeyTrackers(key)
  }

  /// The value of the key, or its default value.
  public var wrappedValue: Value {
    get {
      let suite = key.suite
      trackers.access(in: suite)
      return suite[key]
    }
    nonmutating set { Defaults[key] = newValue }
  }

  #if canImport(SwiftUI)
    /// The value for a control to show and change.
    public var projectedValue: Binding<Value> {
      Binding(get: { wrappedValue }, set: { wrappedValue = $0 })
    }
  #else
    /// The property itself, so that `$` gives access to ``updates(initial:)``,
    /// ``reset()`` and ``defaultValue``.
    public var projectedValue: Self { self }
  #endif

  /// The value if none is stored.
  public var defaultValue: Value { key.defaultValue }

  /// Removes the stored value, so that the property has its default value again.
  public func reset() {
    key.reset()
  }

  /// The values of the property, one for each change; see
  /// ``Defaults/updates(_:initial:)->AsyncStream<Value>``.
  public func updates(initial: Bool = true) -> AsyncStream<Value> {
    Defaults.updates(key, initial: initial)
  }
}

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
extension Default where Value: Equatable {
  /// Whether the value is equal to the default value.
  public var isDefaultValue: Bool { wrappedValue == defaultValue }
}

#if canImport(SwiftUI)
  @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
  extension Default: DynamicProperty {}
#endif

/// Another name of ``Default``, for programs in which that name means something else.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
public typealias _Default = Default
