import Foundation

/// A child process that answers lines with lines.
final class LineProcess {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var read = Data()
  private let endsWithInput: Bool

  /// Starts a program; its standard error is this process's.
  ///
  /// - Parameter endsWithInput: Whether the program ends at the end of its input, or has to be interrupted.
  init(_ program: URL, _ arguments: [String], endsWithInput: Bool = true) throws {
    self.endsWithInput = endsWithInput
    process.executableURL = program
    process.arguments = arguments
    process.standardInput = input
    process.standardOutput = output
    try process.run()
  }

  deinit {
    // A program at the end of its input ends; to wait for it leaves none behind.
    try? input.fileHandleForWriting.close()
    if !endsWithInput { process.terminate() }
    process.waitUntilExit()
  }

  var identifier: Int32 { process.processIdentifier }

  /// The next line, without its end.
  func line() throws -> String {
    while true {
      if let end = read.firstIndex(of: UInt8(ascii: "\n")) {
        defer { read = Data(read[(end + 1)...]) }
        return String(decoding: read[..<end], as: UTF8.self)
      }
      let more = output.fileHandleForReading.availableData
      guard !more.isEmpty else {
        throw Absence("\(process.executableURL?.lastPathComponent ?? "a program") ended without an answer")
      }
      read += more
    }
  }

  /// Says a line and gives the answer.
  func ask(_ text: String) throws -> String {
    try input.fileHandleForWriting.write(contentsOf: Data((text + "\n").utf8))
    return try line()
  }

  /// Says a line whose answer is a number.
  @discardableResult
  func number(_ text: String) throws -> Double {
    try LineProcess.number(ask(text), of: text)
  }

  /// Runs a program to its end, and gives the numbers of its only line.
  static func numbers(_ program: URL, _ arguments: [String]) throws -> [Double] {
    let process = try LineProcess(program, arguments)
    return try process.line().split(separator: " ").map { try number(String($0), of: arguments[0]) }
  }

  private static func number(_ answer: String, of question: String) throws -> Double {
    guard let number = Double(answer) else {
      throw Absence("“\(question)” was answered with “\(answer)”")
    }
    return number
  }
}
