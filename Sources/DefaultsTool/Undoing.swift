import DefaultsDatabase
import DefaultsHistory
import OpenStepPropertyList

/// Takes back one record of the history.
struct Undoing {
  private let database: UserDatabase
  private let managed: ManagedKeys
  private let isForced: Bool
  private let reading: UndoReading

  init(database: UserDatabase, history: History, managed: ManagedKeys, isForced: Bool) {
    self.database = database
    self.managed = managed
    self.isForced = isForced
    reading = UndoReading(of: database, history)
  }

  /// What becomes of a file.
  private enum Outcome {
    case keep
    case bytes([UInt8]?)
    case value(PropertyList?)
    case conflicts(PropertyListMerge.Conflicts)
  }

  /// Whether something is left to be taken back; true also where that cannot be told.
  func hasEffect(_ record: HistoryRecord) throws -> Bool {
    if record.isIncomplete { return true }
    return if case .keep = try outcome(of: record) { false } else { true }
  }

  /// The keys that were changed again.
  func conflicts(of record: HistoryRecord) throws -> PropertyListMerge.Conflicts {
    guard case .conflicts(let conflicts) = try outcome(of: record) else { return .none }
    return conflicts
  }

  /// Takes it back.
  func carryOut(
    _ record: HistoryRecord, rehearsing isRehearsal: Bool
  ) throws -> DomainReplacement {
    // No reason to end halfway: what is read was read by the rehearsal.
    if !isRehearsal { reading.isBounded = false }
    return try database.replaceFile(
      of: record.domain, managed, rehearsing: isRehearsal, onDamage: isForced ? .moveAside : .refuse,
      isBareIfNew: record.wasBare
    ) { now, _ in
      let present = PresentDomain(record.domain, bytes: now, in: database)
      try reading.count(present)
      switch try outcome(of: record, now: present) {
      case .keep: return .keep
      case .bytes(let bytes): return bytes.map { .formerBytes($0) } ?? .none
      case .value(let value): return value.map { .value($0) } ?? .none
      case .conflicts:
        throw CommandError(.differs, "\(record.domain): was changed meanwhile; it is as it was")
      }
    }
  }

  private func outcome(of record: HistoryRecord) throws -> Outcome {
    try outcome(of: record, now: reading.present(record.domain))
  }

  private func outcome(of record: HistoryRecord, now: PresentDomain) throws -> Outcome {
    let before = try reading.bytes(of: record.before)
    if try reading.areEqual(now.bytes, before) { return .keep }
    if isForced { return .bytes(before) }
    let after = try reading.bytes(of: record.after)
    if try reading.areEqual(now.bytes, after) { return .bytes(before) }
    // A merge takes as long as reading the domain.
    try reading.count(now)
    let ours: PropertyList
    do throws(FormatError) {
      ours = try now.value.get()
    } catch {
      throw DatabaseError.damaged(path: database.path(of: record.domain), error).with(
        advice: "its bytes are unchanged: “-force” restores the file all the same, and keeps the damaged one")
    }
    /// The value of a copy; a damaged one is no fault of the present file.
    func former(_ bytes: [UInt8]?, _ time: String) throws -> PropertyList {
      guard let bytes else { return [:] }
      do throws(FormatError) {
        return try database.propertyList(from: bytes, of: record.domain)
      } catch {
        throw CommandError(
          .damaged,
          "\(record.domain): the file was damaged \(time) the command \(record.identifier), at \(error), and has been "
            + "changed since; “undo -force \(record.identifier)” puts back the file from before the command, and the "
            + "number of an older command takes that back; nothing was changed")
      }
    }
    let merge = PropertyListMerge(
      base: try former(after, "after"), ours: ours, theirs: try former(before, "before"))
    guard merge.conflicts.isEmpty else { return .conflicts(merge.conflicts) }
    guard let result = merge.result, result != ours else { return merge.result == ours ? .keep : .value(nil) }
    let options = PropertyListFile.defaultOptions(forFileAt: database.path(of: record.domain))
    if let before, let lost = result.lostCharacter(of: before, takenOver: ours, options: options) {
      throw CommandError(
        .refused,
        "\(record.domain): the file before the command \(record.identifier), which has been changed since, cannot be "
          + "brought back in part: at \(lost); “undo -force \(record.identifier)” puts back the whole file; nothing was "
          + "changed")
    }
    return .value(result)
  }
}
