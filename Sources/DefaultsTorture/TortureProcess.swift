import DefaultsDatabase

/// A child process of `torture`, as its parent sees it.
final class TortureProcess {
  let job: TortureJob
  private let process: ChildProcess
  private let complaintFile: String

  /// Starts a program with a job.
  init(program: TortureProgram, job: TortureJob) throws {
    self.job = job
    complaintFile = "\(job.notes).errors"
    process = try ChildProcess(
      program: program.path,
      // The job's arguments are not used; they appear in a list of processes.
      arguments: program.arguments + [job.work.rawValue, job.directory],
      environment: [
        TortureJob.variable: try job.text,
        // Without a backtrace a trap ends the process at once.
        "SWIFT_BACKTRACE": "enable=no",
      ], standardError: complaintFile)
  }

  /// The process's number.
  var identifier: Int32 { process.identifier }

  var isRunning: Bool { process.isRunning }

  /// Whether the process has exited with status 0.
  var hasEndedWell: Bool { process.ending == .status(0) }

  /// What the process wrote to standard error, or how it ended.
  var complaint: String {
    let text = (try? DiskFileSystem().contents(ofRegularFile: complaintFile)) ?? []
    guard text.isEmpty else { return String(decoding: text, as: UTF8.self) }
    switch process.ending {
    case .status(let status): return "it ended with status \(status)"
    case .signal(let signal): return "it ended with signal \(signal.number)"
    case nil: return "it has not ended"
    }
  }

  /// Sends a signal, unless the process has ended, and its identifier may be another process's.
  func send(_ signal: Signal) {
    process.send(signal)
  }
}
