import DefaultsDatabase
import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

/// One domain's file: damage, links, and what is no file at all.
@Suite struct DomainFileTests {
  private let home: TemporaryHome
  private let database: UserDatabase
  private let app: DomainName

  init() throws {
    home = try TemporaryHome()
    database = UserDatabase(directory: home.path)
    app = try DomainName("App")
  }

  private func commit(
    _ key: PropertyListKey, _ value: PropertyList, onDamage: DamagePolicy = .refuse
  ) throws(DatabaseError) -> Commit {
    var changes = DomainChanges()
    changes.set(value, for: key)
    return try database.commit(changes, to: app, onDamage: onDamage)
  }

  // MARK: Damage

  @Test(
    "what is no dictionary is damaged, not empty",
    arguments: [
      "", " \n", "/* only a comment", "{ a = b; c = ", "word", "(a, b)", "<0a>", "<plist><dict>", "bplist00",
    ])
  func damaged(text: String) throws {
    try home.write(text, to: "App.plist")
    let loaded = try database.load(app)
    #expect(loaded.values.isEmpty && loaded.identity != nil)
    let damage = try #require(loaded.damage)
    #expect(damage.kind == .damaged && damage.path == home.path("App.plist"))
    let error = try #require(throws: DatabaseError.self) { try commit("k", "v") }
    #expect(error.kind == .damaged)
    #expect(throws: DatabaseError.self) { try database.remove(app) }
    #expect(try home.text(of: "App.plist") == text)
  }

  @Test("damage in a text says file, line and column") func place() throws {
    try home.write("{ a = b; c = ", to: "App.plist")
    let damage = try #require(try database.load(app).damage)
    #expect(damage.description.hasPrefix(home.path("App.plist") + ":1:14: "))
    #expect(damage.description.contains("unchanged"))
  }

  @Test("a program's save keeps the damaged file beside the new one") func movedAside() throws {
    try home.write("{ a = b; c = ", to: "App.plist")
    let damage = try #require(try database.load(app).damage)
    let commit = try commit("k", "v", onDamage: .moveAside)
    let kept = try #require(commit.movedAside)
    #expect(kept.wholeMatch(of: #/.*/App\.damaged-\d{8}-\d{6}/#) != nil)
    #expect(try String(contentsOfFile: kept, encoding: .utf8) == "{ a = b; c = ")
    #expect(try home.text(of: "App.plist") == "{\n    k = v;\n}\n")
    #expect(commit.after.damage == nil)
    #expect(try database.domainNames() == [app])
    #expect(damage.movedAside(to: kept).description.hasSuffix("the damaged file was kept as \(kept)"))
  }

  @Test("damaged files never replace one another") func severalDamaged() throws {
    for round in 1...3 {
      try home.write("{ broken \(round)", to: "App.plist")
      _ = try commit("k", "v", onDamage: .moveAside)
    }
    let kept = try home.names().filter { $0.contains("damaged") }
    #expect(Set(try kept.map { try home.text(of: $0) }) == ["{ broken 1", "{ broken 2", "{ broken 3"])
  }

  @Test("a damaged file with the longest name is kept under a shorter one") func longDamaged() throws {
    let name = try DomainName(String(repeating: "é", count: 124))
    try home.write("{", to: name.text + ".plist")
    var changes = DomainChanges()
    changes.set("v", for: "k")
    let kept = try #require(try database.commit(changes, to: name, onDamage: .moveAside).movedAside)
    #expect(try String(contentsOfFile: kept, encoding: .utf8) == "{")
    #expect(kept.utf8.count - home.path.utf8.count - 1 <= 255)
  }

  @Test("emptying a damaged domain keeps the file too") func emptiedDamaged() throws {
    try home.write("{", to: "App.plist")
    var changes = DomainChanges()
    changes.replaceAll(with: [:])
    let kept = try #require(try database.commit(changes, to: app, onDamage: .moveAside).movedAside)
    #expect(try String(contentsOfFile: kept, encoding: .utf8) == "{")
    #expect(!home.exists("App.plist"))
  }

