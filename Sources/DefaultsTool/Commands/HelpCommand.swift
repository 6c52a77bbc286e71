import DefaultsDatabase

/// `help`: describes the tool, from the table of verbs.
enum HelpCommand: Subcommand {
  static let name = "help"
  static let forms = [
    CommandForm(
      "[command]", "explain a command, or list all",
      example: """
        $ defaults help domains | head -n 1
          defaults domains  list the domains, one a line
        """),
    CommandForm(
      "macos|gnustep", "explain what differs from that system's tools",
      example: """
        $ defaults help macos | grep -e -lint
          plutil -lint FILE                  lint FILE
        """),
    CommandForm(
      "-man", "print the manual page, for “man -l -”",
      example: """
        $ defaults help -man | head -n 1
        .TH DEFAULTS 1 …
        """),
  ]
  static let discussion = ""

  static func run(_ arguments: [String], in context: CommandContext) throws -> ExitCode {
    guard arguments.count <= 1 else { throw usageError("“help” takes one command or topic") }
    if arguments.first == "-man" {
      try context.output.print(ManualPage.text)
      return .done
    }
    guard let verb = arguments.first else {
      try context.output.print(overview(width: context.output.width))
      return .done
    }
    let text =
      try HelpTopic(named: verb).map { page(of: $0, width: context.output.width) }
      ?? page(of: command(named: verb), width: context.output.width)
    try context.output.print(text)
    return .done
  }

  /// The verb of a name.
  ///
  /// - Throws: a usage error if there is none.
  static func command(named verb: String) throws(CommandError) -> any Subcommand.Type {
    if let command = DefaultsCommand.table.first(where: { $0.name == verb }) { return command }
    var error = CommandError(.usage, "there is no command “\(verb)”; see “defaults help”")
    error.hint =
      otherWords[verb].map { "did you mean “\($0)”?" }
      ?? Suggestion.line(for: verb, among: DefaultsCommand.table.map { $0.name })
    throw error
  }

  /// What other tools call the same.
  private static let otherWords = [
    "backup": "snapshot", "get": "read", "list": "domains", "ls": "domains", "remove": "delete",
    "rm": "delete",
    "set": "write", "show": "read", "unset": "delete", "version": "-version",
  ]

  /// The options before a command and in place of a domain, with what they mean.
  static let options = [
    ("-u user", "before the command: use that user's database"),
    ("-gnustep", "before the command: use GNUstep's database, with its formats and its lock"),
    ("-macos", "before the command: print as macOS's tool does; also DEFAULTS_STYLE=macos"),
    ("-openstep", "before the command: print as OPENSTEP's tool does, the default"),
    ("-g", "in place of a domain: NSGlobalDomain, which all programs share"),
    ("-app name", "in place of a domain: an application's, by its name or its bundle"),
    ("-domain name", "in place of a domain: that name, even with “/” in it"),
    ("path", "in place of a domain: a property list's file, any word with “/” in it"),
    ("--", "behind the options: the next word is a domain's name as it stands"),
    ("-version", "in place of a command: print the version"),
  ]

  /// All verbs, the options and the exit codes.
  ///
  /// - Parameter width: The number of columns; nil for as many as the longest line needs.
  static func overview(width: Int?) -> String {
    let notes = """
      A key is taken as it stands. .a.b[2] goes into dictionaries and arrays, [-1] is the last
      element and [+] a new one; a name with dots in it is quoted: ."x.y".z

      The database is the directory that OPENSTEP_DEFAULTS_DIR names, else
      ~/.OpenStep/Defaults; GNUstep's is the one that GNUstep.conf names, else
      GNUstep/Defaults in the home directory of your account, as in GNUstep: HOME has no
      effect on it, and GNUSTEP_CONFIG_FILE names another GNUstep.conf. With -u and another
      user a database is the one in that user's home, whatever OPENSTEP_DEFAULTS_DIR says;
      with your own name it is your own, as without -u.

      A domain's file is its owner's alone once a command has changed it, mode 600, in GNUstep's
      database as well, whose programs do the same; a file that is given by its path keeps its
      mode.

      A file or a standard input of more than \(FileSize.maximum) bytes is refused, exit code 5. On
      a terminal, control characters and others that cannot be seen are shown as escapes; files
      and pipes get the bytes.
      """
    let codes = ExitCode.allCases.filter { $0 != .unwritten }.map { ("\($0.rawValue)", $0.summary) }
    return """
      usage: defaults [-u user] [-gnustep] [-macos] command [option …] [argument …]

      \(columns(DefaultsCommand.table.flatMap(rows(of:)), width))

      options:
      \(columns(options, width))

      \(HelpText(notes).fitted(to: width))

      exit codes:
      \(columns(codes, width))
      """
  }

  /// The page of one verb.
  ///
  /// - Parameter width: The number of columns; nil for as many as the longest line needs.
  static func page(of command: any Subcommand.Type, width: Int?) -> String {
    let examples = command.forms.map { "\n\n" + indented($0.example) }.joined()
    let discussion = HelpText(command.discussion).fitted(to: width)
    return columns(rows(of: command), width) + (discussion.isEmpty ? "" : "\n\n" + discussion)
      + (examples.isEmpty ? "" : "\n\nexamples:" + examples.dropFirst())
  }

  /// The page of a topic.
  ///
  /// - Parameter width: The number of columns; nil for as many as the longest line needs.
  private static func page(of topic: HelpTopic, width: Int?) -> String {
    "\(HelpText(topic.text).fitted(to: width))\n\nexamples:\n\(indented(topic.example))"
  }

  private static func indented(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { $0.isEmpty ? "" : "  \($0)" }
      .joined(separator: "\n")
  }

  private static func rows(of command: any Subcommand.Type) -> [(String, String)] {
    command.forms.map { form in
      ("defaults \(command.name)" + (form.arguments.isEmpty ? "" : " \(form.arguments)"), form.summary)
    }
  }

  /// Two columns, the second one aligned; a text that is too wide for the first has a line of its own.
  ///
  /// - Parameter total: How many columns of characters there are; nil for any number.
  private static func columns(_ rows: [(String, String)], _ total: Int?) -> String {
    let widest = 32
    let width = rows.map(\.0.count).filter { $0 <= widest }.max() ?? widest
    // In a very narrow terminal, the terminal itself breaks the lines.
    let room = total.map { max($0 - width - 4, 24) } ?? Int.max
    return rows.map { left, right in
      let gap = left.count <= width ? "" : "\n  "
      let padding = String(repeating: " ", count: left.count <= width ? width - left.count : width)
      let indent = "\n" + String(repeating: " ", count: width + 4)
      return "  \(left)\(gap)\(padding)  \(HelpText.broken(right, width: room).joined(separator: indent))"
    }.joined(separator: "\n")
  }
}
