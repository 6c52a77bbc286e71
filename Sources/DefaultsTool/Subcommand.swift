/// A verb of the `defaults` tool.
protocol Subcommand {
  /// The verb.
  static var name: String { get }
  /// The forms of its arguments, and what each form does; for `help`.
  static var forms: [CommandForm] { get }
  /// The text of `help` after the forms.
  static var discussion: String { get }
  /// Whether a domain is among the arguments, which `-g` before the verb can replace.
  static var takesDomain: Bool { get }
  /// Whether the verb reads its arguments from left to right, with ``CommandWords``. Otherwise its options may stand
  /// anywhere, and a `-g` before the verb becomes its first argument.
  static var takesWordsInOrder: Bool { get }
  /// Runs the verb.
  ///
  /// - Throws: ``CommandError``, `DatabaseError`, ``StreamError`` or `PropertyListError`.
  static func run(_ arguments: [String], in context: CommandContext) throws -> ExitCode
}

/// One form of a verb's arguments.
struct CommandForm {
  /// The arguments, optional ones in brackets.
  let arguments: String
  /// What this form does, as a clause.
  let summary: String
  /// Command lines behind `$ ` as they work in an empty database, with what they print; `…` stands for what differs
  /// each time.
  let example: String

  init(_ arguments: String, _ summary: String, example: String = "") {
    self.arguments = arguments
    self.summary = summary
    self.example = example
  }
}

extension Subcommand {
  static var takesDomain: Bool { false }
  static var takesWordsInOrder: Bool { false }

  /// The options of the forms, and whether each takes a word: `[-n|-check]`, `[-to FORMAT]`, `-o PATH`.
  static var options: [String: Bool] {
    var options: [String: Bool] = [:]
    for form in forms {
      let parts = form.arguments.split(separator: " ")
      for (index, part) in parts.enumerated() {
        let next = index + 1 < parts.count ? parts[index + 1].first : nil
        let takesWord = !part.hasSuffix("]") && next?.isLetter == true
        for name in part.split(whereSeparator: { "[]|…".contains($0) })
        where name.hasPrefix("-") && name != "-" {
          options[String(name), default: false] = takesWord || options[String(name)] == true
        }
      }
    }
    return options
  }

  /// The error for an option that the verb does not have.
  ///
  /// - Parameter advice: What is to be done where the word is no option.
  static func unknownOption(_ option: String, _ advice: String) -> CommandError {
    var error = usageError("“\(name)” has no option “\(option)”; \(advice)")
    let others = options["-n"] == nil ? ["--help"] : ["--help", "-dry-run"]
    // Any option of one letter is near any other.
    if option.count > 2 { error.hint = Suggestion.line(for: option, among: options.keys.sorted() + others) }
    return error
  }

  /// Whether an option takes a word; “-format” is another name of “-to”.
  static func takesWord(_ option: String) -> Bool {
    options[option == "-format" ? "-to" : option] ?? false
  }

  /// The error for arguments that fit none of the forms.
  static func usageError(_ reason: String) -> CommandError {
    CommandError(.usage, "\(reason); see “defaults help \(name)”")
  }

  /// Refuses a list of files that contains the standard input more than once, because it is empty the second
  /// time.
  static func checkStandardInput(of paths: [String]) throws(CommandError) {
    guard paths.count(where: { $0 == "-" }) <= 1 else {
      throw usageError("“-” is standard input, which can be read only once")
    }
  }
}
