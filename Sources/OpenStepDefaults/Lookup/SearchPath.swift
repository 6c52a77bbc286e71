import DefaultsDatabase
package import OpenStepPropertyList
import Synchronization

/// The domains that an object searches, in order, for lookups from any thread without a lock.
package final class SearchPath: @unchecked Sendable {
  // Unchecked: `root` is atomic, and the rest behind the lock or constant.

  /// A domain to search.
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

    fileprivate var step: SearchedTables.Step {
      switch self {
      case .persistent(let domain): .table(domain.table.reference)
      case .volatile(let domain):
        switch domain.contents {
        case .values(let table): .table(table.reference)
        case .language: .language
        }
      }
    }
  }

  private let root: Atomic<UnsafeMutableRawPointer>
  private let state: Lock<State>
  private let readers = ReaderCounters.shared
  private let seed = LookupKey.seed

  private struct State {
    var domains: [Domain] = []
    var tables: SearchedTables
    /// Domains that are searched no more, with the lists that led to them.
    var retired = RetiredMemory()
  }

  package init(_ domains: [Domain] = []) {
    let tables = SearchedTables(domains.map(\.step))
    root = Atomic(tables.address)
    state = Lock(State(domains: domains, tables: tables))
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
    state.withLock { $0.domains }
  }

  /// Sets the domains to search, front to back.
  package func set(_ domains: [Domain]) {
    let tables = SearchedTables(domains.map(\.step))
    state.withLock { state in
      let old = (state.tables, state.domains)
      (state.tables, state.domains) = (tables, domains)
      root.store(tables.address, ordering: .sequentiallyConsistent)
      state.retired.add(.list(old.0, old.1), isLarge: true)
    }
  }

  // MARK: - Looking up

  /// The first value for a key in the order of the search.
  package func value(for key: PropertyListKey) -> PropertyList? {
    value(for: key.text)
  }

  /// The first value for a key in the order of the search.
  package func value(for key: String) -> PropertyList? {
    // One copy of the fast path, not one in every caller.
    switch read(key, { entry in entry.map { Answer.value($0.pointee.value) } ?? .absent }, unknown: .unknown)
    {
    case .value(let value): value
    case .absent: nil
    case .unknown: slowValue(for: PropertyListKey(key))
    }
  }

  private enum Answer {
    case value(PropertyList)
    case absent, unknown
  }

  /// What ``NSUserDefaults/integerForKey(_:)`` gives.
  func integer(for key: String) -> Int {
    let (value, isKnown) = read(key, { ($0?.pointee.integer ?? 0, true) }, unknown: (0, false))
    return isKnown ? value : slowValue(for: PropertyListKey(key))?.classicInteger ?? 0
  }

  /// What ``NSUserDefaults/objectForKey(_:)`` gives; a container is converted once and then kept.
  func classicObject(for key: String) -> Any? {
    object(for: key, to: .classic, ClassicValues.object)
  }

  /// The first value for a key as the object that Foundation's classes see.
  ///
  /// - Parameter convert: Makes the object; where it is known, nothing is called. It must not call back.
  package func foundationObject(for key: String, _ convert: (PropertyList) -> Any) -> Any? {
    object(for: key, to: .foundation, convert)
  }

  private func object(
    for key: String, to reader: LookupEntry.Reader, _ convert: (PropertyList) -> Any
  ) -> Any? {
    let (object, isKnown) = read(
      key, { ($0?.pointee.object(for: reader, convert), true) }, unknown: (nil, false))
    return isKnown ? object : slowValue(for: PropertyListKey(key)).map(convert)
  }

  /// Runs a body with the first entry for a key, which it must not let out.
  @inline(__always)
  private func read<Result>(
    _ key: String, _ body: (LookupEntry.Pointer?) -> Result, unknown: @autoclosure () -> Result
  ) -> Result {
    key.withBytes { bytes in
      let key = LookupKey(bytes, seed: seed)
      let counter = readers.ofThisThread
      counter.pointee.wrappingAdd(1, ordering: .sequentiallyConsistent)
      defer { counter.pointee.wrappingSubtract(1, ordering: .releasing) }
      let tables = SearchedTables(address: root.load(ordering: .sequentiallyConsistent))
      switch tables.search(for: key) {
      case .found(let entry): return body(entry)
      case .absent: return body(nil)
      case .unknown: return unknown()
      }
    }
  }

  /// The first value for a key, with the locks of the domains.
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
  /// The whole number that the text of a scalar begins with; 0 without one.
  var classicInteger: Int {
    scalarText.map(StringCoding.integer) ?? 0
  }
}
