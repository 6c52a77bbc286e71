import DefaultsDatabase
import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

/// A process is killed for real before each operation of a save on the real disk.
@Suite struct SaveKillTests {
  @Test("a killed save leaves the old or the new, and the next process saves", arguments: SaveScenario.all)
  func everyOperation(scenario: SaveScenario) async throws {
    let rehearsal = try TemporaryHome()
    try scenario.make(in: rehearsal)
    let recorder = FaultyFileSystem()
    try scenario.save(home: rehearsal.path, recorder)
    let steps = recorder.operations.count
    #expect(steps >= 20)
    let index = try #require(
      SaveScenario.all.firstIndex { $0.testDescription == scenario.testDescription })
    for step in 0..<steps {
      let home = try TemporaryHome()
      try scenario.make(in: home)
      await #expect(processExitsWith: .signal(SIGKILL)) {
        [path = home.path as String, index = index as Int, step = step as Int] in
        let deadly = FaultyFileSystem { operation in
          if operation.index == step { kill(getpid(), SIGKILL) }
          return nil
        }
        try SaveScenario.all[index].save(home: path, deadly)
      }
      let place = Comment("killed before \(recorder.operations[step])")
      let found = try scenario.state(home: home.path)
      #expect(scenario.mayBeFound(found), "\(place): \(found)")
      try expectPrecious(scenario, in: home, place)
      // The lock of the dead process stands in nobody's way, nor does anything it left.
      try scenario.save(home: home.path, DiskFileSystem())
      #expect(try scenario.state(home: home.path) == scenario.new, place)
      try expectPrecious(scenario, in: home, place)
    }
    print("kills, \(scenario.testDescription): \(steps)")
  }

  private func expectPrecious(_ scenario: SaveScenario, in home: TemporaryHome, _ place: Comment) throws {
    guard let precious = scenario.precious else { return }
    let names = try home.names(in: SaveScenario.folder)
    let files = try names.map { try home.bytes(of: "\(SaveScenario.folder)/\($0)") }
    #expect(files.contains(precious), place)
  }
}
