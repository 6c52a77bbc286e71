import DefaultsDatabase
import OpenStepPropertyList

/// A child of `torture`: a program that was started again with a job.
///
/// It uses defaults as any program does, through the engine or a class that uses the engine.
package enum TortureChild {
  /// Runs a command line of the tool on a directory's database, and gives its standard error.
  package typealias Tool = @Sendable (_ arguments: [String], _ directory: String) -> String

  /// The domain that children write to.
  static let domain = "Torture"
  /// The domain that children replace as a whole, with equal values for all keys.
  static let replacedDomain = "Replaced"
  static let replacedKeys = (0..<10).map(String.init)

  /// Does the job that a parent process has given to this one; false if there is none.
  ///
  /// - Parameters:
  ///   - type: The type through which the child uses its defaults.
  ///   - tool: Runs the tool inside this process.
  /// - Throws: an error that has to end the process as an uncaught error.
  package static func runIfAsked(
    through type: any TortureDefaults.Type = EngineDefaults.self, tool: @escaping Tool
  ) throws -> Bool {
    // Who starts a set-uid tool must not choose where it writes.
    guard !CurrentProcess.hasBorrowedRights, let text = CurrentProcess.preference(TortureJob.variable) else {
      return false
    }
    let job = try TortureJob(text: text)
    endWith(parent: job.parent)
    switch job.work {
    case .write: try write(job, type)
    case .race: try TortureRacer.run(job, type)
    case .count: try count(job, type)
    case .wait: try TortureWaiter(job, type, tool).run()
    case .end: try end(job, type)
    }
    return true
  }

  /// Kills this process when its parent has ended, in whatever way.
  private static func endWith(parent: Int32) {
    startThread {
      while CurrentProcess.parent == parent { CurrentProcess.pause(microseconds: 100_000) }
      Signal.kill.send(to: CurrentProcess.identifier)
    }
  }

  private static func startThread(_ body: @escaping @Sendable () -> Void) {
    guard SystemThread.start(body) else { fatalError("the system cannot start a thread") }
  }

  /// Runs a body on several threads at once, and waits for all of them.
  static func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    let ended = Condition()
    let running = Lock(count)
    for index in 0..<count {
      startThread {
        body(index)
        running.withLock { count in
          count -= 1
          ended.signal()
        }
      }
    }
    running.withLock(waitingOn: ended) { $0 > 0 ? .wait() : .end }
  }

  /// Waits for the end of the process, which a signal or another thread causes.
  private static func waitForTheEnd() -> Never {
    while true { CurrentProcess.pause(microseconds: 60_000_000) }
  }

  /// Sets one key after the other, and notes each one that synchronize acknowledged.
  private static func write(_ job: TortureJob, _ type: any TortureDefaults.Type) throws -> Never {
    let notes = try TortureNotes(creating: job.notes)
    let defaults = type.init(directory: job.directory, applicationName: domain)
    var number = 0
    while true {
      defaults.set(number, for: "\(job.number)-\(number)")
      if defaults.synchronize() { notes.add(number) }
      number += 1
    }
  }

  /// Counts a number up, again and again while another process holds the lock, and notes each commit that was
  /// acknowledged.
  private static func count(_ job: TortureJob, _ type: any TortureDefaults.Type) throws {
    let notes = try TortureNotes(creating: job.notes)
    let defaults = type.init(directory: job.directory, applicationName: domain)
    var number = 0
    while job.keys == 0 || number < job.keys {
      do {
        try defaults.countUp(CountTrial.key)
      } catch let error as DatabaseError where error.isOfLock {
        continue
      }
      notes.add(number)
      number += 1
    }
  }

  // MARK: Ends

  /// How many threads write while a process ends.
  static let endThreads = 3

  private struct UncaughtError: Error {}

  /// Sets keys from several threads, notes each key after it is set, and ends the process while they
  /// continue.
  private static func end(_ job: TortureJob, _ type: any TortureDefaults.Type) throws {
    let defaults = type.init(directory: job.directory, applicationName: domain)
    let end = try TortureNotes(creating: "\(job.notes).end")
    for thread in 0..<endThreads {
      let notes = try TortureNotes(creating: "\(job.notes).\(thread)")
      startThread {
        var number = 0
        while true {
          defaults.set(number, for: "\(thread)-\(number)")
          notes.add(number)
          number += 1
          // Hundreds of changes a second are typical of a busy program, and leave processor time for other
          // processes.
          CurrentProcess.pause(microseconds: 1000)
        }
      }
    }
    if job.ending.signal != nil { waitForTheEnd() }
    CurrentProcess.pause(microseconds: .random(in: 50_000...500_000))
    switch job.ending {
    case .returnFromMain:
      end.add(0)
    case .exit:
      end.add(0)
      CurrentProcess.end(0)
    case .exitFromThread:
      startThread {
        end.add(0)
        CurrentProcess.end(0)
      }
      waitForTheEnd()
    case .trap:
      end.add(0)
      fatalError("as asked for")
    case .uncaughtError:
      end.add(0)
      throw UncaughtError()
    case .exitAtOnce:
      end.add(0)
      // Not 0, since this is not a normal end.
      CurrentProcess.endAtOnce(1)
    case .terminate, .kill:
      waitForTheEnd()
    }
  }
}
