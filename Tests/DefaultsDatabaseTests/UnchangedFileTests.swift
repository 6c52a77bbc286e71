import DefaultsDatabase
import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

/// What passes for a file that was not written since, and what does not.
@Suite struct UnchangedFileTests {
  private let home: TemporaryHome
  private let app: DomainName

  init() throws {
    home = try TemporaryHome()
    app = try DomainName("App")
  }

  /// The database in a directory of the home.
  private func database(in name: String = "", on recorder: FaultyFileSystem) -> UserDatabase {
    UserDatabase(directory: name.isEmpty ? home.path : home.path(name), fileSystem: recorder)
  }

  private func makeDirectory(_ name: String) throws {
    try FileManager.default.createDirectory(atPath: home.path(name), withIntermediateDirectories: true)
  }

  private func makeLink(_ name: String, to destination: String) throws {
    try FileManager.default.createSymbolicLink(atPath: home.path(name), withDestinationPath: destination)
  }

  // MARK: - How often it looks

  @Test("a file that is still the same is looked at once and not opened") func oneLook() throws {
    try makeDirectory("a/b/c")
    try home.write("{ a = 1; }", to: "a/b/c/App.plist")
    let recorder = FaultyFileSystem(secondsAhead: 3)
    let database = database(in: "a/b/c", on: recorder)
    let identity = try #require(try database.load(app).identity)
    let count = recorder.operations.count
    #expect(try database.load(app, unlessStill: identity) == nil)
    #expect(recorder.operations.dropFirst(count).map(\.path) == [home.path("a/b/c/App.plist")])
  }

  @Test(
    "for an absent file there is one look at each name that it could have",
    arguments: ["App": ["App.plist", "App"], "com.app": ["com.app.plist"]])
  func absentLooks(name: String, files: [String]) throws {
    let recorder = FaultyFileSystem()
    let database = database(in: "nowhere", on: recorder)
    // The administrator's first look checks the path.
    #expect(try database.load(DomainName(name), unlessStill: nil) == nil)
    let count = recorder.operations.count
    #expect(try database.load(DomainName(name), unlessStill: nil) == nil)
    #expect(recorder.operations.dropFirst(count).map(\.path) == files.map { home.path("nowhere/\($0)") })
  }

  // MARK: - What is seen

  @Test("what comes under either name where nothing was is seen", arguments: ["App.plist", "App"])
  func appears(fileName: String) throws {
    let database = database(on: FaultyFileSystem(secondsAhead: 3))
    #expect(try database.load(app, unlessStill: nil) == nil)
    try home.write("{ a = 1; }", to: fileName)
    #expect(try database.load(app, unlessStill: nil)?.values == ["a": "1"])
  }

  @Test("a file without the extension is known again until one with it comes") func bareFile() throws {
    try home.write("{ a = bare; }", to: "App")
    let database = database(on: FaultyFileSystem(secondsAhead: 3))
    let identity = try #require(try database.load(app).identity)
    #expect(try database.load(app, unlessStill: identity) == nil)
    try home.write("{ a = new; }", to: "App.plist")
    #expect(try database.load(app, unlessStill: identity)?.values == ["a": "new"])
  }

  @Test("a directory under the name without the extension is no domain's file") func bareDirectory() throws {
    try makeDirectory("App")
    #expect(try database(on: FaultyFileSystem()).load(app, unlessStill: nil) == nil)
  }

  @Test("a file is read again where it was exchanged for one of the same size and times") func exchanged()
    throws
  {
    try home.write("{ a = 1; }", to: "App.plist")
    try home.write("{ a = 2; }", to: "new")
    let database = database(on: FaultyFileSystem(secondsAhead: 3))
    let identity = try #require(try database.load(app).identity)
    var status = stat()
    #expect(stat(home.path("App.plist"), &status) == 0)
    #if canImport(Darwin)
      let times = [status.st_atimespec, status.st_mtimespec]
    #else
      let times = [status.st_atim, status.st_mtim]
    #endif
    #expect(utimensat(AT_FDCWD, home.path("new"), times, 0) == 0)
    #expect(rename(home.path("new"), home.path("App.plist")) == 0)
    #expect(try database.load(app, unlessStill: identity)?.values == ["a": "2"])
  }

