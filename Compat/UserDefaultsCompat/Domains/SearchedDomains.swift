import DefaultsDatabase
import DefaultsDomains
import OpenStepPropertyList

/// Which domains a `UserDefaults` object searches, and the keys for which they report changes to its observers; a
/// classic object has a `SearchList` in its place.
final class SearchedDomains: ObservedDomains {
  private let front: [PersistentDomain]
  let global: PersistentDomain
  let registered: PersistentDomain
  var registration: PersistentDomain? { registered }
  private let state: State
  /// All domains, for lookups.
  let path: SearchPath

  /// The suites and the observed keys. A class of its own, because the path's closure reads the suites.
  private final class State: Sendable {
    let contents = Lock(Contents())

    var suites: [PersistentDomain] { contents.withLock { $0.suites.domains } }
  }

  private struct Contents {
    var suites = SuiteList()
    /// How many observers each key has.
    var observed: [PropertyListKey: Int] = [:]
  }

  init(front: [PersistentDomain], global: PersistentDomain, registration: PersistentDomain) {
    let state = State()
    (self.front, self.global, self.registered, self.state) = (front, global, registration, state)
    path = SearchPath { (front + state.suites + [global, registration]).map(SearchPath.Domain.persistent) }
  }

  /// The domains in the order of the search. O(n) for n suites.
  var all: [PersistentDomain] { front + state.suites + [global, registered] }

  var suites: [PersistentDomain] { state.suites }

  private var fixed: [PersistentDomain] { front + [global, registered] }

  // MARK: - Suites

  /// Adds a suite to the search, after the other suites; gives the observed keys for which it has a value.
  ///
  /// Amortized constant time, apart from the keys that are observed.
  func add(_ suite: PersistentDomain, for observers: KeyObservers) -> Set<PropertyListKey> {
    guard !fixed.contains(where: { $0 === suite }) else { return [] }
    let keys = change { contents in
      guard contents.suites.append(suite) else { return false }
      for key in contents.observed.keys { suite.add(observers, for: key) }
      return true
    }
    return keys.filter { suite.value(for: $0) != nil }
  }

  /// Removes a suite from the search; gives the observed keys.
  ///
  /// These include keys without a value in the suite: another thread may have removed the value since the
  /// suite stopped reporting.
  func remove(_ name: DomainName, for observers: KeyObservers) -> Set<PropertyListKey> {
    change { contents in
      guard let suite = contents.suites.remove(name) else { return false }
      for key in contents.observed.keys { suite.remove(ObjectIdentifier(observers), for: key) }
      return true
    }
  }

  /// Changes the suites; gives the observed keys, or none if the body returns that nothing was changed.
  private func change(_ body: (inout Contents) -> Bool) -> Set<PropertyListKey> {
    let keys = state.contents.withLock { body(&$0) ? Set($0.observed.keys) : nil }
    guard let keys else { return [] }
    path.invalidate()
    return keys
  }

  // MARK: - Observers

  func begin(telling observers: KeyObservers, of key: PropertyListKey) {
    state.contents.withLock { contents in
      contents.observed[key, default: 0] += 1
      guard contents.observed[key] == 1 else { return }
      for domain in fixed + contents.suites.domains { domain.add(observers, for: key) }
    }
  }

  func end(telling observers: ObjectIdentifier, of key: PropertyListKey) {
    state.contents.withLock { contents in
      guard let count = contents.observed[key] else { return }
      contents.observed[key] = count > 1 ? count - 1 : nil
      guard count == 1 else { return }
      for domain in fixed + contents.suites.domains { domain.remove(observers, for: key) }
    }
  }
}
