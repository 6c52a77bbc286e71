import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

@testable import DefaultsDatabase

/// The lock that those share who change one file, whatever name they have for it.
struct ChangeLockTests: ChangesFiles {
  let home: TemporaryHome
  private let app: DomainName
  private let changes: DomainChanges

  init() throws {
    (home, app, changes) = try Self.start(with: "database", "other", "files")
  }

  private func database(_ folder: String) -> UserDatabase { UserDatabase(directory: home.path(folder)) }

  /// Whether others hold a lock that a save needs, which it does not wait for.
  private func isLocked(_ database: UserDatabase) -> Bool {
    isLocked {
      var request = UpdateRequest(of: app)
      request.waits = false
      _ = try database.update(request) { _ in changes }
    }
  }

  /// Whether others hold the lock that a change of a file by its path needs.
  private func isLocked(_ file: String) -> Bool {
    let directory = DatabaseDirectory(
      path: DatabaseDirectory.parent(of: home.path(file)), fileSystem: DiskFileSystem())
    return isLocked {
      try ChangeLock(of: home.path(file), in: directory, ChangeLock.Wait(until: .now, isAllowed: false))
        .release()
    }
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
  ///
  /// - Parameter mode: The file's permissions; by default it is its owner's alone.
  private func link(_ folder: String, to file: String, mode: mode_t = 0o600) throws {
    try write("{ a = 1; }", to: file)
    try #require(chmod(home.path(file), mode) == 0)
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

  #if os(Linux)
    // The link was taken for none, and both wrote the file at the same time.
    @Test("so is one whose path differs from the link's in the form of its characters alone")
    func equivalentPaths() throws {
      let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
      for folder in [composed, decomposed] {
        try FileManager.default.createDirectory(
          atPath: home.path(folder), withIntermediateDirectories: false)
      }
      try link(decomposed, to: "\(composed)/App.plist")
      let (own, linked) = (database(composed), database(decomposed))
      try whileChanging(own) { #expect(isLocked(linked)) }
      try whileChanging(linked) { #expect(isLocked(own)) }
      #expect(!isLocked(own) && !isLocked(linked))
      #expect(try own.load(app).values == ["a": "1", "k": "v"])
      // The link is followed, and stays.
      #expect(
        try DiskFileSystem().destination(ofLink: home.path("\(decomposed)/App.plist"))
          == "../\(composed)/App.plist")
    }
  #endif

  // To parse a snapshot of a hundred megabytes under the lock took seconds, and a small domain's save was refused.
  @Test("what is made of a file's contents is made before the lock is taken")
  func computed() throws {
    let database = database("database")
    let other = try DomainName("Other")
    for value in ["1", "2"] {
      var count = 0
      let request = CommitRequest(to: app) { _ in
        #expect(
          !isLocked { _ = try self.database("database").update(UpdateRequest(of: other)) { _ in changes } })
        count += 1
        return .bytes(Array("{ k = \(value); }".utf8))
      }
      let commit = try database.commit(request)
      #expect(commit.after.values["k"] == .string(value) && count == 1)
    }
  }

  @Test("two databases with one file for a domain change it one at a time", arguments: ["files", "other"])
  func sharedFile(folder: String) throws {
    try link("database", to: "\(folder)/App.plist")
    // A domain of the other database itself, or a second link.
    if folder != "other" {
      try FileManager.default.createSymbolicLink(
        atPath: home.path("other/App.plist"), withDestinationPath: home.path("\(folder)/App.plist"))
    }
    // The other database has saved before.
    try write("", to: "other/.lock")
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

  @Test("who has locked a directory for purposes of its own keeps nobody from changing files there")
  func lockedDirectory() throws {
    try link("database", to: "files/App.plist")
    let held = open(home.path("files"), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer { close(held) }
    try #require(flock(held, LOCK_EX) == 0)
    #expect(!isLocked(database("database")) && !isLocked("files/App.plist") && !isLocked("files/New.plist"))
    try ExportFile(home.path("files/App.plist")).write(Array("{ }\n".utf8), replacing: true)
  }

  @Test(
    "the lock of a file that somebody keeps is waited for, and the change is then made without it",
    arguments: [0o600, 0o644] as [mode_t])
  func keptLock(mode: mode_t) throws {
    try link("database", to: "files/App.plist", mode: mode)
    let database = database("database")
    for isSave in [true, false] {
      let held = open(home.path("files/App.plist"), O_RDONLY | O_CLOEXEC)
      defer { close(held) }
      try #require(flock(held, LOCK_SH) == 0)
      #expect(isLocked(database) && isLocked("files/App.plist"))
      if isSave {
        _ = try database.commit(changes, to: app, onDamage: .refuse, deadline: .now + 0.2)
      } else {
        try PropertyListFile.change(home.path("files/App.plist"), deadline: .now + 0.2) { present in
          #expect(String(decoding: present ?? [], as: UTF8.self).contains("k = v;"))
          return bytes("{ b = 2; }")
        }
      }
    }
    #expect(try database.load(app).values == ["b": "2"])
  }

  @Test("where this user may not open the lock of a directory's owner, a file there is changed without it")
  func closedLock() throws {
    // The administrator may open everything.
    let fileSystem = FaultyFileSystem {
      $0.name.hasPrefix("open") && $0.path?.hasSuffix("/.lock") ?? false ? .notPermitted : nil
    }
    for file in ["files/App.plist", "files/New.plist"] {
      try write("", to: "files/.lock")
      if file == "files/App.plist" { try write("{ a = 1; }", to: file) }
      try PropertyListFile.change(home.path(file), fileSystem: fileSystem) { _ in bytes("{ b = 2; }") }
      #expect(try String(contentsOfFile: home.path(file), encoding: .utf8) == "{ b = 2; }\n")
    }
  }

  // In processes of their own: after a vain wait of another test, this one's does not wait.
  @Test("a file that somebody replaces whenever it is locked is changed nevertheless")
  func replacedWhenLocked() async {
    await #expect(processExitsWith: .success) { try ChangeLockTests().saveWhileReplaced() }
  }

  @Test("while a save waits for the lock of the file behind its link, others save in the same database")
  func waitingOutside() async {
    await #expect(processExitsWith: .success) { try ChangeLockTests().saveBesideWaiting() }
  }

  @Test("after a vain wait for a file's lock the database's is waited for, which another save holds")
  func databaseHeldAfterwards() async {
    await #expect(processExitsWith: .success) { try ChangeLockTests().saveAfterVainWait() }
  }

  private func saveAfterVainWait() throws {
    try link("database", to: "files/App.plist")
    let held = open(home.path("files/App.plist"), O_RDONLY | O_CLOEXEC)
    try #require(flock(held, LOCK_EX) == 0)
    defer { close(held) }
    /// The lock of the database, which is taken during the wait, and how often the save has tried to take it since.
    let other = Lock((descriptor: Int32(-1), attempts: 0, isLastOpened: false))
    let lockPath = home.path("database/.lock")
    let fileSystem = FaultyFileSystem { operation in
      other.withLock { other in
        if operation.name.hasPrefix("open") { other.isLastOpened = operation.name != "open lockingFile" }
        if operation.name == "open lockingFile", other.descriptor < 0,
          FileManager.default.fileExists(atPath: lockPath)
        {
          let descriptor = open(lockPath, O_RDONLY | O_CLOEXEC)
          // The save itself holds it when it tries for the first time.
          if flock(descriptor, LOCK_EX | LOCK_NB) == 0 {
            other.descriptor = descriptor
          } else {
            close(descriptor)
          }
        }
        if operation.name == "tryLock", other.isLastOpened, other.descriptor >= 0 {
          other.attempts += 1
          if other.attempts == 2 { close(other.descriptor) }
        }
      }
      return nil
    }
    let database = UserDatabase(directory: home.path("database"), fileSystem: fileSystem)
    _ = try database.commit(changes, to: app, onDamage: .refuse, deadline: .now + 0.1)
    #expect(other.withLock { $0.attempts } >= 2)
    #expect(try database.load(app).values == ["a": "1", "k": "v"])
  }

  private func saveWhileReplaced() throws {
    try link("database", to: "files/App.plist")
    let path = home.path("files/App.plist")
    let fileSystem = FaultyFileSystem { operation in
      if operation.name == "open lockingFile" {
        #expect(throws: Never.self) {
          // Between the opening and the look at what was opened.
          try "{ a = 2; }\n".write(toFile: path + ".new", atomically: true, encoding: .utf8)
        }
      }
      if operation.name == "tryLock", FileManager.default.fileExists(atPath: path + ".new") {
        #expect(rename(path + ".new", path) == 0)
      }
      return nil
    }
    let database = UserDatabase(directory: home.path("database"), fileSystem: fileSystem)
    _ = try database.commit(changes, to: app, onDamage: .refuse, deadline: .now + 0.2)
    #expect(fileSystem.operations.count { $0.name == "open lockingFile" } > 1)
    #expect(try database.load(app).values == ["a": "2", "k": "v"])
  }

  private func saveBesideWaiting() throws {
    try link("database", to: "files/App.plist")
    let held = open(home.path("files/App.plist"), O_RDONLY | O_CLOEXEC)
    try #require(flock(held, LOCK_EX) == 0)
    let plain = database("database")
    let other = try DomainName("Other")
    let fileSystem = FaultyFileSystem { [changes] operation in
      guard operation.name == "open lockingFile" else { return nil }
      if operation.number == 2 {
        #expect(throws: Never.self) {
          try plain.commit(changes, to: other, onDamage: .refuse, deadline: .now)
        }
        close(held)
      }
      return nil
    }
    let waiting = UserDatabase(directory: home.path("database"), fileSystem: fileSystem)
    _ = try waiting.commit(changes, to: app, onDamage: .refuse)
    #expect(fileSystem.operations.count { $0.name == "open lockingFile" } > 2)
    #expect(try plain.load(app).values == ["a": "1", "k": "v"])
    #expect(try plain.load(other).values == ["k": "v"])
  }

  @Test("who was not waited for any longer finds the change that was made meanwhile, and keeps it")
  func slowHolder() throws {
    try link("database", to: "files/App.plist", mode: 0o644)
    let database = database("database")
    var found: [String] = []
    try PropertyListFile.change(home.path("files/App.plist")) { present in
      found.append(String(decoding: present ?? [], as: UTF8.self))
      if found.count > 1 { return .keep }
      #expect(throws: Never.self) {
        try database.commit(changes, to: app, onDamage: .refuse, deadline: .now + 0.1)
      }
      return bytes("{ a = 1; b = 2; }")
    }
    #expect(found.count == 2)
    #expect(found.last?.contains("k = v;") == true)
    #expect(try database.load(app).values == ["a": "1", "k": "v"])
  }

  @Test(
    "the first save of a database does not wait for those who change a file there by its path; they begin again"
  )
  func firstSave() throws {
    let database = database("database")
    for hasFile in [false, true] {
      try? FileManager.default.removeItem(atPath: database.lockPath)
      try? FileManager.default.removeItem(atPath: home.path("database/App.plist"))
      if hasFile { try write("{ a = 1; }", to: "database/App.plist") }
      var count = 0
      try PropertyListFile.change(home.path("database/App.plist")) { _ in
        count += 1
        if count == 1 { #expect(!isLocked(database)) } else { #expect(isLocked(database)) }
        return count == 1 ? bytes("{ lost = 1; }") : .keep
      }
      #expect(count == 2)
      #expect(try database.load(app).values == (hasFile ? ["a": "1", "k": "v"] : ["k": "v"]))
    }
    try whileChanging(database) { #expect(isLocked("database/App.plist")) }
  }
}
