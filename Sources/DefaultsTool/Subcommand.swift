/// A verb of the `defaults` tool.
protocol Subcommand {
  /// The verb.
  static var name: String { get }
  /// The ways to call it, with what each does; for `help`.
  static var forms: [CommandForm] { get }
  /// What `help` says beyond the forms.
  static var discussion: String { get }
  /// Whether the first argument but for options may be a domain, which `-g` can stand for.
  static var takesDomain: Bool { get }
  /// Carries the verb out.
  ///
  /// - Throws: ``CommandError``, `DatabaseError`, ``StreamError`` or `PropertyListError`.
  static func run(_ arguments: [String], in context: CommandContext) throws -> ExitCode
}

/// One way to call a verb.
struct CommandForm {
  /// The arguments, optional ones in brackets.
  let arguments: String
  /// What this form does, as a clause.
  let summary: String

  init(_ arguments: String, _ summary: String) {
    self.arguments = arguments
    self.summary = summary
  }
}

extension Subcommand {
  static var takesDomain: Bool { false }

  /// The error for arguments that fit none of the forms.
  static func usageError(_ reason: String) -> CommandError {
    CommandError(.usage, "\(reason); see “defaults help \(name)”")
  }

  /// Refuses names of files that stand for the standard input more than once: it is empty the second time.
  static func checkStandardInput(of paths: [String]) throws(CommandError) {
    guard paths.count(where: { $0 == "-" }) <= 1 else {
      throw usageError("“-” is standard input, which can be read only once")
    }
  }
}
