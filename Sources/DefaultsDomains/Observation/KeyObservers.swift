import DefaultsDatabase
package import OpenStepPropertyList
import Synchronization

/// The observers of single keys, which are notified when the result of a lookup has really changed.
///
/// A change that another domain hides is not reported, and the new value after a removal is the one that the
/// lookup then finds. Each key has a queue of changes, which one thread at a time delivers on behalf of all
/// (as in flat combining). These rules keep the calls in order and free of deadlocks:
///
/// - Observers are called outside all locks, by the thread that made a change, before its call returns, unless another
///   thread is delivering. This is also true of a change that an observer makes. External changes are delivered by
///   threads that exist for this.
/// - One thread at a time delivers the changes of a key. Another thread that changes the key leaves its
///   change to that thread, and does not wait; nor does it wait for the observers of another key. What one call changes in
///   several keys, its thread delivers one key after the other.
/// - All observers of a key are notified of a change before any is notified of the next one, so that each sees the
///   changes of its key in order: the old value is the new value of the change before. If an observer changes its own
///   key, the observers after it, of this object and of others, are first notified of the change that it reacts to.
///   Such calls nest at most sixteen deep; a deeper call leaves its change to the outermost one, and returns before
///   it is delivered.
/// - A thread that has delivered its own changes continues with those that others have left to it, until none
///   is left, or until one of these threads takes over. After half a second a worker thread goes on in its place, also
///   with changes that this thread makes meanwhile, inside an observer too.
/// - If 10,000 changes of a key wait, or changes with 64 MB of values, further ones become one with the last of them.
/// - The initial call is made by the thread that begins to observe. If other threads deliver changes
///   meanwhile, the observer is notified of them after that call, by the same rules.
package final class KeyObservers: Sendable {
  /// Called with a change.
  package typealias Handler = @Sendable (KeyChange) -> Void

  /// How many changes an asynchronous sequence keeps for a slow reader; older ones are dropped, also where the values take
  /// more than ``waitingByteLimit``.
  package static let sequenceLimit = 1000
  /// How long a thread delivers changes of other threads, in seconds. If these change a key faster than its observers
  /// return, the thread would never come to an end; a worker thread goes on.
  package static let patience = 0.5
  /// How many changes wait at most; further ones become one with the last.
  package static let waitingLimit = 10_000
  /// How many bytes the values of waiting changes may take, about; further changes become one with the last.
  package static let waitingByteLimit = 64 << 20

  private let lookUp: @Sendable (PropertyListKey) -> FoundValue?
  private let domains: (any ObservedDomains)?
  private let state = Lock(State())

  private struct State {
    var keys = [PropertyListKey: ObservedKey]()

    /// The changed keys that are observed.
    func observed(_ changed: ChangedKeys) -> [(key: PropertyListKey, observed: ObservedKey)] {
      switch changed {
      case .one(let key): keys[key].map { [(key, $0)] } ?? []
      case .several(let some) where some.count < keys.count: observed(some)
      case .several(let some): keys.filter { some.contains($0.key) }.map { ($0.key, $0.value) }
      case .any: keys.map { ($0.key, $0.value) }
      }
    }

    func observed(
      _ some: some Collection<PropertyListKey>
    ) -> [(key: PropertyListKey, observed: ObservedKey)] {
      some.compactMap { key in keys[key].map { (key, $0) } }
    }

    /// The observed keys that are concerned by other domains; see ``KeyObservers/check(where:)``.
    func concerned(
      _ isConcerned: (PropertyListKey, DomainIdentity?) -> Bool
    ) -> [(key: PropertyListKey, observed: ObservedKey)] {
      keys.filter { isConcerned($0.key, $0.value.source) }.map { ($0.key, $0.value) }
    }
  }

  /// The keys with changes to be delivered.
  package struct News {
    fileprivate var keys: [ObservedKey] = []
    /// Whether the first of the keys has counted the thread among those that are about to deliver.
    fileprivate var isExpected = false
    /// What is to be released outside of the lock.
    fileprivate var retired: [ObservedValue] = []
  }

  /// Makes an object without observers.
  ///
  /// - Parameters:
  ///   - domains: The domains that notify of changes; for nil the thread that makes a change calls
  ///     ``check(_:)``.
  ///   - lookUp: Finds the value of a key; it must not take a lock under which ``check(_:)`` is called.
  package init(
    in domains: (any ObservedDomains)? = nil, lookUp: @escaping @Sendable (PropertyListKey) -> FoundValue?
  ) {
    self.domains = domains
    self.lookUp = lookUp
  }

  deinit {
    guard let domains else { return }
    for (key, observed) in state.withLock({ $0.keys }) {
      for _ in 0..<observed.livingCount { domains.end(telling: ObjectIdentifier(self), of: key) }
    }
  }

  /// Runs a body under the lock. The memory that a change or a lookup retires meanwhile is freed after that: a large value
  /// takes long, and other threads' changes of observed keys would wait for it.
  private func withState<Result>(_ body: (inout State) -> Result) -> Result {
    RetiredMemory.freeingAfterwards { state.withLock { body(&$0) } }
  }

  // MARK: - Observing

  /// Observes a key until the result is invalidated or released.
  ///
  /// - Parameters:
  ///   - wantsInitial: Whether to call the handler with the present value, before this returns.
  ///   - wantsPrior: Whether to call the handler before each change, too.
  ///   - isWilling: Whether to call the handler for a change; asked by the thread that makes or finds the
  ///     change; it must not call back.
  package func observe(
    _ key: PropertyListKey, wantsInitial: Bool = false, wantsPrior: Bool = false,
    isWilling: @escaping @Sendable () -> Bool = { true }, handler: @escaping Handler
  ) -> KeyObservation {
    // Before the value is looked up, so that no later change is missed.
    domains?.begin(telling: self, of: key)
    let observer = ObservedKey.Observer(wantsPrior: wantsPrior, isWilling: isWilling, handler: handler)
    // A large value is parsed here, and not under the lock.
    _ = lookUp(key)
    let (observed, initial) = withState { state in
      // Looked up under the lock, so that no change can come between this value and the first change.
      let found = lookUp(key)
      let observed = state.keys[key] ?? ObservedKey(found)
      state.keys[key] = observed
      // The key's other observers may still have to be notified of a change to this value.
      _ = observed.noteChange(to: found)
      observed.add(observer)
      let initial =
        wantsInitial ? observed.beginInitialCall(of: observer, on: CurrentThread.identifier) : nil
      return (observed, initial)
    }
    // Weak references: this object releases the handler and what it holds, even if the program keeps the
    // observation.
    let observation = KeyObservation { [weak self, weak observer] in
      if let self, let observer { end(observer, of: key) }
    }
    if let initial {
      handler(initial)
      state.withLock { _ in observed.endInitialCall(of: observer) }
    }
    UpdateLock.shared.afterwards { self.tell(News(keys: [observed])) }
    return observation
  }

  private func end(_ observer: ObservedKey.Observer, of key: PropertyListKey) {
    // Released outside the lock: the deinit of what the handler holds may call back, and a large value takes long.
    let ended = state.withLock { state -> (closures: ObservedKey.Closures, observed: ObservedKey)? in
      guard let observed = state.keys[key], let closures = observed.end(observer) else { return nil }
      if observed.isEmpty { state.keys[key] = nil }
      return (closures, observed)
    }
    if ended != nil { domains?.end(telling: ObjectIdentifier(self), of: key) }
    withExtendedLifetime(ended) {}
  }

  // MARK: - Changes made here

  /// Whether a key has an observer.
  package func observes(_ key: PropertyListKey) -> Bool {
    state.withLock { $0.keys[key] != nil }
  }

  /// Whether a key has an observer that has to be called before a change.
  package func wantsPrior(of key: PropertyListKey) -> Bool {
    state.withLock { $0.keys[key]?.wantsPrior ?? false }
  }

  /// Notifies the observers that have to be called before a change that the result of a key's lookup is about
  /// to change.
  package func prepare(_ key: PropertyListKey) {
    let news = state.withLock { state in
      guard let observed = state.keys[key], observed.notePreparation() else { return News() }
      return News(keys: [observed])
    }
    tell(news)
  }

  /// Makes a change of keys, and records the results of their lookups for their observers.
  ///
  /// If several threads make changes at the same time, each change is recorded separately.
  ///
  /// - Parameter change: Makes the change; it must not call back.
  /// - Returns: The change's result, and the news, which must be passed to ``tell(_:)`` before any of the
  ///   program's code runs.
  package func noting<Result>(
    _ keys: some Collection<PropertyListKey>, by change: () -> Result
  ) -> (result: Result, news: News) {
    lookUpObserved { $0.observed(keys) }
    let noted = withState { state -> (Result, News)? in
      let observed = state.observed(keys)
      guard !observed.isEmpty else { return nil }
      let result = change()
      var news = note(observed)
      // What an update's holder has changed is told when the update has ended, after other observers, which may take any
      // time; where the system provides no thread, or the process is ending, a change is first saved; and a large value that the
      // change has replaced is first freed, with the program's objects that are kept with it. Until then it is left to whoever
      // delivers the key's changes.
      if !UpdateLock.shared.isHeld, !Synchronizer.shared.hasToKnowAll, !RetiredMemory.hasPostponed {
        news.keys.first?.expectTelling()
        news.isExpected = true
      }
      return (result, news)
    }
    return noted ?? (change(), News())
  }

  // MARK: - Notifying

  /// Notifies the observers of those keys whose lookups have a different result now, or when the update that this thread
  /// makes has ended.
  package func check(_ keys: ChangedKeys) {
    UpdateLock.shared.afterwards { [self] in
      lookUpObserved { $0.observed(keys) }
      tell(withState { state in note(state.observed(keys)) })
    }
  }

  /// Notifies the observers of those keys that other domains concern than were searched before, and whose lookups
  /// have a different result now, or when the update that this thread makes has ended.
  ///
  /// A key whose last value was found in another domain than a removed one does not need a lookup. What the removed
  /// domain contained did not make that value, and the other domains notify of their own changes.
  ///
  /// - Parameter isConcerned: Whether a key may have a different result, where its last value was found in a domain;
  ///   nil for none and for a ``ComputedDomain``. It must not call back, nor parse a value: it is asked under the lock.
  package func check(where isConcerned: @escaping (PropertyListKey, DomainIdentity?) -> Bool) {
    UpdateLock.shared.afterwards { [self] in
      lookUpObserved { $0.concerned(isConcerned) }
      tell(withState { state in note(state.concerned(isConcerned)) })
    }
  }

  /// Looks up observed keys without the lock, where a large value may have to be parsed for that: under the lock, other
  /// threads' changes of observed keys would wait for it.
  private func lookUpObserved(_ observed: (State) -> [(key: PropertyListKey, observed: ObservedKey)]) {
    guard LookupTable.someMayHaveLargeUnparsedValues else { return }
    for key in state.withLock({ observed($0).map(\.key) }) { _ = lookUp(key) }
  }

  /// Parses the values of the observed ones of some keys in all domains, which one of the domains is about to lose: the lookup
  /// after that, under the lock, finds another domain's value.
  ///
  /// O(1) where no domain has a large value that is not parsed yet, and otherwise O(n) in the number of domains.
  func prepareRemoval(of keys: some Collection<PropertyListKey>) {
    guard LookupTable.someMayHaveLargeUnparsedValues, let domains else { return }
    let observed = state.withLock { $0.observed(keys).map(\.key) }
    if observed.isEmpty { return }
    for domain in domains.all where domain.table.mayHaveLargeUnparsedValues {
      for key in observed { domain.parse(key) }
    }
  }

  /// Records the present results of lookups; the lock must be held.
  private func note(_ changed: [(key: PropertyListKey, observed: ObservedKey)]) -> News {
    // In the same order each time; a single key is by far the most frequent case.
    let changed = changed.count > 1 ? changed.sorted { $0.key < $1.key } : changed
    var news = News()
    for (key, observed) in changed {
      if observed.noteChange(to: lookUp(key)) { news.keys.append(observed) }
      news.retired += observed.takeRetired()
    }
    return news
  }

  /// Delivers the recorded changes, except those of keys that another thread is delivering.
  package func tell(_ news: News) {
    let thread = CurrentThread.identifier
    for (index, key) in news.keys.enumerated() {
      var telling = ObservedKey.Telling(thread: thread, isExpected: index == 0 && news.isExpected)
      tell(of: key, &telling)
      guard telling.needsSuccessor else { continue }
      WorkerThreads.forObservers.run { [self] in
        var telling = ObservedKey.Telling(
          thread: CurrentThread.identifier, isExpected: false, isSuccessor: true)
        tell(of: key, &telling)
      }
    }
  }

  private func tell(of key: ObservedKey, _ telling: inout ObservedKey.Telling) {
    while true {
      let (call, retired) = state.withLock { _ in (key.nextCall(of: &telling), key.takeRetired()) }
      withExtendedLifetime(retired) {}
      guard let call else { return }
      KeyObservers.callCount.wrappingAdd(1, ordering: .relaxed)
      defer { KeyObservers.callCount.wrappingSubtract(1, ordering: .relaxed) }
      call.handler(call.change)
    }
  }

  /// How many observers of the process are being called.
  private static let callCount = Atomic(0)

  /// Whether an observer of the process is being called; certain only for the calls that the calling thread makes.
  static var isCallingAny: Bool { callCount.load(ordering: .relaxed) > 0 }
}

extension KeyObservers: DomainListener {
  package func domain(_ domain: PersistentDomain, didChange keys: ChangedKeys) -> (() -> Void)? {
    lookUpObserved { $0.observed(keys) }
    // Registered values are a program's own fallbacks; they are not among the stored values that are
    // observed.
    if domain === domains?.registration {
      let retired = withState { state in
        state.observed(keys).flatMap { key, observed in
          observed.noteRegistered(lookUp(key), in: domain.identity)
          return observed.takeRetired()
        }
      }
      withExtendedLifetime(retired) {}
      return nil
    }
    let news = withState { state in note(state.observed(keys)) }
    return news.keys.isEmpty ? nil : { self.tell(news) }
  }

  package func tellRecorded(of keys: ChangedKeys) {
    tell(
      state.withLock { state in
        News(keys: state.observed(keys).map(\.observed).filter(\.hasAnnouncement))
      })
  }
}
