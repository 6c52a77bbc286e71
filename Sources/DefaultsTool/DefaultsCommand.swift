package import DefaultsDatabase

/// The `defaults` tool: reads and writes a user's defaults database from the command line.
///
/// Begin here; each verb is a file under `Commands`, and ``table`` lists them.
package enum DefaultsCommand {
  /// The verbs, in the order in which `help` shows them.
  static var table: [any Subcommand.Type] {
    [
      ReadCommand.self,
      ReadKeyCommand.self,
      WriteCommand.self,
      DeleteCommand.self,
      DomainsCommand.self,
      FindCommand.self,
      WatchCommand.self,
      LintCommand.self,
      ConvertCommand.self,
      ImportCommand.self,
      ExportCommand.self,
      TortureCommand.self,
      HelpCommand.self,
    ]
  }

  /// Carries out one command line; every way to fail ends as a line of standard error and an exit code.
  ///
  /// - Parameters:
  ///   - arguments: What stands behind the tool's name.
  ///   - environment: Where the database's place is looked up.
  ///   - input: Reads the standard input to its end; asked only by what takes one.
  ///   - output: Where results and errors go.
  package static func run(
    arguments: [String],
    environment: @escaping EnvironmentLookup,
    input: @escaping () throws -> [UInt8],
    output: CommandOutput
  ) -> ExitCode {
    do {
      let code = try carryOut(
        arguments, in: CommandContext(environment: environment, input: input, output: output))
      try output.flush()
      return code
    } catch StreamError.closed {
      // The reader has seen all that it wanted.
      return .done
    } catch {
      return report(error, to: output)
    }
  }

  /// The same with an environment of text.
  package static func run(
    arguments: [String], environment: [String: String], input: @escaping () throws -> [UInt8],
    output: CommandOutput
  ) -> ExitCode {
    run(arguments: arguments, environment: { environment[$0] }, input: input, output: output)
  }

  /// Reports an error and gives its exit code.
  static func report(_ error: any Error, to output: CommandOutput) -> ExitCode {
    let error = CommandError(error)
    do {
      try output.report(error)
    } catch {
      // Nobody is left to tell; the exit code still says it.
    }
    return error.code
  }

  private static func carryOut(_ arguments: [String], in context: CommandContext) throws -> ExitCode {
    guard !arguments.isEmpty else {
      try context.output.printError(HelpCommand.overview)
      return .usage
    }
    let line = try CommandLineArguments(arguments)
    return try line.command.run(line.arguments, in: context.with(user: line.user, isGNUstep: line.isGNUstep))
  }
}
