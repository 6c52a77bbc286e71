import DefaultsDatabase
import DefaultsDomains
import OpenStepPropertyList

/// The observers of the keys of a classic object, whose search list may change.
///
/// The persistent domains of the list report the changes of observed keys; a change of the list, and of a
/// volatile domain, makes the observed keys that it concerns be looked up again.
final class SearchListObservers: ObservedDomains {
  private let state = Lock(State())

  private struct State {
    /// The persistent domains that are searched.
    var domains = [ObjectIdentifier: PersistentDomain]()
    /// How many observers each key has.
    var observed = [PropertyListKey: Int]()

    /// Makes a domain report the changes of the observed keys, unless it does.
    mutating func begin(_ domain: PersistentDomain, for observers: KeyObservers) {
      guard domains.updateValue(domain, forKey: ObjectIdentifier(domain)) == nil else { return }
      for key in observed.keys { domain.add(observers, for: key) }
    }

    /// Makes a domain report no changes.
    mutating func end(_ domain: PersistentDomain, for observers: ObjectIdentifier) {
      guard domains.removeValue(forKey: ObjectIdentifier(domain)) != nil else { return }
      for key in observed.keys { domain.remove(observers, for: key) }
    }
  }

  /// Makes the domains of the present search list report changes, and those that are searched no longer
  /// report none.
  ///
  /// - Parameter present: Gives the persistent domains that are searched now. Asked under the lock, so that of
  ///   two threads that change the list the later one counts.
  func follow(for observers: KeyObservers, _ present: () -> [PersistentDomain]) {
    state.withLock { state in
      let domains = present()
      let kept = Set(domains.map { ObjectIdentifier($0) })
      for (identity, domain) in state.domains where !kept.contains(identity) {
        state.end(domain, for: ObjectIdentifier(observers))
      }
      for domain in domains { state.begin(domain, for: observers) }
    }
  }

  /// Makes one domain report changes if it is searched, else none.
  ///
  /// - Parameter isSearched: Whether the domain is searched now; asked under the lock, as for all domains.
  func follow(_ domain: PersistentDomain, for observers: KeyObservers, if isSearched: () -> Bool) {
    state.withLock { state in
      if isSearched() {
        state.begin(domain, for: observers)
      } else {
        state.end(domain, for: ObjectIdentifier(observers))
      }
    }
  }

  var all: [PersistentDomain] { state.withLock { Array($0.domains.values) } }

  /// Registered values count like all others.
  var registration: PersistentDomain? { nil }

  func begin(telling observers: KeyObservers, of key: PropertyListKey) {
    state.withLock { state in
      state.observed[key, default: 0] += 1
      guard state.observed[key] == 1 else { return }
      for domain in state.domains.values { domain.add(observers, for: key) }
    }
  }

  func end(telling observers: ObjectIdentifier, of key: PropertyListKey) {
    state.withLock { state in
      guard let count = state.observed[key] else { return }
      state.observed[key] = count > 1 ? count - 1 : nil
      guard count == 1 else { return }
      for domain in state.domains.values { domain.remove(observers, for: key) }
    }
  }
}
