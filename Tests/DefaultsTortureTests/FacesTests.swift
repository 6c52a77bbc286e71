import DefaultsDatabase
import Foundation
import TestSupport
import Testing

@testable import DefaultsTorture

/// A trial of each kind through each face, by a program that has both.
@Suite(.serialized)
struct FacesTests {
  /// The arguments that choose a face of the children.
  static let faces = ["classic", "modern"]

  private let home: TemporaryHome

  init() throws {
    home = try TemporaryHome()
  }

  private func bench(_ face: String) throws -> TortureBench {
    try TortureBench(
      in: home.path, program: TortureProgram(path: BuiltProduct.path(of: "torture-faces"), arguments: [face]))
  }

  @Test("no kill of a program costs a key that synchronize acknowledged", arguments: faces)
  func kills(face: String) throws {
    let trial = try KillTrial(kills: 15, on: bench(face))
    #expect(trial.isClean)
    #expect(trial.acknowledged >= 15)
  }

  @Test("programs that race lose no key, one of them stopped, and one killed with the lock", arguments: faces)
  func race(face: String) throws {
    let trial = try RaceTrial(
      processes: 4, threads: 2, keys: 100, keysPerSave: 5, isDisturbed: true, on: bench(face))
    #expect(trial.isClean)
    #expect(trial.refusals > 0)
    #expect(trial.acknowledgedByKilled > 0)
  }

  @Test("a stopped holder of the lock keeps no call waiting for longer, and is named", arguments: faces)
  func stoppedHolder(face: String) throws {
    let lateness = Lateness(in: home.path)
    let trial = try HolderTrial(release: .continue, on: bench(face))
    let late = lateness.total
    // As in a clean trial, and room for a busy machine.
    #expect(Duration.seconds(trial.longest) < .seconds(3) + late, "\(trial.waiter.seconds), late \(late)")
    #expect(trial.isHolderNamed && trial.lost == 0)
    #expect(trial.waiter.holder == trial.holder)
  }

  @Test(
    "programs that count one number up lose no count, one of them stopped, and one killed", arguments: faces)
  func count(face: String) throws {
    let trial = try CountTrial(processes: 4, commits: 50, isDisturbed: true, on: bench(face))
    #expect(trial.acknowledged >= 200 && trial.isClean)
  }

  @Test("a program that returns from main loses nothing", arguments: faces)
  func end(face: String) throws {
    let trial = try EndTrial(.returnFromMain, processes: 2, on: bench(face))
    #expect(trial.keys > 0)
    #expect(trial.lost == 0)
  }
}
