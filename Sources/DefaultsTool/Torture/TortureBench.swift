import DefaultsDatabase
import Foundation
import OpenStepPropertyList

/// Where `torture` works: a folder of its own, the children that run there, and whom to tell.
final class TortureBench {
  /// The folder that holds the databases and notes of all trials.
  let folder: URL
  private let program: URL
  private let report: (String) -> Void
  private let interruption: () -> Int32
  private var processes: [TortureProcess] = []
  private var count = 0

  /// After so many seconds a child counts as hanging.
  private static let timeLimit = 300.0

  /// Makes a fresh folder.
  ///
  /// - Parameters:
  ///   - place: The existing folder in which to make it.
  ///   - program: The tool's executable, which the children run.
  ///   - report: Takes a line about how far the work is.
  ///   - interruption: Tells whether a signal asks to end, by its number; else 0.
  init(
    in place: URL, program: URL, report: @escaping (String) -> Void = { _ in },
    interruption: @escaping () -> Int32 = { 0 }
  ) throws {
    folder = place.appendingPathComponent("defaults-torture-\(UUID().uuidString)")
    (self.program, self.report, self.interruption) = (program, report, interruption)
    do {
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    } catch {
      throw CommandError(
        .inputOutput, "\(place.path): no folder can be made here: \(StreamError(error).reason)")
    }
  }

  deinit {
    endAll()
  }

  /// A path in the folder that nothing has yet.
  func freshPath(_ name: String) -> String {
    count += 1
    return folder.appendingPathComponent("\(name)-\(count)").path
  }

  /// Tells how far the work is.
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
    } catch {
      throw CommandError(.inputOutput, "\(program.path): cannot be started: \(StreamError(error).reason)")
    }
    processes.append(process)
    return process
  }

  /// Ends every child, and returns when they are gone.
  func endAll() {
    for process in processes { process.send(SIGKILL) }
    for process in processes { while process.isRunning { Thread.sleep(forTimeInterval: 0.001) } }
    processes = []
  }

  /// Removes the folder and all in it.
  func remove() throws {
    endAll()
    do {
      try FileManager.default.removeItem(at: folder)
    } catch {
      throw CommandError(.inputOutput, "\(folder.path): cannot be removed: \(StreamError(error).reason)")
    }
  }

  // MARK: Waiting

  /// Waits until something holds.
  ///
  /// - Throws: ``TortureInterruption`` when a signal asks to end; an error when it takes too long.
  func wait(for what: String, until condition: () throws -> Bool) throws {
    let deadline = ContinuousClock.now + .seconds(TortureBench.timeLimit)
    while try !condition() {
      try checkForInterruption()
      guard ContinuousClock.now < deadline else {
        throw CommandError(.inputOutput, "\(what) does not come; the files are in \(folder.path)")
      }
      Thread.sleep(forTimeInterval: 0.001)
    }
  }

  /// Lets some time go by.
  func pause(seconds: Double) throws {
    let end = ContinuousClock.now + .seconds(seconds)
    try wait(for: "the end of a pause") { ContinuousClock.now >= end }
  }

  /// Waits until a child has noted something.
  func waitForNotes(_ path: String, of process: TortureProcess) throws {
    try wait(for: "a child's first note") {
      guard process.isRunning || TortureNotes.exist(path) else {
        throw CommandError(.inputOutput, "a child has failed: \(process.complaint)")
      }
      return TortureNotes.exist(path)
    }
  }

  /// Waits until children have ended, and well.
  func waitForEnd(of processes: [TortureProcess]) throws {
    for process in processes {
      try wait(for: "the end of a child") { !process.isRunning }
      guard process.hasEndedWell else {
        throw CommandError(.inputOutput, "a child has failed: \(process.complaint)")
      }
    }
  }

  private func checkForInterruption() throws {
    let signal = interruption()
    if signal != 0 { throw TortureInterruption(signal: signal) }
  }

  // MARK: Locks

  /// Starts a writer and stops it at a moment when it holds the lock; again, as long as it is done before.
  func startAndStopHoldingLock(_ job: TortureJob) throws -> TortureProcess {
    let deadline = ContinuousClock.now + .seconds(TortureBench.timeLimit)
    while ContinuousClock.now < deadline {
      let process = try start(job)
      if try stopHoldingLock(process) { return process }
      try waitForEnd(of: [process])
    }
    throw CommandError(
      .inputOutput, "no writer is found while it holds the lock; the files are in \(folder.path)")
  }

  /// Stops a busy writer at a moment when it holds the lock of its database; false where it has ended before.
  ///
  /// It is an ordinary process, caught by trying: stop it, look whether it is the one that others
  /// would have to wait for, and let it go on if not.
  func stopHoldingLock(_ process: TortureProcess) throws -> Bool {
    let database = UserDatabase(directory: process.job.directory)
    func holds() throws -> Bool { try TortureBench.holder(of: database) == process.identifier }
    var isHolding = false
    try wait(for: "a moment at which a writer holds the lock") {
      process.send(SIGSTOP)
      // Once more, since a process that is told to stop may still do a little.
      if try holds() {
        Thread.sleep(forTimeInterval: 0.02)
        isHolding = try holds()
        if isHolding { return true }
      }
      process.send(SIGCONT)
      Thread.sleep(forTimeInterval: .random(in: 0...0.005))
      return !process.isRunning
    }
    return isHolding
  }

  /// The process that has the lock of a database, as the refusal of a write names it.
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

/// A signal that asked the tool to end.
struct TortureInterruption: Error {
  let signal: Int32
}
