import DefaultsDatabase
import DefaultsHistory
import OpenStepPropertyList

/// `undo`: takes back what a command has changed.
enum UndoCommand: Subcommand {
  static let name = "undo"
  static let takesDomain = true
  static let takesWordsInOrder = true
  static let forms = [
    CommandForm(
      "[-n] [-force] [number] [domain]", "take back what a command has changed",
      example: """
        $ defaults write App Size 4
        $ defaults write App Size 5
        $ defaults undo
        undo 2: write App Size 5
        -App Size 5
        +App Size 4
        """)
  ]
  static let discussion = """
    Without a number it is the newest command that was not taken back, or the newest that has changed
    the domain; numbers are those of “defaults log”. To undo an undo by its number does it again.
    Where a file is as the command has left it, it gets back every byte. Otherwise only the keys that
    the command has changed go back, and later changes of others stay. If one of these keys was changed
    again, the exit code is 6, nothing is changed, and the keys are listed; -force restores the files
    all the same, and keeps a damaged one under another name. The command that is taken back is printed with
    its number, and then what was done in the lines of “defaults diff”; -n only prints it.
    What was written into a file by its path, as ./App.plist, is in no history and cannot be taken back.
    """

  static func run(_ arguments: [String], in context: CommandContext) throws -> ExitCode {
    var words = CommandWords(arguments, of: self, in: context)
    var (isRehearsal, isForced) = (false, false)
    while let option = try words.option() {
      switch option {
      case "-n", "-dry-run": isRehearsal = true
      case "-force": isForced = true
      default: throw words.unknown(option)
      }
    }
    let number = try words.number()
    var domain: DomainName?
    switch try words.domain() {
    case .file(let path)?:
      throw CommandError(.refused, "\(path): is a file's path, and files have no history; nothing was done")
    case .domain(let name)?: domain = name
    case nil: break
    }
    try words.end("a number and a domain at most")
    let database = try context.openDatabase()
    let undoing = Undoing(
      database: database, history: History(of: database), managed: try context.managedKeys(),
      isForced: isForced)
    let choice = UndoChoice(commands: try undoing.history.commands(), domain: domain)
    let command =
      try number.map { try choice.command(numbered: $0) } ?? choice.newest(where: undoing.hasEffect)
    let records = try choice.records(of: command, isForced: isForced, reportingTo: context.output)
    // All are tried first: what is in the way in one domain leaves all others as they are.
    let conflicts = try records.map { ($0.domain, try undoing.conflicts(of: $0)) }
    guard conflicts.allSatisfy({ $0.1.isEmpty }) else {
      for (domain, conflicts) in conflicts {
        for conflict in conflicts {
          try context.output.report(.conflict(conflict.text(of: domain.text, ("now", "before"))))
        }
      }
      throw CommandError(
        .differs,
        "the command \(command.identifier) is not taken back, since its keys were changed again; nothing was "
          + "changed")
    }
    var replacements = try records.map { ($0.domain, try undoing.carryOut($0, rehearsing: true)) }
    context.output.finishFirst()
    var code = ExitCode.done
    if !isRehearsal {
      context.recorder?.takeBack(command.identifier)
      replacements = []
      for record in records {
        do {
          replacements.append((record.domain, try undoing.carryOut(record, rehearsing: false)))
        } catch {
          let error = CommandError(error)
          try context.output.report(error)
          code = max(code, error.code)
        }
      }
    }
    if !replacements.isEmpty {
      let text = command.text(escaping: context.output.escapes)
      try context.output.print("undo \(command.identifier): \(text)")
    }
    for (domain, replacement) in replacements {
      try context.output.printDifferences(
        from: replacement.old, to: replacement.new, domain: domain.text)
      if replacement.leavesDamage {
        try context.output.report(
          CommandError(
            .done,
            "\(domain): the file \(isRehearsal ? "would be" : "is") damaged, as it was before the command"))
      }
      try context.output.reportMovedAside(replacement.commit, of: domain, in: database)
    }
    return code
  }
}

/// Finds the command to take back.
private struct UndoChoice {
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
    let incomplete = records.filter { isForced ? $0.before == .tooLarge : $0.isIncomplete }
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
    return records.filter { !incomplete.contains($0) }
  }
}

/// Takes back one record of the history.
private struct Undoing {
  let database: UserDatabase
  let history: History
  let managed: ManagedKeys
  let isForced: Bool

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
    try database.replaceFile(
      of: record.domain, managed, rehearsing: isRehearsal, onDamage: isForced ? .moveAside : .refuse,
      isBareIfNew: record.wasBare
    ) { now, _ in
      switch try outcome(of: record, now: now) {
      case .keep: return .keep
      case .bytes(let bytes): return bytes.map { .formerBytes($0) } ?? .none
      case .value(let value): return value.map { .value($0) } ?? .none
      case .conflicts:
        throw CommandError(.differs, "\(record.domain): was changed meanwhile; it is as it was")
      }
    }
  }

  private func outcome(of record: HistoryRecord) throws -> Outcome {
    try outcome(of: record, now: database.bytes(of: record.domain))
  }

  private func outcome(of record: HistoryRecord, now: [UInt8]?) throws -> Outcome {
    let before = try history.bytes(of: record.before)
    if now == before { return .keep }
    if isForced { return .bytes(before) }
    let after = try history.bytes(of: record.after)
    if now == after { return .bytes(before) }
    func value(_ bytes: [UInt8]?, _ error: (FormatError) -> any Error) throws -> PropertyList {
      guard let bytes else { return [:] }
      do throws(FormatError) {
        return try database.propertyList(from: bytes, of: record.domain)
      } catch let reason {
        throw error(reason)
      }
    }
    let ours = try value(now) { reason in
      DatabaseError.damaged(path: database.path(of: record.domain), reason).with(
        advice: "its bytes are unchanged: “-force” restores the file all the same, and keeps the damaged one")
    }
    /// The value of a copy; a damaged one is no fault of the present file.
    func former(_ bytes: [UInt8]?, _ time: String) throws -> PropertyList {
      try value(bytes) { reason in
        CommandError(
          .damaged,
          "\(record.domain): the file was damaged \(time) the command \(record.identifier), at \(reason), and has been "
            + "changed since; “undo -force \(record.identifier)” puts back the file from before the command, and the "
            + "number of an older command takes that back; nothing was changed")
      }
    }
    let merge = PropertyListMerge(
      base: try former(after, "after"), ours: ours, theirs: try former(before, "before"))
    guard merge.conflicts.isEmpty else { return .conflicts(merge.conflicts) }
    return merge.result == ours ? .keep : .value(merge.result)
  }
}
