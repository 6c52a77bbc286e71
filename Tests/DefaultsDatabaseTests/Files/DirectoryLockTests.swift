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

  @Test(
    "the first save of a database waits for those who change a file there by its path, and they for it",
    arguments: [0o700, 0o1777])
  func firstSave(mode: mode_t) throws {
    #expect(chmod(home.path("database"), mode) == 0)
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
