import DefaultsDatabase
import DefaultsDomains

extension NSUserDefaults {
  /// What of an object changes.
  struct State {
    var searchList: SearchList
    var hasPosted = false
    /// Whether every change posts, as in GNUstep, and not only the first after a synchronize.
    var postsEveryChange = false
    /// How many of the database's external changes this object has told of.
    var externalChangesTold: Int

    /// The state of an object whose search list is empty.
    init(in persistent: PersistentDomains, arguments: [String]) {
      searchList = SearchList()
      searchList.setVolatile(.values(ArgumentDomain.values(of: arguments)), for: .argumentDomain)
      searchList.setVolatile(.values([:]), for: .registrationDomain)
      externalChangesTold = persistent.externalChanges
    }
  }

  /// The state as its object and the search path share it.
  ///
  /// Who has its lock must not call the path, which asks for the domains under a lock of its own.
  final class SharedState: Sendable {
    private let lock: Lock<State>

    init(_ state: State) {
      lock = Lock(state)
    }

    func withLock<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
      try lock.withLock(body)
    }
  }

  /// Changes what is searched; the next search sees it.
  func changeSearchList<Result>(_ body: (inout State) -> Result) -> Result {
    let result = state.withLock(body)
    path.invalidate()
    return result
  }

  /// Takes note of a persistent domain that was made, and whose name may stand in the search list already.
  func search(_ domain: PersistentDomain) {
    if state.withLock({ $0.searchList.add(domain) }) { path.invalidate() }
  }
}

extension NSUserDefaults: Synchronizable {}
