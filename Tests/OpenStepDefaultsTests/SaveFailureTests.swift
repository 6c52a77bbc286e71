import DefaultsDatabase
import DefaultsDomains
import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

@testable import OpenStepDefaults

/// What a program is told, and what it keeps, when the disk fails under its defaults.
struct SaveFailureTests {
  private let app: DomainName

  init() throws {
    app = try DomainName("App")
  }

  /// A disk of which one operation fails, once it is told which.
  private final class Disk: Sendable {
    private struct State {
      /// How many operations go well before one fails; nil while none is to fail.
      var remaining: Int?
      var hasFailed = false
    }

    private let state = Lock(State())
    private let recording: RecordingFileSystem
    private let fault: SystemError

    static let directory = "/home/user/.OpenStep/Defaults"

    init(_ fault: SystemError, _ text: String?) throws {
      self.fault = fault
      var tree = FileTree()
      try tree.addDirectory(text == nil ? "/home/user" : Disk.directory)
      if let text { try tree.addFile("\(Disk.directory)/App.plist", text.utf8) }
      recording = RecordingFileSystem(tree)
    }

    var fileSystem: any FileSystem {
      FaultyFileSystem(recording) { [self] _ in
        state.withLock { state in
          guard let remaining = state.remaining else { return nil }
          state.remaining = remaining > 0 ? remaining - 1 : nil
          if remaining == 0 { state.hasFailed = true }
          return remaining == 0 ? fault : nil
        }
      }
    }

    func failOperation(_ number: Int) {
      state.withLock { $0.remaining = number }
    }

    /// Lets all operations go well again; false where none has failed.
    func repair() -> Bool {
      state.withLock { state in
        state.remaining = nil
        return state.hasFailed
      }
    }

    var tree: FileTree { recording.tree }

    /// What a program that starts after a loss of power finds, whatever became of it.
    func valuesAfterPowerCut(_ domain: DomainName) throws -> Set<[PropertyListKey: PropertyList]> {
      var found: Set<[PropertyListKey: PropertyList]> = []
      try recording.tree.forEachPowerCut { tree in
        let database = UserDatabase(directory: Disk.directory, fileSystem: RecordingFileSystem(tree))
        found.insert(try database.load(domain).values)
      }
      return found
    }

    func open() -> NSUserDefaults {
      NSUserDefaults(
        database: UserDatabase(directory: Disk.directory, fileSystem: fileSystem), applicationName: "App")
    }
  }

  private static let faults: [SystemError] = [
    .noSpace, .inputOutput, .notPermitted, .readOnly, .tooManyOpenFiles, .interrupted,
  ]

  private static let expected: [PropertyListKey: PropertyList] = ["old": "1", "set": "2"]

  /// Changes an object: sets one key, removes another.
  private func change(_ defaults: NSUserDefaults) {
    defaults.setObject("1", forKey: "old")
    defaults.setObject("2", forKey: "set")
    defaults.removeObjectForKey("gone")
  }

  private func expectChanged(_ defaults: NSUserDefaults, _ place: Comment) {
    #expect(defaults.stringForKey("set") == "2", place)
    #expect(defaults.stringForKey("old") == "1", place)
    #expect(defaults.objectForKey("gone") == nil, place)
  }

  @Test(
    "each operation of a synchronize that fails makes it false, with a reason; the next one writes all",
    arguments: faults, [nil, "{ old = 1; gone = 0; }", "{ damaged = "])
  func everyOperation(fault: SystemError, text: String?) throws {
    var failures = 0
    for step in 0... {
      let disk = try Disk(fault, text)
      let defaults = disk.open()
      disk.failOperation(step)
      change(defaults)
      let isSaved = defaults.synchronize()
      let error = defaults.lastError
      guard disk.repair() else { break }
      let place = Comment("operation \(step), \(String(describing: error))")
      if !isSaved {
        failures += 1
        let error = try #require(error as? DatabaseError, place)
        #expect(error.kind == .inputOutput(code: fault.code), place)
        #expect(error.description.contains(Disk.directory), place)
        #expect(error.description.contains("\(fault)"), place)
      } else {
        #expect(try disk.valuesAfterPowerCut(app) == [SaveFailureTests.expected], place)
      }
      expectChanged(defaults, place)
      #expect(defaults.synchronize(), place)
      #expect(isSaved || defaults.lastError == nil || text == "{ damaged = ", place)
      expectChanged(defaults, place)
      #expect(try disk.valuesAfterPowerCut(app) == [SaveFailureTests.expected], place)
    }
    #expect(failures >= 20)
    print("synchronize, \(fault), \(text ?? "no file"): \(failures) failures")
  }

