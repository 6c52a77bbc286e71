import DefaultsDatabase
import DefaultsDomains
import OpenStepPropertyList

/// The observers of the keys of a classic object, whose search list may change.
///
/// The persistent domains of the list report the changes of observed keys; a change of the list, and of a
/// volatile domain, makes all observed keys be looked up again.
final class SearchListObservers: ObservedDomains {
  private let state = Lock(State())

  private struct State {
    /// The persistent domains that are searched, each once.
    var domains: [PersistentDomain] = []
    /// How many observers each key has.
    var observed: [PropertyListKey: Int] = [:]
  }

  /// Makes the domains of the present search list report changes, and those that are searched no longer
  /// report none.
  ///
  /// - Parameter present: Gives the persistent domains that are searched now. Asked under the lock, so that of
  ///   two threads that change the list the later one counts.
  /// - Returns: The observed keys.
  func follow(_ present: () -> [PersistentDomain], for observers: KeyObservers) -> Set<PropertyListKey> {
    state.withLock { state in
      let domains = present()
      guard !state.domains.elementsEqual(domains, by: ===) else { return Set(state.observed.keys) }
      for key in state.observed.keys {
        for domain in state.domains { domain.remove(ObjectIdentifier(observers), for: key) }
        for domain in domains { domain.add(observers, for: key) }
      }
      state.domains = domains
      return Set(state.observed.keys)
    }
  }

  /// Registered values count like all others.
  var registration: PersistentDomain? { nil }

  func begin(telling observers: KeyObservers, of key: PropertyListKey) {
    state.withLock { state in
      state.observed[key, default: 0] += 1
      guard state.observed[key] == 1 else { return }
      for domain in state.domains { domain.add(observers, for: key) }
    }
  }

  func end(telling observers: ObjectIdentifier, of key: PropertyListKey) {
    state.withLock { state in
      guard let count = state.observed[key] else { return }
      state.observed[key] = count > 1 ? count - 1 : nil
      guard count == 1 else { return }
      for domain in state.domains { domain.remove(observers, for: key) }
    }
  }
}
