import DefaultsDatabase
import DefaultsDomains

extension NSUserDefaults {
  /// The mutable state of an object.
  struct State {
    var searchList: SearchList
    /// Whether a persistent domain was changed here since the last synchronize.
    var hasChanged = false
    /// Whether every change posts the notification, as in GNUstep, or only the first after a synchronize.
    var postsEveryChange = false
    /// How many of the database's external changes this object has posted the notification for.
    var externalChangesPosted: Int

    /// The state of an object with an empty search list.
    init(in persistent: PersistentDomains, arguments: [String]) {
      searchList = SearchList()
      searchList.setVolatile(.values(ArgumentDomain.values(of: arguments)), for: .argumentDomain)
      searchList.setVolatile(.values([:]), for: .registrationDomain)
      externalChangesPosted = persistent.externalChanges
    }
  }

  /// The state, shared between its object and the search path.
  ///
  /// A thread that holds its lock must not call the path, which asks for the domains
  /// while it holds its own lock.
  final class SharedState: Sendable {
    private let lock: Lock<State>

    init(_ state: State) {
      lock = Lock(state)
    }

    func withLock<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
      try lock.withLock(body)
    }
  }

  /// Changes the search list; the next lookup uses the new one.
  func changeSearchList<Result>(_ body: (inout State) -> Result) -> Result {
    let result = state.withLock(body)
    path.invalidate()
    searchListChanged()
    return result
  }

  /// Adds a persistent domain that was just made, whose name may be in the search list already.
  func search(_ domain: PersistentDomain) {
    guard state.withLock({ $0.searchList.add(domain) }) else { return }
    path.invalidate()
    searchListChanged()
  }
}

extension NSUserDefaults: Synchronizable {}
