import DefaultsDatabase

extension DefaultsCommand {
  /// Carries out this process's own command line, on its own streams.
  ///
  /// Several commands recur as deep as a value nests, and the shell's limit may leave the main thread a small stack.
  package static func runInProcess() -> ExitCode {
    // Without another thread there is still room for what nests less.
    LargeStack.run { runOnThisThread() } ?? runOnThisThread()
  }

  private static func runOnThisThread() -> ExitCode {
    let output = StandardStreams.output()
    do {
      return run(
        arguments: try processArguments(), environment: CurrentProcess.environment,
        input: StandardStreams.readInput, output: output)
    } catch {
      return report(error, to: output)
    }
  }

  /// What stands behind the tool's name.
  ///
  /// The standard library's own list has U+FFFD for what is not UTF-8; a value would be stored so.
  private static func processArguments() throws(CommandError) -> [String] {
    var arguments: [String] = []
    for index in 1..<max(1, Int(CommandLine.argc)) {
      // The vector has as many C strings as the count says, and lives as long as the process.
      guard let bytes = CommandLine.unsafeArgv[index], let argument = String(validatingCString: bytes) else {
        throw CommandError(.usage, "argument \(index) is not UTF-8")
      }
      arguments.append(argument)
    }
    return arguments
  }
}
