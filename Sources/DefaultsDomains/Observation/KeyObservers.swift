import DefaultsDatabase
package import OpenStepPropertyList

/// The observers of single keys, told when what a lookup finds has really changed.
///
/// A change that another domain hides is none, and the new value after a removal is what the lookup then
/// finds. The rules, which keep the calls in order and free of deadlocks:
///
/// - Observers are called outside all locks, by the thread that made or found a change, before its call
///   returns; so they are for a change that is made inside an observer.
/// - One thread at a time tells the changes of a key. Who changes a key of which another thread is telling leaves
///   its change to that thread, and waits for nobody; nor does one key ever wait for another.
/// - All observers of a key are told of a change before any is told of the next one, so that each sees the
///   changes of its key in order: the old value is the new one of the change before. Where an observer changes
///   its own key, those who come after it are first told of the change that it answers. Sixteen calls deep at the most:
///   what comes deeper is told by the outermost one, after the call that made it has returned.
/// - A thread that tells goes on with what others leave to it until nothing is left, or until one of them comes
///   and takes over; it does so at the earliest when its own changes are told.
/// - An initial call is made by the thread that begins to observe. Changes that other threads tell meanwhile are
///   told to that observer after it.
package final class KeyObservers: Sendable {
  /// Takes what has changed.
  package typealias Handler = @Sendable (KeyChange) -> Void

  /// How many changes a sequence of them keeps for a reader that is slow; older ones are dropped.
  package static let sequenceLimit = 1000

  private let lookUp: @Sendable (PropertyListKey) -> PropertyList?
  private let domains: (any ObservedDomains)?
  private let state = Lock(State())

  private struct State {
    var keys: [PropertyListKey: ObservedKey] = [:]

    /// The keys of a change that are observed.
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
  }

  /// The keys of which there is something to tell.
  package struct News {
    fileprivate var keys: [ObservedKey] = []
    /// Whether the first of the keys counts on the thread to come at once.
    fileprivate var isExpected = false
  }

  /// - Parameters:
  ///   - domains: Tell of the changes; where there are none, whoever makes a change calls ``check(_:)``.
  ///   - lookUp: Finds the value of a key, taking no lock under which ``check(_:)`` is called.
  package init(
    in domains: (any ObservedDomains)? = nil, lookUp: @escaping @Sendable (PropertyListKey) -> PropertyList?
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

  // MARK: - Observing

  /// Observes a key until the result is invalidated or let go.
  ///
  /// - Parameters:
  ///   - wantsInitial: Whether to be called with the present value, before this returns.
  ///   - wantsPrior: Whether to be called before each change, too.
  ///   - isWilling: Asked by the thread that makes or finds a change whether to call of it; must not call back.
  package func observe(
    _ key: PropertyListKey, wantsInitial: Bool = false, wantsPrior: Bool = false,
    isWilling: @escaping @Sendable () -> Bool = { true }, handler: @escaping Handler
  ) -> KeyObservation {
    // Before the value is looked up, so that no change after that goes by untold.
    domains?.begin(telling: self, of: key)
    let observer = ObservedKey.Observer(wantsPrior: wantsPrior, isWilling: isWilling, handler: handler)
    let (observed, initial) = state.withLock { state in
      // Looked up here, so that no change can come between this and the first that is told.
      let value = lookUp(key)
      let observed = state.keys[key] ?? ObservedKey(value: value)
      state.keys[key] = observed
      // Others of the key may still have to be told of a change up to this value.
      _ = observed.noteChange(to: value)
      observed.add(observer)
      let initial =
        wantsInitial ? observed.beginInitialCall(of: observer, on: CurrentThread.identifier) : nil
      return (observed, initial)
    }
    // Weakly: what the handler holds on to ends with this object, though somebody has the observation.
    let observation = KeyObservation { [weak self, weak observer] in
      if let self, let observer { end(observer, of: key) }
    }
    if let initial {
      handler(initial)
      state.withLock { _ in observed.endInitialCall(of: observer) }
    }
    tell(News(keys: [observed]))
    return observation
  }

  private func end(_ observer: ObservedKey.Observer, of key: PropertyListKey) {
    // Let go of outside the lock, since what it holds on to may call back in its deinit.
    let handler = state.withLock { state -> Handler? in
      guard let observed = state.keys[key], let handler = observed.end(observer) else { return nil }
      if observed.isEmpty { state.keys[key] = nil }
      return handler
    }
    if handler != nil { domains?.end(telling: ObjectIdentifier(self), of: key) }
    withExtendedLifetime(handler) {}
  }

  // MARK: - Changes made here

  /// Whether anyone observes a key.
  package func observes(_ key: PropertyListKey) -> Bool {
    state.withLock { $0.keys[key] != nil }
  }

  /// Whether a key has an observer who wants to know of a change before it is made.
  package func wantsPrior(of key: PropertyListKey) -> Bool {
    state.withLock { $0.keys[key]?.wantsPrior ?? false }
  }

  /// Tells the observers who want to know it that what a lookup finds for a key is about to change.
  package func prepare(_ key: PropertyListKey) {
    let news = state.withLock { state in
      guard let observed = state.keys[key], observed.notePreparation() else { return News() }
      return News(keys: [observed])
    }
    tell(news)
  }

  /// Makes a change of keys, and notes for their observers what a lookup finds then.
  ///
  /// Of changes that several threads make at once, each is noted by itself.
  ///
  /// - Parameter change: Makes the change; it must not call back.
  /// - Returns: What the change gives, and what must be handed to ``tell(_:)``, with none of the program's code
  ///   run before.
  package func noting<Result>(
    _ keys: some Collection<PropertyListKey>, by change: () -> Result
  ) -> (result: Result, news: News) {
    let noted = state.withLock { state -> (Result, News)? in
      let observed = state.observed(keys)
      guard !observed.isEmpty else { return nil }
      let result = change()
      var news = note(observed)
      news.keys.first?.expectTelling()
      news.isExpected = true
      return (result, news)
    }
    return noted ?? (change(), News())
  }

  // MARK: - Telling

  /// Tells the observers of those keys for which a lookup now finds something else.
  package func check(_ keys: ChangedKeys) {
    tell(state.withLock { state in note(state.observed(keys)) })
  }

  /// Takes what a lookup now finds for keys as known to their observers.
  package func checkSilently(_ keys: ChangedKeys) {
    state.withLock { state in
      for (key, observed) in state.observed(keys) { observed.noteSilently(lookUp(key)) }
    }
  }

  /// Notes what a lookup now finds for keys, for who has the lock.
  private func note(_ changed: [(key: PropertyListKey, observed: ObservedKey)]) -> News {
    // In an order that is the same each time; one key is by far the most frequent.
    let changed = changed.count > 1 ? changed.sorted { $0.key < $1.key } : changed
    return News(keys: changed.filter { $0.observed.noteChange(to: lookUp($0.key)) }.map(\.observed))
  }

  /// Tells what was noted, but for what another thread is telling.
  package func tell(_ news: News) {
    let thread = CurrentThread.identifier
    for (index, key) in news.keys.enumerated() {
      var telling = ObservedKey.Telling(thread: thread, isExpected: index == 0 && news.isExpected)
      while let call = state.withLock({ _ in key.nextCall(of: &telling) }) { call.handler(call.change) }
    }
  }
}

extension KeyObservers: DomainListener {
  package func domain(_ domain: PersistentDomain, didChange keys: ChangedKeys) {
    // What is registered is a program's own fallback, and none of the values that are stored and observed.
    if domain === domains?.registration { checkSilently(keys) } else { check(keys) }
  }
}
