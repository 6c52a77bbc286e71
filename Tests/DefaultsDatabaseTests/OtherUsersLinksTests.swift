import DefaultsDatabase
import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

/// Links of another user to which a link of one's own leads, in a directory in which both may make entries.
@Suite(.enabled(if: Administrator.isExpected, Comment(rawValue: Administrator.absence)))
struct OtherUsersLinksTests {
  private static let (user, other): (uid_t, uid_t) = (65533, 65534)
  private static let secret = "{ secret = 1; }"
  private let home: TemporaryHome

  /// Makes a private directory of the user's, a link of the other user to it in a shared directory, and links of the
  /// user to that link.
  init() throws {
    home = try TemporaryHome()
    try #require(chmod(home.path, 0o755) == 0)
    let files = FileManager.default
    for name in ["mine", "mine/private", "mine/Defaults", "team"] {
      try files.createDirectory(atPath: home.path(name), withIntermediateDirectories: false)
    }
    try #require(chmod(home.path("team"), 0o777) == 0)
    try home.write(Self.secret, to: "mine/private/App.plist")
    for (name, destination) in [
      ("team/conf", "../mine/private"), ("mine/share", "../team/conf"), ("mine/chain", "own"),
      ("mine/own", "private"),
      ("mine/Defaults/App.plist", "../../team/conf/App.plist"),
      ("mine/Defaults/Own.plist", "../chain/App.plist"),
    ] {
      try #require(symlink(destination, home.path(name)) == 0)
      let owner = name.hasPrefix("team") ? Self.other : Self.user
      try #require(lchown(home.path(name), owner, owner) == 0)
    }
    for name in ["mine", "mine/private", "mine/private/App.plist", "mine/Defaults"] {
      try #require(chown(home.path(name), Self.user, Self.user) == 0)
    }
  }

  private static func expectRefusal(
    _ body: () throws -> Void, location: SourceLocation = #_sourceLocation
  ) {
    let error = #expect(throws: DatabaseError.self, sourceLocation: location) { try body() }
    #expect(error?.kind == .refused, sourceLocation: location)
    #expect(error?.description.contains("another user") == true, "\(error as Any)", sourceLocation: location)
  }

  private static func changes() -> DomainChanges {
    var changes = DomainChanges()
    changes.set("n", for: "new")
    return changes
  }

