/// The copies of files that a log's records need, and how many bytes those of each command take.
///
/// Two records share a copy where the second command has found the file as the first one has left it.
struct HistoryCopies: Sendable {
  private struct Copy {
    /// How many records need it.
    var recordCount = 0
    /// The number of the newest command that has needed it, also where that record was removed. Then its size counts in the
    /// total, but for no command, so that one command too many may be removed.
    var newest = 0
    /// Its size in bytes; nil until it is measured.
    var byteCount: Int?
  }

  private var copies: [String: Copy] = [:]
  /// The names of those that were not measured yet.
  private var unmeasured: [String] = []
  /// The names of those that only a removed record needed.
  private var abandoned: [String] = []
  /// For each command, the size of the copies of which it is the newest user, and with which they go.
  private var byteCounts: [Int: Int] = [:]
  /// The size of all copies that were measured, in bytes.
  private(set) var byteCount = 0

  /// Whether a record needs the copy of a name.
  func contains(_ name: String) -> Bool { copies[name] != nil }

  /// The size of the copies that go with a command, in bytes.
  func byteCount(ofCommand identifier: Int) -> Int { byteCounts[identifier] ?? 0 }

  /// Adds the copies that a record needs.
  mutating func add(_ record: HistoryRecord) {
    for name in record.copies {
      if !contains(name) { unmeasured.append(name) }
      update(name) { copy in
        copy.recordCount += 1
        copy.newest = max(copy.newest, record.identifier)
      }
    }
  }

  /// Removes the copies that only this record needs.
  mutating func remove(_ record: HistoryRecord) {
    for name in record.copies {
      update(name) { $0.recordCount -= 1 }
      if !contains(name) { abandoned.append(name) }
    }
  }

  /// Finds out the sizes that are not known yet.
  ///
  /// - Complexity: linear in the number of the copies that were added since the last time.
  mutating func measure(_ size: (String) -> Int) {
    for name in unmeasured where contains(name) {
      update(name) { $0.byteCount = size(name) }
    }
    unmeasured = []
  }

  /// Whether there are copies for ``takeAbandoned()``.
  var hasAbandoned: Bool { !abandoned.isEmpty }

  /// The names of the copies that no record has needed any more since the last time.
  mutating func takeAbandoned() -> [String] {
    defer { abandoned = [] }
    return abandoned.filter { !contains($0) }
  }

  /// Changes one copy, which is kept as long as a record needs it.
  private mutating func update(_ name: String, _ change: (inout Copy) -> Void) {
    var copy = copies.removeValue(forKey: name) ?? Copy()
    count(copy, times: -1)
    change(&copy)
    count(copy, times: 1)
    if copy.recordCount > 0 { copies[name] = copy }
  }

  private mutating func count(_ copy: Copy, times factor: Int) {
    guard copy.recordCount > 0, let size = copy.byteCount else { return }
    byteCount += factor * size
    byteCounts[copy.newest, default: 0] += factor * size
  }
}