  @Test(
    "a domain that is emptied or removed does not get the values of an older file back",
    arguments: [true, false])
  func hiddenFile(isRemoved: Bool) throws {
    try home.write("{ old = 1; }", to: "App")
    try home.write("{ new = 2; }", to: "App.plist")
    if isRemoved {
      #expect(try database.remove(app) != nil)
    } else {
      var changes = DomainChanges()
      changes.remove("new")
      _ = try database.commit(changes, to: app, onDamage: .refuse)
    }
    #expect(try database.load(app).values.isEmpty)
    #expect(try home.text(of: "App") == "{ old = 1; }")
  }

  // MARK: No file

  @Test(
    "a directory or a pipe in the file's place is an error, and never a hang",
    arguments: ["directory", "pipe"])
  func noFile(kind: String) throws {
    switch kind {
    case "directory":
      try FileManager.default.createDirectory(
        atPath: home.path("App.plist"), withIntermediateDirectories: false)
    default:
      #expect(mkfifo(home.path("App.plist"), 0o600) == 0)
    }
    for policy in [DamagePolicy.refuse, .moveAside] {
      let error = try #require(throws: DatabaseError.self) { try commit("k", "v", onDamage: policy) }
      guard case .inputOutput = error.kind else { throw error }
    }
    #expect(throws: DatabaseError.self) { try database.load(app) }
    #expect(throws: DatabaseError.self) { try database.remove(app) }
    #expect(try home.names() == [".lock", "App.plist"])
    #expect(try database.domainNames().isEmpty)
  }

