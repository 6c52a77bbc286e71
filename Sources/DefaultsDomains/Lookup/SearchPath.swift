import DefaultsDatabase
package import OpenStepPropertyList
import Synchronization

/// Looks up keys in the domains of an object, in their order, from any thread and without a lock.
///
/// Which domains these are, and in which order, the object's class decides: `SearchList` holds them for a classic
/// object, `SearchedDomains` for a modern one. ``SearchedTables`` is what readers search.
package final class SearchPath: @unchecked Sendable {
  // Unchecked, because of `root`, which is atomic; the rest is constant or guarded by the lock.

  /// A domain of the chain.
  package enum Domain: Sendable {
    case persistent(PersistentDomain)
    case volatile(VolatileDomain)

    package func value(for key: PropertyListKey) -> PropertyList? {
      switch self {
      case .persistent(let domain): domain.value(for: key)
      case .volatile(let domain): domain.value(for: key)
      }
    }

    package var values: [PropertyListKey: PropertyList] {
      switch self {
      case .persistent(let domain): domain.values
      case .volatile(let domain): domain.values
      }
    }

    /// The step of a search in this domain.
    var step: SearchedTables.Step {
      switch self {
      case .persistent(let domain): .table(domain.table.reference)
      case .volatile(let domain):
        switch domain.contents {
        case .values(let table): .table(table.reference)
        case .computed: .computed
        }
      }
    }
  }

  private let root: Atomic<UnsafeMutableRawPointer>
  /// Gives the domains when the list has to be made again.
  private let source: @Sendable () -> [Domain]
  private let state: Lock<State>
  private let readers = ReaderCounters.shared
  private let seed = LookupKey.seed

  private struct State {
    var domains: [Domain] = []
    var tables: SearchedTables
    /// Whether the list has to be made when it is needed next.
    var isUnmade = true
    /// Lists that are replaced, with the domains to which they lead.
    var retired = RetiredMemory()
  }

  /// Makes a chain whose list of domains is made when it is needed, so that n changes in a row take linear
  /// time.
  ///
  /// - Parameter source: Gives the domains to search. It must not call the chain, and must not take a lock
  ///   that another thread holds while it calls the chain.
  package init(from source: @escaping @Sendable () -> [Domain]) {
    let tables = SearchedTables.unmade
    root = Atomic(tables.address)
    state = Lock(State(tables: tables))
    self.source = source
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
      if state.isUnmade {
        let domains = source()
        replaceList(with: domains, SearchedTables(domains), in: &state)
        state.isUnmade = false
      }
      return state.domains
    }
  }

  /// Makes the next search ask the source for the domains again. O(1).
  package func invalidate() {
    withState { state in
      if state.isUnmade { return }
      replaceList(with: [], .unmade, in: &state)
      state.isUnmade = true
    }
  }

  /// Runs a body with the state, and frees the lists that no reader uses any more after the lock is released:
  /// they may hold the last reference to a domain.
  private func withState<Result>(_ body: (inout State) -> Result) -> Result {
    var pieces: [RetiredMemory.Piece] = []
    defer { for piece in pieces { piece.free() } }
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
  package func value(for key: PropertyListKey) -> PropertyList? {
    value(for: key.text)
  }

  /// The first value for a key in the order of the search.
  package func value(for key: String) -> PropertyList? {
    read(key) {
      $0?.pointee.value
    } orWith: {
      $0
    }
  }

  /// The whole number at the start of the first value's text, by the period's rules; 0 without one.
  package func integer(for key: String) -> Int {
    read(key) {
      $0?.pointee.integer ?? 0
    } orWith: {
      $0?.classicInteger ?? 0
    }
  }

  /// The decimal number at the start of the first value's text, by the period's rules; 0 without one.
  package func double(for key: String) -> Double {
    read(key) {
      $0?.pointee.double ?? 0
    } orWith: {
      $0?.classicDouble ?? 0
    }
  }

  /// The first value for a key if it is a whole number that an `Int` holds; 0 if the key is absent; nil if a
  /// single probe does not tell.
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

  /// The first value for a key as an object; a container is converted once and then kept.
  ///
  /// - Parameter convert: Makes the object; it must not call back.
  package func object(
    for key: String, to reader: LookupReader, _ convert: (PropertyList) -> Any
  ) -> Any? {
    read(key) { entry -> Any? in
      guard let entry else { return nil }
      // A string is an object already.
      if case .string(let text) = entry.pointee.value { return text }
      let object: Any = entry.pointee.withObject(for: reader, convert) { $0.object }
      return object
    } orWith: {
      $0.map(convert)
    }
  }

  /// The first value for a key as ``object(for:to:_:)`` gives it, if it is a dictionary.
  package func dictionary(
    for key: String, to reader: LookupReader, _ convert: (PropertyList) -> Any
  ) -> [String: Any]? {
    read(key) { entry -> [String: Any]? in
      guard let entry, case .dictionary = entry.pointee.value else { return nil }
      return entry.pointee.withObject(for: reader, convert) { $0.dictionary }
    } orWith: {
      $0.map(convert) as? [String: Any]
    }
  }

  /// The first value for a key as ``object(for:to:_:)`` gives it, if it is an array.
  package func array(
    for key: String, to reader: LookupReader, _ convert: (PropertyList) -> Any
  ) -> [Any]? {
    read(key) { entry -> [Any]? in
      guard let entry, case .array = entry.pointee.value else { return nil }
      return entry.pointee.withObject(for: reader, convert) { $0.array }
    } orWith: {
      $0.map(convert) as? [Any]
    }
  }

  /// What has been attached to the first value for a key, if that is data; it is made once and then kept.
  ///
  /// - Parameters:
  ///   - convert: Makes the object for the value if there is none yet; it must not call back.
  ///   - attach: Makes what is attached from the value's bytes and its object; it must not call back.
  /// - Returns: nil if the value is not data.
  package func attachment(
    toDataFor key: String, for reader: LookupReader, _ convert: (PropertyList) -> Any,
    attaching attach: ([UInt8], Any) -> any AnyObject & Sendable
  ) -> (any AnyObject & Sendable)? {
    read(key) { entry -> (any AnyObject & Sendable)? in
      guard let entry, case .data(let bytes) = entry.pointee.value else { return nil }
      return entry.pointee.withObject(for: reader, convert) { object in
        object.attachment { attach(bytes, object.object) }
      }
    } orWith: { value in
      guard let value, case .data(let bytes) = value else { return nil }
      return attach(bytes, convert(value))
    }
  }

  /// Runs a body with the first entry for a key, which must not leave the body.
  ///
  /// - Parameter slow: Makes the same result from a value that was found with the domains' locks.
  @inline(__always)
  private func read<Result>(
    _ key: String, _ body: (LookupEntry.Pointer?) -> Result, orWith slow: (PropertyList?) -> Result
  ) -> Result {
    key.withBytes { bytes in
      let lookupKey = LookupKey(bytes, seed: seed)
      let counter = readers.ofThisThread
      counter.pointee.wrappingAdd(1, ordering: .sequentiallyConsistent)
      defer { counter.pointee.wrappingSubtract(1, ordering: .releasing) }
      let tables = SearchedTables(address: root.load(ordering: .sequentiallyConsistent))
      switch tables.search(for: lookupKey) {
      case .found(let entry): return body(entry)
      case .absent: return body(nil)
      // A thread that holds a domain's lock never waits for readers, so that waiting for the lock cannot
      // deadlock.
      case .unknown: return slow(slowValue(for: PropertyListKey(key)))
      }
    }
  }

  /// The first value for a key, found with the domains' locks.
  private func slowValue(for key: PropertyListKey) -> PropertyList? {
    for domain in domains {
      if let value = domain.value(for: key) { return value }
    }
    return nil
  }

  /// All keys with the values that a lookup finds.
  package var union: [PropertyListKey: PropertyList] {
    var result: [PropertyListKey: PropertyList] = [:]
    for domain in domains { result.merge(domain.values) { first, _ in first } }
    return result
  }
}

extension PropertyList {
  /// The whole number at the start of a scalar's text; 0 without one.
  var classicInteger: Int {
    // The same as its digits would give; writing and parsing them takes half as long as the rest of a set.
    if case .integer(let number) = self, let int = number.int { return int }
    return scalarText.map(StringCoding.integer) ?? 0
  }

  /// The decimal number at the start of a scalar's text; 0 without one.
  var classicDouble: Double {
    scalarText.map(StringCoding.double) ?? 0
  }
}
