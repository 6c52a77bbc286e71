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
    all the same. What was done is printed in the lines of “defaults diff”; -n only prints it.
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
    var number: Int?
    if let first = words.rest.first, first.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      number = Int(first)
      _ = words.word()
    }
    let operand = try words.domain()
    try words.end("a number and a domain at most")
    if case .file(let path)? = operand {
      throw CommandError(.refused, "\(path): is a file's path, and files have no history; nothing was done")
    }
    let database = try context.openDatabase()
    let history = History(of: database)
    let undoing = Undoing(
      database: database, history: history, managed: try context.managedKeys(), isForced: isForced)
    let command = try command(number, operand?.description, undoing)
    let records = command.records.filter { operand == nil || $0.domain == operand?.description }
    // All are tried first: a conflict in one domain leaves all others as they are.
    var conflicts: [String] = []
    for record in records.reversed() { conflicts += try undoing.conflicts(of: record) }
    guard conflicts.isEmpty else {
      for line in conflicts { try context.output.printError("defaults: conflict: \(line.onOneLine)") }
      throw CommandError(
        .differs,
        "the command \(command.identifier) is not taken back, since its keys were changed again; nothing was "
          + "changed")
    }
    context.recorder?.takeBack(command.identifier)
    context.output.finishFirst()
    for record in records.reversed() {
      let replacement = try undoing.carryOut(record, rehearsing: isRehearsal)
      try context.output.printDifferences(
        from: replacement.old, to: replacement.new, domain: record.domain)
    }
    return .done
  }

  /// The command to take back.
  private static func command(
    _ number: Int?, _ domain: String?, _ undoing: Undoing
  ) throws -> RecordedCommand {
    let all = try undoing.history.records()
    let commands = RecordedCommand.all(in: all)
    if let number {
      guard let command = commands.first(where: { $0.identifier == number }) else {
        throw CommandError(.absent, "there is no command \(number) in the history")
      }
      return command
    }
    for command in commands.reversed() where !command.isUndone && !command.isUndo {
      let records = command.records.filter { domain == nil || $0.domain == domain }
      guard !records.isEmpty, try command.madeCount(in: undoing.database, undoing.history, all) > 0 else {
        continue
      }
      // What somebody has taken back already is passed over, or the next “undo” would come to it again.
      if try records.contains(where: { try undoing.hasEffect($0) }) { return command }
    }
    throw CommandError(
      .absent,
      domain.map { "there is nothing to take back in the domain “\($0)”" } ?? "there is nothing to take back")
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
    case conflicts([PropertyListMerge.Conflict])
  }

  /// Whether something is left to be taken back.
  func hasEffect(_ record: HistoryRecord) throws -> Bool {
    if case .keep = try outcome(of: record) { false } else { true }
  }

  /// A line for each key that was changed again.
  func conflicts(of record: HistoryRecord) throws -> [String] {
    guard case .conflicts(let conflicts) = try outcome(of: record) else { return [] }
    return try conflicts.map { conflict in
      let ours = try conflict.ours.map { try DefaultLine.text(of: $0) } ?? "nothing"
      let theirs = try conflict.theirs.map { try DefaultLine.text(of: $0) } ?? "nothing"
      let path = KeyArgument.text(of: PropertyListPath(conflict.path))
      return "\(record.domain) \(path): now \(ours), before \(theirs)"
    }
  }

  /// Takes it back.
  func carryOut(
    _ record: HistoryRecord, rehearsing isRehearsal: Bool
  ) throws -> DomainReplacement {
    let domain = try DomainName(record.domain, in: database.dialect)
    return try database.replaceFile(of: domain, managed, rehearsing: isRehearsal) { now, value in
      switch try outcome(of: record, now: now) {
      case .keep: return .keep
      case .bytes(let bytes): return bytes.map { .formerBytes($0) } ?? .none
      case .value(let value): return value.map { .value($0) } ?? .none
      case .conflicts:
        throw CommandError(.differs, "\(domain): was changed meanwhile; it is as it was")
      }
    }
  }

  private func outcome(of record: HistoryRecord) throws -> Outcome {
    let path = database.path(of: try DomainName(record.domain, in: database.dialect))
    return try outcome(of: record, now: PropertyListFile.bytes(at: path, fileSystem: database.fileSystem))
  }

  private func outcome(of record: HistoryRecord, now: [UInt8]?) throws -> Outcome {
    let before = try history.bytes(of: record.before)
    if now == before { return .keep }
    if isForced { return .bytes(before) }
    let after = try history.bytes(of: record.after)
    if now == after { return .bytes(before) }
    let path = database.path(of: try DomainName(record.domain, in: database.dialect))
    let options = PropertyListFile.defaultOptions(forFileAt: path)
    func value(_ bytes: [UInt8]?) throws -> PropertyList {
      guard let bytes else { return [:] }
      do throws(FormatError) {
        return try DomainFileFormat.propertyList(
          from: bytes, textOptions: options, undoesGNUstepEscapes: database.dialect == .gnustep
        ).value
      } catch {
        throw DatabaseError.damaged(path: path, error)
      }
    }
    let ours = try value(now)
    let merge = PropertyListMerge(base: try value(after), ours: ours, theirs: try value(before))
    guard merge.conflicts.isEmpty else { return .conflicts(merge.conflicts) }
    return merge.result == ours ? .keep : .value(merge.result)
  }
}
