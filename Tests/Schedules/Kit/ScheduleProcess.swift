import DefaultsDatabase
import Foundation
import UserDefaultsCompat

/// A process that runs schedules, one after the other: its program calls ``serve(_:)``.
///
/// It reads a line with a schedule, answers that its threads exist, and lets them begin at the next line. It writes a
/// line for each operation that has returned, and a last one when all changes are on the disk.
public final class ScheduleProcess: Sendable {
  private let process: Process
  private let input: FileHandle
  private let output: FileHandle
  private let unread = Lock(Data())
  /// When its threads were last let begin.
  private let start = Lock<UInt64>(0)

  /// A line that the process writes.
  private enum Line: Codable {
    case isReady
    case record(thread: Int, OperationRecord)
    case isDone
    case failed(String)
  }

  /// Starts a process.
  ///
  /// - Parameters:
  ///   - program: The path of its program's file.
  ///   - directory: The directory of its database.
  public init(program: String, directory: String) throws {
    process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = [directory]
    let (input, output) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    (self.input, self.output) = (input.fileHandleForWriting, output.fileHandleForReading)
    try process.run()
  }

  deinit { kill() }

  /// Kills it, and returns when it has ended.
  public func kill() {
    if process.isRunning { Foundation.kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
  }

  /// Gives it a schedule, and returns when its threads exist.
  public func prepare(_ schedule: ThreadSchedule) throws {
    try send(JSONEncoder().encode(schedule))
    guard case .isReady? = try nextLine() else { throw Failure(description: "it is not ready") }
  }

  /// Lets its threads begin.
  public func begin() throws {
    start.withLock { $0 = MonotonicTime.now.nanoseconds }
    try send(Data())
  }

  /// Waits until it has ended its schedule, and all changes are on the disk.
  ///
  /// - Parameter killAfter: How many operations have returned when it is killed; nil for never.
  /// - Returns: The records of each thread. If it was killed, the first operation of each thread that has not returned
  ///   has no outcome, and later ones are left out.
  public func finish(_ schedule: ThreadSchedule, killAfter: Int? = nil) throws -> [[OperationRecord]] {
    let begin = start.withLock { $0 }
    var records = schedule.threads.map { _ in [OperationRecord]() }
    var count = 0
    if killAfter == 0 { kill() }
    reading: while let line = try nextLine() {
      switch line {
      case .isReady: throw Failure(description: "it is ready twice")
      case .failed(let error): throw Failure(description: error)
      case .isDone: return records
      case .record(let thread, let record):
        records[thread].append(record)
        count += 1
        if count == killAfter { kill() }
      }
    }
    guard killAfter != nil else { throw Failure(description: "it has ended") }
    for (thread, operations) in schedule.threads.enumerated() where records[thread].count < operations.count {
      records[thread].append(
        OperationRecord(
          operations[records[thread].count], start: records[thread].last?.outcome?.end ?? begin, outcome: nil)
      )
    }
    return records
  }

  /// Why a process has not done what it should.
  public struct Failure: Error, CustomStringConvertible {
    public let description: String
  }

  private func send(_ line: Data) throws { try input.write(contentsOf: line + [UInt8(ascii: "\n")]) }

  /// The next line; nil after the last one of a process that has ended.
  private func nextLine() throws -> Line? {
    try unread.withLock { unread in
      while true {
        if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
          defer { unread = Data(unread[(end + 1)...]) }
          return try JSONDecoder().decode(Line.self, from: unread[..<end])
        }
        let piece = output.availableData
        if piece.isEmpty { return nil }
        unread += piece
      }
    }
  }

  // MARK: - In the process itself

  /// Runs the schedules that come from standard input, until it ends.
  public static func serve(_ directory: String) throws {
    // Several objects, as of several parts of a program.
    let objects = (0..<2).map { _ in
      UserDefaultsCompat.UserDefaults(directory: directory, applicationName: ScheduleProcess.application)
    }
    let isWriting = Lock(0)
    @Sendable func tell(_ line: Line) {
      isWriting.withLock { lines in
        lines += 1
        guard let text = try? JSONEncoder().encode(line) else { fatalError("a line has no text") }
        // A line that cannot be written ends the process, since its parent has ended.
        FileHandle.standardOutput.write(text + [UInt8(ascii: "\n")])
      }
    }
    while let line = readLine() {
      let schedule = try JSONDecoder().decode(ThreadSchedule.self, from: Data(line.utf8))
      do {
        try schedule.run(on: objects) {
          tell(.isReady)
          _ = readLine()
        } _: {
          tell(.record(thread: $0, $1))
        }
        try ScheduledOperation.save(objects[0], after: "the schedule")
        tell(.isDone)
      } catch {
        tell(.failed("\(error)"))
      }
    }
  }

  /// The name of the domain in which the numbers are.
  public static let application = "App"
}
