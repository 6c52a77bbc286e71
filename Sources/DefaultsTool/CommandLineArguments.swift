import DefaultsDatabase

/// A parsed command line: the verb, its own arguments, and the options before it.
struct CommandLineArguments {
  let command: any Subcommand.Type
  /// The arguments after the verb; `-g` is replaced by the global domain's name.
  let arguments: [String]
  /// The user that `-u` names.
  let user: String?
  /// Whether `-gnustep` asks for GNUstep's database.
  let isGNUstep: Bool

  init(_ arguments: [String]) throws(CommandError) {
    var rest = arguments[...]
    var user: String?
    var isGlobal = false
    var isGNUstep = false
    while let option = rest.first, option.hasPrefix("-") {
      rest.removeFirst()
      switch option {
      case "-u":
        guard let name = rest.popFirst() else {
          throw CommandError(.usage, "“-u” takes a user's name; see “defaults help”")
        }
        user = name
      case "-g":
        isGlobal = true
      case "-gnustep":
        isGNUstep = true
      case "-h", "--help":
        self.init(command: HelpCommand.self, arguments: Array(rest), user: user, isGNUstep: isGNUstep)
        return
      case "-version", "--version":
        self.init(command: VersionCommand.self, arguments: Array(rest), user: user, isGNUstep: isGNUstep)
        return
      default:
        throw CommandError(.usage, "there is no option “\(option)” before the command; see “defaults help”")
      }
    }
    guard let verb = rest.popFirst() else {
      throw CommandError(.usage, "no command is given; see “defaults help”")
    }
    guard let command = DefaultsCommand.table.first(where: { $0.name == verb }) else {
      throw CommandError(.usage, "there is no command “\(verb)”; see “defaults help”")
    }
    if let only = rest.first, rest.count == 1, only == "-h" || only == "--help" {
      self.init(command: HelpCommand.self, arguments: [verb], user: user, isGNUstep: isGNUstep)
      return
    }
    guard command.takesDomain else {
      if isGlobal { throw CommandError(.usage, "“-g” stands for a domain, and “\(verb)” takes none") }
      self.init(command: command, arguments: Array(rest), user: user, isGNUstep: isGNUstep)
      return
    }
    if rest.first == "-g" {
      rest.removeFirst()
      isGlobal = true
    }
    self.init(
      command: command, arguments: (isGlobal ? [DomainName.global.text] : []) + rest, user: user,
      isGNUstep: isGNUstep)
  }

  private init(command: any Subcommand.Type, arguments: [String], user: String?, isGNUstep: Bool) {
    self.command = command
    self.arguments = arguments
    self.user = user
    self.isGNUstep = isGNUstep
  }
}
