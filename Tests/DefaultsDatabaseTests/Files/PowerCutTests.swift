import DefaultsDatabase
import OpenStepPropertyList
import TestSupport
import Testing

/// The power fails before each operation of a save, and the disk is looked at by a new process.
@Suite struct PowerCutTests {
  /// The disk as it is before each operation of a body, and after the last.
  private func moments(
    of tree: FileTree, during body: (any FileSystem) throws -> Void
  ) rethrows -> (before: [FileTree], after: FileTree) {
    let disk = RecordingFileSystem(tree)
    let trees = Lock<[FileTree]>([])
    try body(
      FaultyFileSystem(disk) { _ in
        trees.withLock { $0.append(disk.tree) }
        return nil
      })
    return (trees.withLock { $0 }, disk.tree)
  }

  @Test(
    "at every moment of a save other processes, and everyone after a loss of power, find the old or the new",
    arguments: SaveScenario.all)
  func everyMoment(scenario: SaveScenario) throws {
    let (before, after) = try moments(of: scenario.tree()) { try scenario.save($0) }
    var cuts = 0
    var outcomes: Set<SaveScenario.State> = []
    // Many moments leave the same disk, and each kind of disk is judged once.
    var judged: Set<FileTree.Contents> = []
    for tree in before {
      if let complaint = try scenario.complaint(about: tree, isDone: false) { Issue.record("\(complaint)") }
      try tree.forEachPowerCut { tree in
        cuts += 1
        guard judged.insert(tree.contents).inserted else { return }
        outcomes.insert(try scenario.state(RecordingFileSystem(tree)))
        if let complaint = try scenario.complaint(about: tree, isDone: false) { Issue.record("\(complaint)") }
      }
    }
    #expect(try scenario.complaint(about: after, isDone: true) == nil)
    try after.forEachPowerCut { tree in
      cuts += 1
      if let complaint = try scenario.complaint(about: tree, isDone: true) { Issue.record("\(complaint)") }
      // Nor does what the cut left stand in the way of the next save.
      let disk = RecordingFileSystem(tree)
      try scenario.save(disk)
      #expect(try scenario.complaint(about: disk.tree, isDone: true) == nil)
    }
    // Locking, reading and flushing at the least; and both ends of the save are among the outcomes.
    #expect(before.count >= 10 && cuts >= 100, "\(before.count) moments, \(cuts) cuts")
    #expect(outcomes.isSuperset(of: [scenario.old, scenario.new]), "\(outcomes)")
    print("power cuts, \(scenario.testDescription): \(before.count) moments, \(cuts) disks")
  }

  @Test(
    "what is acknowledged after another process was killed at any moment survives",
    arguments: SaveScenario.all)
  func afterKill(scenario: SaveScenario) throws {
    var cuts = 0
    let (before, _) = try moments(of: scenario.tree()) { try scenario.save($0) }
    var judged: Set<FileTree.Contents> = []
    for tree in before {
      let disk = RecordingFileSystem(tree)
      try scenario.save(disk)
      try disk.tree.forEachPowerCut { tree in
        cuts += 1
        guard judged.insert(tree.contents).inserted else { return }
        if let complaint = try scenario.complaint(about: tree, isDone: true) { Issue.record("\(complaint)") }
      }
    }
    #expect(cuts >= 100)
    print("power cuts after a kill, \(scenario.testDescription): \(cuts) disks")
  }

  @Test("keys acknowledged by earlier saves are there wherever a later one is cut short")
  func severalSaves() throws {
    let app = try DomainName("App")
    let directory = SaveScenario.imaginaryDatabase
    var tree = FileTree()
    try tree.addDirectory(SaveScenario.imaginaryHome)
    var cuts = 0
    for round in 1...4 {
      let acknowledged = round - 1
      let (before, after) = try moments(of: tree) { fileSystem in
        var changes = DomainChanges()
        changes.set(.string("\(round)"), for: PropertyListKey("\(round)"))
        _ = try UserDatabase(directory: directory, fileSystem: fileSystem).commit(
          changes, to: app, onDamage: .refuse)
      }
      for tree in before {
        try tree.forEachPowerCut { tree in
          cuts += 1
          let loaded = try UserDatabase(directory: directory, fileSystem: RecordingFileSystem(tree)).load(app)
          guard loaded.damage == nil, [acknowledged, round].contains(loaded.values.count) else {
            Issue.record("\(acknowledged) keys were acknowledged, found \(loaded.values)")
            return
          }
        }
      }
      tree = after
    }
    #expect(cuts >= 1000)
  }

