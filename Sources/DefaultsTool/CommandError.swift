import DefaultsDatabase
import OpenStepPropertyList

/// Why a command did not do what it was asked to: one line for standard error, and the exit code.
struct CommandError: Error, Hashable {
  let code: ExitCode
  /// What is wrong, where, and what to do, without the tool's name in front.
  let message: String
  /// Lines that follow the message as they stand: a source line and its caret.
  let excerpt: String

  init(_ code: ExitCode, _ message: String, excerpt: String = "") {
    self.code = code
    self.message = message
    self.excerpt = excerpt
  }

  /// Puts whatever a command throws into words.
  init(_ error: any Error) {
    switch error {
    case let error as CommandError:
      self = error
    case let error as DatabaseError:
      self.init(error)
    case let error as PropertyListError:
      // Only writers throw it this far: a format cannot hold the value.
      self.init(.refused, error.description)
    case let error as FormatError:
      self.init(.refused, error.description)
    case StreamError.failed(let reason):
      self.init(.inputOutput, "standard output: \(reason)")
    default:
      self.init(.inputOutput, "\(error)")
    }
  }

  /// An error of the database, in its own words.
  init(_ error: DatabaseError) {
    let code: ExitCode =
      switch error.kind {
      case .refusedName, .refused, .hidden, .locked: .refused
      case .damaged: .damaged
      case .inputOutput: .inputOutput
      }
    self.init(code, error.description)
  }

  static func absence(of domain: DomainName) -> CommandError {
    CommandError(.absent, "there is no domain “\(domain)”")
  }

  static func absence(of key: PropertyListKey, in domain: DomainName) -> CommandError {
    CommandError(.absent, "there is no default “\(key)” in the domain “\(domain)”")
  }
}