  @Test("a link that takes a file's place is followed, and so is the one that takes a directory's")
  func ownLinks() throws {
    try makeDirectory("a/b")
    try makeDirectory("other/b")
    try home.write("{ a = 1; }", to: "a/b/App.plist")
    try home.write("{ a = 2; }", to: "other/b/App.plist")
    try home.write("{ a = 3; }", to: "third")
    let database = database(in: "a/b", on: FaultyFileSystem(secondsAhead: 3))
    var identity = try #require(try database.load(app).identity)
    #expect(rename(home.path("a"), home.path("away")) == 0)
    try makeLink("a", to: "other")
    let loaded = try #require(try database.load(app, unlessStill: identity))
    #expect(loaded.values == ["a": "2"])
    identity = try #require(loaded.identity)
    #expect(try database.load(app, unlessStill: identity) == nil)
    #expect(unlink(home.path("other/b/App.plist")) == 0)
    try makeLink("other/b/App.plist", to: home.path("third"))
    #expect(try database.load(app, unlessStill: identity)?.values == ["a": "3"])
  }

  @Test("a directory with NUL in its name is refused also where nothing is expected") func nul() throws {
    let database = UserDatabase(directory: home.path("cut\0off"))
    #expect(throws: DatabaseError.self) { try database.load(app, unlessStill: nil) }
  }

  // MARK: - Other users

  /// Directories of another user's, read by the administrator; `hidden` is what the user must not be shown.
  private func makeForeign() throws -> (database: UserDatabase, recorder: FaultyFileSystem) {
    #expect(chmod(home.path, 0o755) == 0)
    for name in ["theirs/defaults/deep", "hidden/deep", "empty/deep"] { try makeDirectory(name) }
    try home.write("{ a = theirs; }", to: "theirs/defaults/deep/App.plist")
    try home.write("{ a = hidden; }", to: "hidden/deep/App.plist")
    try home.write("{ a = hidden; }", to: "hidden/deep/Other.plist")
    for name in ["theirs", "theirs/defaults", "theirs/defaults/deep"] {
      #expect(chown(home.path(name), 65534, 65534) == 0)
    }
    let recorder = FaultyFileSystem(secondsAhead: 3)
    return (database(in: "theirs/defaults/deep", on: recorder), recorder)
  }

  /// Exchanges a directory of the other user's for a link, as that user can.
  private func exchange(for destination: String) throws {
    if home.exists("theirs/away") {
      #expect(unlink(home.path("theirs/defaults")) == 0)
    } else {
      #expect(rename(home.path("theirs/defaults"), home.path("theirs/away")) == 0)
    }
    try makeLink("theirs/defaults", to: destination)
  }

  @Test(
    "a link that another user puts in a directory's place after a read is not followed to anything new",
    .enabled(if: Administrator.isExpected, Comment(rawValue: Administrator.absence)))
  func foreignLink() throws {
    let (database, recorder) = try makeForeign()
    let other = try DomainName("Other")
    let identity = try #require(try database.load(app).identity)
    #expect(try database.load(app, unlessStill: identity) == nil)
    #expect(try database.load(other, unlessStill: nil) == nil)
    let count = recorder.operations.count
    for (destination, name, known) in [
      ("../hidden", app, identity), ("../hidden", other, nil), ("../empty", app, identity),
    ] {
      try exchange(for: destination)
      let error = #expect(throws: DatabaseError.self) { try database.load(name, unlessStill: known) }
      #expect(error?.kind == .refused)
    }
    // Also one that leads to the very file that was read, or to nothing as before: the look alone might never end.
    try exchange(for: "away")
    for (name, known) in [(app, identity), (other, nil)] {
      let error = #expect(throws: DatabaseError.self) { try database.load(name, unlessStill: known) }
      #expect(error?.kind == .refused)
    }
    #expect(!recorder.operations.dropFirst(count).contains { $0.name.hasPrefix("open") || $0.name == "read" })
  }

