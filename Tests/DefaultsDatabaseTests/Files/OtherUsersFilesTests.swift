import DefaultsDatabase
import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

/// What the administrator reads and replaces for a user, and in directories in which others may make files.
@Suite(.enabled(if: Administrator.isExpected, Comment(rawValue: Administrator.absence)))
struct OtherUsersFilesTests {
  private let home: TemporaryHome
  private let app: DomainName
  private let nobody: UInt32 = 65534

  init() throws {
    home = try TemporaryHome()
    app = try DomainName("App")
    try #require(chmod(home.path, 0o755) == 0)
  }

  /// Makes a directory of an owner.
  private func directory(_ name: String, owner: UInt32 = 0, mode: mode_t) throws -> String {
    let path = "\(home.path)/\(name)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    try #require(chown(path, owner, owner) == 0 && chmod(path, mode) == 0)
    return path
  }

  /// Makes a file of an owner that nobody else may read.
  private func file(_ path: String, owner: UInt32 = 0, _ text: String = "{ S = secret; }") throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    try #require(chown(path, owner, owner) == 0 && chmod(path, 0o600) == 0)
  }

  private func text(_ path: String) throws -> String {
    try String(contentsOfFile: path, encoding: .utf8)
  }

  private var account: Account { Account(user: nobody, group: nobody, groups: [], home: "/nonexistent") }

  @Test("the bytes of a user's domain are read with the user's rights, through no link")
  func bytesOfDomain() throws {
    let shared = try directory("shared", mode: 0o1777)
    try file("\(shared)/App.plist")
    let database = UserDatabase(directory: shared, account: account)
    #expect(throws: DatabaseError.self) { try database.bytes(of: app) }
    let theirs = try directory("theirs", owner: nobody, mode: 0o700)
    try FileManager.default.createSymbolicLink(
      atPath: "\(theirs)/App.plist", withDestinationPath: "/proc/self/maps")
    try #require(lchown("\(theirs)/App.plist", nobody, nobody) == 0)
    #expect(throws: DatabaseError.self) {
      try UserDatabase(directory: theirs, account: account).bytes(of: app)
    }
    try file("\(theirs)/Own.plist", owner: nobody, "{ a = b; }")
    let own = try UserDatabase(directory: theirs, account: account).bytes(of: DomainName("Own"))
    #expect(own == Array("{ a = b; }".utf8))
  }

  @Test("a file of the administrator is neither read nor removed for a user")
  func changeForUser() throws {
    let folder = try directory("folder", mode: 0o755)
    try file("\(folder)/WMState")
    #expect(throws: DatabaseError.self) {
      try PropertyListFile.bytes(at: "\(folder)/WMState", actingFor: account)
    }
    #expect(throws: DatabaseError.self) {
      try PropertyListFile.change("\(folder)/WMState", actingFor: account) { _ in .none }
    }
    #expect(try text("\(folder)/WMState") == "{ S = secret; }")
  }

  @Test("a user's file that only the administrator can replace, as in an unpacked backup, is reached")
  func backup() throws {
    let folder = try directory("backup", mode: 0o700)
    for (name, mode) in [("closed", 0o700), ("shared", 0o1777)] as [(String, mode_t)] {
      let place = try directory("backup/\(name)", mode: mode)
      try file("\(place)/x.plist", owner: nobody, "{}")
      // Where the user can put a link in its place, the user's rights count, which do not lead there.
      guard name == "closed" else {
        #expect(throws: DatabaseError.self) { try PropertyListFile.bytes(at: "\(place)/x.plist") }
        continue
      }
      #expect(try PropertyListFile.bytes(at: "\(place)/x.plist") == Array("{}".utf8))
      try PropertyListFile.change("\(folder)/\(name)/x.plist") { _ in .bytes(Array("{ a = 1; }".utf8)) }
      #expect(try text("\(place)/x.plist") == "{ a = 1; }")
      var status = stat()
      #expect(stat("\(place)/x.plist", &status) == 0 && status.st_uid == nobody)
    }
  }

  @Test("a path that leaves a user's directory by “..” is refused: it may lead to another user's")
  func leaving() throws {
    let theirs = try directory("theirs", owner: nobody, mode: 0o711)
    let others = try directory("others", owner: 65533, mode: 0o755)
    try file("\(others)/x.plist", owner: nobody)
    for path in ["\(theirs)/../others/x.plist", "\(theirs)/a/../../others/x.plist"] {
      let error = #expect(throws: DatabaseError.self) { try PropertyListFile.bytes(at: path) }
      #expect(error?.kind == .refused)
    }
    try file("\(theirs)/y.plist", owner: nobody, "{}")
    let inside = try directory("theirs/a", owner: nobody, mode: 0o755)
    #expect(try PropertyListFile.bytes(at: "\(inside)/../y.plist") == Array("{}".utf8))
  }

  @Test("a directory that any user may make is no place for private files")
  func missingPlace() throws {
    let shared = try directory("shared", mode: 0o1777)
    let error = #expect(throws: DatabaseError.self) {
      try FileRights.refuseOtherUsersPath("\(shared)/gone")
    }
    #expect(error?.kind == .refused)
    try FileRights.refuseOtherUsersPath(shared)
    try FileRights.refuseOtherUsersPath("\(home.path)/gone")
  }

  @Test(
    "a directory that is refused, since others may replace what is around it, is not made first",
    arguments: ["new", "new/inner"])
  func exchangeablePlace(name: String) throws {
    let shared = try directory("shared", mode: 0o755)
    try #require(chown(shared, 0, nobody) == 0 && chmod(shared, 0o2775) == 0)
    var changes = DomainChanges()
    changes.set("v", for: "k")
    let error = #expect(throws: DatabaseError.self) {
      try UserDatabase(directory: "\(shared)/\(name)").commit(changes, to: app, onDamage: .refuse)
    }
    #expect(error?.kind == .refused)
    #expect(try FileManager.default.contentsOfDirectory(atPath: shared).isEmpty)
  }

  @Test("other users' directories are no place for anybody's private files")
  func placesOfOthers() async throws {
    let theirs = try directory("theirs", owner: 65533, mode: 0o755)
    let own = try directory("own", owner: nobody, mode: 0o700)
    let shared = try directory("shared", mode: 0o1777)
    await #expect(processExitsWith: .success) {
      [theirs = theirs as String, own = own as String, shared = shared as String] in
      try #require(setuid(65534) == 0)
      for path in [theirs, "\(shared)/gone"] {
        #expect(throws: DatabaseError.self) {
          try FileRights.refuseOtherUsersPath(path, forAllUsers: true)
        }
      }
      for path in [own, shared] { try FileRights.refuseOtherUsersPath(path, forAllUsers: true) }
    }
  }

  @Test("a file that another user has made in a directory like /tmp is not replaced by one of that user's")
  func plantedFile() throws {
    let shared = try directory("shared", mode: 0o1777)
    try file("\(shared)/out", owner: nobody, "{ a = 1; }")
    let error = #expect(throws: DatabaseError.self) {
      try PropertyListFile.write(Array("{ S = secret; }".utf8), to: "\(shared)/out")
    }
    #expect(error?.kind == .refused)
    #expect(try text("\(shared)/out") == "{ a = 1; }")
    try file("\(shared)/own", "{ a = 1; }")
    try PropertyListFile.write(Array("{ a = 2; }".utf8), to: "\(shared)/own")
    #expect(try text("\(shared)/own") == "{ a = 2; }")
  }

  // Such a link led into a file system that never answered, and the administrator waited there for ever.
  @Test(
    "the administrator does not look behind a user's link in a directory where others may write",
    arguments: [0o1777, 0o2775, 0o3775] as [mode_t])
  func plantedLink(mode: mode_t) throws {
    let shared = try directory("shared", mode: mode)
    try #require(chown(shared, 0, nobody) == 0 && chmod(shared, mode) == 0)
    // What is behind it would be told by another message.
    let path = "\(shared)/App.plist"
    try #require(symlink("/dev/null", path) == 0 && lchown(path, nobody, nobody) == 0)
    let attempts: [() throws -> Void] = [
      { try ExportFile(path).write([], replacing: false) },
      { try ExportFile(path).write([], replacing: true) },
      { try PropertyListFile.write([], to: path) },
      { try PropertyListFile.change(path) { _ in .none } },
      { _ = try UserDatabase(directory: shared).status(at: path, followingLinks: true) },
    ]
    for attempt in attempts {
      let error = #expect(throws: DatabaseError.self) { try attempt() }
      #expect(
        error?.kind == .refused && error?.description.contains("is a symbolic link") == true,
        "\(error as Any)")
    }
    #expect(
      try UserDatabase(directory: shared).status(at: path, followingLinks: false)?.kind == .symbolicLink)
    // A link of the administrator's that leads there is none to follow either.
    let way = "\(home.path)/way"
    try #require(symlink("shared/App.plist", way) == 0)
    let error = #expect(throws: DatabaseError.self) { try ExportFile(way).write([], replacing: true) }
    #expect(error?.description.contains("is a symbolic link") == true, "\(error as Any)")
  }

  // A user may move a file of the administrator's out of its own directory, and not write to it.
  @Test(
    "what a user has moved to the place of the lock is not written to by the administrator",
    arguments: [0o1777, 0o2775] as [mode_t])
  func plantedLock(mode: mode_t) throws {
    let shared = try directory("shared", mode: mode)
    try #require(chown(shared, 0, nobody) == 0 && chmod(shared, mode) == 0)
    let text = String(repeating: "the administrator's ", count: 10)
    try file("\(shared)/.lock", text)
    try ExportFile("\(shared)/out.plist").write(Array("{}".utf8), replacing: false)
    try ExportFile("\(shared)/out.plist").write(Array("{ a = 1; }".utf8), replacing: true)
    #expect(try self.text("\(shared)/out.plist") == "{ a = 1; }")
    // These may be refused.
    try? PropertyListFile.change("\(shared)/out.plist") { _ in .bytes(Array("{ a = 2; }".utf8)) }
    var changes = DomainChanges()
    changes.set("v", for: "k")
    _ = try? UserDatabase(directory: shared).commit(changes, to: app, onDamage: .refuse)
    #expect(try self.text("\(shared)/.lock") == text)
  }

  @Test("a pipe that takes a file's place before it is opened is not waited for", .timeLimit(.minutes(20)))
  func pipe() throws {
    let path = "\(home.path)/x.plist"
    try file(path, "{}")
    let pipe = Lock<Int32>(-1)
    let disk = FaultyFileSystem { [path] operation in
      guard operation.name == "open readingThrough", pipe.withLock({ $0 }) < 0 else { return nil }
      unlink(path)
      mkfifo(path, 0o600)
      // A process that has the pipe open, and writes nothing.
      let descriptor = open(path, O_RDWR | O_CLOEXEC)
      pipe.withLock { $0 = descriptor }
      return nil
    }
    #expect(throws: DatabaseError.self) { try PropertyListFile.bytes(at: path, fileSystem: disk) }
    #expect(pipe.withLock { $0 } >= 0)
    close(pipe.withLock { $0 })
  }

  @Test("what is written to a removed file's descriptor makes no file of the name that the system shows")
  func removedFile() throws {
    let path = "\(home.path)/gone"
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    unlink(path)
    let error = #expect(throws: DatabaseError.self) {
      try PropertyListFile.write(Array("{}".utf8), to: "/dev/fd/\(descriptor)")
    }
    #expect(error?.kind == .refused)
    #expect(try FileManager.default.contentsOfDirectory(atPath: home.path).isEmpty)
  }

  @Test("a directory for all users keeps its permissions")
  func sharedDirectory() throws {
    let shared = try directory("shared", mode: 0o1777)
    #expect(throws: DatabaseError.self) { try UserDatabase(directory: shared).makePrivate(nil) }
    let mode = try FileManager.default.attributesOfItem(atPath: shared)[.posixPermissions] as? Int
    #expect(mode == 0o1777)
  }
}
