import DefaultsDomains
import DefaultsFoundation
import OpenStepPropertyList

extension UserDefaultsAdditions {
  /// Observes one key, of any name, until the result is invalidated or let go.
  ///
  /// The handler is called when what ``UserDefaults/object(forKey:)`` gives for the key has really changed, whoever changed
  /// it: this object, another one of the process, a classic program, another process, the administrator. A
  /// change that another domain hides is none, and so is a value that ``UserDefaults/register(defaults:)`` adds: an
  /// observer hears of values that are stored or given as arguments, not of the program's own fallback for them. So
  /// it is on macOS 15, on which GNUstep validated its test of this, and Apple's documentation speaks of updates to
  /// what is stored. The next change has the registered value for its old one.
  ///
  /// As with key-value observing, the handler is called by the thread that makes a change, before its call returns;
  /// so it is for a change that is made inside a handler, and handlers may call back. A change by another process is
  /// told by a thread of the package, within a few milliseconds. For one key of one object:
  ///
  /// - One thread at a time calls handlers. Where two threads change the key at the same moment, the one that is
  ///   calling them tells the other's change, too, and the other's call may return before; it never waits.
  /// - All handlers are called for one change before any is called for the next, so that the old value is always the
  ///   new one of the change before. Where a handler sets its own key, those that come after it hear of the first
  ///   change before that call returns.
  ///
  /// Handlers of other keys may run on other threads at the same time, and never delay these.
  ///
  /// - Parameters:
  ///   - key: The key as it stands; dots and `@` have no meaning.
  ///   - options: Which values to hand over, and whether to call at once and before each change, too.
  ///   - changeHandler: Takes the object, which is not kept alive for this, and what has changed.
  /// - Returns: What keeps the observation alive.
  @_disfavoredOverload
  public func observe(
    _ key: String, options: UserDefaultsObservingOptions = [],
    changeHandler: @escaping @Sendable (UserDefaults, UserDefaultsChange) -> Void
  ) -> UserDefaultsObservation {
    let observation = store.observers.observe(
      PropertyListKey(key), wantsInitial: options.contains(.initial), wantsPrior: options.contains(.prior)
    ) { [weak self] change in
      if let self { changeHandler(self, UserDefaultsChange(change, options: options)) }
    }
    return UserDefaultsObservation(observation)
  }

  /// The changes of one key, as ``observe(_:options:changeHandler:)`` tells of them, with old and new values.
  ///
  /// The sequence begins with the call, so that no change between it and the first iteration is missed.
  /// It ends when the object is let go, or when the task that iterates is cancelled. Each call gives one for
  /// one loop: several loops over the same one would share its changes. For a reader that is slow, or none, the newest
  /// 1,000 changes are kept, and older ones are dropped.
  ///
  /// - Parameters:
  ///   - key: The key as it stands.
  ///   - includingInitial: Whether the first element is the present value.
  @_disfavoredOverload
  public func changes(forKey key: String, includingInitial: Bool = false) -> UserDefaultsChanges {
    let (stream, continuation) = AsyncStream.makeStream(
      of: UserDefaultsChange.self, bufferingPolicy: .bufferingNewest(KeyObservers.sequenceLimit))
    let writer = ChangeWriter(continuation: continuation)
    let observation = observe(key, options: includingInitial ? [.initial, .old, .new] : [.old, .new]) {
      _, change in writer.continuation.yield(change)
    }
    continuation.onTermination = { _ in observation.invalidate() }
    return UserDefaultsChanges(stream: stream)
  }
}

/// What an observer wants to be told; the names are those of key-value observing.
public struct UserDefaultsObservingOptions: OptionSet, Sendable {
  public let rawValue: UInt

  public init(rawValue: UInt) {
    self.rawValue = rawValue
  }

  /// The value after the change.
  public static let new = UserDefaultsObservingOptions(rawValue: 1 << 0)
  /// The value before the change.
  public static let old = UserDefaultsObservingOptions(rawValue: 1 << 1)
  /// A call at once, by the same thread, before the observation is returned.
  public static let initial = UserDefaultsObservingOptions(rawValue: 1 << 2)
  /// A call before each change as well.
  ///
  /// It comes when the change is made already, unless a setter of this object makes it and no other thread is telling
  /// a change of the key.
  public static let prior = UserDefaultsObservingOptions(rawValue: 1 << 3)
}

/// What has changed.
public struct UserDefaultsChange: Sendable {
  /// Whether the change is still to be made.
  public let isPrior: Bool
  private let old: PropertyList?
  private let new: PropertyList?

  init(_ change: KeyChange, options: UserDefaultsObservingOptions) {
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
public final class UserDefaultsObservation: Sendable {
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
public struct UserDefaultsChanges: AsyncSequence, Sendable {
  public typealias Failure = Never

  let stream: AsyncStream<UserDefaultsChange>

  /// Gives the changes one after the other.
  public struct Iterator: AsyncIteratorProtocol {
    var iterator: AsyncStream<UserDefaultsChange>.Iterator

    /// The next change, as soon as there is one; nil at the end.
    ///
    /// - Parameter actor: The actor that waits, by default the caller's.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async -> UserDefaultsChange? {
      await iterator.next(isolation: actor)
    }
  }

  public func makeAsyncIterator() -> Iterator {
    Iterator(iterator: stream.makeAsyncIterator())
  }
}

/// Ends a sequence of changes when nobody can observe any more.
private final class ChangeWriter: Sendable {
  let continuation: AsyncStream<UserDefaultsChange>.Continuation

  init(continuation: AsyncStream<UserDefaultsChange>.Continuation) {
    self.continuation = continuation
  }

  deinit {
    continuation.finish()
  }
}
