import DefaultsDatabase
import DefaultsHistory
import OpenStepPropertyList

/// `completion`: completes words of this tool's command lines in a shell.
enum CompletionCommand: Subcommand {
  static let name = "completion"
  static let forms = [
    CommandForm(
      "bash|zsh|fish", "print the script that completes words in that shell",
      example: """
        $ defaults completion bash | tail -n 1
        complete -o default -F _defaults defaults
        """),
    CommandForm(
      "-words N WORD…", "list what the N-th word of a command line may be",
      example: """
        $ defaults completion -words 2 defaults expl
        explain
        """),
  ]
  static let discussion = """
    Verbs, options, domains, keys, paths, formats and snapshots are completed. To have it in bash:

      defaults completion bash > ~/.local/share/bash-completion/completions/defaults

    The scripts call “defaults completion -words”, where the command itself is the first word.
    """

  static func run(_ arguments: [String], in context: CommandContext) throws -> ExitCode {
    if arguments.first == "-words" {
      guard arguments.count >= 2, let number = Int(arguments[1]), number >= 2 else {
        throw usageError("“-words” takes the number of a word, 2 or more, and the words")
      }
      let words = Array(arguments.dropFirst(3).prefix(number - 1))
      let current = words.count == number - 1 ? words[number - 2] : ""
      let line = CompletedLine(before: Array(words.prefix(number - 2)), current: current, context: context)
      for candidate in line.candidates where candidate.utf8.starts(with: current.utf8) {
        try context.output.print(candidate)
      }
      return .done
    }
    guard arguments.count == 1, let script = scripts[arguments[0]] else {
      throw usageError("“completion” takes a shell: bash, zsh or fish")
    }
    try context.output.print(script)
    return .done
  }

  private static let scripts = [
    "bash": #"""
    _defaults() {
      local IFS=$'\n' word
      COMPREPLY=()
      for word in $(defaults completion -words $((COMP_CWORD + 1)) "${COMP_WORDS[@]}" 2>/dev/null); do
        COMPREPLY+=("$(printf '%q' "$word")")
      done
    }
    complete -o default -F _defaults defaults
    """#,
    "zsh": #"""
    #compdef defaults
    _defaults() {
      local -a candidates
      candidates=("${(@f)$(defaults completion -words $CURRENT "${(@)words}" 2>/dev/null)}")
      if [[ -n "$candidates" ]]; then compadd -a candidates; else _files; fi
    }
    compdef _defaults defaults
    """#,
    "fish": #"""
    function __defaults_words
      set -l words (commandline -opc) (commandline -ct)
      defaults completion -words (count $words) $words 2>/dev/null
    end
    complete -c defaults -a '(__defaults_words)'
    """#,
  ]
}

/// A command line up to the word that is completed.
private struct CompletedLine {
  /// The words between the command and that word.
  let before: [String]
  /// What there is of the word.
  let current: String
  let context: CommandContext

  private static let globalOptions = ["-u", "-g", "-gnustep", "-macos", "-openstep", "-version", "-h"]

  /// What the word may be; not yet only what begins as it does.
  ///
  /// What cannot be read has no candidates, since a shell shows no errors here.
  var candidates: [String] {
    var rest = before[...]
    var context = context
    while let word = rest.first, word.hasPrefix("-") {
      rest.removeFirst()
      switch word {
      case "-u": context.user = rest.popFirst()
      case "-gnustep": context.isGNUstep = true
      case "-g": context.isGlobal = true
      default: break
      }
    }
    guard let verb = rest.popFirst() else {
      return current.hasPrefix("-") ? CompletedLine.globalOptions : DefaultsCommand.table.map { $0.name }
    }
    guard let command = DefaultsCommand.table.first(where: { $0.name == verb }) else { return [] }
    if let last = rest.last, last == "-to" || last == "-format" { return formats(of: command) }
    if current.hasPrefix("-"), !rest.contains(where: { !$0.hasPrefix("-") }) { return options(of: command) }
    var words = CommandWords(Array(rest), of: command, in: context)
    while let option = try? words.option() {
      if ["-to", "-format", "-default", "-L", "-P"].contains(option) { _ = words.word() }
    }
    if !context.isGlobal, words.rest.isEmpty { return firstOperands(of: command, context) }
    guard command.takesDomain, let operand = try? words.domain() else { return [] }
    switch words.rest.count {
    case 0: return keys(of: operand, context)
    case 1 where verb == "write": return ValueArgument.flags
    default: return []
    }
  }

  /// The options in the forms of a verb.
  private func options(of command: any Subcommand.Type) -> [String] {
    var options: Set<String> = ["-h"]
    for form in command.forms {
      for word in form.arguments.split(whereSeparator: { " []|…".contains($0) })
      where word.hasPrefix("-") && word.count > 1 {
        options.insert(String(word))
      }
    }
    return options.sorted()
  }

  private func formats(of command: any Subcommand.Type) -> [String] {
    switch command.name {
    case "read", "convert": OutputFormat.allCases.map(\.rawValue)
    case "export": ["openstep", "gnustep", "xml", "binary"]
    case "diff": ["lines", "commands", "json"]
    case "explain": ["json", "value"]
    default: []
    }
  }

  private func firstOperands(of command: any Subcommand.Type, _ context: CommandContext) -> [String] {
    guard let database = try? context.openDatabase() else { return [] }
    let snapshots = ((try? History(of: database).allSnapshots()) ?? []).map(\.name)
    switch command.name {
    case "help": return DefaultsCommand.table.map { $0.name }
    case "completion": return ["bash", "zsh", "fish"]
    case "restore", "snapshot": return snapshots
    default: break
    }
    guard command.takesDomain else { return [] }
    let domains = ((try? database.domainNames()) ?? []).map(\.text).filter { name in
      !name.utf8.contains(UInt8(ascii: "/")) && !name.hasPrefix("-")
    }
    return domains + ["-g"] + (command.name == "diff" ? snapshots.map { "@\($0)" } : [])
  }

  /// The keys of a domain or file, or the paths in it where a path is begun.
  private func keys(of operand: DomainOperand, _ context: CommandContext) -> [String] {
    guard let root = try? operand.subject(in: context).load(), case .dictionary(let entries) = root else {
      return []
    }
    if KeyArgument.isPath(current) { return root.leaves.map(\.path.description) }
    return entries.keys.sorted().map { KeyArgument.text(of: $0) }
  }
}
