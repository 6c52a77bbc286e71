import DefaultsDatabase
import DefaultsTool
import Foundation

/// A temporary database, and the tool run on it within the test's own process.
final class ToolHome {
  /// What one run of the tool came to.
  struct Outcome: Equatable, Sendable {
    var code: ExitCode
    /// Standard output.
    var output = ""
    /// Standard error.
    var errors = ""
  }

  /// A directory that holds nothing but the database's.
  let root: URL
  /// The database's directory.
  let database: URL
  /// The path of the database's directory.
  var path: String { database.path }

  init() throws {
    root = FileManager.default.temporaryDirectory.appendingPathComponent("ToolHome-\(UUID().uuidString)")
    database = root.appendingPathComponent("Defaults")
    try FileManager.default.createDirectory(at: database, withIntermediateDirectories: true)
  }

  deinit {
    do {
      try FileManager.default.removeItem(at: root)
    } catch {
      assertionFailure("\(root.path) is left behind: \(error)")
    }
  }

  /// Runs the tool on this database.
  func run(_ arguments: String..., input: String = "") -> Outcome {
    run(arguments, input: Array(input.utf8))
  }

  func run(
    _ arguments: [String], input: [UInt8] = [], environment: [String: String]? = nil,
    on fileSystem: any FileSystem = DiskFileSystem()
  ) -> Outcome {
    ToolHome.run(
      arguments, input: input,
      environment: environment ?? ["OPENSTEP_DEFAULTS_DIR": path, "HOME": root.path], on: fileSystem)
  }

  /// Runs the tool on the database that an environment names; from any thread.
  static func run(
    _ arguments: [String], input: [UInt8], environment: [String: String],
    on fileSystem: any FileSystem = DiskFileSystem()
  ) -> Outcome {
    var output: [UInt8] = []
    var errors: [UInt8] = []
    let code = DefaultsCommand.run(
      arguments: arguments,
      environment: environment, input: { input },
      output: CommandOutput(standardOutput: { output += $0 }, standardError: { errors += $0 }),
      fileSystem: fileSystem)
    return Outcome(
      code: code, output: String(decoding: output, as: UTF8.self),
      errors: String(decoding: errors, as: UTF8.self))
  }

  /// Puts a file into the database's directory.
  func write(_ text: String, to file: String) throws {
    try Data(text.utf8).write(to: database.appendingPathComponent(file))
  }

  /// Puts a file there that ends in a hole, which takes no room on the disk.
  func write(_ text: String, withHoleUpTo byteCount: UInt64, to file: String) throws {
    try write(text, to: file)
    let handle = try FileHandle(forWritingTo: database.appendingPathComponent(file))
    try handle.truncate(atOffset: byteCount)
    try handle.close()
  }

  /// Puts a file there that is larger than any that is read.
  func writeTooLarge(to file: String) throws {
    try write("", withHoleUpTo: 3 << 30, to: file)
  }

  /// The text of a file in the database's directory.
  func text(of file: String) throws -> String {
    String(decoding: try Data(contentsOf: database.appendingPathComponent(file)), as: UTF8.self)
  }

  /// The names in the database's directory but for hidden ones, sorted.
  func files() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: database.path).filter { !$0.hasPrefix(".") }.sorted()
  }
}
