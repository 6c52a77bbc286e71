import DefaultsDatabase

/// `help`: describes the tool, from the table of verbs.
enum HelpCommand: Subcommand {
  static let name = "help"
  static let forms = [
    CommandForm("[command]", "explain a command, or list all")
  ]
  static let discussion = ""

  static func run(_ arguments: [String], in context: CommandContext) throws -> ExitCode {
    guard arguments.count <= 1 else { throw usageError("“help” takes one command") }
    guard let verb = arguments.first else {
      try context.output.print(overview)
      return .done
    }
    guard let command = DefaultsCommand.table.first(where: { $0.name == verb }) else {
      throw CommandError(.usage, "there is no command “\(verb)”; see “defaults help”")
    }
    try context.output.print(page(of: command))
    return .done
  }

  /// All verbs, the options and the exit codes.
  static var overview: String {
    let options = [
      ("-u user", "before the command: use that user's database"),
      ("-gnustep", "before the command: use GNUstep's database, with its formats and its lock"),
      ("-g", "in place of a domain: NSGlobalDomain, which all programs share"),
      ("-version", "in place of a command: print the version"),
    ]
    let codes = ExitCode.allCases.map { ("\($0.rawValue)", $0.summary) }
    return """
      usage: defaults [-u user] [-gnustep] command [argument …]

      \(columns(DefaultsCommand.table.flatMap(rows(of:))))

      options:
      \(columns(options))

      The database is the directory that OPENSTEP_DEFAULTS_DIR names, else ~/.OpenStep/Defaults;
      GNUstep's is the one that GNUstep.conf names, else ~/GNUstep/Defaults.

      A file or a standard input of more than \(FileSize.maximum) bytes is refused, exit code 5. On
      a terminal, control characters and others that cannot be seen are shown as escapes; files
      and pipes get the bytes.

      exit codes:
      \(columns(codes))
      """
  }

  /// The page of one verb.
  static func page(of command: any Subcommand.Type) -> String {
    columns(rows(of: command)) + (command.discussion.isEmpty ? "" : "\n\n" + command.discussion)
  }

  private static func rows(of command: any Subcommand.Type) -> [(String, String)] {
    command.forms.map { form in
      ("defaults \(command.name)" + (form.arguments.isEmpty ? "" : " \(form.arguments)"), form.summary)
    }
  }

  /// Two columns, the second one aligned; a text that is too wide for the first has a line of its own.
  private static func columns(_ rows: [(String, String)]) -> String {
    let widest = 32
    let width = rows.map(\.0.count).filter { $0 <= widest }.max() ?? widest
    return rows.map { left, right in
      let gap = left.count <= width ? "" : "\n  "
      let padding = String(repeating: " ", count: left.count <= width ? width - left.count : width)
      return "  \(left)\(gap)\(padding)  \(right)"
    }.joined(separator: "\n")
  }
}
