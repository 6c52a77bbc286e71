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
    what it changed, in the lines of “defaults diff”. “defaults undo” takes a number, and its own line
    has the number of the command that it has taken back.
    The newest hundred commands are kept in .history in the database's directory, in at most 4 MiB;
    files above 1 MiB are not. Other programs' changes are not recorded; “defaults watch” shows those. Nor
    is what is written into a file by its path, as ./App.plist. A deleted password stays in the history
    until it is cleared. DEFAULTS_HISTORY=off in the environment switches the history off.
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
    let operand = try words.domain()
    try words.end("a domain at most")
    var domain: DomainName?
    switch operand {
    case .file(let path)?:
      throw CommandError(.refused, "\(path): is a file's path, and files have no history; nothing was done")
    case .domain(let name)?: domain = name
    case nil: break
    }
    let database = try context.openDatabase()
    let history = History(of: database)
    if let domain { try context.tellIfFileName(domain, in: database) }
    if clears {
      try history.clear(domain: domain)
      return .done
    }
    for command in try history.commands().reversed() {
      guard domain == nil || command.parts.contains(where: { $0.record.domain == domain }) else { continue }
      try context.output.print(line(of: command, escaping: context.output.escapes))
      guard showsChanges else { continue }
      for part in command.parts where domain == nil || part.record.domain == domain {
        for line in lines(of: part.record, database, history, escaping: context.output.escapes) {
          try context.output.print("    \(line)")
        }
      }
    }
    return .done
  }

  private static func line(
    of command: RecordedCommand, escaping isEscaped: (Unicode.Scalar) -> Bool
  ) -> String {
    let made = command.parts.filter(\.isMade)
    let undoneCount = made.count { $0.isUndone }
    let remark: String
    if made.isEmpty {
      remark = "  (not made)"
    } else if undoneCount > 0 {
      remark = undoneCount == made.count ? "  (undone)" : "  (partly undone)"
    } else {
      remark = made.count < command.parts.count ? "  (partly made)" : ""
    }
    return
      "\(command.identifier)  \(command.time?.inWholeSeconds.text ?? "")  \(command.text(escaping: isEscaped))\(remark)"
  }

  /// The lines of what a record changed, or one that says why they cannot be shown.
  private static func lines(
    of record: HistoryRecord, _ database: UserDatabase, _ history: History,
    escaping isEscaped: (Unicode.Scalar) -> Bool
  ) -> [String] {
    func value(_ contents: HistoryRecord.Contents) throws -> PropertyList? {
      try history.bytes(of: contents).map { try database.propertyList(from: $0, of: record.domain) }
    }
    do {
      return try DifferenceLines.lines(
        from: value(record.before), to: value(record.after), domain: record.domain.text, escaping: isEscaped)
    } catch {
      return [CommandError(error).message.onOneLine]
    }
  }
}

extension PropertyListDate {
  /// The second in which the time lies.
  fileprivate var inWholeSeconds: PropertyListDate {
    PropertyListDate(secondsSinceReferenceDate: secondsSinceReferenceDate.rounded(.down))
  }
}
