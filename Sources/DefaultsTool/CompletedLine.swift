import DefaultsDatabase
import DefaultsHistory
import DefaultsImport
import OpenStepPropertyList

/// A command line up to the word that is completed.
struct CompletedLine {
  /// The words between the command and that word.
  let before: [String]
  /// What there is of the word.
  let current: String
  let context: CommandContext

  /// What the word may be; not yet only what begins as it does.
  ///
  /// What cannot be read has no candidates, since a shell shows no errors here.
  var candidates: [String] {
    var rest = before[...]
    var context = context
    context.readsOnlyFiles = true
    while let word = rest.first, word.hasPrefix("-") {
      rest.removeFirst()
      switch word {
      case "-u":
        // A user's name, of which no list is kept.
        if rest.isEmpty { return [] }
        context.user = rest.popFirst()
      case "-gnustep": context.isGNUstep = true
      case "-g": context.isGlobal = true
      default: break
      }
    }
    guard let verb = rest.popFirst() else {
      return current.hasPrefix("-") ? CommandLineArguments.names : DefaultsCommand.table.map { $0.name }
    }
    guard let command = DefaultsCommand.table.first(where: { $0.name == verb }) else { return [] }
    if let last = rest.last, let words = self.words(of: last, of: command, context) { return words }
    if current.hasPrefix("-"), !command.takesWordsInOrder {
      return (Array(command.options.keys) + ["-h"]).sorted()
    }
    var words = CommandWords(Array(rest), of: command, in: context)
    while let option = try? words.option() {
      if command.takesWord(option) { _ = words.word() }
    }
    if ["undo", "log"].contains(command.name), let number = words.rest.first.flatMap({ Int($0) }) {
      return words.rest.count == 1 ? domains(ofCommand: number, of: command, context) : []
    }
    if command.name == "restore", let snapshot = words.rest.first {
      return domains(ofSnapshot: snapshot, context)
    }
    if words.rest.isEmpty, current.hasPrefix("-") { return (Array(command.options.keys) + ["-h"]).sorted() }
    if !context.isGlobal, words.rest.isEmpty { return firstOperands(of: command, context) }
    guard command.takesDomain, let operand = try? words.domain() else { return [] }
    let forms = command.forms.map(\.arguments)
    switch words.rest.count {
    case _ where command.takesWordsInOrder && forms.contains { $0.contains("domain …") }:
      return domains(context)
    case 0 where command.name == "diff": return firstOperands(of: command, context)
    case 0
    where forms.contains { $0.contains("domain key") || $0.contains("[key]") || $0.contains("old new") }:
      return keys(of: operand, context)
    case 1 where verb == "write": return ValueArgument.flags
    default: return []
    }
  }

  /// What the word behind an option may be; nil for an option that takes none, and for any other word.
  ///
  /// For paths and numbers there are no candidates, so that a shell offers its files.
  private func words(
    of option: String, of command: any Subcommand.Type, _ context: CommandContext
  ) -> [String]? {
    switch option {
    case "-to", "-format": formats(of: command)
    case "-from" where command.name == "import": ["auto"] + StoreKind.allCases.map(\.rawValue)
    case "-from" where command.name == "convert": [StoreKind.json, .tagged, .windowMaker].map(\.rawValue)
    case "-encoding" where command.name == "import" || command.name == "convert": EightBitSet.names
    case "-domain" where command.takesDomain, "-app" where command.takesDomain: domains(context)
    case "-delete" where command.name == "snapshot": firstOperands(of: command, context)
    default: command.takesWord(option) ? [] : nil
    }
  }

  private func formats(of command: any Subcommand.Type) -> [String] {
    switch command.name {
    case "read": OutputFormat.printed.map(\.rawValue)
    case "convert": OutputFormat.converted.map(\.rawValue)
    case "export": OutputFormat.exported.map(\.rawValue)
    case "diff": ["lines", "commands", "json"]
    case "explain": ["json", "value"]
    default: []
    }
  }

