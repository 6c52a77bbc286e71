import Foundation
import TestSupport

extension ToolHome {
  /// What a shell's script came to.
  struct ShellOutcome: Equatable {
    var status: Int32
    var output = ""
    var errors = ""
  }

  /// Runs a script in a shell that finds the built tool as `defaults`, also in `$defaults`.
  ///
  /// It begins in the home directory; `$D` is the database's directory.
  ///
  /// - Parameter program: The shell. A test's children inherit blocked signals, and some shells cannot wait for a job
  ///   then; bash can.
  func shell(
    _ script: String, input: String = "", environment: [String: String] = [:], by program: String = "/bin/sh"
  ) throws -> ShellOutcome {
    let files = FileManager.default
    let programs = root.appendingPathComponent("bin")
    let tool = BuiltProduct.path(of: "defaults")
    if !files.fileExists(atPath: programs.path) {
      try files.createDirectory(at: programs, withIntermediateDirectories: false)
      try files.createSymbolicLink(
        atPath: programs.appendingPathComponent("defaults").path, withDestinationPath: tool)
    }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = ["-c", script]
    process.currentDirectoryURL = root
    process.environment = [
      "defaults": tool, "PATH": "\(programs.path):/usr/bin:/bin:/usr/sbin:/sbin", "D": path,
      "OPENSTEP_DEFAULTS_DIR": path, "HOME": root.path,
    ].merging(environment) { $1 }
    // Files, since a pipe that nobody empties would stop the tool.
    let streams = ["in", "out", "err"].map { root.appendingPathComponent(".\($0)") }
    for file in streams {
      try Data(file.lastPathComponent == ".in" ? Array(input.utf8) : []).write(to: file)
    }
    process.standardInput = try FileHandle(forReadingFrom: streams[0])
    process.standardOutput = try FileHandle(forWritingTo: streams[1])
    process.standardError = try FileHandle(forWritingTo: streams[2])
    try process.run()
    process.waitUntilExit()
    return ShellOutcome(
      status: process.terminationStatus, output: try String(contentsOf: streams[1], encoding: .utf8),
      errors: try String(contentsOf: streams[2], encoding: .utf8))
  }
}
