import DefaultsDatabase
import OpenStepPropertyList

/// Ends processes in one way while their threads write, without any call of synchronize.
struct EndTrial: TortureTrial {
  let ending: TortureJob.Ending
  private(set) var processes = 0
  /// The number of keys that were set before the end.
  private(set) var keys = 0
  /// The number of those keys that are missing in the file.
  private(set) var lost = 0
  /// For each process, the age of its oldest lost change when it ended, in milliseconds; 0 if none was lost.
  private(set) var ages: [Double] = []

  init(_ ending: TortureJob.Ending, processes: Int, on bench: TortureBench) throws {
    self.ending = ending
    for _ in 0..<processes {
      let directory = bench.freshPath("end")
      let notes = bench.freshPath("notes")
      let process = try bench.start(TortureJob(.end, directory: directory, notes: notes, ending: ending))
      try bench.waitForNotes("\(notes).0", of: process)
      var end = UInt64.max
      if let signal = ending.signal {
        try bench.pause(seconds: .random(in: 0.05...0.5))
        end = MonotonicTime.now.nanoseconds
        process.send(signal)
      }
      try bench.wait(for: "the end of a child") { !process.isRunning }
      if ending.signal == nil {
        guard let note = try TortureNotes.read("\(notes).end").first else {
          throw TortureError("a child has failed: \(process.complaint)")
        }
        end = note.time
      }
      guard process.hasEndedWell == ending.isNormal else {
        throw TortureError("a child has not ended by \(ending.rawValue): \(process.complaint)")
      }
      try count(in: UserDatabase(directory: directory), notes: notes, until: end)
      self.processes += 1
    }
    bench.tell("\(processes) processes have ended: \(ending.rawValue)")
  }

  /// Counts the keys that were set before the end of a process, and those of them that are missing.
  private mutating func count(in database: UserDatabase, notes: String, until end: UInt64) throws {
    let values = try database.load(DomainName(TortureChild.domain)).values
    var oldest = end
    for thread in 0..<TortureChild.endThreads {
      for note in try TortureNotes.read("\(notes).\(thread)") where note.time < end {
        keys += 1
        if values[PropertyListKey("\(thread)-\(note.number)")] != .string(String(note.number)) {
          lost += 1
          oldest = min(oldest, note.time)
        }
      }
    }
    ages.append(Double(end - oldest) / 1e6)
  }

  /// A normal end must lose nothing; any other may lose the latest changes, whose age is measured.
  var isClean: Bool { !ending.isNormal || lost == 0 }

  var rows: [TortureRow] {
    [
      TortureRow("ends without synchronize: \(ending.rawValue)", processes),
      TortureRow("  keys set before", keys),
      ending.isNormal
        ? TortureRow("  keys lost", lost)
        : TortureRow("  oldest lost change", "\(Int((ages.max() ?? 0).rounded())) ms before"),
    ]
  }
}
