/// A directory's entries on an imaginary disk.
package struct RecordedDirectory: Hashable, Sendable {
  /// One operation on the entries, which the disk does wholly or not at all.
  private enum Change: Hashable, Sendable {
    case add(String, UInt64)
    case remove(String)
    case rename(String, String, UInt64)
  }

  /// What processes see: the inode of each name.
  private(set) var live: [String: UInt64] = [:]
  private var durable: [String: UInt64] = [:]
  /// The operations since the last flush, in order.
  private var pending: [Change] = []

  /// Makes a directory whose entries are on stable storage.
  init(durable entries: [String: UInt64] = [:]) {
    live = entries
    durable = entries
  }

  mutating func flush() {
    durable = live
    pending = []
  }

  mutating func add(_ name: String, _ inode: UInt64) {
    make(.add(name, inode))
  }

  mutating func remove(_ name: String) {
    make(.remove(name))
  }

  mutating func rename(_ name: String, to newName: String) {
    if let inode = live[name] { make(.rename(name, newName, inode)) }
  }

  private mutating func make(_ change: Change) {
    pending.append(change)
    RecordedDirectory.apply(change, to: &live)
  }

  private static func apply(_ change: Change, to entries: inout [String: UInt64]) {
    switch change {
    case .add(let name, let inode): entries[name] = inode
    case .remove(let name): entries[name] = nil
    case .rename(let name, let newName, let inode):
      // The old name may be gone already, or not be there yet, where the disk changes the order.
      if entries[name] == inode { entries[name] = nil }
      entries[newName] = inode
    }
  }

  /// The directory as a loss of power may leave it.
  ///
  /// Each operation since the last flush was done or not, whatever became of those before it: POSIX
  /// promises no order. That includes every disk that keeps the order and merely stops somewhere.
  /// Of more than ten operations only the last ten are taken apart, the others may stop anywhere.
  var afterPowerCut: [RecordedDirectory] {
    let taken = pending.suffix(10)
    var starts: [[String: UInt64]] = [durable]
    for change in pending.dropLast(taken.count) {
      var entries = starts[starts.count - 1]
      RecordedDirectory.apply(change, to: &entries)
      starts.append(entries)
    }
    var outcomes = Set(starts.dropLast())
    let start = starts[starts.count - 1]
    for choice in 0..<(1 << taken.count) {
      var entries = start
      for (bit, change) in taken.enumerated() where choice & (1 << bit) != 0 {
        RecordedDirectory.apply(change, to: &entries)
      }
      outcomes.insert(entries)
    }
    return outcomes.map(RecordedDirectory.init(durable:))
  }
}
