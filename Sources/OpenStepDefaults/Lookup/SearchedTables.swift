import Synchronization

/// A list of tables to search, in a piece of memory that readers come to without a lock.
struct SearchedTables {
  private let memory: UnsafeMutableRawPointer

  /// A step of a search.
  enum Step {
    case table(LookupTable.Reference)
    /// A domain that is asked under a lock, and has only keys that begin with `NS`.
    case language
  }

  init(_ domains: [SearchPath.Domain]) {
    let size = MemoryLayout<Int>.stride + domains.count * MemoryLayout<Step>.stride
    memory = .allocate(byteCount: size, alignment: 16)
    memory.storeBytes(of: domains.count, as: Int.self)
    let slots = (memory + MemoryLayout<Int>.stride).bindMemory(to: Step.self, capacity: domains.count)
    for (index, domain) in domains.enumerated() { (slots + index).initialize(to: domain.step) }
  }

  func free() {
    memory.deallocate()
  }

  init(address: UnsafeMutableRawPointer) {
    memory = address
  }

  var address: UnsafeMutableRawPointer { memory }

  /// Searches the tables in order; for readers that are counted.
  @inline(__always)
  func search(for key: LookupKey) -> LookupOutcome {
    let count = memory.load(as: Int.self)
    let steps = (memory + MemoryLayout<Int>.stride).assumingMemoryBound(to: Step.self)
    for index in 0..<count {
      switch steps[index] {
      case .table(let table):
        let outcome = table.search(for: key)
        if case .absent = outcome { continue }
        return outcome
      case .language:
        if key.mayBeOfLanguage { return .unknown }
      }
    }
    return .absent
  }
}
