import DefaultsDatabase
import DefaultsDomains
import Foundation
import OpenStepPropertyList
import UserDefaultsCompat

extension Defaults {
  /// An observation; its release ends it.
  public protocol Observation: AnyObject, Sendable {
    /// Ends the observation; a call that another thread is making at this moment may still run.
    func invalidate()

    /// Keeps the observation alive as long as another object exists, and ends it then, even
    /// if it is still retained.
    ///
    /// When the object is gone, the handler is not called any more. A thread of the package
    /// releases the closure, with what it captured, within a quarter of a second (later if there
    /// are tens of thousands of ties).
    @discardableResult
    func tieToLifetime(of weaklyHeldObject: AnyObject) -> Self

    /// Reverts ``tieToLifetime(of:)``: the observation lives as long as it is retained again.
    func removeLifetimeTie()
  }

  /// ``Observation`` by its name in sindresorhus/Defaults.
  public typealias _DefaultsObservation = Observation

  /// Observes a key.
  ///
  /// The handler is called for every real change of the stored value, including external ones, in the order
  /// of the changes and by one thread at a time. For a change that this process makes, the changing thread
  /// calls it before its call returns, even inside a handler; but if another thread is reporting a change
  /// of the same key, that thread reports this change too, for half a second, after which a thread of the
  /// package goes on. Of more than 10,000 changes that wait, or changes with 64 MB of values, the newest
  /// become one. The handler may call back. To reach the state of an actor, including the main actor, it
  /// starts a task; or use ``updates(_:initial:)->AsyncStream<Value>`` in place of a handler.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - options: Whether to call at once, which is the default, and before each change.
  ///   - handler: Receives the change, on the thread that made it; external changes, on a thread of the package.
  /// - Returns: An object that keeps the observation alive.
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
  ///   - options: Whether to call at once for each key, which is the default, and before each change.
  ///   - handler: Called once for each change, like the handler of ``observe(_:options:handler:)``, and
  ///     by one thread at a time: if two threads change two of the keys, the one that is in the handler
  ///     makes the other's call, too. After half a second of others' calls, a thread of the package goes on
  ///     in its place; of more than 10,000 that wait, the newest become one.
  /// - Returns: An object that keeps the observation alive.
  @preconcurrency
  public static func observe(
    keys: AnyKey..., options: ObservationOptions = [.initial], handler: @escaping @Sendable () -> Void
  ) -> some Observation {
    KeyObserver(ofSeveral: keys, options: options, handler: Callback(handler))
  }

  /// Makes changes without calling observers, so that an observer can make changes
  /// without calling itself forever.
  ///
  /// This applies to the observers and sequences of ``Defaults``; observers of `UserDefaults` itself are
  /// called, and so are all observers of changes by tasks that the closure starts. Inside or around a
  /// transaction, the changes are made when the transaction ends, and observers are not called for a key that
  /// the transaction changed only in this way.
  public static func withoutPropagation(_ closure: () -> Void) {
    guard UpdateLock.shared.isHeld else { return Propagation.run(closure) }
    // Inside an update the observers are called when that has ended.
    let news = UpdateLock.shared.collectingNews { Propagation.run(closure) }
    UpdateLock.shared.afterwards { Propagation.run { for call in news { call() } } }
  }
}

/// Whether present changes are reported to observers.
enum Propagation {
  @TaskLocal static var inherited: ClosureScope?

  /// Runs a closure whose changes are not reported to observers.
  static func run(_ closure: () -> Void) {
    let scope = ClosureScope()
    $inherited.withValue(scope, operation: closure)
    scope.end()
  }

  static var isOff: Bool { inherited?.isPresent ?? false }

  /// The keys that the transaction that is committing changed only inside `withoutPropagation`.
  @TaskLocal static var silentKeys: Set<PropertyListKey> = []

  /// Whether a present change of a key is not reported to observers.
  static func isOff(for key: PropertyListKey) -> Bool { isOff || silentKeys.contains(key) }
}

/// A closure of the program that promises to be callable from all threads that change defaults.
struct Callback<Argument>: @unchecked Sendable {
  // Unchecked, because programs written for sindresorhus/Defaults pass closures that
  // are not marked `@Sendable`.
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
    var hasEnded = false
  }

  init(
    of keys: [Defaults.AnyKey], options: Defaults.ObservationOptions,
    handler: Callback<KeyChange>
  ) {
    observe(keys, options) { [weak self] change in self?.run { handler.call(change) } }
  }

  /// Observes several keys with a closure that only one thread at a time calls.
  init(ofSeveral keys: [Defaults.AnyKey], options: Defaults.ObservationOptions, handler: Callback<Void>) {
    // Whether the observation has ended is asked before each call: many may wait.
    let calls = SerialCalls(Callback { [weak self] in self?.run { handler.call(()) } })
    observe(keys, options) { _ in calls.call() }
  }

  private func observe(
    _ keys: [Defaults.AnyKey], _ options: Defaults.ObservationOptions,
    handler: @escaping @Sendable (KeyChange) -> Void
  ) {
    for key in keys {
      // Retained meanwhile: an initial call precedes the observation's place in the state.
      let suite = key.suite
      key.registerDefault(in: suite)
      let observation = suite.store.observers.observe(
        key.storedKey, wantsInitial: options.contains(.initial), wantsPrior: options.contains(.prior),
        isWilling: { [storedKey = key.storedKey] in !Propagation.isOff(for: storedKey) }, handler: handler)
      state.withLock { $0.observations.append(observation) }
    }
  }

  /// Runs the program's handler, unless the observation has ended.
  private func run(_ body: () -> Void) {
    // Checked at each call, because Swift does not notify of an object's end.
    guard isAlive else { return }
    // The change may be another thread's, for which this thread makes the calls.
    ClosureScope.outside(body)
  }

  /// Whether the observation goes on; ends it if the object that limits its lifetime is gone.
  private var isAlive: Bool {
    let (hasEnded, tie) = state.withLock { ($0.hasEnded, $0.tie) }
    if hasEnded { return false }
    guard tie?.isOver ?? false else { return true }
    invalidate()
    return false
  }

  func invalidate() {
    let old = state.withLock { state in
      let old = state
      state = State(hasEnded: true)
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
