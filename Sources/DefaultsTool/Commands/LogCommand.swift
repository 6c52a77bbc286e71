import DefaultsDatabase
import DefaultsHistory
import OpenStepPropertyList

/// `log`: lists what commands have changed.
enum LogCommand: Subcommand {
  static let name = "log"
  static let takesDomain = true
  static let takesWordsInOrder = true
  static let forms = [
    CommandForm(
      "[-p] [domain]", "list what commands have changed, the newest first",
      example: """
        $ defaults write App Size 5
        $ defaults log -p
        1  …  write App Size 5
            +App Size 5
        """),
    CommandForm(
      "-clear [domain]", "forget it",
      example: """
        $ defaults write App Size 5
        $ defaults log -clear
        $ defaults log
        """),
  ]
  static let discussion = """
    Each command that has changed the database is a line: its number, its time, its words. -p shows
    what it changed, in the lines of “defaults diff”. “defaults undo” takes a number.
    The newest hundred commands are kept in .history in the database's directory, in at most 4 MiB;
    files above 1 MiB are not. Other programs' changes are not recorded; “defaults watch” shows those. A
    deleted password stays in the history until it is cleared. DEFAULTS_HISTORY=off in the
    environment switches the history off.
    """

  static func run(_ arguments: [String], in context: CommandContext) throws -> ExitCode {
    var words = CommandWords(arguments, of: self, in: context)
    var (showsChanges, clears) = (false, false)
    while let option = try words.option() {
      switch option {
      case "-p": showsChanges = true
      case "-clear": clears = true
      default: throw words.unknown(option)
      }
    }
    guard !(showsChanges && clears) else { throw usageError("“-p” and “-clear” exclude each other") }
    let domain = try words.domain()
    try words.end("a domain at most")
    if case .file(let path)? = domain {
      throw CommandError(.refused, "\(path): is a file's path, and files have no history; nothing was done")
    }
    let database = try context.openDatabase()
    let history = History(of: database)
    if clears {
      try history.clear(domain: domain?.description)
      return .done
    }
    let records = try history.records()
    for command in RecordedCommand.all(in: records).reversed() {
      guard domain == nil || command.records.contains(where: { $0.domain == domain?.description }) else {
        continue
      }
      try context.output.print(command.line(in: database, history, records, escaping: context.output.escapes))
      guard showsChanges else { continue }
      for record in command.records {
        let lines: [String]
        do {
          lines = try DifferenceLines.lines(
            from: history.value(of: record.before), to: history.value(of: record.after),
            domain: record.domain,
            escaping: context.output.escapes)
        } catch {
          lines = [CommandError(error).message.onOneLine]
        }
        for line in lines { try context.output.print("    \(line)") }
      }
    }
    return .done
  }
}

/// The records of one command.
struct RecordedCommand {
  let identifier: Int
  let records: [HistoryRecord]
  /// Whether a later command has taken it back.
  var isUndone = false
  /// Whether it takes back another.
  var isUndo: Bool { records.contains { $0.undone != nil } }

  /// All commands, the oldest first.
  static func all(in records: [HistoryRecord]) -> [RecordedCommand] {
    var commands: [RecordedCommand] = []
    for record in records {
      if let last = commands.last, last.identifier == record.identifier {
        commands[commands.count - 1] = RecordedCommand(
          identifier: last.identifier, records: last.records + [record])
      } else {
        commands.append(RecordedCommand(identifier: record.identifier, records: [record]))
      }
    }
    for command in commands {
      guard let undone = command.records.first?.undone,
        let index = commands.firstIndex(where: { $0.identifier == undone })
      else { continue }
      commands[index].isUndone = true
      // What an undo had taken back is done again where the undo is taken back.
      if let first = commands[index].records.first?.undone,
        let other = commands.firstIndex(where: { $0.identifier == first })
      {
        commands[other].isUndone = false
      }
    }
    return commands
  }

  /// How many of its changes were made: a command that was killed may have recorded some only.
  ///
  /// - Parameter all: All records; the next one of a domain removes one that was not made.
  func madeCount(in database: UserDatabase, _ history: History, _ all: [HistoryRecord]) throws -> Int {
    try records.count { record in
      guard all.last(where: { $0.domain == record.domain }) == record,
        let domain = try? DomainName(record.domain, in: database.dialect)
      else { return true }
      let now = try PropertyListFile.bytes(at: database.path(of: domain), fileSystem: database.fileSystem)
      return history.isMade(record, ifNow: now)
    }
  }

  /// The line of `log`.
  func line(
    in database: UserDatabase, _ history: History, _ all: [HistoryRecord],
    escaping isEscaped: (Unicode.Scalar) -> Bool
  ) throws -> String {
    let words = (records.first?.command ?? []).map { ShellWord.text($0, escaping: isEscaped) }
    let remark: String
    if isUndone {
      remark = "  (undone)"
    } else {
      let count = try madeCount(in: database, history, all)
      remark = count == 0 ? "  (not made)" : count < records.count ? "  (partly made)" : ""
    }
    return "\(identifier)  \(records.first?.time.text ?? "")  \(words.joined(separator: " "))\(remark)"
  }
}

extension History {
  /// What a copy of a domain's file holds; nil where there was no file.
  func value(of contents: HistoryRecord.Contents) throws -> PropertyList? {
    try bytes(of: contents).map { bytes in
      try DomainFileFormat.propertyList(from: bytes, textOptions: .domainFile).value
    }
  }
}
