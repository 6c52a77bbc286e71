import Synchronization

/// The tables of a ``SearchPath``'s domains, in the order of the search, in a piece of memory that readers reach without
/// a lock.
struct SearchedTables {
  private let memory: UnsafeMutableRawPointer

  /// A step of a search.
  enum Step {
    case table(LookupTable.Reference)
    /// A domain that needs a lock, and has only keys that begin with `NS`.
    case computed
    /// Stands for a list that is not made yet.
    case unmade

    /// What tells the step's domain from others; nil without a table.
    var identity: DomainIdentity? {
      if case .table(let table) = self { DomainIdentity(table) } else { nil }
    }

    /// Takes the step, inside a read-side critical section (``ReaderCounters``).
    func search(for key: LookupKey) -> LookupOutcome {
      switch self {
      case .table(let table): table.search(for: key)
      case .computed: key.mayBeComputed ? .unknown : .absent
      case .unmade: .unknown
      }
    }
  }

  /// A list that makes every search take the slow path with the locks.
  static var unmade: SearchedTables { SearchedTables(steps: CollectionOfOne(.unmade)) }

  init(_ domains: [SearchPath.Domain]) {
    self.init(steps: domains.lazy.map(\.step))
  }

  private init(steps: some Collection<Step>) {
    let size = MemoryLayout<Int>.stride + steps.count * MemoryLayout<Step>.stride
    memory = .allocate(byteCount: size, alignment: 16)
    memory.storeBytes(of: steps.count, as: Int.self)
    let slots = (memory + MemoryLayout<Int>.stride).bindMemory(to: Step.self, capacity: steps.count)
    for (index, step) in steps.enumerated() { (slots + index).initialize(to: step) }
  }

  func free() {
    memory.deallocate()
  }

  init(address: UnsafeMutableRawPointer) {
    memory = address
  }

  var address: UnsafeMutableRawPointer { memory }

  /// Searches the tables in order, inside a read-side critical section (``ReaderCounters``).
  @inline(__always)
  func search(for key: LookupKey) -> LookupOutcome {
    for step in steps {
      switch step {
      case .table(let table):
        let outcome = table.search(for: key)
        if case .absent = outcome { continue }
        return outcome
      case .computed:
        if key.mayBeComputed { return .unknown }
      case .unmade:
        return .unknown
      }
    }
    return .absent
  }

  /// The steps of a search, front to back, inside a read-side critical section.
  @inline(__always)
  var steps: UnsafeBufferPointer<Step> {
    let first = (memory + MemoryLayout<Int>.stride).assumingMemoryBound(to: Step.self)
    return UnsafeBufferPointer(start: first, count: memory.load(as: Int.self))
  }
}
