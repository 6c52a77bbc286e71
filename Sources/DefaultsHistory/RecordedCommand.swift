package import DefaultsDatabase
package import OpenStepPropertyList

/// A command as the history knows it.
package struct RecordedCommand: Sendable {
  /// What it has changed in one domain.
  package struct Part: Sendable {
    package let record: HistoryRecord
    /// Whether the change was made: a command that was killed may have recorded it only.
    package let isMade: Bool
    /// Whether a later command has taken it back, and that was not taken back itself, or somebody has put the file back
    /// without this package.
    package let isUndone: Bool
  }

  /// Its number.
  package let identifier: Int
  /// Its changes, the oldest first.
  package internal(set) var parts: [Part] = []

  /// Its words, without long ones.
  package var words: [String] { parts.first?.record.command ?? [] }
  /// When it made its first change.
  package var time: PropertyListDate? { parts.first?.record.time }
  /// Whether it takes back another.
  package var isUndo: Bool { parts.contains { $0.record.undone != nil } }

  /// Its changes that were made and not taken back.
  ///
  /// - Parameter domain: The domain; nil for all.
  package func pending(of domain: DomainName?) -> [Part] {
    parts.filter { $0.isMade && !$0.isUndone && (domain == nil || $0.record.domain == domain) }
  }

  /// The records of these changes, those of one domain as one.
  ///
  /// - Parameter domain: The domain; nil for all.
  /// - Complexity: linear in the number of changes.
  package func pendingRecords(of domain: DomainName?) -> [HistoryRecord] {
    var records: [HistoryRecord] = []
    var places: [DomainName: Int] = [:]
    for record in pending(of: domain).map(\.record) {
      if let place = places[record.domain], let joined = records[place].joined(with: record) {
        records[place] = joined
      } else {
        places[record.domain] = records.count
        records.append(record)
      }
    }
    return records
  }
}

extension History {
  /// All commands, sorted by number.
  ///
  /// What was taken back is determined for each domain by itself, since a command can be taken back in one domain
  /// alone: from the newest record on, an undo that is in effect ends the effect of the command that it names.
  ///
  /// - Complexity: linear in the number of records, besides reading the domains, and a few times as many bytes of copies
  ///   as a history holds.
  package func commands() throws(DatabaseError) -> [RecordedCommand] {
    let records = try self.records()
    var commands: [Int: RecordedCommand] = [:]
    /// The commands that were taken back, by domain.
    var undone: [DomainName: Set<Int>] = [:]
    var next: [DomainName: HistoryRecord] = [:]
    // Somebody can have a log that names the same copies any number of times, and any number of domains.
    var budget = 16 * History.maximumByteCount
    for record in records.reversed() {
      let outcome: Outcome
      if let next = next[record.domain] {
        outcome = self.outcome(of: record, before: next, reading: &budget)
      } else {
        // Only the newest one may not have been made: the next one of the domain removes it.
        budget -= History.lookByteCount
        outcome =
          budget > 0
          ? self.outcome(of: record, ifNow: database.version(of: record.domain), reading: &budget) : .made
      }
      next[record.domain] = record
      let isUndone = outcome == .putBack || undone[record.domain]?.contains(record.identifier) == true
      if outcome == .made, !isUndone, let other = record.undone {
        undone[record.domain, default: []].insert(other)
      }
      commands[record.identifier, default: RecordedCommand(identifier: record.identifier)].parts.append(
        RecordedCommand.Part(record: record, isMade: outcome != .notMade, isUndone: isUndone))
    }
    for identifier in commands.keys { commands[identifier]?.parts.reverse() }
    return commands.values.sorted { $0.identifier < $1.identifier }
  }
}
