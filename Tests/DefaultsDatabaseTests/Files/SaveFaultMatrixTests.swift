import DefaultsDatabase
import OpenStepPropertyList
import TestSupport
import Testing

/// Every operation of every kind of save fails, in every way; and the power fails right afterwards.
@Suite(.enabled(if: Thoroughness.runsHere, Comment(rawValue: Thoroughness.elsewhere)))
struct SaveFaultMatrixTests {
  static let faults = Thoroughness.cases(
    [.noSpace, .interrupted, .inputOutput, .notPermitted, .readOnly, .tooManyOpenFiles] as [SystemError],
    unoptimized: 2)

  @Test(
    "an operation that fails is told, nothing is lost, and the next attempt saves",
    arguments: SaveScenario.all)
  func everyOperation(scenario: SaveScenario) throws {
    var failures = 0
    var cuts = 0
    // Many faults leave the same disk, and each kind of disk is judged once.
    var judged: [Bool: Set<FileTree.Contents>] = [false: [], true: []]
    func complaint(about tree: FileTree, isDone: Bool) throws -> String? {
      cuts += 1
      guard judged[isDone, default: []].insert(tree.contents).inserted else { return nil }
      return try scenario.complaint(about: tree, isDone: isDone)
    }
    for fault in SaveFaultMatrixTests.faults {
      // Once, as a full table of files does; and from then on, as a full disk does.
      for isLasting in [false, true] {
        for step in 0... {
          let disk = RecordingFileSystem(try scenario.tree())
          let faulty = FaultyFileSystem(disk) {
            $0.index == step || isLasting && $0.index > step ? fault : nil
          }
          let database = scenario.database(faulty)
          let error = failure(of: database, scenario)
          guard faulty.operations.count > step else { break }
          let place = Comment("\(fault) of \(faulty.operations[step]), lasting: \(isLasting)")
          #expect(disk.openCount == 0, place)
          if let error {
            failures += 1
            #expect(error.kind == .inputOutput(code: fault.code), place)
            #expect(error.path.hasPrefix(SaveScenario.imaginaryHome), place)
            #expect(error.description.contains("\(error.path): "), place)
            #expect(error.description.contains("\(fault)"), place)
          }
          #expect(try scenario.complaint(about: disk.tree, isDone: error == nil) == nil, place)
          try disk.tree.forEachPowerCut { tree in
            if let complaint = try complaint(about: tree, isDone: error == nil) {
              Issue.record("\(complaint) after a loss of power; \(place)")
            }
          }
          if isLasting { continue }
          // Only that one operation failed, so the same object can save now.
          #expect(failure(of: database, scenario) == nil, place)
          try disk.tree.forEachPowerCut { tree in
            if let complaint = try complaint(about: tree, isDone: true) {
              Issue.record("\(complaint) after another attempt and a loss of power; \(place)")
            }
          }
        }
      }
    }
    // Of all six; fewer in proportion.
    let count = SaveFaultMatrixTests.faults.count
    #expect(
      6 * failures >= 100 * count && 6 * cuts >= 5000 * count, "\(failures) failures, \(cuts) cuts")
    print("faults, \(scenario.testDescription): \(failures) failed saves, \(cuts) disks")
  }

  private func failure(of database: UserDatabase, _ scenario: SaveScenario) -> DatabaseError? {
    do throws(DatabaseError) {
      _ = try database.commit(scenario.changes, to: DomainName(scenario.domain), onDamage: .moveAside)
      return nil
    } catch {
      return error
    }
  }

  @Test("writes that take only some of the bytes lose nothing", arguments: SaveScenario.all, [1, 3, 7])
  func shortWrites(scenario: SaveScenario, bytesPerWrite: Int) throws {
    let disk = RecordingFileSystem(try scenario.tree())
    try scenario.save(FaultyFileSystem(disk, bytesPerWrite: bytesPerWrite))
    try disk.tree.forEachPowerCut { tree in
      if let complaint = try scenario.complaint(about: tree, isDone: true) { Issue.record("\(complaint)") }
    }
  }

  @Test("a write that takes nothing is an error, not a hang") func emptyWrites() throws {
    let scenario = try #require(SaveScenario.all.first)
    let disk = RecordingFileSystem(try scenario.tree())
    let database = UserDatabase(
      directory: SaveScenario.imaginaryDatabase, fileSystem: FaultyFileSystem(disk, bytesPerWrite: 0))
    #expect(failure(of: database, scenario)?.kind == .inputOutput(code: SystemError.inputOutput.code))
    #expect(try scenario.complaint(about: disk.tree, isDone: false) == nil)
  }
}