  private func firstOperands(of command: any Subcommand.Type, _ context: CommandContext) -> [String] {
    guard let database = try? context.openDatabase() else { return [] }
    let snapshots = ((try? History(of: database).allSnapshots()) ?? []).map(\.name)
    switch command.name {
    case "help": return DefaultsCommand.table.map { $0.name } + HelpTopic.all.map(\.name)
    case "completion": return ["bash", "zsh", "fish"]
    case "restore", "snapshot": return snapshots
    default: break
    }
    guard command.takesDomain else { return [] }
    let names = domains(context) + ["-g"]
    switch command.name {
    case "diff":
      guard current.hasPrefix("@"), let slash = current.firstIndex(of: "/") else {
        return names + snapshots.map { "@\($0)" }
      }
      let snapshot = String(current[..<slash].dropFirst())
      return domains(ofSnapshot: snapshot, context).map { "@\(snapshot)/\($0)" }
    case "import": return names + files
    case "undo", "log": return numbers(for: command, context) + names
    default: return names
    }
  }

  /// The numbers of the commands in the history, for “undo” of those that it can take back, the newest first.
  private func numbers(for command: any Subcommand.Type, _ context: CommandContext) -> [String] {
    guard let database = try? context.openDatabase(), let commands = try? History(of: database).commands()
    else { return [] }
    return commands.reversed().filter { command.name == "log" || !$0.pending(of: nil).isEmpty }
      .map { "\($0.identifier)" }
  }

  /// The domains that a command has changed, for “undo” those in which it can be taken back.
  private func domains(
    ofCommand number: Int, of verb: any Subcommand.Type, _ context: CommandContext
  ) -> [String] {
    guard let database = try? context.openDatabase(), let commands = try? History(of: database).commands(),
      let command = commands.first(where: { $0.identifier == number })
    else { return [] }
    let parts = verb.name == "log" ? command.parts : command.pending(of: nil)
    return parts.map(\.record.domain.text)
  }

  /// The files in the current directory, which a shell does not offer where there are other candidates.
  private var files: [String] {
    let disk = DiskFileSystem()
    return ((try? disk.names(inDirectory: ".")) ?? []).sortedByBytes().filter { name in
      !name.hasPrefix(".") && !name.hasPrefix("-") && !name.unicodeScalars.contains(where: \.breaksLines)
    }
  }

  /// The domains that a word can name; not those whose names have line ends.
  private func domains(_ context: CommandContext) -> [String] {
    (try? context.openDatabase()).map { domains(in: $0) } ?? []
  }

  /// Those of a snapshot.
  private func domains(ofSnapshot name: String, _ context: CommandContext) -> [String] {
    guard let database = try? context.openDatabase(),
      let snapshot = try? SnapshotCommand.snapshot(name, in: History(of: database))
    else { return [] }
    return domains(in: snapshot.files(of: database))
  }

  private func domains(in database: UserDatabase) -> [String] {
    ((try? database.domainNames()) ?? []).map(\.text).filter { name in
      !name.utf8.contains(UInt8(ascii: "/")) && !name.hasPrefix("-")
        && !name.unicodeScalars.contains(where: \.breaksLines)
    }
  }

  /// The size above which a key is not proposed; the system takes no argument of twice that size, and a key may have
  /// any number of characters that must be escaped.
  private static let maximumKeyByteCount = 1 << 16

  /// The keys of a domain or file, or the paths in it where a path is begun.
  private func keys(of operand: DomainOperand, _ context: CommandContext) -> [String] {
    guard let root = try? operand.subject(in: context).load(), case .dictionary(let entries) = root else {
      return []
    }
    if KeyArgument.isPath(current) { return root.paths(beginning: current) }
    let keys = entries.keys.filter { $0.text.utf8.count <= CompletedLine.maximumKeyByteCount }
    return keys.sorted().map { key in
      KeyArgument.text(of: PropertyListPath([.key(key)]), escaping: \.breaksLines)
    }
  }
}
