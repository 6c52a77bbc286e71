import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

@testable import DefaultsDatabase

/// The rights with which the administrator looks at a path that leads through another user's directory.
@Suite(.enabled(if: Administrator.isExpected, Comment(rawValue: Administrator.absence)))
struct UsersPathTests {
  private static let user: uid_t = 65534
  private let home: TemporaryHome

  /// Makes a directory of the user's, with a database and with a link to it.
  init() throws {
    home = try TemporaryHome()
    try #require(chmod(home.path, 0o755) == 0)
    try FileManager.default.createDirectory(
      atPath: home.path("user/Defaults"), withIntermediateDirectories: true)
    try home.write("{ a = 1; }", to: "user/Defaults/App.plist")
    try #require(
      symlink("user/Defaults", home.path("way")) == 0 && symlink("Defaults", home.path("user/way")) == 0)
    for name in ["user", "user/Defaults", "user/Defaults/App.plist", "way", "user/way"] {
      try #require(lchown(home.path(name), Self.user, Self.user) == 0)
    }
  }

  // What the user exchanged for a link meanwhile led the administrator's own look through `/proc`, where it could wait for
  // minutes.
  @Test(
    "behind the first directory or link of a user, the administrator looks with that user's rights",
    arguments: ["user/Defaults", "user/way", "way", "user/way/../Defaults"])
  func looks(directory: String) throws {
    struct Look { let name, path: String, user: UInt32 }
    let looks = Lock<[Look]>([])
    let disk = FaultyFileSystem(secondsAhead: 3) { operation in
      let look = Look(name: operation.name, path: operation.path ?? "", user: FileRights.presentUser)
      looks.withLock { $0.append(look) }
      return nil
    }
    let path = home.path(directory)
    let database = UserDatabase(directory: path, fileSystem: disk)
    if directory == "user/Defaults" {
      #expect(try database.domainNames().map(\.text) == ["App"])
      let loaded = try database.load(DomainName("App"))
      #expect(loaded.values == ["a": "1"])
      // As a synchronize with nothing to do looks.
      #expect(try database.load(DomainName("App"), unlessStill: loaded.identity) == nil)
      #expect(try database.load(DomainName("Absent"), unlessStill: nil)?.values == nil)
    } else {
      // Another user's link is not followed to a database.
      #expect(throws: DatabaseError.self) { try database.domainNames() }
    }
    let user = try FileRights.reaching(path + "/App.plist", fileSystem: disk) { FileRights.presentUser }
    #expect(user == Self.user)
    #expect(!FileRights.isOwn(path, fileSystem: disk))
    #expect(throws: DatabaseError.self) { try FileRights.refuseOtherUsersPath(path, fileSystem: disk) }
    let start = home.path("user/")
    let below = looks.withLock { $0 }.filter { $0.path.hasPrefix(start) }
    #expect(below.count > 2)
    for look in below where look.user != Self.user { Issue.record("\(look)") }
    #expect(FileRights.presentUser == 0)
  }

  @Test(
    "a database that is reached through directories of two users is refused, and so is one in a link of /proc"
  )
  func shared() throws {
    try FileManager.default.createDirectory(
      atPath: home.path("user/other/Defaults"), withIntermediateDirectories: true)
    for name in ["user/other", "user/other/Defaults"] {
      try #require(chown(home.path(name), 65533, 65533) == 0)
    }
    try #require(symlink("/proc/self/cwd", home.path("user/process")) == 0)
    try #require(lchown(home.path("user/process"), Self.user, Self.user) == 0)
    for (name, reason) in [
      ("user/other/Defaults", "and of another user"), ("user/process", "files about processes"),
    ] {
      let path = home.path(name)
      for look in [
        { _ = try UserDatabase(directory: path).domainNames() }, { try FileRights.reaching(path) {} },
      ] as [() throws -> Void] {
        let error = #expect(throws: DatabaseError.self) { try look() }
        #expect(error?.kind == .refused && error?.description.contains(reason) == true, "\(error as Any)")
      }
    }
  }

  // In `/tmp` a path is the administrator's own only as long as its directory is there.
  @Test("a link that a user makes in the place of a removed directory of the administrator's is not followed")
  func removedDirectory() throws {
    let (shared, own) = (home.path("shared"), home.path("shared/own"))
    try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: true)
    #expect(chmod(shared, 0o1777) == 0)
    let (database, app) = (UserDatabase(directory: own), try DomainName("Absent"))
    for _ in 0..<2 { #expect(try database.load(app, unlessStill: nil)?.values.isEmpty != false) }
    try #require(rmdir(own) == 0 && symlink("../user/Defaults", own) == 0)
    try #require(lchown(own, Self.user, Self.user) == 0)
    let error = #expect(throws: DatabaseError.self) { try database.load(app, unlessStill: nil) }
    #expect(error?.kind == .refused)
  }

  // Each of several links was followed as if the first one alone had to be looked at.
  @Test("behind a chain of the administrator's links there is no look along a user's link")
  func chain() throws {
    try #require(symlink("/dev/null", home.path("user/evil")) == 0)
    try #require(lchown(home.path("user/evil"), Self.user, Self.user) == 0)
    for (name, destination) in [
      ("one", "user/evil"), ("two", home.path("one")), ("three", "two"), ("own", "device"),
      ("device", "/dev/null"),
    ] { try #require(symlink(destination, home.path(name)) == 0) }
    for name in ["one", "two", "three"] {
      let error = #expect(throws: DatabaseError.self, "\(name)") {
        try ExportFile(home.path(name)).write([], replacing: true)
      }
      #expect(error?.kind == .refused && error?.description.contains("is a symbolic link") == true)
    }
    _ = try ExportFile(home.path("own")).write([], replacing: true)
  }

  @Test("an open pipe that has a name is written to by its descriptor")
  func openPipe() throws {
    try #require(mkfifo(home.path("pipe"), 0o600) == 0)
    try #require(chown(home.path("pipe"), Self.user, Self.user) == 0 && chmod(home.path, 0o777) == 0)
    let descriptor = open(home.path("pipe"), O_RDWR | O_CLOEXEC)
    defer { close(descriptor) }
    for path in ["/dev/fd/\(descriptor)", "/proc/self/fd/\(descriptor)"] {
      _ = try ExportFile(path).write(Array("{}".utf8), replacing: true)
    }
    var bytes = [UInt8](repeating: 0, count: 8)
    #expect(read(descriptor, &bytes, 8) == 4)
  }

  @Test("the administrator's own directory is looked at also through a link into one for all users")
  func linkedDirectory() throws {
    try FileManager.default.createDirectory(
      atPath: home.path("shared/own"), withIntermediateDirectories: true)
    #expect(chmod(home.path("shared"), 0o1777) == 0)
    try #require(symlink("shared/own", home.path("linked")) == 0)
    let database = UserDatabase(directory: home.path("linked"))
    #expect(try database.status(at: database.directory, followingLinks: true)?.kind == .directory)
  }

  // Between two looks along the way the user exchanged a directory there for a link.
  @Test("the way behind a domain's link is not looked along where a user can change it")
  func watchedLink() throws {
    try FileManager.default.createDirectory(
      atPath: home.path("own/Defaults"), withIntermediateDirectories: true)
    try home.write("{ a = 1; }", to: "own/Own.plist")
    let directory = DatabaseDirectory(path: home.path("own/Defaults"), fileSystem: DiskFileSystem())
    for (name, destination) in [
      ("App.plist", "../../user/Defaults/App.plist"), ("Own.plist", "../Own.plist"),
      ("None.plist", "../None.plist"),
    ] { try #require(symlink(destination, directory.path(of: name)) == 0) }
    try #require(symlink("../Own.plist", directory.path(of: "Theirs.plist")) == 0)
    try #require(lchown(directory.path(of: "Theirs.plist"), Self.user, Self.user) == 0)
    func places(_ name: String) throws(SystemError) -> Int {
      var stepsLeft = 1000
      return try WatchedPlace.link(name, in: directory.path, of: directory, stepsLeft: &stepsLeft).count
    }
    for name in ["App.plist", "Theirs.plist"] {
      #expect(throws: DatabaseDirectory.unsafeLink, "\(name)") { try places(name) }
    }
    try #require(symlink("Cycle.plist", directory.path(of: "Cycle.plist")) == 0)
    for name in ["Own.plist", "None.plist", "Cycle.plist"] { #expect(try places(name) > 0, "\(name)") }
  }
}
