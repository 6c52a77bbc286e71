import CDefaultsArguments
import DefaultsDatabase
package import DefaultsTorture

extension DefaultsCommand {
  /// Runs this process's command line, and ends the process; in a child of `torture`, does the job that its
  /// parent has given it.
  ///
  /// - Throws: in such a child, an error that has to end the process as an uncaught error.
  package static func runProcess() throws {
    if try !runTortureChildIfAsked(through: EngineDefaults.self) {
      // A closed pipe is an error of the system then, and kills no command that has changed one domain of several.
      Signal.brokenPipe.ignore()
      CurrentProcess.end(runInProcess().rawValue)
    }
  }

  /// Does the job that a parent process has given to this one; false if there is none.
  ///
  /// - Parameter type: The type through which the child uses its defaults.
  /// - Throws: an error that has to end the process as an uncaught error.
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

  /// Runs this process's command line on its own streams.
  ///
  /// Several commands recurse as deep as a value nests, and the shell's limit may leave the main thread a
  /// small stack.
  private static func runInProcess() -> ExitCode {
    occupyClosedStreams()
    // If no other thread can be started, less deeply nested values still work.
    return LargeStack.run { runOnThisThread() } ?? runOnThisThread()
  }

  /// Gives each standard stream that is closed a directory, on which reading and writing fail as on a closed stream.
  ///
  /// A file that is opened later would get its number otherwise, and the messages as well.
  private static func occupyClosedStreams() {
    let disk = DiskFileSystem()
    while let descriptor = try? disk.open("/", for: .directory) {
      if descriptor > CurrentProcess.standardError { return disk.close(descriptor) }
    }
  }

  private static func runOnThisThread() -> ExitCode {
    let output = StandardStreams.output()
    do {
      return run(
        arguments: try processArguments(), environment: CurrentProcess.environment,
        input: StandardStreams.readInput, output: output, ask: StandardStreams.question)
    } catch {
      return report(error, to: output)
    }
  }

  /// The arguments after the tool's name.
  ///
  /// The standard library's list has U+FFFD for bytes that are not UTF-8, and a value would be stored with
  /// it. That list is also empty where there is no `/proc`.
  private static func processArguments() throws(CommandError) -> [String] {
    var arguments: [String] = []
    let vector = carguments_vector()
    let count = vector == nil ? CommandLine.argc : carguments_count()
    for index in 1..<max(1, Int(count)) {
      // Either vector has as many C strings as its count says, and lives as long as the process.
      let bytes = vector?[index] ?? CommandLine.unsafeArgv[index]
      if let bytes, let argument = String(validatingCString: bytes),
        !ConvertCommand.isForGit(arguments) || !CurrentProcess.cannotReach(argument)
      {
        // git means a file of that name.
        arguments.append(argument == "-" && ConvertCommand.isForGit(arguments) ? "./-" : argument)
      } else if let bytes, arguments.first == MergeCommand.name, arguments.last == MergeCommand.labelOption {
        // git's name of the file, which is for messages alone.
        arguments.append(String(cString: bytes))
      } else if let bytes, ConvertCommand.isForGit(arguments) {
        do throws(DatabaseError) {
          try CurrentProcess.readInput(fromFile: bytes)
        } catch {
          throw CommandError(error)
        }
        arguments.append("-")
      } else {
        throw CommandError(.usage, "argument \(index) is not UTF-8")
      }
    }
    return arguments
  }
}
