import Foundation

/// A child process of `torture`, as its parent sees it.
final class TortureProcess {
  let job: TortureJob
  private let process = Process()
  private let complaintFile: URL

  /// Starts the tool again with a job.
  init(program: URL, job: TortureJob) throws {
    self.job = job
    complaintFile = URL(fileURLWithPath: "\(job.notes).errors")
    process.executableURL = program
    // Nobody reads them but who lists the processes.
    process.arguments = ["torture", job.work.rawValue, job.directory]
    process.environment = ProcessInfo.processInfo.environment.merging([
      TortureJob.variable: try job.text,
      // A trap is to end the process at once.
      "SWIFT_BACKTRACE": "enable=no",
    ]) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    try Data().write(to: complaintFile)
    process.standardError = try FileHandle(forWritingTo: complaintFile)
    try process.run()
  }

  /// The process's number.
  var identifier: Int32 { process.processIdentifier }

  var isRunning: Bool { process.isRunning }

  /// Whether the process ended by itself and well.
  var hasEndedWell: Bool {
    !isRunning && process.terminationReason == .exit && process.terminationStatus == 0
  }

  /// What the process wrote to standard error, or how it ended.
  var complaint: String {
    let text = String(
      decoding: FileManager.default.contents(atPath: complaintFile.path) ?? Data(), as: UTF8.self)
    let reason = process.terminationReason == .exit ? "status" : "signal"
    return text.isEmpty ? "it ended with \(reason) \(process.terminationStatus)" : text
  }

  /// Sends a signal, unless the process has ended and its number may be another's.
  func send(_ signal: Int32) {
    if isRunning { kill(identifier, signal) }
  }
}
