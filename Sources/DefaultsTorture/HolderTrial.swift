import DefaultsDatabase
import OpenStepPropertyList

/// Stops a process while it holds the lock, and times the calls of another.
struct HolderTrial: TortureTrial {
  /// How the lock is given back.
  let release: Signal
  /// The process that was stopped.
  let holder: Int32
  /// What the other process met.
  let waiter: TortureWaiter.Outcome
  /// The changes of the other process that did not reach the disk after the lock was free.
  private(set) var lost = 0

  /// The longest wait that keeps the promise, in seconds: two, and what a busy machine adds to them.
  static let longestWait = 3.0

  /// Tries it with a signal that lets the holder go on, or one that ends it.
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

  /// How long the slowest call took, in seconds.
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
