import DefaultsDatabase

/// A parsed command line: the verb, its own arguments, and the options before it.
struct CommandLineArguments {
  let command: any Subcommand.Type
  /// The arguments after the verb.
  let arguments: [String]
  /// The options before the verb.
  let options: Options

  /// The options before the verb.
  struct Options {
    /// The user that `-u` names.
    var user: String?
    /// Whether `-gnustep` asks for GNUstep's database.
    var isGNUstep = false
    /// Whether `-g` gives the verb's domain.
    var isGlobal = false
    /// The style that `-macos` or `-openstep` asks for.
    var style: OutputStyle?
  }

  /// The options before the verb that are offered where a word begins as one.
  static let names = ["-u", "-g", "-gnustep", "-macos", "-openstep", "-version", "-h"]

  init(_ arguments: [String]) throws(CommandError) {
    var rest = arguments[...]
    var options = Options()
    while let option = rest.first, option.hasPrefix("-") {
      rest.removeFirst()
      switch option {
      case "-u":
        guard let name = rest.popFirst() else {
          throw CommandError(.usage, "“-u” takes a user's name; see “defaults help”")
        }
        options.user = name
      case "-g", "-globalDomain":
        options.isGlobal = true
      case "-gnustep":
        options.isGNUstep = true
      case "-macos":
        options.style = .macos
      case "-openstep":
        options.style = .openstep
      case "-currentHost", "-host":
        throw CommandError.oneHost(option)
      case _ where HelpRequest.options.contains(option):
        self.init(command: HelpCommand.self, arguments: Array(rest), options: options)
        return
      case "-version", "--version":
        self.init(command: VersionCommand.self, arguments: Array(rest), options: options)
        return
      default:
        var error = CommandError(
          .usage, "there is no option “\(option)” before the command; see “defaults help”")
        // Any option of one letter is near any other.
        if option.count > 2 { error.hint = Suggestion.line(for: option, among: CommandLineArguments.names) }
        throw error
      }
    }
    guard let verb = rest.popFirst() else {
      throw CommandError(.usage, "no command is given; see “defaults help”")
    }
    let command = try HelpCommand.command(named: verb)
    if !command.takesWordsInOrder, CommandLineArguments.asksForHelp(rest) {
      self.init(command: HelpCommand.self, arguments: [verb], options: options)
      return
    }
    guard command.takesDomain || !options.isGlobal else {
      throw CommandError(.usage, "“-g” stands for a domain, and “\(verb)” takes none")
    }
    if !command.takesWordsInOrder, options.isGlobal {
      rest = [DomainName.global.text] + rest
      options.isGlobal = false
    }
    self.init(command: command, arguments: Array(rest), options: options)
  }

  /// Whether one of the words asks for help, of a verb whose options may stand anywhere.
  private static func asksForHelp(_ words: ArraySlice<String>) -> Bool {
    // What follows “completion -words” is another command line.
    words.prefix { $0 != "--" && $0 != "-words" }.contains { HelpRequest.options.contains($0) }
  }

  private init(command: any Subcommand.Type, arguments: [String], options: Options) {
    self.command = command
    self.arguments = arguments
    self.options = options
  }
}
