import DefaultsDatabase
package import OpenStepPropertyList
import Synchronization

/// Looks up keys in the domains of an object, in their order, from any thread and without a lock.
///
/// Which domains these are, and in which order, the object's class decides: `SearchList` holds them for a classic
/// object, `SearchedDomains` for a modern one. ``SearchedTables`` is what readers search.
package final class SearchPath: @unchecked Sendable {
  // Unchecked, because of `root`, which is atomic; the rest is constant or guarded by the lock.

  private let root: Atomic<UnsafeMutableRawPointer>
  private let order: any SearchOrder
  private let state: Lock<State>
  private let readers = ReaderCounters.shared
  private let seed = LookupKey.seed

  private struct State {
    var domains: [Domain] = []
    var tables: SearchedTables
    /// Whether the list has to be made when it is needed next.
    var isUnmade = true
    /// How many domains lookups have visited since the order changed, and ``SearchPath/shortCount`` for each of
    /// these lookups.
    var visitedCount = 0
    /// Lists that are replaced, with the domains to which they lead.
    var retired = RetiredMemory()
  }

  /// The list of so many domains, or fewer, is made by the first lookup.
  private static var shortCount: Int { 64 }

  /// Makes a path that makes its list of domains only when lookups need it.
  ///
  /// To make the list of n domains takes time in proportion to n. So the first lookups after a change of a long order
  /// go without a list, from domain to domain until they find the key. When together they have visited as many
  /// domains as there are, the list is made. A lookup after each of n changes then costs a lookup, and not a list.
  package init(_ order: any SearchOrder) {
    let tables = SearchedTables.unmade
    root = Atomic(tables.address)
    state = Lock(State(tables: tables))
    self.order = order
  }

  deinit {
    state.withLock { state in
      state.retired.freeAll()
      state.tables.free()
    }
  }

  // MARK: - The list

  /// The domains that are searched, front to back.
  package var domains: [Domain] {
    withState { state in
      if state.isUnmade { makeList(in: &state) }
      return state.domains
    }
  }

  private func makeList(in state: inout State) {
    var domains: [Domain] = []
    order.visit { domain in
      domains.append(domain)
      return true
    }
    replaceList(with: domains, SearchedTables(domains), in: &state)
    state.isUnmade = false
  }

  /// Makes the next search ask for the order again, which has changed. O(1), apart from the list's own end.
  package func invalidate() {
    withState { state in
      state.visitedCount = 0
      if state.isUnmade { return }
      replaceList(with: [], .unmade, in: &state)
      state.isUnmade = true
    }
  }

  /// Runs a body with the state, and frees the lists that no reader uses any more after the lock is released:
  /// they may hold the last reference to a domain.
  private func withState<Result>(_ body: (inout State) -> Result) -> Result {
    var pieces: [RetiredMemory.Piece] = []
    defer { if !pieces.isEmpty { RetiredMemory.free(&pieces, now: true) } }
    return state.withLock { state in
      defer { pieces = state.retired.takeFreeable() }
      return body(&state)
    }
  }

  private func replaceList(with domains: [Domain], _ tables: SearchedTables, in state: inout State) {
    let old = (state.tables, state.domains)
    (state.tables, state.domains) = (tables, domains)
    root.store(tables.address, ordering: .sequentiallyConsistent)
    state.retired.add(.list(old.0, old.1), isLarge: true)
  }

  // MARK: - Looking up

  /// The first value for a key in the order of the search.
  package func value(for key: PropertyListKey) -> PropertyList? { value(for: key.text) }

  /// The first value for a key in the order of the search, and its domain.
  package func found(for key: PropertyListKey) -> FoundValue? {
    key.text.withBytes { bytes in
      let lookupKey = LookupKey(bytes, seed: seed)
      let (found, isKnown): (FoundValue?, Bool) = reading { tables in
        for step in tables.steps {
          switch step.search(for: lookupKey) {
          case .found(let entry): return (FoundValue(entry.pointee.value, in: step.identity), true)
          case .absent: continue
          case .unknown: return (nil, false)
          }
        }
        return (nil, true)
      }
      return isKnown ? found : slowlyFound(key, lookupKey)
    }
  }

  /// The first value for a key in the order of the search.
  package func value(for key: String) -> PropertyList? {
    read(key) {
      $0?.pointee.value
    } orWith: {
      $0
    }
  }

  /// The whole number at the start of the first value's text, by OPENSTEP's rules; 0 without one.
  package func integer(for key: String) -> Int {
    read(key) {
      $0?.pointee.integer ?? 0
    } orWith: {
      $0?.classicInteger ?? 0
    }
  }

  /// The decimal number at the start of the first value's text, by OPENSTEP's rules; 0 without one.
  package func double(for key: String) -> Double {
    read(key) {
      $0?.pointee.double ?? 0
    } orWith: {
      $0?.classicDouble ?? 0
    }
  }

  /// The first value for a key if it is a whole number that an `Int` holds; 0 if the key is absent; nil if more than
  /// a single probe is necessary to decide.
  ///
  /// For Foundation's integers, most of which are stored as such: copying the value takes as long as finding
  /// it.
  package func wholeNumber(for key: String) -> Int? {
    read(key) { entry in
      guard let entry else { return 0 }
      if case .integer(let number) = entry.pointee.value { return number.int }
      return nil
    } orWith: { _ in
      nil
    }
  }

  /// Whether there is a value for a key.
  package func hasValue(for key: String) -> Bool {
    read(key) {
      $0 != nil
    } orWith: {
      $0 != nil
    }
  }

  /// Runs a body with the first entry for a key, which must not leave the body.
  ///
  /// - Parameter slow: Makes the same result from a value that was found with the domains' locks.
  @inline(__always)
  func read<Result>(
    _ key: String, _ body: (LookupEntry.Pointer?) -> Result, orWith slow: (PropertyList?) -> Result
  ) -> Result {
    key.withBytes { bytes in
      let lookupKey = LookupKey(bytes, seed: seed)
      // Written out, so that the section can end before a slow search.
      let counter = readers.ofThisThread
      counter.pointee.wrappingAdd(1, ordering: .sequentiallyConsistent)
      let entry: LookupEntry.Pointer?
      switch SearchedTables(address: root.load(ordering: .sequentiallyConsistent)).search(for: lookupKey) {
      case .found(let found): entry = found
      case .absent: entry = nil
      case .unknown:
        // The section ends first: a large value may have to be parsed, and whatever other threads replace during a section
        // stays in memory.
        counter.pointee.wrappingSubtract(1, ordering: .releasing)
        return slow(slowlyFound(PropertyListKey(key), lookupKey)?.value)
      }
      defer { counter.pointee.wrappingSubtract(1, ordering: .releasing) }
      return body(entry)
    }
  }

  /// Runs a body in a read-side critical section, with the present list and a key.
  @inline(__always)
  func withTables<Result>(
    for key: String, _ body: (SearchedTables, LookupKey) -> Result
  ) -> Result {
    key.withBytes { bytes in
      let lookupKey = LookupKey(bytes, seed: seed)
      return reading { body($0, lookupKey) }
    }
  }

  /// Runs a body in a read-side critical section, with the present list.
  ///
  /// The body may wait for a domain's lock, since a thread that holds one never waits for readers.
  @inline(__always)
  private func reading<Result>(_ body: (SearchedTables) -> Result) -> Result {
    let counter = readers.ofThisThread
    counter.pointee.wrappingAdd(1, ordering: .sequentiallyConsistent)
    defer { counter.pointee.wrappingSubtract(1, ordering: .releasing) }
    return body(SearchedTables(address: root.load(ordering: .sequentiallyConsistent)))
  }

  /// The first value for a key, found with the locks of the domains and of their order.
  private func slowlyFound(_ key: PropertyListKey, _ lookupKey: LookupKey) -> FoundValue? {
    if isWorthVisiting {
      guard let domain = visitedDomain(for: lookupKey) else { return nil }
      if let value = domain.value(for: key) { return FoundValue(value, in: domain.identity) }
      // The domain may have lost the value by now, or be a computed one without it.
    }
    for domain in domains {
      if let value = domain.value(for: key) { return FoundValue(value, in: domain.identity) }
    }
    return nil
  }

  /// Whether the list is not made, and not worth it yet.
  private var isWorthVisiting: Bool {
    state.withLock { state in
      guard state.isUnmade else { return false }
      let count = order.count
      return count > SearchPath.shortCount && count > state.visitedCount
    }
  }

  /// The first domain of the order that may have a value for a key.
  private func visitedDomain(for key: LookupKey) -> Domain? {
    var (visitedCount, found) = (SearchPath.shortCount, Domain?.none)
    reading { _ in
      order.visit { domain in
        visitedCount += 1
        if case .absent = domain.step.search(for: key) { return true }
        found = domain
        return false
      }
    }
    state.withLock { $0.visitedCount += visitedCount }
    return found
  }
}
