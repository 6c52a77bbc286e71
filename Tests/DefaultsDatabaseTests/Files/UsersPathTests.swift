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
}
