package import DefaultsDatabase
import OpenStepPropertyList

/// The place where `torture` works: a folder of its own, the child processes in it, and the report of
/// progress.
package final class TortureBench {
  /// The path of the folder that holds the databases and notes of all trials.
  package let folder: String
  private let program: TortureProgram
  private let report: (String) -> Void
  private let interruption: () -> Signal?
  private var processes: [TortureProcess] = []
  private var count = 0

  /// The time in seconds after which a child counts as hanging.
  private static let timeLimit = 300.0

  /// Makes a fresh folder.
  ///
  /// - Parameters:
  ///   - place: The absolute path of the existing folder in which to make it.
  ///   - program: The program that the children run.
  ///   - report: Receives one line about the progress.
  ///   - interruption: Gives the signal that asks for the end; nil if there is none.
  package init(
    in place: String, program: TortureProgram, report: @escaping (String) -> Void = { _ in },
    interruption: @escaping () -> Signal? = { nil }
  ) throws {
    let number = String(UInt64.random(in: .min ... .max), radix: 16)
    folder = "\(place == "/" ? "" : place)/defaults-torture-\(number)"
    (self.program, self.report, self.interruption) = (program, report, interruption)
    do throws(SystemError) {
      try DiskFileSystem().makeDirectory(folder)
    } catch {
      throw TortureError("\(place): no folder can be made here: \(error)")
    }
  }

  deinit {
    endAll()
  }

  /// An unused path in the folder.
  func freshPath(_ name: String) -> String {
    count += 1
    return "\(folder)/\(name)-\(count)"
  }

  /// Reports the progress.
  func tell(_ progress: String) {
    report(progress)
  }

  // MARK: Children

  /// Starts a child.
  func start(_ job: TortureJob) throws -> TortureProcess {
    processes.removeAll { !$0.isRunning }
    let process: TortureProcess
    do {
      process = try TortureProcess(program: program, job: job)
    } catch let error as SystemError {
      throw TortureError("\(program.path): cannot be started: \(error)")
    }
    processes.append(process)
    return process
  }

  /// Kills every child, and returns when all have ended.
  func endAll() {
    for process in processes { process.send(.kill) }
    for process in processes { while process.isRunning { TortureBench.pauseForAMoment() } }
    processes = []
  }

  /// Kills every child, and removes the folder with its contents.
  package func remove() throws {
    endAll()
    do throws(SystemError) {
      try TortureBench.removeTree(folder)
    } catch {
      throw TortureError("\(folder): cannot be removed: \(error)")
    }
  }

  private static func removeTree(_ path: String) throws(SystemError) {
    let disk = DiskFileSystem()
    guard try disk.status(at: path, followingLinks: false).kind == .directory else {
      return try disk.remove(path)
    }
    for name in try disk.names(inDirectory: path) { try removeTree("\(path)/\(name)") }
    try disk.removeDirectory(path)
  }

  // MARK: Waiting

  private static func pauseForAMoment() {
    CurrentProcess.pause(microseconds: 1000)
  }

  /// Waits until a condition is true.
  ///
  /// - Throws: ``TortureInterruption`` if a signal asks for the end, and an error after ``timeLimit``.
  func wait(for what: String, until condition: () throws -> Bool) throws {
    let deadline = MonotonicTime.now + TortureBench.timeLimit
    while try !condition() {
      try checkForInterruption()
      guard MonotonicTime.now < deadline else {
        throw TortureError("waited too long for \(what); the files are in \(folder)")
      }
      TortureBench.pauseForAMoment()
    }
  }

  /// Waits for some time, unless a signal asks for the end.
  func pause(seconds: Double) throws {
    let end = MonotonicTime.now + seconds
    try wait(for: "the end of a pause") { MonotonicTime.now >= end }
  }

  /// Waits for a child's first note.
  func waitForNotes(_ path: String, of process: TortureProcess) throws {
    try wait(for: "a child's first note") {
      if try TortureNotes.exist(path) { return true }
      // A child may write its first note and end between the two checks.
      guard try process.isRunning || TortureNotes.exist(path) else {
        throw TortureError("a child has failed: \(process.complaint)")
      }
      return false
    }
  }

  /// Waits until children have ended; throws if one has failed.
  func waitForEnd(of processes: [TortureProcess]) throws {
    for process in processes {
      try wait(for: "the end of a child") { !process.isRunning }
      guard process.hasEndedWell else {
        throw TortureError("a child has failed: \(process.complaint)")
      }
    }
  }

  private func checkForInterruption() throws {
    if let signal = interruption() { throw TortureInterruption(signal: signal) }
  }

  // MARK: Locks

  /// Starts a writer and stops it while it holds the lock; starts another one if it ends before.
  ///
  /// - Parameter makeJob: Makes the job of one writer, with notes of its own.
  func startAndStopHoldingLock(_ makeJob: () -> TortureJob) throws -> TortureProcess {
    let deadline = MonotonicTime.now + TortureBench.timeLimit
    while MonotonicTime.now < deadline {
      let process = try start(makeJob())
      if try stopHoldingLock(process) { return process }
      try waitForEnd(of: [process])
    }
    throw TortureError("no writer is found while it holds the lock; the files are in \(folder)")
  }

  /// Stops a busy writer while it holds the lock of its database; false if it has ended before.
  ///
  /// The writer is an ordinary process, so this is tried repeatedly: stop the process, check whether it holds
  /// the lock, and continue it if it does not.
  func stopHoldingLock(_ process: TortureProcess) throws -> Bool {
    let database = UserDatabase(directory: process.job.directory)
    func holds() throws -> Bool { try TortureBench.holder(of: database) == process.identifier }
    var isHolding = false
    try wait(for: "a moment at which a writer holds the lock") {
      process.send(.stop)
      // Checked twice, since a process may run for a moment after the signal was sent.
      if try holds() {
        CurrentProcess.pause(microseconds: 20_000)
        isHolding = try holds()
        if isHolding { return true }
      }
      process.send(.continue)
      CurrentProcess.pause(microseconds: .random(in: 0...5000))
      return !process.isRunning
    }
    return isHolding
  }

  /// The process that holds the lock of a database, according to the error of a refused write.
  private static func holder(of database: UserDatabase) throws -> Int32? {
    var changes = DomainChanges()
    changes.set("x", for: "K")
    do throws(DatabaseError) {
      var request = CommitRequest(changes, to: try DomainName("Probe"))
      request.deadline = .now
      _ = try database.commit(request)
      return nil
    } catch {
      guard case .locked(let holder) = error.kind else { throw error }
      return holder
    }
  }
}
