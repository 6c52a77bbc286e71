import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

@testable import DefaultsDatabase

/// The lock that those share who change one file, whatever name they have for it.
struct DirectoryLockTests {
  private let home: TemporaryHome
  private let app: DomainName
  private let changes: DomainChanges

  init() throws {
    home = try TemporaryHome()
    app = try DomainName("App")
    var changes = DomainChanges()
    changes.set("v", for: "k")
    self.changes = changes
    for folder in ["database", "other", "files"] {
      try FileManager.default.createDirectory(atPath: home.path(folder), withIntermediateDirectories: false)
    }
  }

  private func database(_ folder: String) -> UserDatabase { UserDatabase(directory: home.path(folder)) }

  /// Whether a save fails because others hold the lock.
  private func isLocked(_ database: UserDatabase) -> Bool {
    isLocked { _ = try database.commit(changes, to: app, onDamage: .refuse, deadline: .now) }
  }

  /// Whether a change of a file by its path fails because others hold the lock.
  private func isLocked(_ file: String) -> Bool {
    isLocked { try PropertyListFile.change(home.path(file), deadline: .now) { _ in .keep } }
  }

  private func isLocked(_ body: () throws -> Void) -> Bool {
    do {
      try body()
    } catch {
      if case .locked = (error as? DatabaseError)?.kind { return true }
      Issue.record(error)
    }
    return false
  }

  /// Runs a body while a domain is changed.
  private func whileChanging(_ database: UserDatabase, _ body: () -> Void) throws {
    var isRun = false
    _ = try database.update(UpdateRequest(of: app)) { _ in
      body()
      isRun = true
      return changes
    }
    #expect(isRun)
  }

  /// Makes a domain's file a link to a file, which has one key.
  private func link(_ folder: String, to file: String) throws {
    try "{ a = 1; }\n".write(toFile: home.path(file), atomically: true, encoding: .utf8)
    try FileManager.default.createSymbolicLink(
      atPath: home.path("\(folder)/App.plist"), withDestinationPath: "../\(file)")
  }

  @Test("a file to which a domain's link leads is changed by one at a time, by its path or as the domain")
  func linkedFile() throws {
    try link("database", to: "files/App.plist")
    let database = database("database")
    try PropertyListFile.change(home.path("files/App.plist")) { _ in
      #expect(isLocked(database))
      return .keep
    }
    try whileChanging(database) { #expect(isLocked("files/App.plist")) }
    #expect(try database.load(app).values == ["a": "1", "k": "v"])
    #expect(!isLocked(database) && !isLocked("files/App.plist"))
  }

  @Test("two databases with one file for a domain change it one at a time", arguments: ["files", "other"])
  func sharedFile(folder: String) throws {
    try link("database", to: "\(folder)/App.plist")
    // A domain of the other database itself, or a second link.
    if folder != "other" {
      try FileManager.default.createSymbolicLink(
        atPath: home.path("other/App.plist"), withDestinationPath: home.path("\(folder)/App.plist"))
    }
    let (first, second) = (database("database"), database("other"))
    try whileChanging(first) { #expect(isLocked(second)) }
    try whileChanging(second) { #expect(isLocked(first)) }
    #expect(try first.load(app).values == ["a": "1", "k": "v"])
    #expect(!isLocked(first) && !isLocked(second))
  }

  @Test(
    "a link inside the database, also through another name of the database, is no second directory",
    arguments: ["Real", "../alias/Real"])
  func inside(destination: String) throws {
    try FileManager.default.createSymbolicLink(
      atPath: home.path("alias"), withDestinationPath: home.path("database"))
    try "{ a = 1; }\n".write(toFile: home.path("database/Real"), atomically: true, encoding: .utf8)
    try FileManager.default.createSymbolicLink(
      atPath: home.path("database/App.plist"), withDestinationPath: destination)
    let database = database("database")
    #expect(!isLocked(database))
    #expect(try database.load(app).values == ["a": "1", "k": "v"])
    try whileChanging(database) { #expect(isLocked("alias/Real")) }
  }

  @Test("a file that is made behind a link while a save waits for the lock keeps what it has")
  func madeMeanwhile() throws {
    try FileManager.default.createSymbolicLink(
      atPath: home.path("database/App.plist"), withDestinationPath: "../other/App.plist")
    let other = database("other")
    let isMade = Lock(false)
    let fileSystem = FaultyFileSystem { operation in
      let isFirst = isMade.withLock { isMade in
        let isFirst = !isMade && operation.path?.hasSuffix("/other/.lock") == true
        if isFirst { isMade = true }
        return isFirst
      }
      guard isFirst else { return nil }
      var changes = DomainChanges()
      changes.set("other", for: "o")
      #expect(throws: Never.self) { try other.commit(changes, to: app, onDamage: .refuse) }
      return nil
    }
    let database = UserDatabase(directory: home.path("database"), fileSystem: fileSystem)
    try "".write(toFile: other.lockPath, atomically: true, encoding: .utf8)
    _ = try database.commit(changes, to: app, onDamage: .refuse)
    #expect(isMade.withLock { $0 })
    #expect(try other.load(app).values == ["k": "v", "o": "other"])
  }

  @Test("where every user may make files, a lock's file is somebody's, and is not written to")
  func writableByAll() throws {
    #expect(chmod(home.path("files"), 0o1777) == 0)
    try "a user's\n".write(toFile: home.path("files/.lock"), atomically: true, encoding: .utf8)
    try PropertyListFile.change(home.path("files/App.plist")) { _ in .bytes(Array("{ a = 1; }\n".utf8)) }
    try ExportFile(home.path("files/Copy.plist")).write(Array("{ }\n".utf8), replacing: true)
    #expect(try home.text(of: "files/.lock") == "a user's\n")
  }

  @Test("a directory that others may lock delays what needs no lock of its own for a time, and no longer")
  func lockedByOthers() throws {
    let held = open(home.path("files"), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer { close(held) }
    try #require(flock(held, LOCK_EX) == 0)
    for (mode, isGiven) in [(0o755, true), (0o700, false)] as [(mode_t, Bool)] {
      #expect(chmod(home.path("files"), mode) == 0)
      let directory = DatabaseDirectory(path: home.path("files"), fileSystem: DiskFileSystem())
      var isLocked = false
      do throws(DatabaseError) {
        let lock = try DirectoryLock.ifPossible(of: directory, deadline: .now + 1.2)
        #expect(lock == nil)
      } catch {
        isLocked = true
      }
      #expect(isLocked != isGiven)
    }
    #expect(isLocked("files/App.plist"))
    // Who does not wait is refused.
    #expect(throws: DatabaseError.self) {
      try DirectoryLock.ifPossible(
        of: DatabaseDirectory(path: home.path("files"), fileSystem: DiskFileSystem()), deadline: .now)
    }
  }

  @Test("the first save of a database waits for those who change a file there by its path, and they for it")
  func firstSave() throws {
    let database = database("database")
    try PropertyListFile.change(home.path("database/App.plist")) { _ in
      #expect(isLocked(database))
      return .keep
    }
    #expect(!FileManager.default.fileExists(atPath: database.lockPath))
    try whileChanging(database) { #expect(isLocked("database/App.plist")) }
    try PropertyListFile.change(home.path("database/App.plist")) { _ in
      #expect(isLocked(database))
      return .keep
    }
  }
}