  @Test(
    "where others may write a directory on the way, a link below the one that they put there is refused",
    .enabled(if: Administrator.isExpected, Comment(rawValue: Administrator.absence)),
    arguments: [0o755, 0o775, 0o777, 0o1777])
  func sharedDirectory(mode: Int) throws {
    #expect(chmod(home.path, 0o755) == 0)
    for name in ["shared/defaults/deep", "hidden", "foreign"] { try makeDirectory(name) }
    #expect(chmod(home.path("shared"), mode_t(mode)) == 0)
    try home.write("{ a = mine; }", to: "shared/defaults/deep/App.plist")
    try home.write("{ a = hidden; }", to: "hidden/App.plist")
    let recorder = FaultyFileSystem(secondsAhead: 3)
    let database = database(in: "shared/defaults/deep", on: recorder)
    guard mode != 0o777 else {
      // Anyone can exchange what lies there at any moment, so the administrator does not begin.
      let error = #expect(throws: DatabaseError.self) { try database.load(app) }
      #expect(error?.kind == .refused)
      return
    }
    let identity = try #require(try database.load(app).identity)
    #expect(try database.load(app, unlessStill: identity) == nil)
    // What another member of the group does, or whoever owned the directory in a sticky one.
    #expect(rename(home.path("shared/defaults"), home.path("shared/away")) == 0)
    #expect(rename(home.path("foreign"), home.path("shared/defaults")) == 0)
    try makeLink("shared/defaults/deep", to: "../../hidden")
    #expect(chown(home.path("shared/defaults"), 65534, 65534) == 0)
    let count = recorder.operations.count
    let error = #expect(throws: DatabaseError.self) { try database.load(app, unlessStill: identity) }
    #expect(error?.kind == .refused)
    #expect(!recorder.operations.dropFirst(count).contains { $0.name.hasPrefix("open") })
    // The administrator's own exchange is followed.
    #expect(chown(home.path("shared/defaults"), 0, 0) == 0)
    #expect(try database.load(app, unlessStill: identity)?.values == ["a": "hidden"])
  }

  @Test(
    "a foreign link that a user's own rights followed is not followed to anything new with other rights",
    .enabled(if: Administrator.isExpected, Comment(rawValue: Administrator.absence)))
  func otherRights() async throws {
    _ = try makeForeign()
    try exchange(for: "away")
    #expect(chmod(home.path("theirs/away/deep/App.plist"), 0o644) == 0)
    await #expect(processExitsWith: .success) { [path = home.path as String] in
      let recorder = FaultyFileSystem(secondsAhead: 3)
      let database = UserDatabase(directory: "\(path)/theirs/defaults/deep", fileSystem: recorder)
      let app = try DomainName("App")
      try #require(seteuid(65534) == 0)
      let identity = try #require(try database.load(app).identity)
      try #require(seteuid(0) == 0)
      try Data("{ a = newer; }".utf8).write(to: URL(fileURLWithPath: "\(path)/theirs/away/deep/App.plist"))
      try #require(seteuid(65533) == 0)
      let count = recorder.operations.count
      for known in [identity, nil] {
        let error = #expect(throws: DatabaseError.self) { try database.load(app, unlessStill: known) }
        #expect(error?.kind == .refused)
      }
      #expect(!recorder.operations.dropFirst(count).contains { $0.name.hasPrefix("open") })
      try #require(seteuid(0) == 0 && chmod("\(path)/theirs", 0o700) == 0 && seteuid(65533) == 0)
      // Who may not look is told so, and not that nothing has changed.
      let error = #expect(throws: DatabaseError.self) { try database.load(app, unlessStill: nil) }
      #expect(error?.kind == .inputOutput(code: EACCES))
    }
  }
}
