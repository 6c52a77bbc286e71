/// What became of one operation.
public struct OperationRecord: Hashable, Codable, Sendable {
  public let operation: ScheduledOperation
  /// When it was called, in nanoseconds of a clock that all processes share.
  public let start: UInt64
  /// When it returned, and what its caller saw; nil if its process was killed, so that it may have taken effect or
  /// not.
  public let outcome: Outcome?

  public struct Outcome: Hashable, Codable, Sendable {
    public let end: UInt64
    public let seen: Int

    public init(end: UInt64, seen: Int) {
      (self.end, self.seen) = (end, seen)
    }
  }

  public init(_ operation: ScheduledOperation, start: UInt64, outcome: Outcome?) {
    (self.operation, self.start, self.outcome) = (operation, start, outcome)
  }
}

/// The operations of several threads on the same numbers, at most 64.
///
/// It is linearizable if each operation can be given a moment between its call and its return, so that all operations,
/// one after the other in the order of these moments, give what the callers saw. For operations on several numbers
/// this is the same as strict serializability.
public struct History: Sendable {
  public let records: [OperationRecord]
  /// The numbers before and after; nil if it is not known what is left.
  public let start: [Int]
  public let end: [Int]?

  public init(_ records: [OperationRecord], start: [Int], end: [Int]?) {
    precondition(records.count <= 64, "a history has 64 operations at most")
    (self.records, self.start, self.end) = (records, start, end)
  }

  /// Whether it is linearizable.
  ///
  /// This is the search of Wing and Gong (“Testing and verifying concurrent objects”, 1993): next comes any operation
  /// that was called before the first return of those that are left. A set of operations that has led to the same
  /// numbers before is not searched again (Lowe, “Testing for linearizability”, 2017).
  public var isLinearizable: Bool {
    struct Node: Hashable {
      /// The operations that have been put in order, one bit each.
      let done: UInt64
      let numbers: [Int]
    }
    var visited: Set<Node> = []
    let returned = records.indices.reduce(UInt64(0)) { records[$1].outcome == nil ? $0 : $0 | 1 << $1 }
    func search(_ node: Node) -> Bool {
      guard visited.insert(node).inserted else { return false }
      if node.done & returned == returned, end == nil || node.numbers == end { return true }
      let left = records.indices.filter { node.done & 1 << $0 == 0 }
      let firstReturn = left.compactMap { records[$0].outcome?.end }.min() ?? .max
      for index in left where records[index].start <= firstReturn {
        var numbers = node.numbers
        let seen = records[index].operation.apply(to: &numbers)
        if let outcome = records[index].outcome, outcome.seen != seen { continue }
        if search(Node(done: node.done | 1 << index, numbers: numbers)) { return true }
      }
      return false
    }
    return search(Node(done: 0, numbers: start))
  }

  /// The part of the history that is about some of the numbers, which no operation connects with others.
  ///
  /// A history is linearizable if each such part is (Herlihy and Wing, 1990), and parts are searched much faster.
  public func part(about keys: Set<Int>) -> History {
    History(
      records.filter { keys.contains($0.operation.key) }, start: start.masked(by: keys),
      end: end.map { $0.masked(by: keys) })
  }
}

extension History: CustomStringConvertible {
  public var description: String {
    let first = records.map(\.start).min() ?? 0
    let lines = records.sorted { $0.start < $1.start }.map { record in
      let outcome = record.outcome.map { "\(($0.end - first) / 1000) saw \($0.seen)" } ?? "killed"
      return "  \((record.start - first) / 1000)…\(outcome): \(record.operation)"
    }
    return (["began with \(start)"] + lines + ["left \(end.map { "\($0)" } ?? "something unknown")"]).joined(
      separator: "\n")
  }
}

extension [Int] {
  /// These numbers, with 0 in the place of all but some.
  fileprivate func masked(by keys: Set<Int>) -> [Int] {
    enumerated().map { keys.contains($0.offset) ? $0.element : 0 }
  }
}
