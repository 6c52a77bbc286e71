import DefaultsDatabase
import OpenStepPropertyList

/// A message of a command, one line for standard error, with its exit code; a mere notice has the code
/// `done`.
struct CommandError: Error, Hashable {
  let code: ExitCode
  /// What is wrong, where, and what to do next; without the tool's name.
  let message: String
  /// Lines that follow the message unchanged: a source line and its caret.
  let excerpt: String
  /// What may have been meant, for a line of its own; nil for nothing.
  var hint: String?

  init(_ code: ExitCode, _ message: String, excerpt: String = "") {
    self.code = code
    self.message = message
    self.excerpt = excerpt
  }

  /// Makes the message of any error that a command throws.
  init(_ error: any Error) {
    switch error {
    case let error as CommandError:
      self = error
    case let error as DatabaseError:
      self.init(error)
    case let error as PropertyListError:
      // Only writers throw it up to here: a format cannot represent the value.
      self.init(.refused, error.description)
    case let error as FormatError:
      self.init(.refused, error.description)
    case StreamError.failed(let reason):
      self.init(.inputOutput, "standard output: \(reason)")
    default:
      self.init(.inputOutput, "\(error)")
    }
  }

  /// Makes the message of a database's error from its description.
  init(_ error: DatabaseError) {
    let code: ExitCode =
      switch error.kind {
      case .refusedName, .refused, .hidden, .locked: .refused
      case .damaged: .damaged
      case .inputOutput: .inputOutput
      }
    self.init(code, error.description)
  }

  /// Makes the message of an error about one of the domains that a command changes.
  ///
  /// - Parameter count: How many domains the command changes: others of several may be changed.
  init(_ error: any Error, of domain: DomainName, among count: Int) {
    switch error {
    case _ where count == 1: self.init(error)
    case let error as DatabaseError: self.init(error.ofOneDomain(domain))
    default: self = CommandError(error).withOutcome("“\(domain)” was not changed")
    }
  }

  /// The same error with another end of a message that says that nothing was changed, which is too much where a command
  /// has changed something else.
  func withOutcome(_ outcome: String) -> CommandError {
    let end = "nothing was changed"
    guard message.hasByteSuffix("; \(end)") else { return self }
    var error = CommandError(
      code, String(Substring(message.utf8.dropLast(end.utf8.count))) + outcome, excerpt: excerpt)
    error.hint = hint
    return error
  }

  static func absence(of key: PropertyListKey, in domain: DomainName) -> CommandError {
    CommandError(.absent, "there is no default “\(key)” in the domain “\(domain)”")
  }
}
