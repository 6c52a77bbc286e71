import DefaultsDomains
import DefaultsFoundation
import OpenStepPropertyList

extension UserDefaultsAdditions {
  /// Observes one key, of any name, until the result is invalidated or released.
  ///
  /// The handler is called when the value that ``UserDefaults/object(forKey:)`` gives for the key has really
  /// changed, whatever changed it: this object, another one of the process, a classic program, another
  /// process or the administrator. A change that another domain hides does not count. Neither does a value
  /// that ``UserDefaults/register(defaults:)`` adds, because observers are told about values that are stored
  /// or given as arguments, and not about the program's own fallback: this is the behaviour of macOS 15,
  /// against which GNUstep validated its test, and Apple's documentation speaks of updates to stored values.
  /// The next change has the registered value as its old value.
  ///
  /// As with key-value observing, the thread that makes a change calls the handler before its call returns,
  /// even if it makes the change inside a handler; handlers may call back. An external change is reported by
  /// a thread of the package, within a few milliseconds. For one key of one object:
  ///
  /// - One thread at a time calls handlers. If two threads change the key at the same moment, the
  ///   thread that is calling handlers reports the other's change too, and the other's call may return
  ///   before that; it never waits. After half a second of reporting others' changes, a thread of the package
  ///   goes on in its place, also with changes that a handler makes. If more than 10,000 changes, or
  ///   changes with 64 MB of values, are to be reported, the newest become one, whose old and new value can be equal.
  /// - All handlers are called for one change before any is called for the next, so that each old value is
  ///   the previous new value. If a handler sets its own key, the later handlers receive the first change
  ///   before that call returns.
  /// - What other threads change during an initial call is reported after it, by the same rules.
  ///
  /// Other objects of the same suite record each change before the next one that the same thread makes, so that their
  /// handlers miss none of a single thread's; if a handler sets its own key, they too receive the first change before the
  /// second is made. Of changes that several threads make at the same moment, they may receive some as one. Each old value
  /// is the previous new value there too, and the last value is always told.
  ///
  /// Handlers of other keys may run on other threads at the same time, and never delay the calls for a change that
  /// this process makes. But if one call changes several keys, as a transaction, a commit or `synchronize()` does, its
  /// thread calls the handlers of one key after those of the other. External changes that are noticed by themselves are
  /// reported by at most 64 threads; if slow handlers occupy all of them, further external changes wait.
  ///
  /// - Parameters:
  ///   - key: The key, taken literally; dots and `@` have no meaning.
  ///   - options: The values to pass, and whether to call at once and before each change, too.
  ///   - changeHandler: Receives the object, which the observation does not retain, and the change.
  /// - Returns: An object that keeps the observation alive.
  @preconcurrency
  @_disfavoredOverload
  public func observe(
    _ key: String, options: UserDefaultsObservingOptions = [],
    changeHandler: @escaping @Sendable (UserDefaults, UserDefaultsChange) -> Void
  ) -> UserDefaultsObservation {
    let observation = store.observers.observe(
      PropertyListKey(key), wantsInitial: options.contains(.initial), wantsPrior: options.contains(.prior)
    ) { [reference] change in
      guard let object = reference.object else { return }
      changeHandler(
        unsafeDowncast(object, to: UserDefaults.self), UserDefaultsChange(change, options: options))
    }
    return UserDefaultsObservation(observation)
  }

  /// The changes of one key, as ``observe(_:options:changeHandler:)`` reports them, with old and new values.
  ///
  /// The sequence begins with the call, so that no change between it and the first iteration is missed. It
  /// ends when the object is released, or when the task that iterates is cancelled. Each call gives a
  /// sequence for one loop: several loops over one sequence would share its changes. While the changes are
  /// not read, the newest 1,000 are kept; fewer if their values take more than 64 MB.
  ///
  /// - Parameters:
  ///   - key: The key, taken literally.
  ///   - includingInitial: Whether the first element is the present value.
  @_disfavoredOverload
  public func changes(forKey key: String, includingInitial: Bool = false) -> UserDefaultsChanges {
    let (stream, unread) = UnreadElements<UserDefaultsChange>.makeSequence()
    let writer = ChangeWriter(to: unread)
    let observation = observe(key, options: includingInitial ? [.initial, .old, .new] : [.old, .new]) {
      _, change in writer.write(change)
    }
    unread.whenEnded { observation.invalidate() }
    return UserDefaultsChanges(stream: stream)
  }
}

/// What an observer receives; the names are those of key-value observing.
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
  /// It precedes the change only if a setter of this object makes the change and no other thread is reporting
  /// a change of the key; otherwise the change has been made already.
  public static let prior = UserDefaultsObservingOptions(rawValue: 1 << 3)
}

/// A change of one key.
public struct UserDefaultsChange: Sendable {
  /// Whether this is the call before the change.
  public let isPrior: Bool
  private let old: PropertyList?
  fileprivate let new: PropertyList?

  init(_ change: KeyChange, options: UserDefaultsObservingOptions) {
    isPrior = change.kind == .prior
    old = options.contains(.old) ? change.old : nil
    new = options.contains(.new) ? change.new : nil
  }

  /// The value that ``UserDefaults/object(forKey:)`` gave before; nil for none, or if it was not asked for.
  public var oldValue: Any? { old.map(FoundationValues.object) }
  /// The value that ``UserDefaults/object(forKey:)`` gives now; nil for none, or if it was not asked for.
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

  /// Iterates over the changes.
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

/// Ends a sequence of changes when the observation is released.
private final class ChangeWriter: Sendable {
  private let unread: UnreadElements<UserDefaultsChange>

  init(to unread: UnreadElements<UserDefaultsChange>) {
    self.unread = unread
  }

  func write(_ change: UserDefaultsChange) {
    // The old value is the new one of the change before.
    unread.append(change, byteCount: change.new?.memoryByteCount ?? 0)
  }

  deinit {
    unread.finish()
  }
}
