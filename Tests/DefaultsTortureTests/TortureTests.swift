import DefaultsDatabase
import Foundation
import TestSupport
import Testing

@testable import DefaultsTorture

/// Kills, races, stopped processes and ends, by the harness of `defaults torture`.
///
/// One after the other: what is measured should not be each other's load.
@Suite(.serialized)
final class TortureTests {
  private let bench: TortureBench

  init() throws {
    bench = try TortureBench(
      in: FileManager.default.temporaryDirectory.path,
      program: TortureProgram(path: BuiltProduct.path(of: "defaults"), arguments: ["torture"]))
  }

  deinit {
    do {
      try bench.remove()
    } catch {
      assertionFailure("\(error)")
    }
  }

  // MARK: Kills

  @Test("no kill of a busy writer breaks the file or costs a key that synchronize acknowledged")
  func kills() throws {
    let trial = try KillTrial(kills: 60, on: bench)
    #expect(trial.unparseable == 0)
    #expect(trial.lost == 0)
    // Each writer is killed after its first acknowledged key, at the earliest.
    #expect(trial.acknowledged >= 60)
    #expect(trial.isClean)
  }

  // MARK: Races

  @Test("eight processes with 500 keys each leave 4,000 keys, with removals and a replaced domain")
  func race() throws {
    let trial = try RaceTrial(processes: 8, keys: 500, keysPerSave: 25, isDisturbed: false, on: bench)
    #expect(trial.lost == 0)
    #expect(trial.returned == 0)
    #expect(trial.mixtures == 0)
    #expect(trial.isClean)
  }

  @Test("4,000 keys are there also when a writer is stopped with the lock, and one is killed with it")
  func disturbedRace() throws {
    let trial = try RaceTrial(processes: 8, keys: 500, keysPerSave: 25, isDisturbed: true, on: bench)
    #expect(trial.lost == 0)
    #expect(trial.returned == 0)
    #expect(trial.mixtures == 0)
    // Or nobody was in the way of anybody.
    #expect(trial.refusals > 0)
    #expect(trial.acknowledgedByKilled > 0)
  }

  @Test("a writer that ends before it is stopped is replaced by another, until one holds the lock")
  func shortRace() throws {
    let trial = try RaceTrial(processes: 1, keys: 1, isDisturbed: true, on: bench)
    #expect(trial.isClean)
  }

  @Test("eight processes that save after each key lose none")
  func raceOfSaves() throws {
    let trial = try RaceTrial(processes: 8, keys: 40, isDisturbed: false, on: bench)
    #expect(trial.isClean)
  }

  @Test("eight threads of a process with 500 keys each leave 4,000 keys")
  func threads() throws {
    let trial = try RaceTrial(
      processes: 1, threads: 8, keys: 500, keysPerSave: 25, isDisturbed: false, on: bench)
    #expect(trial.isClean)
  }

  @Test("threads of several processes lose no key to each other")
  func threadsOfProcesses() throws {
    let trial = try RaceTrial(
      processes: 3, threads: 3, keys: 100, keysPerSave: 5, isDisturbed: true, on: bench)
    #expect(trial.isClean)
  }

  // MARK: Counts

  @Test("eight processes that count one number up 500 times each count to 4,000")
  func count() throws {
    let trial = try CountTrial(processes: 8, commits: 500, isDisturbed: false, on: bench)
    #expect(trial.acknowledged == 4000 && trial.counted == 4000)
    #expect(trial.isClean)
  }

  @Test(
    "every acknowledged count is there also when a process is stopped with the lock, and one is killed with it"
  )
  func disturbedCount() throws {
    let trial = try CountTrial(processes: 8, commits: 500, isDisturbed: true, on: bench)
    #expect(trial.acknowledged >= 4000)
    #expect((trial.acknowledged...trial.acknowledged + 1).contains(trial.counted))
    #expect(trial.isClean)
  }

  // MARK: Stopped holders

  @Test(
    "with a stopped holder of the lock no call waits longer, the error names it, and changes are kept",
    arguments: [Signal.continue, .kill])
  func stoppedHolder(release: Signal) throws {
    let lateness = Lateness(in: bench.folder)
    let trial = try HolderTrial(release: release, on: bench)
    let late = lateness.total
    // Two seconds, and room for a busy machine; another wait would make it four.
    #expect(Duration.seconds(trial.longest) < .seconds(3) + late, "\(trial.waiter.seconds), late \(late)")
    #expect(try #require(trial.waiter.seconds["synchronize"]) > 1.9)
    #expect(try #require(trial.waiter.seconds["tool"]) > 1.9)
    let secondsInMemory = try #require(trial.waiter.seconds["set and get"])
    #expect(Duration.seconds(secondsInMemory) < .seconds(1) + late)
    #expect(trial.waiter.holder == trial.holder)
    #expect(trial.waiter.error.contains("process \(trial.holder) has held the lock for two seconds"))
    #expect(trial.waiter.toolError.contains("process \(trial.holder) has held the lock for two seconds"))
    #expect(trial.isHolderNamed)
    #expect(trial.lost == 0)
  }

  // MARK: Ends

  @Test(
    "a process that ends normally loses nothing that was set before, while other threads go on",
    arguments: TortureJob.Ending.allCases.filter(\.isNormal))
  func normalEnd(ending: TortureJob.Ending) throws {
    let trial = try EndTrial(ending, processes: 4, on: bench)
    #expect(trial.keys > 0)
    #expect(trial.lost == 0)
  }

  @Test(
    "a sudden end loses only what was set in the last quarter of a second",
    arguments: TortureJob.Ending.allCases.filter { !$0.isNormal })
  func suddenEnd(ending: TortureJob.Ending) throws {
    var runs: [[Double]] = []
    // The machine may be busy with other things than the process; most often it is not.
    func isInTime() -> Bool {
      runs.last.map { ages in ages.count { $0 <= 250 } >= 2 && ages.allSatisfy { $0 < 1000 } } ?? false
    }
    while runs.count < 10, !isInTime() {
      let trial = try EndTrial(ending, processes: 4, on: bench)
      #expect(trial.keys > 0)
      runs.append(trial.ages)
    }
    #expect(isInTime(), "\(runs)")
  }
}