  @Test("a pipe that takes a file's place at the last moment is opened without waiting for a writer")
  func pipeOpened() async throws {
    #expect(mkfifo(home.path("pipe"), 0o600) == 0)
    await #expect(processExitsWith: .success) { [path = home.path("pipe") as String] in
      // Ends who waits.
      alarm(300)
      for purpose in [OpenPurpose.reading, .locking] {
        let descriptor = try DiskFileSystem().open(path, for: purpose)
        #expect(try DiskFileSystem().status(of: descriptor).kind == .pipe)
        DiskFileSystem().close(descriptor)
      }
    }
  }

  @Test("a pipe under a name without a dot does not stand in the way") func barePipe() throws {
    #expect(mkfifo(home.path("App"), 0o600) == 0)
    _ = try commit("k", "v")
    #expect(try home.names() == [".lock", "App", "App.plist"])
  }

  @Test("an unreadable file is an error and keeps its contents") func unreadable() async throws {
    try home.write("{ a = 1; }", to: "App.plist")
    #expect(chmod(home.path("App.plist"), 0) == 0)
    // The administrator may read everything, so a child becomes somebody else.
    if geteuid() == 0 { #expect(chown(home.path, 65534, 65534) == 0) }
    await #expect(processExitsWith: .success) { [path = home.path as String] in
      if geteuid() == 0 { try #require(setuid(65534) == 0) }
      let database = UserDatabase(directory: path)
      let app = try DomainName("App")
      var changes = DomainChanges()
      changes.set("v", for: "k")
      for policy in [DamagePolicy.refuse, .moveAside] {
        let error = try #require(throws: DatabaseError.self) {
          try database.commit(changes, to: app, onDamage: policy)
        }
        #expect(error.kind == .inputOutput(code: EACCES))
        #expect(error.description.contains("check the permissions"))
      }
      #expect(throws: DatabaseError.self) { try database.load(app) }
    }
    chmod(home.path("App.plist"), 0o600)
    #expect(try home.text(of: "App.plist") == "{ a = 1; }")
  }

  @Test("a directory that may not be written is an error, and nothing changes") func readOnly() async throws {
    try home.write("{ a = 1; }", to: "App.plist")
    if geteuid() == 0 {
      #expect(chown(home.path, 65534, 65534) == 0 && chown(home.path("App.plist"), 65534, 65534) == 0)
    }
    #expect(chmod(home.path, 0o500) == 0)
    await #expect(processExitsWith: .success) { [path = home.path as String] in
      if geteuid() == 0 { try #require(setuid(65534) == 0) }
      let database = UserDatabase(directory: path)
      #expect(try database.load(DomainName("App")).values == ["a": "1"])
      var changes = DomainChanges()
      changes.set("v", for: "k")
      let error = try #require(throws: DatabaseError.self) {
        try database.commit(changes, to: DomainName("App"), onDamage: .moveAside)
      }
      #expect(error.kind == .inputOutput(code: EACCES))
    }
    chmod(home.path, 0o700)
    #expect(try home.names() == ["App.plist"])
    #expect(try home.text(of: "App.plist") == "{ a = 1; }")
  }

  // MARK: Links

  private func link(_ name: String, to destination: String) throws {
    try FileManager.default.createSymbolicLink(atPath: home.path(name), withDestinationPath: destination)
  }

  private func expectLink(_ name: String, to destination: String) throws {
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: home.path(name)) == destination)
  }

  @Test("a domain is saved through links, which stay") func savedThroughLink() throws {
    try FileManager.default.createDirectory(atPath: home.path("dotfiles"), withIntermediateDirectories: false)
    try home.write("{ a = 1; }", to: "dotfiles/app.txt")
    try link("second", to: "dotfiles/app.txt")
    try link("App.plist", to: home.path("second"))
    #expect(try database.load(app).values == ["a": "1"])
    _ = try commit("b", "2")
    try expectLink("App.plist", to: home.path("second"))
    try expectLink("second", to: "dotfiles/app.txt")
    #expect(try home.text(of: "dotfiles/app.txt") == "{ a = 1; b = 2; }")
    #expect(try home.names(in: "dotfiles") == ["app.txt"])
  }

  @Test("the target of a dangling link is created, and removed again with the domain") func dangling() throws
  {
    try FileManager.default.createDirectory(atPath: home.path("dotfiles"), withIntermediateDirectories: false)
    try link("App.plist", to: "dotfiles/app.txt")
    #expect(try database.load(app).identity == nil)
    _ = try commit("b", "2")
    #expect(try home.text(of: "dotfiles/app.txt") == "{\n    b = 2;\n}\n")
    #expect(try database.remove(app) != nil)
    try expectLink("App.plist", to: "dotfiles/app.txt")
    #expect(try home.names(in: "dotfiles").isEmpty)
  }

  @Test("links in a circle are an error") func circle() throws {
    try link("App.plist", to: "second")
    try link("second", to: "App.plist")
    #expect(throws: DatabaseError.self) { try database.load(app) }
    let error = try #require(throws: DatabaseError.self) { try commit("a", "1", onDamage: .moveAside) }
    #expect(error.kind == .inputOutput(code: ELOOP))
    try expectLink("App.plist", to: "second")
  }

  @Test(
    "links in another user's directory are not followed",
    .enabled(if: Administrator.isExpected, Comment(rawValue: Administrator.absence)))
  func foreignLink() throws {
    // Else the user could not come to the directory.
    #expect(chmod(home.path, 0o755) == 0)
    try FileManager.default.createDirectory(atPath: home.path("theirs"), withIntermediateDirectories: false)
    try home.write("{ secret = 1; }", to: "secret")
    try link("theirs/App.plist", to: "../secret")
    #expect(chown(home.path("theirs"), 65534, 65534) == 0)
    let theirs = UserDatabase(directory: home.path("theirs"))
    var changes = DomainChanges()
    changes.set("1", for: "a")
    #expect(throws: DatabaseError.self) { try theirs.load(app) }
    let error = try #require(throws: DatabaseError.self) {
      try theirs.commit(changes, to: app, onDamage: .moveAside)
    }
    #expect(error.kind == .refused)
    #expect(try home.text(of: "secret") == "{ secret = 1; }")
    #expect(try theirs.domainNames().isEmpty)
  }

  @Test(
    "what the administrator saves for a user belongs to that user",
    .enabled(if: Administrator.isExpected, Comment(rawValue: Administrator.absence)))
  func owner() throws {
    #expect(chmod(home.path, 0o755) == 0)
    try FileManager.default.createDirectory(atPath: home.path("theirs"), withIntermediateDirectories: false)
    #expect(chown(home.path("theirs"), 65534, 65534) == 0)
    var changes = DomainChanges()
    changes.set("1", for: "a")
    let database = UserDatabase(directory: home.path("theirs/.OpenStep/Defaults"))
    _ = try database.commit(changes, to: app, onDamage: .refuse)
    for name in [
      ".OpenStep", ".OpenStep/Defaults", ".OpenStep/Defaults/App.plist", ".OpenStep/Defaults/.lock",
    ] {
      let attributes = try FileManager.default.attributesOfItem(atPath: home.path("theirs/\(name)"))
      #expect(attributes[.ownerAccountID] as? Int == 65534)
    }
  }
}
