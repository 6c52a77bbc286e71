import DefaultsDatabase
import DefaultsHistory

/// Finds the command to take back.
struct UndoChoice {
  let commands: [RecordedCommand]
  /// The domain in which it is taken back; nil for all.
  let domain: DomainName?

  /// The command of a number.
  func command(numbered text: String) throws(CommandError) -> RecordedCommand {
    let command = try commands.command(numbered: text, in: domain)
    guard command.pending(of: domain).isEmpty else { return command }
    let isMade = command.parts.contains { $0.isMade && (domain == nil || $0.record.domain == domain) }
    throw CommandError(
      .absent,
      "the command \(command.identifier) was \(isMade ? "taken back already" : "not made"); nothing was done")
  }

  /// The newest command, and no undo, that has an effect.
  func newest(where hasEffect: (HistoryRecord) throws -> Bool) throws -> RecordedCommand {
    for command in commands.reversed() where !command.isUndo {
      // What somebody has taken back otherwise is passed over, or the next “undo” would come to it again.
      if try command.pendingRecords(of: domain).contains(where: hasEffect) { return command }
    }
    var error = CommandError(
      .absent,
      domain.map { "there is nothing to take back in the domain “\($0)”" } ?? "there is nothing to take back")
    error.hint = domain.flatMap { commands.hint(for: $0) }
    throw error
  }

  /// The records of a command to take back, the newest first.
  ///
  /// - Parameter isForced: Whether to leave out those that cannot be taken back, if there are others.
  /// - Throws: an error of the code `refused` for those.
  func records(
    of command: RecordedCommand, isForced: Bool, reportingTo output: CommandOutput
  ) throws -> [HistoryRecord] {
    let records = Array(command.pendingRecords(of: domain).reversed())
    func isIncomplete(_ record: HistoryRecord) -> Bool {
      isForced ? record.before == .tooLarge : record.isIncomplete
    }
    let incomplete = records.filter(isIncomplete)
    guard let first = incomplete.last else { return records }
    let otherCount = incomplete.count - 1
    let others = otherCount == 0 ? "" : ", and \(otherCount) other \(otherCount == 1 ? "domain" : "domains")"
    let reason =
      "the command \(command.identifier) has changed the domain “\(first.domain)”\(others), whose file was too "
      + "large to be copied"
    guard isForced, incomplete.count < records.count else {
      var message = "\(reason), and cannot be taken back; nothing was changed"
      if incomplete.count < records.count { message += "; “-force” takes back the rest of it" }
      let earlier = commands.last { other in
        let parts = other.pending(of: domain)
        return other.identifier < command.identifier && !other.isUndo && !parts.isEmpty
          && !parts.contains { $0.record.isIncomplete }
      }
      if let earlier { message += "; “defaults undo \(earlier.identifier)” takes back an earlier one" }
      throw CommandError(.refused, message)
    }
    try output.report(CommandError(.done, "\(reason), and stays as it is"))
    return records.filter { !isIncomplete($0) }
  }
}