  @Test("a directory whose path leads there through one's own link is neither read nor changed")
  func directory() async throws {
    await #expect(processExitsWith: .success) { [share = home.path("mine/share") as String] in
      try #require(seteuid(Self.user) == 0)
      let (database, app) = (UserDatabase(directory: share), try DomainName("App"))
      Self.expectRefusal { _ = try database.commit(Self.changes(), to: app, onDamage: .refuse) }
      Self.expectRefusal { _ = try database.load(app) }
      Self.expectRefusal { _ = try database.domainNames() }
      Self.expectRefusal { _ = try database.remove(app) }
      Self.expectRefusal { try database.withOwnersRights {} }
      Self.expectRefusal { try ExportFile(share + "/App.plist").write([], replacing: true) }
      Self.expectRefusal { try ExportFile(share + "/New.plist").write([], replacing: false) }
      Self.expectRefusal { try PropertyListFile.write([], to: share + "/New.plist") }
      Self.expectRefusal { try PropertyListFile.change(share + "/App.plist") { _ in .none } }
    }
    #expect(try home.text(of: "mine/private/App.plist") == Self.secret)
    #expect(try home.names(in: "mine/private") == ["App.plist"])
  }

  @Test(
    "a domain whose file is one's own link there is neither read nor changed; a chain of one's own links is followed"
  )
  func file() async throws {
    await #expect(processExitsWith: .success) { [defaults = home.path("mine/Defaults") as String] in
      try #require(seteuid(Self.user) == 0)
      let (database, app) = (UserDatabase(directory: defaults), try DomainName("App"))
      Self.expectRefusal { _ = try database.commit(Self.changes(), to: app, onDamage: .refuse) }
      Self.expectRefusal { _ = try database.load(app) }
      Self.expectRefusal { _ = try database.remove(app) }
      Self.expectRefusal { try PropertyListFile.change(defaults + "/App.plist") { _ in .none } }
      let own = try DomainName("Own")
      #expect(try database.load(own).values == ["secret": "1"])
      _ = try database.commit(Self.changes(), to: own, onDamage: .refuse)
      #expect(try database.load(own).values == ["secret": "1", "new": "n"])
    }
  }

  // A listing without the domain would make a snapshot that passes for whole, and a restore removes what it has not.
  @Test(
    "a domain whose file is one's own link there is listed, and another user's link is known to be in a place"
  )
  func listing() async throws {
    let defaults = home.path("mine/Defaults")
    try #require(symlink("Own.plist", defaults + "/Other.plist") == 0)
    try #require(lchown(defaults + "/Other.plist", Self.other, Self.other) == 0)
    await #expect(processExitsWith: .success) { [defaults = defaults as String] in
      try #require(seteuid(Self.user) == 0)
      let database = UserDatabase(directory: defaults)
      let names = try database.domainNames()
      #expect(names.map(\.text) == ["App", "Own"])
      let misplacements = try database.misplacements(besides: names)
      #expect(misplacements.map(\.domain.text) == ["Other"])
      #expect(misplacements.first?.error.kind == .refused)
      #expect(misplacements.first?.isOthersLink == true)
    }
  }

  /// Has the user write into a directory of its own that the other user exchanges for a link, at one step after another.
  ///
  /// - Parameters:
  ///   - destination: Where the link leads.
  ///   - prepare: Makes what is in the directory, as the administrator.
  ///   - write: Writes, as the user; gives whether it has written.
  ///   - check: Looks, as the administrator, whether anything has arrived where the link leads.
  private static func exchanging(
    _ conf: String, forLinkTo destination: String, prepare: () throws -> Void,
    write: (FaultyFileSystem) -> Bool, check: (_ step: Int) throws -> Void
  ) throws {
    let files = FileManager.default
    var (step, isReached) = (0, true)
    while isReached {
      for path in [conf, conf + ".aside"] { try? files.removeItem(atPath: path) }
      try files.createDirectory(atPath: conf, withIntermediateDirectories: false)
      try #require(chown(conf, user, user) == 0)
      try prepare()
      let count = Lock(0)
      let disk = FaultyFileSystem { [step] _ in
        let number = count.withLock { count in
          count += 1
          return count
        }
        guard number == step + 1 else { return nil }
        guard seteuid(0) == 0, rename(conf, conf + ".aside") == 0, symlink(destination, conf) == 0,
          lchown(conf, other, other) == 0, seteuid(user) == 0
        else { return .inputOutput }
        return nil
      }
      try #require(seteuid(user) == 0)
      let isWritten = write(disk)
      try #require(seteuid(0) == 0)
      isReached = count.withLock { $0 } > step
      #expect(isWritten || isReached)
      try check(step)
      step += 1
    }
    #expect(step > 5)
  }

  @Test("a directory that is exchanged for such a link at any step of an export: no private file is replaced")
  func exchangedDuringExport() async throws {
    await #expect(processExitsWith: .success) {
      [conf = home.path("team/its") as String, secret = home.path("mine/private") as String] in
      try Self.exchanging(conf, forLinkTo: secret) {
        try Data("{ old = o; }".utf8).write(to: URL(fileURLWithPath: conf + "/App.plist"))
        try #require(chown(conf + "/App.plist", Self.user, Self.user) == 0)
      } write: { disk in
        let file = ExportFile(conf + "/App.plist", fileSystem: disk)
        return (try? file.write(Array("{ new = n; }".utf8), replacing: true)) ?? false
      } check: { (step) throws in
        #expect(
          try String(contentsOfFile: secret + "/App.plist", encoding: .utf8) == Self.secret, "step \(step)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: secret) == ["App.plist"], "step \(step)")
      }
    }
  }

  @Test(
    "a directory that is exchanged for such a link at any step of an export into a pipe: no other pipe gets it"
  )
  func exchangedPipe() async throws {
    await #expect(processExitsWith: .success) {
      [conf = home.path("team/its") as String, theirs = home.path("theirs") as String] in
      try FileManager.default.createDirectory(atPath: theirs, withIntermediateDirectories: false)
      try #require(mkfifo(theirs + "/pipe", 0o600) == 0)
      for path in [theirs, theirs + "/pipe"] { try #require(chmod(path, 0o777) == 0) }
      let reader = open(theirs + "/pipe", O_RDONLY | O_NONBLOCK)
      try Self.exchanging(conf, forLinkTo: theirs) {
        try #require(mkfifo(conf + "/pipe", 0o600) == 0 && chown(conf + "/pipe", Self.user, Self.user) == 0)
      } write: { disk in
        let own = open(conf + "/pipe", O_RDONLY | O_NONBLOCK)
        defer { close(own) }
        return (try? ExportFile(conf + "/pipe", fileSystem: disk).write([1], replacing: true)) ?? false
      } check: { (step) throws in
        var byte: UInt8 = 0
        #expect(read(reader, &byte, 1) <= 0, "step \(step)")
      }
    }
  }

  @Test("what is put where no database was is not taken for the database's")
  func lateDirectory() async throws {
    await #expect(processExitsWith: .success) {
      [late = home.path("mine/late") as String, secret = home.path("mine/private") as String] in
      try FileManager.default.createDirectory(
        atPath: secret + "/.history", withIntermediateDirectories: false)
      try #require(chown(secret + "/.history", Self.user, Self.user) == 0 && seteuid(Self.user) == 0)
      func names() throws(DatabaseError) -> [String]? {
        try UserDatabase(directory: late).withOwnersRights {
          _ = symlink(secret, late)
          return FileRights.withPrivateDirectory(late + "/.history") {
            try? DiskFileSystem().names(inDirectory: late + "/.history")
          }
        }
      }
      #expect(try names() == nil)
      // The user's own link is there from the beginning now.
      #expect(try names() == [])
    }
  }

  @Test("the administrator's export is not given to a user who has made its directory in one open to all")
  func plantedDirectory() throws {
    for (folder, mode) in [("open", 0o1777), ("closed", 0o755)] as [(String, mode_t)] {
      for name in [folder, folder + "/theirs"] {
        try FileManager.default.createDirectory(atPath: home.path(name), withIntermediateDirectories: false)
      }
      try #require(chmod(home.path(folder), mode) == 0)
      try #require(chown(home.path(folder + "/theirs"), Self.other, Self.other) == 0)
    }
    let open = home.path("open/theirs")
    Self.expectRefusal { try ExportFile(open + "/App.plist").write([], replacing: false) }
    Self.expectRefusal { try ExportFile(open + "/deep/App.plist").write([], replacing: false) }
    Self.expectRefusal { try PropertyListFile.write([], to: open + "/App.plist") }
    #expect(try home.names(in: "open/theirs") == [])
    // What is written into a user's own directory is that user's.
    let closed = home.path("closed/theirs/App.plist")
    try ExportFile(closed).write([], replacing: false)
    #expect(try DiskFileSystem().status(at: closed, followingLinks: false).owner == Self.other)
  }

  @Test("the administrator writes into no pipe in a user's directory, whose reader may never read")
  func pipe() throws {
    let path = home.path("mine/pipe")
    let pipe = try SilentPipe(at: path, of: Self.user)
    defer { pipe.end() }
    let error = #expect(throws: DatabaseError.self) {
      try ExportFile(path).write([UInt8](repeating: 0x20, count: 1 << 20), replacing: true)
    }
    #expect(error?.description.contains("a device or a pipe in a user's directory") == true)
  }

  // It waited for the writer without end.
  @Test("the administrator reads from no pipe in a user's directory, whose writer may never write")
  func pipeToRead() throws {
    let path = home.path("mine/pipe")
    let pipe = try SilentPipe(at: path, of: Self.user)
    defer { pipe.end() }
    for place in [path, home.path("mine/tolink")] {
      if place != path {
        try #require(symlink("pipe", place) == 0 && lchown(place, Self.user, Self.user) == 0)
      }
      let error = #expect(throws: DatabaseError.self) { try PropertyListFile.value(at: place) }
      #expect(
        error?.description.contains("a device or a pipe in a user's directory; nothing was read") == true,
        "\(error as Any)")
    }
  }
}
