package import DefaultsDatabase

/// All trials of `defaults torture`, and their sizes.
package struct TortureMatrix {
  /// How often a writer is killed.
  package var kills = 200
  /// How many processes, or threads, race.
  package var writers = 8
  /// How many keys each of them writes.
  package var keys = 250

  /// How often each way to end is tried.
  private static let ends = 3

  package init() {}

  /// The signals that end a run with its processes, and remove its folder.
  package static var interruptions: [Signal] { [.interrupt, .terminate, .hangUp] }

  /// Runs one trial after the other.
  ///
  /// - Throws: ``TortureInterruption`` if a signal asks for the end, ``TortureError`` and `DatabaseError`.
  package func run(on bench: TortureBench) throws -> [any TortureTrial] {
    var trials: [any TortureTrial] = [try KillTrial(kills: kills, on: bench)]
    for isDisturbed in [false, true] {
      trials.append(try RaceTrial(processes: writers, keys: keys, isDisturbed: isDisturbed, on: bench))
    }
    for isDisturbed in [false, true] {
      trials.append(try CountTrial(processes: writers, commits: keys, isDisturbed: isDisturbed, on: bench))
    }
    trials.append(try RaceTrial(processes: 1, threads: writers, keys: keys, isDisturbed: false, on: bench))
    for signal in [Signal.continue, .kill] { trials.append(try HolderTrial(release: signal, on: bench)) }
    for ending in TortureJob.Ending.allCases {
      trials.append(try EndTrial(ending, processes: TortureMatrix.ends, on: bench))
    }
    return trials
  }
}