  @Test("each operation of an automatic save that fails leaves the changes to the next", arguments: faults)
  func automaticSave(fault: SystemError) throws {
    var failures = 0
    for step in 0... {
      let disk = try Disk(fault, "{ old = 1; gone = 0; }")
      let defaults = disk.open()
      disk.failOperation(step)
      change(defaults)
      // What the timer and the end of the process do, for this database alone: others may be locked.
      defaults.persistent.save(andRefresh: false)
      let error = defaults.lastError
      guard disk.repair() else { break }
      let place = Comment("operation \(step), \(String(describing: error))")
      if let error = error as? DatabaseError {
        failures += 1
        #expect(error.kind == .inputOutput(code: fault.code), place)
      }
      expectChanged(defaults, place)
      defaults.persistent.save(andRefresh: false)
      #expect(defaults.lastError == nil, place)
      #expect(try disk.valuesAfterPowerCut(app) == [SaveFailureTests.expected], place)
    }
    #expect(failures >= 20)
  }

  @Test("an automatic save that failed is tried again without a call", .timeLimit(.minutes(30)))
  func retry() async throws {
    var tree = FileTree()
    try tree.addDirectory(Disk.directory)
    let recording = RecordingFileSystem(tree)
    let (attempts, continuation) = AsyncStream.makeStream(of: Int.self)
    let faulty = FaultyFileSystem(recording) { operation in
      guard operation.name == "rename" else { return nil }
      continuation.yield(operation.number)
      return operation.number < 3 ? .noSpace : nil
    }
    let defaults = NSUserDefaults(
      database: UserDatabase(directory: Disk.directory, fileSystem: faulty), applicationName: "App")
    defaults.setObject("x", forKey: "k")
    for await count in attempts where count == 3 { break }
    // Waits for the save that is under way, and adds nothing to it.
    #expect(defaults.synchronize())
    #expect(defaults.lastError == nil)
    #expect(try UserDatabase(directory: Disk.directory, fileSystem: recording).load(app).values == ["k": "x"])
  }

  @Test("of two errors, that of changes which were not saved is told")
  func writingFirst() throws {
    var tree = FileTree()
    try tree.addDirectory(Disk.directory)
    let faulty = FaultyFileSystem(RecordingFileSystem(tree)) { operation in
      if operation.path?.hasSuffix("/NSGlobalDomain.plist") == true { return .inputOutput }
      return operation.name == "rename" ? .noSpace : nil
    }
    let database = UserDatabase(directory: Disk.directory, fileSystem: faulty)
    for name in ["Ahead", "Zed"] {
      let defaults = NSUserDefaults(database: database, applicationName: name)
      defaults.setObject("x", forKey: "k")
      #expect(!defaults.synchronize())
      let error = try #require(defaults.lastError as? DatabaseError)
      #expect(error.kind == .inputOutput(code: SystemError.noSpace.code))
      #expect(error.path == "\(Disk.directory)/\(name).plist")
    }
  }

  @Test("a key removed while its file could not be read is removed when it can", arguments: faults)
  func removedUnread(fault: SystemError) throws {
    let disk = try Disk(fault, "{ old = 1; gone = 0; }")
    disk.failOperation(0)
    let defaults = disk.open()
    #expect(disk.repair())
    #expect("\(try #require(defaults.lastError))".contains("\(fault)"))
    defaults.removeObjectForKey("gone")
    #expect(defaults.synchronize())
    #expect(defaults.stringForKey("old") == "1")
    #expect(defaults.objectForKey("gone") == nil)
    #expect(try disk.valuesAfterPowerCut(app) == [["old": "1"]])
  }
}
