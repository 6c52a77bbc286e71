package import DefaultsDatabase

/// The `defaults` tool: reads and writes a user's defaults database from the command line.
///
/// Start reading here: each verb is a file in `Commands`, and ``table`` lists them. `-version` is an option of the
/// tool itself, and `VersionCommand` is not in the table.
package enum DefaultsCommand {
  /// The verbs, in the order in which `help` shows them.
  static var table: [any Subcommand.Type] {
    [
      ReadCommand.self,
      ReadTypeCommand.self,
      ReadKeyCommand.self,
      WriteCommand.self,
      EditCommand.self,
      RenameCommand.self,
      DeleteCommand.self,
      DeleteAllCommand.self,
      DomainsCommand.self,
      FindCommand.self,
      ExplainCommand.self,
      DiffCommand.self,
      MergeCommand.self,
      WatchCommand.self,
      ApplyCommand.self,
      LogCommand.self,
      UndoCommand.self,
      SnapshotCommand.self,
      RestoreCommand.self,
      LintCommand.self,
      ConvertCommand.self,
      ImportCommand.self,
      ExportCommand.self,
      DoctorCommand.self,
      PathsCommand.self,
      TortureCommand.self,
      CompletionCommand.self,
      HelpCommand.self,
    ]
  }

  /// Runs one command line; every failure becomes a line on standard error and an exit code.
  ///
  /// - Parameters:
  ///   - arguments: The arguments after the tool's name.
  ///   - environment: Looks up the variables that locate the database.
  ///   - input: Reads the standard input to its end; called only by verbs that use it.
  ///   - output: The destination of results and errors.
  ///   - fileSystem: Where the database lies.
  ///   - ask: Asks a person on the terminal; nil where there is none.
  package static func run(
    arguments: [String],
    environment: @escaping EnvironmentLookup,
    input: @escaping () throws -> [UInt8],
    output: CommandOutput, ask: Question? = nil, fileSystem: any FileSystem = DiskFileSystem()
  ) -> ExitCode {
    do {
      let code = try carryOut(
        arguments,
        in: CommandContext(
          environment: environment, input: input, output: output, fileSystem: fileSystem, ask: ask))
      try output.end()
      return code
    } catch {
      return report(error, to: output)
    }
  }

  /// Runs one command line with an environment of texts.
  package static func run(
    arguments: [String], environment: [String: String], input: @escaping () throws -> [UInt8],
    output: CommandOutput, ask: Question? = nil, fileSystem: any FileSystem = DiskFileSystem()
  ) -> ExitCode {
    run(
      arguments: arguments, environment: { environment[$0] }, input: input, output: output, ask: ask,
      fileSystem: fileSystem)
  }

  /// Reports an error and gives its exit code.
  static func report(_ error: any Error, to output: CommandOutput) -> ExitCode {
    let error = CommandError(error)
    do {
      try output.report(error)
    } catch {
      // The message cannot be written; the exit code still tells the kind of error.
    }
    return error.code
  }

  private static func carryOut(_ arguments: [String], in context: CommandContext) throws -> ExitCode {
    guard !arguments.isEmpty else {
      try context.output.printError(HelpCommand.overview(width: nil))
      return .usage
    }
    let line = try CommandLineArguments(arguments)
    var context = context
    context.user = line.options.user
    context.isGNUstep = line.options.isGNUstep
    context.isGlobal = line.options.isGlobal
    // git takes OURS for the result where “merge” fails, which uses none of these variables.
    if line.command != MergeCommand.self {
      context.style = try line.options.style ?? OutputStyle(environment: context.environment)
      context.recorder = try HistoryRecorder(
        [line.command.name] + (line.options.isGlobal ? ["-g"] : []) + line.arguments,
        environment: context.environment)
    }
    let recorder = context.recorder
    func endRecording() throws {
      recorder?.finish()
      for remark in recorder?.remarks ?? [] { try context.output.report(CommandError(remark)) }
    }
    let code: ExitCode
    do {
      code = try line.command.run(line.arguments, in: context)
    } catch is HelpRequest {
      try context.output.print(HelpCommand.page(of: line.command, width: context.output.width))
      return .done
    } catch {
      try? endRecording()
      guard var error = error as? CommandError, error.hint == nil, [.usage, .absent].contains(error.code)
      else {
        throw error
      }
      error.hint = MisplacedOption.hint(in: line.arguments, of: line.command)
      throw error
    }
    try endRecording()
    return code
  }
}
