import DefaultsDatabase

/// `domains`: lists the database's domains.
enum DomainsCommand: Subcommand {
  static let name = "domains"
  static let forms = [
    CommandForm(
      "", "list the domains, one a line",
      example: """
        $ defaults write App a 1
        $ defaults write -g b 2
        $ defaults domains
        App
        NSGlobalDomain
        """)
  ]
  static let discussion = """
    A name that holds white space or a quote is quoted as by “defaults read”. Files whose names are
    not UTF-8 are left out, and their number is reported, as is that of other users' links. A directory,
    a pipe, a socket or a device in the place of a domain's file is no domain, and is reported. Window
    Maker's menu WMRootMenu is an array, and therefore no domain; it is reported, and read by its path.
    With -macos, all names but NSGlobalDomain are one line, as they stand, with a comma and a space
    between them.
    """

  static func run(_ arguments: [String], in context: CommandContext) throws -> ExitCode {
    guard arguments.isEmpty else { throw usageError("“domains” takes no arguments") }
    let domains = try context.openDatabase().domainNames(reportingTo: context.output)
    if context.style == .macos {
      let names = domains.filter { $0 != .global }.map { $0.text.onOneLine }
      try context.output.print(names.joined(separator: ", "))
      return .done
    }
    for domain in domains {
      try context.output.print(DefaultLine.token(ofName: domain.text, escaping: context.output.escapes))
    }
    return .done
  }
}
