import DefaultsDatabase
import OpenStepPropertyList

/// Stops a process while it holds the lock, and measures the duration of another one's calls.
struct HolderTrial: TortureTrial {
  /// The signal that makes the holder release the lock.
  let release: Signal
  /// The process that was stopped.
  let holder: Int32
  /// The results of the other process's calls.
  let waiter: TortureWaiter.Outcome
  /// The number of the other process's changes that are not on disk after the lock was released.
  private(set) var lost = 0

  /// The longest wait that keeps the promise, in seconds: two, and one more for a busy machine.
  static let longestWait = 3.0

  /// Runs the trial with a signal that continues the holder, or one that ends it.
  init(release: Signal, on bench: TortureBench) throws {
    let directory = bench.freshPath("holder")
    let notes = bench.freshPath("notes")
    let writer = try bench.start(TortureJob(.write, directory: directory, notes: notes))
    try bench.waitForNotes(notes, of: writer)
    guard try bench.stopHoldingLock(writer) else {
      throw TortureError("a child has failed: \(writer.complaint)")
    }
    bench.tell("a process is stopped while it holds the lock, and another wants to write")
    let outcome = bench.freshPath("outcome")
    let child = try bench.start(TortureJob(.wait, directory: directory, notes: outcome, number: 17))
    try bench.waitForNotes(outcome, of: child)
    (self.release, holder, waiter) = (release, writer.identifier, try TortureWaiter.Outcome(path: outcome))
    writer.send(release)
    try bench.waitForEnd(of: [child])
    writer.send(.kill)
    for name in TortureWaiter.domains {
      let values = try UserDatabase(directory: directory).load(DomainName(name)).values
      if values["K"] != "17" { lost += 1 }
    }
  }

  /// The duration of the slowest call, in seconds.
  var longest: Double { waiter.seconds.values.max() ?? 0 }

  /// Whether both errors name the process that was stopped.
  var isHolderNamed: Bool {
    waiter.holder == holder && waiter.error.contains("process \(holder) ")
      && waiter.toolError.contains("process \(holder) ")
  }

  var isClean: Bool { longest <= HolderTrial.longestWait && isHolderNamed && lost == 0 }

  var rows: [TortureRow] {
    [
      TortureRow("stopped holder of the lock, process", Int(holder)),
      TortureRow("  time until refused", longest, decimals: 2, unit: "s"),
      TortureRow("  process that the error names", waiter.holder.map { String($0) } ?? "none"),
      TortureRow("  changes lost after it \(release == .continue ? "went on" : "was killed")", lost),
    ]
  }
}
