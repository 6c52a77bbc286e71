import DefaultsDatabase
import DefaultsDomains
import Foundation
import OpenStepPropertyList
import UserDefaultsCompat

extension Defaults {
  /// Keeps observers alive; letting go of it ends them.
  public protocol Observation: AnyObject, Sendable {
    /// Ends the observation; a call that another thread is making at this moment may still run.
    func invalidate()

    /// Keeps the observation alive as long as another object, and ends it then, also where somebody holds it.
    ///
    /// When the object is gone, the handler is called no more. The closure, and what it captured, are let go of
    /// within a quarter of a second, by a thread of the package (later where there are tens of thousands of ties).
    @discardableResult
    func tieToLifetime(of weaklyHeldObject: AnyObject) -> Self

    /// Takes back ``tieToLifetime(of:)``: the observation lives as long as somebody holds it again.
    func removeLifetimeTie()
  }

  /// ``Observation`` by its name in sindresorhus/Defaults.
  public typealias _DefaultsObservation = Observation

  /// Observes a key.
  ///
  /// The handler is called for every real change of the stored value, whoever made it, other processes
  /// included, in the order of the changes and by one thread at a time. For a change that is made here, it is called
  /// by the thread that makes it, before the call that makes it returns, also where that is in a handler; unless
  /// another thread is telling a change of the same key, which then tells this one, too. It may call back. What
  /// belongs to an actor, the main one included, it reaches by a task, or by ``updates(_:initial:)->AsyncStream<Value>``
  /// in the handler's place.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - options: Whether to call at once, as unless said, and before each change.
  ///   - handler: Takes the change, on the thread that made or found it.
  /// - Returns: What keeps the observation alive.
  @preconcurrency
  public static func observe<Value: Serializable>(
    _ key: Key<Value>, options: ObservationOptions = [.initial],
    handler: @escaping @Sendable (KeyChange<Value>) -> Void
  ) -> some Observation {
    KeyObserver(of: [key], options: options, handler: Callback { handler(KeyChange($0, of: key)) })
  }

  /// Observes several keys, without learning which of them has changed.
  ///
  /// - Parameters:
  ///   - keys: The keys.
  ///   - options: Whether to call at once, as unless said, once for each key, and before each change.
  ///   - handler: Called once for each change, as that of ``observe(_:options:handler:)``, and by one thread at a
  ///     time: where two threads change two of the keys, the one that is in the handler makes the other's call, too.
  /// - Returns: What keeps the observation alive.
  @preconcurrency
  public static func observe(
    keys: AnyKey..., options: ObservationOptions = [.initial], handler: @escaping @Sendable () -> Void
  ) -> some Observation {
    KeyObserver(ofSeveral: keys, options: options, handler: Callback(handler))
  }

  /// Makes changes of which no observer is called, to keep one from calling itself for ever.
  ///
  /// Meant are the observers and sequences of ``Defaults``; observers of `UserDefaults` itself are called,
  /// and all are of changes by the tasks that the closure starts. Inside a transaction, or around one, the changes
  /// are made when that ends, and no observer is called for a key that was changed in no other way.
  public static func withoutPropagation(_ closure: () -> Void) {
    let scope = ClosureScope()
    Propagation.$inherited.withValue(scope, operation: closure)
    scope.end()
  }
}

/// Whether changes that are made now are told to observers.
enum Propagation {
  @TaskLocal static var inherited: ClosureScope?

  static var isOff: Bool { inherited?.isPresent ?? false }

  /// The keys that a transaction, which ends now, has changed in no other way.
  @TaskLocal static var silentKeys: Set<PropertyListKey> = []

  /// Whether a change of a key that is made now is told to no observer.
  static func isOff(for key: PropertyListKey) -> Bool { isOff || silentKeys.contains(key) }
}

/// A closure of the program's, which promises that it may be called from the threads that change defaults.
struct Callback<Argument>: @unchecked Sendable {
  // Unchecked, because programs written for the peer give closures that are not marked; see above.
  let call: (Argument) -> Void

  init(_ call: @escaping (Argument) -> Void) {
    self.call = call
  }
}

/// The observation of one or several keys.
final class KeyObserver: Defaults.Observation {
  private let state = Lock(State())

  private struct State {
    var observations: [KeyObservation] = []
    var tie: LifetimeTie?
  }

  init(
    of keys: [Defaults.AnyKey], options: Defaults.ObservationOptions,
    handler: Callback<KeyChange>
  ) {
    for key in keys {
      // Held here meanwhile: an initial call comes before this is in the state.
      let suite = key.suite
      key.registerDefault(in: suite)
      let observation = suite.store.observers.observe(
        key.storedKey, wantsInitial: options.contains(.initial), wantsPrior: options.contains(.prior),
        isWilling: { !Propagation.isOff(for: key.storedKey) },
        handler: { [weak self] change in
          // Asked at each call, as nobody tells of an object's end.
          guard let self, isAlive else { return }
          // The change may be one of another thread's, for which this one makes the calls.
          ClosureScope.outside { handler.call(change) }
        })
      state.withLock { $0.observations.append(observation) }
    }
  }

  /// Observes several keys with a closure that only one thread at a time calls.
  convenience init(
    ofSeveral keys: [Defaults.AnyKey], options: Defaults.ObservationOptions, handler: Callback<Void>
  ) {
    let calls = SerialCalls(handler)
    self.init(of: keys, options: options, handler: Callback { _ in calls.call() })
  }

  /// Whether the object whose lifetime counts is there still; ends the observation where it is not.
  private var isAlive: Bool {
    guard state.withLock({ $0.tie?.isOver ?? false }) else { return true }
    invalidate()
    return false
  }

  func invalidate() {
    let old = state.withLock { state in
      let old = state
      state = State()
      return old
    }
    for observation in old.observations { observation.invalidate() }
    old.tie?.remove()
  }

  @discardableResult
  func tieToLifetime(of weaklyHeldObject: AnyObject) -> Self {
    let tie = LifetimeTie(of: self, to: weaklyHeldObject)
    let old = state.withLock { state in
      let old = state.tie
      state.tie = tie
      return old
    }
    old?.remove()
    return self
  }

  func removeLifetimeTie() {
    let tie = state.withLock { state in
      let tie = state.tie
      state.tie = nil
      return tie
    }
    tie?.remove()
  }
}
