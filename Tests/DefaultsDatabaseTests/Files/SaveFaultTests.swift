import DefaultsDatabase
import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

/// Every step of a save fails once; afterwards the old or the new file is whole.
@Suite struct SaveFaultTests {
  private let app: DomainName

  init() throws {
    app = try DomainName("App")
  }

  private func changes() -> DomainChanges {
    var changes = DomainChanges()
    changes.set("new", for: "k")
    return changes
  }

  private func failure(of database: UserDatabase) -> DatabaseError? {
    do throws(DatabaseError) {
      _ = try database.commit(changes(), to: app, onDamage: .moveAside)
      return nil
    } catch {
      return error
    }
  }

  private let old = "{ a = 1; }"
  private let new = "{ a = 1; k = new; }"

  @Test(
    "the file is whole after each failure, nothing is left behind, and the next save works",
    arguments: [SystemError.noSpace, .inputOutput, .notPermitted])
  func everyStep(fault: SystemError) throws {
    let home = try TemporaryHome()
    var failures = 0
    for step in 0... {
      try home.write(old, to: "App.plist")
      let faulty = FaultyFileSystem { $0.index == step ? fault : nil }
      let database = UserDatabase(directory: home.path, fileSystem: faulty)
      if let error = failure(of: database) {
        failures += 1
        #expect(error.kind == .inputOutput(code: fault.code))
        let wasRenamed = faulty.operations.contains { $0.name == "rename" && $0.index != step }
        #expect(try home.text(of: "App.plist") == (wasRenamed ? new : old))
        #expect(error.description.contains("are in the file; save again") == wasRenamed)
        #expect(failure(of: UserDatabase(directory: home.path)) == nil)
      }
      #expect(try home.text(of: "App.plist") == new)
      #expect(try home.names().filter { $0 != ".lock" } == ["App.plist"])
      if faulty.operations.count <= step { break }
    }
    // Locking, reading, writing, flushing twice and renaming, at the least.
    #expect(failures > 10)
  }

  @Test("a damaged file survives each failure, under its own name or the one it was kept under")
  func everyStepOverDamage() throws {
    for step in 0... {
      let home = try TemporaryHome()
      try home.write("{ damaged", to: "App.plist")
      let faulty = FaultyFileSystem { $0.index == step ? .noSpace : nil }
      let database = UserDatabase(directory: home.path, fileSystem: faulty)
      if let error = failure(of: database) {
        #expect(error.kind == .inputOutput(code: SystemError.noSpace.code))
      }
      let texts = try home.names().filter { $0 != ".lock" }.map { try home.text(of: $0) }
      #expect(texts.contains("{ damaged"))
      #expect(texts.allSatisfy { $0 == "{ damaged" || $0 == "{\n    k = new;\n}\n" })
      if faulty.operations.count <= step { break }
    }
  }

  @Test(
    "a damaged file has its old name, and that only, when the new one cannot take its place",
    arguments: [true, false])
  func putBack(hasLinks: Bool) throws {
    let home = try TemporaryHome()
    try home.write("{ damaged", to: "App.plist")
    let faulty = FaultyFileSystem { operation in
      if operation.name == "link" { return hasLinks ? nil : .notSupported }
      return operation.name == "rename" && operation.path?.contains("/.save-") == true ? .inputOutput : nil
    }
    let error = try #require(failure(of: UserDatabase(directory: home.path, fileSystem: faulty)))
    #expect(error.description.contains("the file is unchanged"))
    #expect(try home.text(of: "App.plist") == "{ damaged")
    #expect(try home.names() == [".lock", "App.plist"])
  }

  @Test("damaged bytes are kept when the disk says that a renaming failed, and has done it")
  func falseFailure() throws {
    let home = try TemporaryHome()
    try home.write("{ damaged", to: "App.plist")
    let faulty = FaultyFileSystem { operation in
      guard operation.name == "rename", let path = operation.path else { return nil }
      #expect(rename(path, home.path("App.plist")) == 0)
      return .inputOutput
    }
    let error = try #require(failure(of: UserDatabase(directory: home.path, fileSystem: faulty)))
    let kept = try #require(try home.names().first { $0.hasPrefix("App.damaged-") })
    #expect(error.description.contains("the damaged file was kept as \(home.path(kept))"))
    #expect(try home.text(of: kept) == "{ damaged")
  }

  @Test("other processes find a file at every moment while a damaged one is replaced")
  func neverAbsent() throws {
    let home = try TemporaryHome()
    try home.write("{ damaged", to: "App.plist")
    let looks = Lock(0)
    let watching = FaultyFileSystem { _ in
      #expect(home.exists("App.plist"))
      looks.withLock { $0 += 1 }
      return nil
    }
    #expect(failure(of: UserDatabase(directory: home.path, fileSystem: watching)) == nil)
    #expect(looks.withLock { $0 } >= 20)
  }

  @Test("short writes lose nothing") func shortWrites() throws {
    let home = try TemporaryHome()
    let database = UserDatabase(directory: home.path, fileSystem: FaultyFileSystem(bytesPerWrite: 7))
    var changes = DomainChanges()
    let text = String(repeating: "0123456789", count: 100)
    changes.set(.string(text), for: "k")
    _ = try database.commit(changes, to: app, onDamage: .refuse)
    #expect(try UserDatabase(directory: home.path).load(app).values == ["k": .string(text)])
  }

  @Test("a save flushes the file before it is renamed and the directory afterwards") func order() throws {
    let home = try TemporaryHome()
    try home.write(old, to: "App.plist")
    // Where it is, the directory itself was flushed.
    try home.write("", to: ".lock")
    let recorder = FaultyFileSystem()
    _ = try UserDatabase(directory: home.path, fileSystem: recorder).commit(
      changes(), to: app, onDamage: .refuse)
    let steps = recorder.operations.map(\.name).filter { ["write", "synchronize", "rename"].contains($0) }
    #expect(steps == ["write", "synchronize", "rename", "synchronize"])
  }

  @Test("where nothing differs, what another process wrote is flushed before it is acknowledged")
  func acknowledged() throws {
    let home = try TemporaryHome()
    try home.write("{ k = new; }", to: "App.plist")
    try home.write("", to: ".lock")
    let recorder = FaultyFileSystem()
    _ = try UserDatabase(directory: home.path, fileSystem: recorder).commit(
      changes(), to: app, onDamage: .refuse)
    #expect(recorder.operations.filter { $0.name == "synchronize" }.count == 2)
    #expect(!recorder.operations.contains { $0.name == "rename" })
  }
}
