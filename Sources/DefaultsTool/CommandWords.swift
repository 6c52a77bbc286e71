import DefaultsDatabase

/// The words behind a verb, taken one by one: first the options, then a domain, then what else the verb takes.
///
/// From the first operand on no word is an option, so that a key or a value may begin with a hyphen. `--` ends the
/// options; the word behind it is a domain's name as it stands.
struct CommandWords {
  let command: any Subcommand.Type
  /// The words that were not taken yet.
  private(set) var rest: ArraySlice<String>
  private let dialect: DatabaseDialect
  /// Whether `-g` before the verb gives the domain.
  private var isGlobal: Bool
  /// Whether `--` was found.
  private(set) var isLiteral = false

  init(_ words: [String], of command: any Subcommand.Type, in context: CommandContext) {
    self.command = command
    rest = words[...]
    dialect = context.dialect
    isGlobal = context.isGlobal
  }

  /// Whether there is neither a word left nor a domain that was given before the verb.
  var isEmpty: Bool { rest.isEmpty && !isGlobal }

  /// Whether the next domain is named as it stands: behind `--`, `-domain` or `-app`, or by `-g` before the verb.
  var isNextLiteral: Bool { isGlobal || isLiteral || ["-domain", "-app"].contains(rest.first) }

  /// The next option; nil where the operands begin.
  ///
  /// - Throws: the refusal of macOS's options for one host, and ``HelpRequest``.
  mutating func option() throws -> String? {
    guard !isLiteral, let word = rest.first, word.utf8.first == UInt8(ascii: "-"), word != "-" else {
      return nil
    }
    switch word {
    case "--":
      isLiteral = true
      rest.removeFirst()
      return nil
    case "-g", "-globalDomain", "-domain", "-app":
      return nil
    case "-currentHost", "-host":
      throw CommandError.oneHost(word)
    case _ where HelpRequest.options.contains(word):
      throw HelpRequest()
    default:
      rest.removeFirst()
      return word
    }
  }

  /// The word that an option takes.
  ///
  /// - Parameter what: What it is, with an article.
  mutating func argument(of option: String, _ what: String) throws(CommandError) -> String {
    guard let word = rest.popFirst() else { throw command.usageError("“\(option)” takes \(what)") }
    return word
  }

  /// The error for an option that the verb does not have.
  func unknown(_ option: String) -> CommandError {
    let advice =
      command.takesDomain
      ? "a domain of that name stands behind “--”" : "a file of that name is “./\(option)”"
    return command.unknownOption(option, advice)
  }

  /// The domain or the path at this place; nil if no word is left.
  mutating func domain() throws -> DomainOperand? {
    if isGlobal {
      isGlobal = false
      return .domain(.global)
    }
    guard let word = rest.popFirst() else { return nil }
    if isLiteral { return .domain(try DomainName(word, in: dialect)) }
    switch word {
    case "-domain":
      return .domain(try DomainName(argument(of: word, "a domain's name"), in: dialect))
    case "-app":
      return try .domain(ofApplication: argument(of: word, "an application's name"), in: dialect)
    default:
      return try DomainOperand(word, in: dialect)
    }
  }

  /// The number of a command in the history, where one is the next word; behind “--” a word of digits is a domain.
  mutating func number() throws(CommandError) -> String? {
    guard !isLiteral, let first = rest.first, first.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return nil
    }
    guard !first.isEmpty else {
      throw command.usageError("a number or a domain is due where an empty word stands")
    }
    return word()
  }

  /// The next word; nil if none is left.
  mutating func word() -> String? {
    rest.popFirst()
  }

  /// The rest of the words, none of which is left then.
  mutating func all() -> [String] {
    defer { rest = [] }
    return Array(rest)
  }

  /// Makes sure that no word is left.
  ///
  /// - Parameter limit: What the verb takes at most, as a clause.
  func end(_ limit: String) throws(CommandError) {
    guard rest.isEmpty, !isGlobal else { throw command.usageError("“\(command.name)” takes \(limit)") }
  }
}

extension CommandError {
  /// The refusal of macOS's options for the values of one host.
  static func oneHost(_ option: String) -> CommandError {
    CommandError(
      .refused,
      "this database has no values for one host; without “\(option)” the value holds on every host; "
        + "nothing was done")
  }
}
