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
      "[-p] [number] [domain]", "list what commands have changed, or one",
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
    Each command that has changed the database is a line, the newest first: its number, its time, its
    words. -p shows what it changed, in the lines of “defaults diff”, up to 128 MB in all. A number
    shows that command alone, and all of it; a domain whose name is a number stands behind “--”.
    “defaults undo” takes a number, and its own line has the number of the command that it has taken
    back.
    The newest hundred commands are kept in .history in the database's directory, in at most 4 MiB,
    by the files' sizes; files above 1 MiB are not. Other programs' changes are not recorded;
    “defaults watch” shows those. Nor is what is written into a file by its path, as ./App.plist. A
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
    let number = clears ? nil : try words.number()
    let operand = try words.domain()
    try words.end(clears ? "a domain at most with “-clear”" : "a number and a domain at most")
    var domain: DomainName?
    switch operand {
    case .file(let path)?:
      throw CommandError(.refused, "\(path): is a file's path, and files have no history; nothing was done")
    case .domain(let name)?: domain = name
    case nil: break
    }
    let database = try context.openDatabase()
    let history = History(of: database)
    if clears {
      if let domain {
        let all = try history.commands()
        // A password may be in the history of the domain that was meant.
        if !all.contains(where: { $0.parts.contains { $0.record.domain == domain } }) {
          try tellOfNone(in: domain, all, database, context.output)
        }
      }
      try history.clear(domain: domain)
      return .done
    }
    let all = try history.commands()
    let commands = try number.map { [try all.command(numbered: $0, in: domain)] } ?? all.reversed()
    let shown = commands.filter { $0.hasChanged(domain) }
    if shown.isEmpty, let domain { try tellOfNone(in: domain, all, database, context.output) }
    if let domain { try context.tellIfDamaged(domain, in: database) }
    var room = number == nil ? roomForChanges : .max
    for command in shown where !context.output.isClosed {
      try context.output.print(line(of: command, escaping: context.output.escapes))
      guard showsChanges else { continue }
      for part in command.parts where domain == nil || part.record.domain == domain {
        try printChanges(of: part.record, database, history, context.output, in: &room)
      }
    }
    return .done
  }

  /// Tells that no command in the history has changed a domain.
  ///
  /// - Throws: an error of the code `absent` if there is no such domain either.
  private static func tellOfNone(
    in domain: DomainName, _ commands: [RecordedCommand], _ database: UserDatabase, _ output: CommandOutput
  ) throws {
    guard try !database.domainNames().contains(domain) else {
      let text = "no command in the history has changed the domain “\(domain)”"
      return try output.report(CommandError(.done, text))
    }
    var error = database.absence(of: domain)
    error.hint = error.hint ?? commands.hint(for: domain)
    throw error
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

  /// How many bytes are read and printed for the changes of all commands together; a history of this package's has a
  /// fraction of them.
  ///
  /// Somebody can have a log that names the same copies any number of times, and copies in which each of a hundred
  /// thousand changes has a path of a thousand steps.
  private static let roomForChanges = 128 << 20

  /// Marks that there is no room for more; never leaves this type.
  private struct EndOfRoom: Error {}

  /// Prints the lines of what a record changed, or one that says why they are not shown.
  private static func printChanges(
    of record: HistoryRecord, _ database: UserDatabase, _ history: History, _ output: CommandOutput,
    in room: inout Int
  ) throws {
    func take(_ count: Int) throws {
      guard count <= room else { throw EndOfRoom() }
      room -= count
    }
    func value(_ contents: HistoryRecord.Contents) throws -> PropertyList? {
      guard room > 0 else { throw EndOfRoom() }
      guard let bytes = try history.bytes(of: contents) else { return nil }
      try take(bytes.count)
      return try database.propertyList(from: bytes, of: record.domain)
    }
    do {
      let (old, new) = (try value(record.before), try value(record.after))
      try output.whileRead { check in
        try DifferenceLines.forEach(
          from: old, to: new, domain: record.domain.text, escaping: output.escapes
        ) { line in
          try take(line.utf8.count)
          try output.print("    \(line)")
          try check()
        }
      }
    } catch is EndOfRoom {
      room = 0
      try output.print(
        "    the changes of all commands take more than \(roomForChanges >> 20) MB: “log -p \(record.identifier)” shows these"
      )
    } catch let error where !(error is StreamError) {
      try output.print("    \(CommandError(error).message.onOneLine)")
    }
  }
}

extension PropertyListDate {
  /// The second in which the time lies.
  fileprivate var inWholeSeconds: PropertyListDate {
    PropertyListDate(secondsSinceReferenceDate: secondsSinceReferenceDate.rounded(.down))
  }
}
