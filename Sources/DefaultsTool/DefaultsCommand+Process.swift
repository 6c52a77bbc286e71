import Foundation

extension DefaultsCommand {
  /// Carries out this process's own command line, on its own streams.
  package static func runInProcess() -> ExitCode {
    let output = StandardStreams.output()
    do {
      return run(
        arguments: try processArguments(), environment: ProcessInfo.processInfo.environment,
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
