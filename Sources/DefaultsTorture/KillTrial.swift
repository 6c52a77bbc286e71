import DefaultsDatabase
import OpenStepPropertyList

/// Kills writers of one database at random moments, one after the other.
struct KillTrial: TortureTrial {
  private(set) var kills = 0
  private(set) var acknowledged = 0
  /// How often the file was damaged after a kill.
  private(set) var unparseable = 0
  /// The number of acknowledged keys that were missing after at least one kill.
  private(set) var lost = 0

  /// The longest time from a writer's first acknowledged key to its kill, in seconds.
  private static let longestRun = 0.04

  init(kills: Int, on bench: TortureBench) throws {
    let directory = bench.freshPath("kills")
    let database = UserDatabase(directory: directory)
    let domain = try DomainName(TortureChild.domain)
    var missing: Set<PropertyListKey> = []
    var expected: [PropertyListKey: PropertyList] = [:]
    for round in 0..<kills {
      let notes = bench.freshPath("notes")
      let process = try bench.start(TortureJob(.write, directory: directory, notes: notes, number: round))
      try bench.waitForNotes(notes, of: process)
      try bench.pause(seconds: .random(in: 0...KillTrial.longestRun))
      process.send(.kill)
      try bench.wait(for: "the end of a killed child") { !process.isRunning }
      self.kills += 1
      for note in try TortureNotes.read(notes) {
        expected[PropertyListKey("\(round)-\(note.number)")] = .string(String(note.number))
      }
      let loaded = try database.load(domain)
      if loaded.damage != nil { unparseable += 1 }
      let values = loaded.values
      for (key, value) in expected where values[key] != value { missing.insert(key) }
      if self.kills % 50 == 0 { bench.tell("\(self.kills) of \(kills) kills") }
    }
    (acknowledged, lost) = (expected.count, missing.count)
  }

  var isClean: Bool { unparseable == 0 && lost == 0 }

  var rows: [TortureRow] {
    [
      TortureRow("kills of a busy writer", kills),
      TortureRow("  files unparseable", unparseable),
      TortureRow("  keys acknowledged before", acknowledged),
      TortureRow("  acknowledged keys lost", lost),
    ]
  }
}
