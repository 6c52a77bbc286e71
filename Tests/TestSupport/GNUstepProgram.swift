public import Foundation

/// A small program of the tests' own that is compiled against the real GNUstep.
///
/// It needs gobjc, gnustep-make and GNUstep's base library with its headers. Where they are missing,
/// tests that need them are skipped, except on the build server.
public final class GNUstepProgram: Sendable {
  /// What a skipped test says.
  public static let absence = "gnustep-config is not installed"

  /// Whether tests that need GNUstep are to run: it is there, or its absence is a failure.
  public static var isExpected: Bool {
    BuildServer.isRunning || FileManager.default.isExecutableFile(atPath: "/usr/bin/gnustep-config")
  }

  /// A directory of the program's own, which goes when the object does.
  public let directory: URL
  /// The program.
  public let url: URL

  /// Compiles a program of `Tests/GNUstepPrograms`, or of another folder of the package, which gets the name that its
  /// application's domain is to have.
  public init(_ source: String, named name: String, in folder: String = "Tests/GNUstepPrograms") throws {
    directory = FileManager.default.temporaryDirectory.appendingPathComponent("gnustep-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    url = directory.appendingPathComponent(name)
    let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("\(folder)/\(source).m")
    let compile =
      "gcc $(gnustep-config --objc-flags) -o \"$1\" \"$2\" $(gnustep-config --base-libs)"
    _ = try GNUstepProgram.run("/bin/sh", ["-c", compile, "sh", url.path, source.path])
  }

  deinit {
    // Left behind, it would only lie in the system's temporary directory.
    try? FileManager.default.removeItem(at: directory)
  }

  /// Runs the program to its end and gives its standard output.
  ///
  /// - Parameter environment: Its environment; for nil this process's, with a database of the program's own, which no
  ///   other program locks, and which is not that of the user who runs the tests.
  public func run(_ arguments: [String], environment: [String: String]? = nil) throws -> Data {
    try GNUstepProgram.run(url.path, arguments, environment: try environment ?? ownEnvironment())
  }

  private func ownEnvironment() throws -> [String: String] {
    let configuration = directory.appendingPathComponent("GNUstep.conf").path
    let text = "GNUSTEP_USER_DEFAULTS_DIR=\(directory.path)/Defaults\n"
    // GNUstep believes no configuration that others may write.
    guard
      FileManager.default.fileExists(atPath: configuration)
        || FileManager.default.createFile(
          atPath: configuration, contents: Data(text.utf8), attributes: [.posixPermissions: 0o644])
    else { throw Failure(description: "\(configuration) cannot be written") }
    return ProcessInfo.processInfo.environment.merging(["GNUSTEP_CONFIG_FILE": configuration]) { $1 }
  }

  public struct Failure: Error, CustomStringConvertible {
    public let description: String
    /// The status with which the program ended, where it is that which fails.
    public var status: Int32?
  }

  /// Runs any program to its end and gives its standard output.
  public static func run(
    _ program: String, _ arguments: [String], environment: [String: String]? = nil
  ) throws -> Data {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    if let environment { process.environment = environment }
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failure(
        description: "\(program) ended with status \(process.terminationStatus)",
        status: process.terminationStatus)
    }
    return data
  }
}
