import Foundation

/// A program that is talked to line by line.
final class Conversation {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var received: [UInt8] = []

  init(_ program: URL, _ arguments: [String] = ["serve"], environment: [String: String]) throws {
    process.executableURL = program
    process.arguments = arguments
    process.environment = environment
    process.standardInput = input
    process.standardOutput = output
    try process.run()
  }

  func ask(_ question: String) throws -> String {
    try input.fileHandleForWriting.write(contentsOf: Data("\(question)\n".utf8))
    return try line()
  }

  func line() throws -> String {
    while true {
      if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
        defer { received.removeFirst(end + 1) }
        return String(decoding: received[..<end], as: UTF8.self)
      }
      guard let part = try output.fileHandleForReading.read(upToCount: 1), !part.isEmpty else {
        return String(decoding: received, as: UTF8.self)
      }
      received += part
    }
  }

  /// Kills the program, as `kill -9` does.
  func end() {
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }
}