  // MARK: - The judge itself

  /// Writes bytes beside a file and renames them over it, leaving out what a careless programmer would.
  private func save(
    _ bytes: [UInt8], to path: String, _ fileSystem: any FileSystem, flushesFile: Bool, flushesDirectory: Bool
  ) throws(SystemError) {
    let file = try fileSystem.open(path + ".new", for: .creating)
    _ = try fileSystem.write(bytes[...], to: file)
    if flushesFile { try fileSystem.synchronize(file) }
    fileSystem.close(file)
    try fileSystem.rename(path + ".new", to: path)
    let directory = try fileSystem.open(SaveScenario.imaginaryDatabase, for: .directory)
    if flushesDirectory { try fileSystem.synchronize(directory) }
    fileSystem.close(directory)
  }

  private static let file = "\(SaveScenario.imaginaryDatabase)/App.plist"

  /// What may be found of a domain that some saver changes: while it works, and when it is done.
  private func outcomes(
    _ save: (any FileSystem) throws -> Void
  ) throws -> (during: Set<SaveScenario.State>, done: Set<SaveScenario.State>) {
    let scenario = try #require(SaveScenario.all.first { $0.testDescription == "a changed domain" })
    let (before, after) = try moments(of: scenario.tree(), during: save)
    var (during, done): (Set<SaveScenario.State>, Set<SaveScenario.State>) = ([], [])
    for tree in before {
      try tree.forEachPowerCut { during.insert(try scenario.state(RecordingFileSystem($0))) }
    }
    try after.forEachPowerCut { done.insert(try scenario.state(RecordingFileSystem($0))) }
    return (during, done)
  }

  private let new = Array("{ a = 1; k = new; }".utf8)
  private let oldState = SaveScenario.State.values(["a": "1"])
  private let newState = SaveScenario.State.values(["a": "1", "k": "new"])

  @Test("a saver that flushes the file, renames it and flushes the directory passes")
  func goodSaver() throws {
    let (during, done) = try outcomes {
      try save(new, to: PowerCutTests.file, $0, flushesFile: true, flushesDirectory: true)
    }
    #expect(during == [oldState, newState])
    #expect(done == [newState])
  }

  @Test("a saver that does not flush the file before it is renamed is caught leaving a broken one")
  func noFileFlush() throws {
    let (during, done) = try outcomes {
      try save(new, to: PowerCutTests.file, $0, flushesFile: false, flushesDirectory: true)
    }
    #expect(during.contains(.damaged))
    #expect(done.contains(.damaged))
  }

  @Test("a saver that does not flush the directory is caught acknowledging what is lost")
  func noDirectoryFlush() throws {
    let (during, done) = try outcomes {
      try save(new, to: PowerCutTests.file, $0, flushesFile: true, flushesDirectory: false)
    }
    #expect(during == [oldState, newState])
    #expect(done == [oldState, newState])
  }

  @Test("a saver that overwrites the file in place is caught halfway, although it flushes in the end")
  func inPlace() throws {
    let (during, done) = try outcomes { fileSystem in
      let file = try fileSystem.open(PowerCutTests.file, for: .locking)
      defer { fileSystem.close(file) }
      try fileSystem.write(new, to: file, at: 0)
      try fileSystem.synchronize(file)
    }
    #expect(during.contains(.damaged))
    #expect(done == [newState])
  }

  @Test("a saver that removes the file to make it anew is caught with none")
  func removedFirst() throws {
    let (during, _) = try outcomes { fileSystem in
      try fileSystem.remove(PowerCutTests.file)
      try save(new, to: PowerCutTests.file, fileSystem, flushesFile: true, flushesDirectory: true)
    }
    #expect(during.contains(.absent))
  }
}
