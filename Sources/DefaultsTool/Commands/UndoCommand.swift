import DefaultsDatabase
import DefaultsHistory

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
    To find the newest command it reads no more than 512 MB of domains and copies again and again, and is
    refused then with exit code 3; with a number it looks at that command alone.
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
    let history = History(of: database)
    let undoing = Undoing(
      database: database, history: history, managed: try context.managedKeys(), isForced: isForced)
    let choice = UndoChoice(commands: try history.commands(), domain: domain)
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
          let error = CommandError(error, of: record.domain, among: records.count)
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
