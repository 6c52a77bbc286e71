import DefaultsDatabase
import DefaultsDomains
import OpenStepPropertyList

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
  final class SharedState: SearchOrder {
    private let lock: Lock<State>

    init(_ state: State) {
      lock = Lock(state)
    }

    func withLock<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
      try lock.withLock(body)
    }

    var count: Int { lock.withLock { $0.searchList.names.count } }

    func visit(_ body: (SearchPath.Domain) -> Bool) {
      lock.withLock { $0.searchList.visit(body) }
    }
  }

  /// The domain of a name, if a domain can have it. The object holds it until the next synchronize, so that its
  /// file is read once until then.
  func persistentDomain(_ name: String) -> PersistentDomain? {
    // A name that no file can have is no domain's.
    guard let domain = (try? persistent.name(name)).map(persistent.domain) else { return nil }
    state.withLock { $0.searchList.hold(domain) }
    return domain
  }

  /// Releases the domains that were asked for by name, and gives the persistent ones that this object, or another, still holds.
  func releaseAskedFor() -> [PersistentDomain] {
    var (held, released) = state.withLock { $0.searchList.release() }
    let references = released.map { WeakReference($0) }
    released = []
    return held + references.compactMap { $0.object as? PersistentDomain }
  }

  /// Whether a name is among ``persistentDomainNames()``.
  func persistentDomainExists(_ name: DomainName) -> Bool {
    name == .global || persistent.exists(name)
  }

  /// Changes the search list; the next lookup uses the new one. O(n) for n domains.
  func changeSearchList(_ body: (inout State) -> Void) {
    let former = state.withLock { state in
      let former = state.searchList
      body(&state)
      return former
    }
    // Domains that are searched no longer may be large: their memory is freed here, outside of all locks.
    withExtendedLifetime(former) {
      path.invalidate()
      searchListChanged()
    }
  }

  /// Changes the domains of one name, or its place in the search list; the next lookup uses the new ones.
  ///
  /// Constant time on average, apart from the keys that are observed.
  func changeSearchList<Result>(of name: String, _ body: (inout State) -> Result) -> Result {
    let key = PropertyListKey(name)
    let (result, isSearched, changed) = state.withLock { state in
      var (isSearched, changed) = (state.searchList.names.contains(name), state.searchList.domains(of: key))
      let result = body(&state)
      isSearched = isSearched || state.searchList.names.contains(name)
      changed += state.searchList.domains(of: key)
      return (result, isSearched, changed)
    }
    if isSearched {
      path.invalidate()
      searchListChanged(in: changed)
    }
    return result
  }

  /// Adds a persistent domain that was just made, whose name may be in the search list already.
  func search(_ domain: PersistentDomain) {
    changeSearchList(of: domain.name.text) { $0.searchList.add(domain) }
  }
}

extension NSUserDefaults: Synchronizable {}
