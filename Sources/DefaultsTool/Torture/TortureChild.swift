import DefaultsDatabase
import Foundation
import OpenStepDefaults
import OpenStepPropertyList

/// The children of `torture`: the tool's own executable, started again with a job.
///
/// They work through `NSUserDefaults`, as any program does.
package enum TortureChild {
  /// The domain that children write to.
  static let domain = "Torture"
  /// The domain that children replace as a whole, all its values being the same.
  static let replacedDomain = "Replaced"
  static let replacedKeys = (0..<10).map(String.init)

  /// Does the job that a parent has handed to this process; false where there is none.
  ///
  /// - Throws: what is to end the process as an uncaught error.
  package static func runIfAsked() throws -> Bool {
    guard let text = ProcessInfo.processInfo.environment[TortureJob.variable] else { return false }
    let job = try TortureJob(text: text)
    takeSignals()
    endWith(parent: job.parent)
    switch job.work {
    case .write: try write(job)
    case .race: try TortureRacer.run(job)
    case .wait: try TortureWaiter(job).run()
    case .end: try end(job)
    }
    return true
  }

  /// Lets signals do what they usually do; a parent hands on which of them it blocks or ignores.
  private static func takeSignals() {
    var none = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, nil)
    for number in [SIGINT, SIGTERM, SIGHUP] { signal(number, SIG_DFL) }
  }

  /// Has this process killed when its parent is gone, however that ended.
  private static func endWith(parent: Int32) {
    Thread.detachNewThread {
      while getppid() == parent { Thread.sleep(forTimeInterval: 0.1) }
      kill(getpid(), SIGKILL)
    }
  }

  /// Runs a body on several threads at once, and waits for all of them.
  static func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    let group = DispatchGroup()
    for index in 0..<count {
      group.enter()
      Thread.detachNewThread {
        body(index)
        group.leave()
      }
    }
    group.wait()
  }

  /// Waits for the end of the process, which something else brings about.
  private static func waitForTheEnd() -> Never {
    while true { Thread.sleep(forTimeInterval: 60) }
  }

  /// Sets one key after the other, and notes each that was acknowledged.
  private static func write(_ job: TortureJob) throws -> Never {
    let notes = try TortureNotes(creating: job.notes)
    let defaults = NSUserDefaults(directory: job.directory, applicationName: domain)
    var number = 0
    while true {
      defaults.setInteger(number, forKey: "\(job.number)-\(number)")
      if defaults.synchronize() { notes.add(number) }
      number += 1
    }
  }

  // MARK: Ends

  /// How many threads write while a process ends.
  static let endThreads = 3

  private struct UncaughtError: Error {}

  /// Sets keys from several threads, each noted after it was set, and ends while they go on.
  private static func end(_ job: TortureJob) throws {
    let defaults = NSUserDefaults(directory: job.directory, applicationName: domain)
    let end = try TortureNotes(creating: "\(job.notes).end")
    for thread in 0..<endThreads {
      let notes = try TortureNotes(creating: "\(job.notes).\(thread)")
      Thread.detachNewThread {
        var number = 0
        while true {
          defaults.setInteger(number, forKey: "\(thread)-\(number)")
          notes.add(number)
          number += 1
          // Some hundreds of changes a second are a busy program, and leave time for the others.
          Thread.sleep(forTimeInterval: 0.001)
        }
      }
    }
    if job.ending.signal != nil { waitForTheEnd() }
    Thread.sleep(forTimeInterval: .random(in: 0.05...0.5))
    switch job.ending {
    case .returnFromMain:
      end.add(0)
    case .exit:
      end.add(0)
      exit(0)
    case .exitFromThread:
      Thread.detachNewThread {
        end.add(0)
        exit(0)
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
      // A status of its own, since this is no normal end.
      _exit(1)
    case .terminate, .kill:
      waitForTheEnd()
    }
  }
}
