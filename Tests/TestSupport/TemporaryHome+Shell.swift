import Foundation

extension TemporaryHome {
  /// The end of a script with another status than 0.
  public struct ScriptFailure: Error {
    public let script: String
    public let status: Int32
  }

  /// Runs a script of the shell in the directory; it ends at the first command that fails.
  public func run(_ script: String) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-ec", script]
    process.currentDirectoryURL = URL(fileURLWithPath: path)
    try process.run()
    process.waitUntilExit()
    if process.terminationStatus != 0 {
      throw ScriptFailure(script: script, status: process.terminationStatus)
    }
  }
}
