import Dispatch
import Foundation

/// A process named Probe that performs a job.
struct ProbeProcess {
  enum End {
    case normal
    case aborted
    case timedOut
  }

  /// The outcomes of the performed steps, in order.
  let outcomes: [JSON]
  let end: End
  /// What the process wrote to standard error.
  let complaint: String

  /// Runs a process until it ends, or until the timeout.
  ///
  /// `program` is a link whose name becomes the name of the process; job and results are files beside it.
  init(
    program: URL, arguments: [String], environment: [String: String], job: Job, timeLimit: Double
  ) throws {
    let file = program.deletingLastPathComponent().appendingPathComponent("job-\(UUID().uuidString)")
    let answers = file.appendingPathExtension("answers")
    let errors = file.appendingPathExtension("errors")
    try job.write(to: file)

    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    process.environment = environment.merging([Job.variable: file.path]) { $1 }
    process.currentDirectoryURL = program.deletingLastPathComponent()
    process.standardInput = FileHandle.nullDevice
    // Files, not pipes: a full pipe that is not read would block the process.
    process.standardOutput = try ProbeProcess.makeFile(answers)
    process.standardError = try ProbeProcess.makeFile(errors)
    let ended = DispatchSemaphore(value: 0)
    process.terminationHandler = { _ in ended.signal() }
    try process.run()

    if ended.wait(timeout: .now() + timeLimit) == .timedOut {
      // Not terminate(): the threads of dispatch queues block that signal, and child
      // processes inherit the mask.
      kill(process.processIdentifier, SIGKILL)
      ended.wait()
      end = .timedOut
    } else {
      let endedItself = process.terminationReason == .exit && process.terminationStatus == 0
      end = endedItself ? .normal : .aborted
    }
    outcomes = try Data(contentsOf: answers).split(separator: 0x0A).map { try JSONReader.value(of: $0) }
    complaint = String(decoding: try Data(contentsOf: errors), as: UTF8.self)
  }

  private static func makeFile(_ url: URL) throws -> FileHandle {
    try Data().write(to: url)
    return try FileHandle(forWritingTo: url)
  }
}
