import CArguments
import DefaultsDatabase
package import DefaultsTorture

extension DefaultsCommand {
  /// Carries out this process's own command line and ends the process; in a child of `torture`, does the job that its
  /// parent has handed to it.
  ///
  /// - Throws: what is to end such a child as an uncaught error.
  package static func runProcess() throws {
    if try !runTortureChildIfAsked(through: EngineDefaults.self) {
      CurrentProcess.end(runInProcess().rawValue)
    }
  }

  /// Does the job that a parent has handed to this process; false where there is none.
  ///
  /// - Parameter type: How the child works with its defaults.
  /// - Throws: what is to end the process as an uncaught error.
  package static func runTortureChildIfAsked(through type: any TortureDefaults.Type) throws -> Bool {
    try TortureChild.runIfAsked(through: type) { arguments, directory in
      var errors: [UInt8] = []
      let output = CommandOutput(standardOutput: { _ in }, standardError: { errors += $0 })
      _ = run(
        arguments: arguments, environment: [DatabaseLocation.environmentVariable: directory],
        input: { [] }, output: output)
      return String(decoding: errors, as: UTF8.self)
    }
  }

  /// Carries out this process's own command line, on its own streams.
  ///
  /// Several commands recur as deep as a value nests, and the shell's limit may leave the main thread a small stack.
  private static func runInProcess() -> ExitCode {
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
  /// The standard library's own list has U+FFFD for what is not UTF-8; a value would be stored so. It is also empty where
  /// the system shows no `/proc`.
  private static func processArguments() throws(CommandError) -> [String] {
    var arguments: [String] = []
    let vector = carguments_vector()
    let count = vector == nil ? CommandLine.argc : carguments_count()
    for index in 1..<max(1, Int(count)) {
      // Either vector has as many C strings as its count says, and lives as long as the process.
      let bytes = vector?[index] ?? CommandLine.unsafeArgv[index]
      guard let bytes, let argument = String(validatingCString: bytes) else {
        throw CommandError(.usage, "argument \(index) is not UTF-8")
      }
      arguments.append(argument)
    }
    return arguments
  }
}
