import OpenStepDefaults
import OpenStepPropertyList

extension UserDefaults {
  /// Observes one key, of any name, until the result is invalidated or let go.
  ///
  /// The handler is called when what ``object(forKey:)`` gives for the key has really changed, whoever changed
  /// it: this object, another one of the process, a classic program, another process, the administrator. A
  /// change that another domain hides is none. For a change made here it is called before the call that
  /// made it returns, by the same thread, unless a handler is running on another; for another process's it
  /// is called by a thread of the package, within a few milliseconds. Handlers may call back, are never
  /// called two at a time for one object, and see the changes in order.
  ///
  /// - Parameters:
  ///   - key: The key as it stands; dots and `@` have no meaning.
  ///   - options: Which values to hand over, and whether to call at once and before each change, too.
  ///   - changeHandler: Takes the object, which is not kept alive for this, and what has changed.
  /// - Returns: What keeps the observation alive.
  public final func observe(
    _ key: String, options: ObservingOptions = [],
    changeHandler: @escaping @Sendable (UserDefaults, ObservedChange) -> Void
  ) -> Observation {
    let observation = store.observers.observe(
      PropertyListKey(key), wantsInitial: options.contains(.initial), wantsPrior: options.contains(.prior)
    ) { [weak self] change in
      if let self { changeHandler(self, ObservedChange(change, options: options)) }
    }
    return Observation(observation)
  }

  /// The changes of one key, as ``observe(_:options:changeHandler:)`` tells of them, with old and new values.
  ///
  /// The sequence begins with the call, so that no change between it and the first iteration is missed.
  /// It ends when the object is let go, or when the task that iterates is cancelled. Each call gives one for
  /// one loop: several loops over the same one would share its changes.
  ///
  /// - Parameters:
  ///   - key: The key as it stands.
  ///   - includingInitial: Whether the first element is the present value.
  public final func changes(forKey key: String, includingInitial: Bool = false) -> Changes {
    let (stream, continuation) = AsyncStream.makeStream(of: ObservedChange.self)
    let writer = ChangeWriter(continuation: continuation)
    let observation = observe(key, options: includingInitial ? [.initial, .old, .new] : [.old, .new]) {
      _, change in writer.continuation.yield(change)
    }
    continuation.onTermination = { _ in observation.invalidate() }
    return Changes(stream: stream)
  }

  /// What an observer wants to be told; the names are those of key-value observing.
  public struct ObservingOptions: OptionSet, Sendable {
    public let rawValue: UInt

    public init(rawValue: UInt) {
      self.rawValue = rawValue
    }

    /// The value after the change.
    public static let new = ObservingOptions(rawValue: 1 << 0)
    /// The value before the change.
    public static let old = ObservingOptions(rawValue: 1 << 1)
    /// A call at once, before the observation is returned unless a handler of the same object is running.
    public static let initial = ObservingOptions(rawValue: 1 << 2)
    /// A call before each change as well; it comes when the change is made already, unless a setter of this object makes it and no handler runs.
    public static let prior = ObservingOptions(rawValue: 1 << 3)
  }

  /// What has changed.
  public struct ObservedChange: Sendable {
    /// Whether the change is still to be made.
    public let isPrior: Bool
    private let old: PropertyList?
    private let new: PropertyList?

    init(_ change: KeyChange, options: ObservingOptions) {
      isPrior = change.kind == .prior
      old = options.contains(.old) ? change.old : nil
      new = options.contains(.new) ? change.new : nil
    }

    /// What ``UserDefaults/object(forKey:)`` gave before; nil for nothing, or where it was not asked for.
    public var oldValue: Any? { old.map(FoundationValues.object) }
    /// What ``UserDefaults/object(forKey:)`` gives now; nil for nothing, or where it was not asked for.
    public var newValue: Any? { new.map(FoundationValues.object) }
  }

  /// Keeps an observation alive.
  public final class Observation: Sendable {
    private let observation: KeyObservation

    init(_ observation: KeyObservation) {
      self.observation = observation
    }

    /// Ends the observation; a call that another thread is making at this moment may still run.
    public func invalidate() {
      observation.invalidate()
    }
  }

  /// The changes of one key.
  public struct Changes: AsyncSequence, Sendable {
    public typealias Failure = Never

    let stream: AsyncStream<ObservedChange>

    public struct Iterator: AsyncIteratorProtocol {
      var iterator: AsyncStream<ObservedChange>.Iterator

      /// The next change, as soon as there is one; nil at the end.
      public mutating func next(
        isolation actor: isolated (any Actor)? = #isolation
      ) async -> ObservedChange? {
        await iterator.next(isolation: actor)
      }
    }

    public func makeAsyncIterator() -> Iterator {
      Iterator(iterator: stream.makeAsyncIterator())
    }
  }
}

/// Ends a sequence of changes when nobody can observe any more.
private final class ChangeWriter: Sendable {
  let continuation: AsyncStream<UserDefaults.ObservedChange>.Continuation

  init(continuation: AsyncStream<UserDefaults.ObservedChange>.Continuation) {
    self.continuation = continuation
  }

  deinit {
    continuation.finish()
  }
}
