import Foundation
import TestSupport

/// `Tests/CPrograms/nx.c`, compiled once, whose processes call NeXT's functions as a test says.
struct NXProgram: Sendable {
  private static let shared = Result { try NXProgram() }

  private let home: TemporaryHome
  private let program: CProgram

  private init() throws {
    home = try TemporaryHome()
    program = try CProgram("nx", in: home)
  }

  /// Starts a process.
  ///
  /// - Parameters:
  ///   - directory: The directory of its database.
  ///   - arguments: Its command line.
  ///   - launcher: A program with arguments that runs it; empty for none.
  ///   - environment: What its environment has beside the database's directory.
  static func start(
    in directory: String, _ arguments: [String] = [], under launcher: [String] = [],
    _ environment: [String: String] = [:]
  ) throws -> Session {
    let command = launcher + [try shared.get().program.path] + arguments
    return try Session(command, environment.merging(["OPENSTEP_DEFAULTS_DIR": directory]) { $1 })
  }

  /// A process that makes one call after the other.
  final class Session {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private var rest: [UInt8] = []

    fileprivate init(_ command: [String], _ environment: [String: String]) throws {
      process.executableURL = URL(fileURLWithPath: command[0])
      process.arguments = Array(command.dropFirst())
      process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
      process.standardInput = input
      process.standardOutput = output
      try process.run()
    }

    deinit { _ = end() }

    /// Ends the process, and gives its status.
    func end() -> Int32 {
      // It ends at the end of its input, which may have been closed before.
      try? input.fileHandleForWriting.close()
      process.waitUntilExit()
      return process.terminationStatus
    }

    /// The name of the application's domain.
    var name: String { process.executableURL?.lastPathComponent ?? "" }

    /// Makes a call, and gives what it returned; nil for NULL.
    ///
    /// - Parameter fields: The verb and the arguments; nil is NULL.
    func callAsFunction(_ fields: String?...) -> String? {
      call(fields.map { Array(($0 ?? "\\N").utf8) })
    }

    /// The same with arguments that need not be UTF-8.
    func call(_ fields: [[UInt8]]) -> String? {
      let line = fields.joined(separator: [UInt8(ascii: "\t")]) + [UInt8(ascii: "\n")]
      input.fileHandleForWriting.write(Data(line))
      while true {
        if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
          let answer = String(decoding: rest[..<end], as: UTF8.self)
          rest.removeSubrange(...end)
          return answer == "\\N" ? nil : answer
        }
        let data = output.fileHandleForReading.availableData
        if data.isEmpty { return "the program has ended" }
        rest += data
      }
    }
  }
}
