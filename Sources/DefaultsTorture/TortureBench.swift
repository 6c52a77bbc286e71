package import DefaultsDatabase
import OpenStepPropertyList

/// Where `torture` works: a folder of its own, the children that run there, and whom to tell.
package final class TortureBench {
  /// The path of the folder that holds the databases and notes of all trials.
  package let folder: String
  private let program: TortureProgram
  private let report: (String) -> Void
  private let interruption: () -> Signal?
  private var processes: [TortureProcess] = []
  private var count = 0

  /// After so many seconds a child counts as hanging.
  private static let timeLimit = 300.0

  /// Makes a fresh folder.
  ///
  /// - Parameters:
  ///   - place: The absolute path of the existing folder in which to make it.
  ///   - program: What the children run.
  ///   - report: Takes a line about how far the work is.
  ///   - interruption: Tells whether a signal asks to end.
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

  /// A path in the folder that nothing has yet.
  func freshPath(_ name: String) -> String {
    count += 1
    return "\(folder)/\(name)-\(count)"
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
    } catch let error as SystemError {
      throw TortureError("\(program.path): cannot be started: \(error)")
    }
    processes.append(process)
    return process
  }

  /// Ends every child, and returns when they are gone.
  func endAll() {
    for process in processes { process.send(.kill) }
    for process in processes { while process.isRunning { TortureBench.pauseForAMoment() } }
    processes = []
  }

  /// Removes the folder and all in it.
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

  /// Waits until something holds.
  ///
  /// - Throws: ``TortureInterruption`` when a signal asks to end; an error when it takes too long.
  func wait(for what: String, until condition: () throws -> Bool) throws {
    let deadline = MonotonicTime.now + TortureBench.timeLimit
    while try !condition() {
      try checkForInterruption()
      guard MonotonicTime.now < deadline else {
        throw TortureError("\(what) does not come; the files are in \(folder)")
      }
      TortureBench.pauseForAMoment()
    }
  }

  /// Lets some time go by.
  func pause(seconds: Double) throws {
    let end = MonotonicTime.now + seconds
    try wait(for: "the end of a pause") { MonotonicTime.now >= end }
  }

  /// Waits until a child has noted something.
  func waitForNotes(_ path: String, of process: TortureProcess) throws {
    try wait(for: "a child's first note") {
      if try TortureNotes.exist(path) { return true }
      // A child may note something and end between the two looks.
      guard try process.isRunning || TortureNotes.exist(path) else {
        throw TortureError("a child has failed: \(process.complaint)")
      }
      return false
    }
  }

  /// Waits until children have ended, and well.
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

  /// Starts a writer and stops it at a moment when it holds the lock; again, as long as it is done before.
  func startAndStopHoldingLock(_ job: TortureJob) throws -> TortureProcess {
    let deadline = MonotonicTime.now + TortureBench.timeLimit
    while MonotonicTime.now < deadline {
      let process = try start(job)
      if try stopHoldingLock(process) { return process }
      try waitForEnd(of: [process])
    }
    throw TortureError("no writer is found while it holds the lock; the files are in \(folder)")
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
      process.send(.stop)
      // Once more, since a process that is told to stop may still do a little.
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
