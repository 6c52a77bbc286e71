import DefaultsDatabase
import DefaultsDomains
import OpenStepPropertyList

/// Which domains a `UserDefaults` object searches, and the keys for which they report changes to its observers; a
/// classic object has a `SearchList` in its place.
final class SearchedDomains: ObservedDomains {
  private let state: State
  /// All domains, for lookups.
  let path: SearchPath

  /// The domains and the observed keys. A class of its own, because the path has it.
  private final class State: SearchOrder {
    let front: [PersistentDomain]
    let global: PersistentDomain
    let registration: PersistentDomain
    let contents = Lock(Contents())

    init(front: [PersistentDomain], global: PersistentDomain, registration: PersistentDomain) {
      (self.front, self.global, self.registration) = (front, global, registration)
    }

    /// The domains that are no suites.
    var fixed: [PersistentDomain] { front + [global, registration] }

    var suites: [PersistentDomain] { contents.withLock { $0.suites.domains } }

    var count: Int { front.count + contents.withLock { $0.suites.count } + 2 }

    func visit(_ body: (SearchPath.Domain) -> Bool) {
      contents.withLock { contents in
        for domain in front where !body(.persistent(domain)) { return }
        guard contents.suites.visit({ body(.persistent($0)) }), body(.persistent(global)) else { return }
        _ = body(.persistent(registration))
      }
    }
  }

  private struct Contents {
    var suites = SuiteList()
    /// How many observers each key has.
    var observed: [PropertyListKey: Int] = [:]
  }

  init(front: [PersistentDomain], global: PersistentDomain, registration: PersistentDomain) {
    state = State(front: front, global: global, registration: registration)
    path = SearchPath(state)
  }

  var global: PersistentDomain { state.global }

  var registration: PersistentDomain? { state.registration }

  /// The domains in the order of the search. O(n) for n suites.
  var all: [PersistentDomain] { state.front + state.suites + [state.global, state.registration] }

  var suites: [PersistentDomain] { state.suites }

  // MARK: - Suites

  /// Adds a suite to the search, after the other suites, and notifies the observers.
  ///
  /// Amortized constant time, and the time to look at each observed key in the suite. A key is looked up only where
  /// the suite has a value for it, and no domain before the suite had one.
  func add(_ suite: PersistentDomain, for observers: KeyObservers) {
    guard !state.fixed.contains(where: { $0 === suite }) else { return }
    let isNew = state.contents.withLock { contents in
      guard contents.suites.append(suite) else { return false }
      for key in contents.observed.keys { suite.add(observers, for: key) }
      return true
    }
    guard isNew else { return }
    path.invalidate()
    let behind = [nil, state.global.identity, state.registration.identity]
    observers.check { key, source in behind.contains(source) && suite.hasValue(for: key) }
  }

  /// Removes a suite from the search, and notifies the observers.
  ///
  /// Amortized constant time, and the time to look at each observed key. A key is looked up only where its last value
  /// was found in the suite. Whether the suite has a value now does not count: another thread may have removed it
  /// since the suite stopped reporting.
  func remove(_ name: DomainName, for observers: KeyObservers) {
    let removed = state.contents.withLock { contents in
      let suite = contents.suites.remove(name)
      for key in contents.observed.keys { suite?.remove(ObjectIdentifier(observers), for: key) }
      return suite
    }
    guard let removed else { return }
    path.invalidate()
    observers.check { _, source in source == removed.identity }
  }

  // MARK: - Observers

  func begin(telling observers: KeyObservers, of key: PropertyListKey) {
    state.contents.withLock { contents in
      contents.observed[key, default: 0] += 1
      guard contents.observed[key] == 1 else { return }
      for domain in state.fixed + contents.suites.domains { domain.add(observers, for: key) }
    }
  }

  func end(telling observers: ObjectIdentifier, of key: PropertyListKey) {
    state.contents.withLock { contents in
      guard let count = contents.observed[key] else { return }
      contents.observed[key] = count > 1 ? count - 1 : nil
      guard count == 1 else { return }
      for domain in state.fixed + contents.suites.domains { domain.remove(observers, for: key) }
    }
  }
}
