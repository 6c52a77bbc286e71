import DefaultsDatabase
import Observation
import OpenStepDefaults
import OpenStepPropertyList
import UserDefaultsCompat

#if canImport(SwiftUI)
  public import SwiftUI
#endif

/// A property that is a default, in a type of any kind.
///
/// ```swift
/// struct Editor {
///   @Default(.quality) var quality
/// }
/// ```
///
/// Reading it inside `withObservationTracking(_:onChange:)` has changes by anyone told there, other processes'
/// included; so has a SwiftUI view. In a class marked `@Observable`, mark the property
/// `@ObservationIgnored`, for it does the observing itself.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
@propertyWrapper
public struct Default<Value: Defaults.Serializable>: Sendable {
  private let key: Defaults.Key<Value>
  private let tracker: KeyTracker

  /// Makes a property of a key.
  public init(_ key: Defaults.Key<Value>) {
    self.key = key
    tracker = KeyTracker(key)
  }

  /// The value of the key, or its default value.
  public var wrappedValue: Value {
    get {
      tracker.access()
      return Defaults[key]
    }
    nonmutating set { Defaults[key] = newValue }
  }

  #if canImport(SwiftUI)
    /// The value for a control to show and change.
    public var projectedValue: Binding<Value> {
      Binding(get: { wrappedValue }, set: { wrappedValue = $0 })
    }
  #else
    /// The property itself, for ``updates(initial:)``, ``reset()`` and ``defaultValue`` by `$`.
    public var projectedValue: Self { self }
  #endif

  /// The value of the key where none is stored.
  public var defaultValue: Value { key.defaultValue }

  /// Removes the stored value, so that the property has its default value again.
  public func reset() {
    key.reset()
  }

  /// The values of the property, one for each change; ``Defaults/updates(_:initial:)`` says more.
  public func updates(initial: Bool = true) -> AsyncStream<Value> {
    Defaults.updates(key, initial: initial)
  }
}

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
extension Default where Value: Equatable {
  /// Whether the value is the same as the default value.
  public var isDefaultValue: Bool { wrappedValue == defaultValue }
}

#if canImport(SwiftUI)
  @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
  extension Default: DynamicProperty {}
#endif

/// ``Default`` where the name means something else.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
public typealias _Default = Default

/// Tells the Observation framework of the reads and changes of a key.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
final class KeyTracker: Observable, Sendable {
  private let registrar = ObservationRegistrar()
  private let key: Defaults.AnyKey
  private let observation = Lock<KeyObservation?>(nil)

  init(_ key: Defaults.AnyKey) {
    self.key = key
  }

  /// Stands for the value in key paths.
  private var value: Void { () }

  func access() {
    startObserving()
    registrar.access(self, keyPath: \.value)
  }

  private func startObserving() {
    guard observation.withLock({ $0 == nil }) else { return }
    let new = key.suite.store.observers.observe(key.storedKey, wantsPrior: true) { [weak self] change in
      guard let self else { return }
      ClosureScope.outside {
        if change.kind == .prior {
          self.registrar.willSet(self, keyPath: \.value)
        } else {
          self.registrar.didSet(self, keyPath: \.value)
        }
      }
    }
    // Where another thread was faster, its observation stays and this one ends.
    observation.withLock { if $0 == nil { $0 = new } }
  }
}
