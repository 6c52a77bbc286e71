import DefaultsDatabase
import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

/// A database's directory in one in which other users may rename entries, such as a group's.
struct HeldDirectoryTests {
  private let home: TemporaryHome

  init() throws {
    home = try TemporaryHome()
  }

  @Test(
    "a directory that is exchanged for a link between any two steps of a save: no file is replaced by another's",
    arguments: [DomainFileFormat.openStep, .xml], ["team", "team/"])
  func exchange(format: DomainFileFormat, name: String) throws {
    let files = FileManager.default
    let (team, secret) = (home.path("team"), home.path("private"))
    let secretValue: PropertyList = ["secret": "s"]
    var step = 0
    var isReached = true
    while isReached {
      for path in [team, secret, team + ".aside"] { try? files.removeItem(atPath: path) }
      for path in [team, secret] {
        try files.createDirectory(atPath: path, withIntermediateDirectories: false)
      }
      try home.write(try format.bytes(of: ["team": "t"]), to: "team/App.plist")
      try home.write(try format.bytes(of: secretValue), to: "private/App.plist")
      let count = Lock(0)
      let disk = FaultyFileSystem { [step] operation in
        guard operation.path?.hasPrefix(team) == true else { return nil }
        let number = count.withLock { count in
          count += 1
          return count
        }
        if number == step + 1 {
          guard rename(team, team + ".aside") == 0, symlink(secret, team) == 0 else { return .inputOutput }
        }
        return nil
      }
      var changes = DomainChanges()
      changes.set("n", for: "new")
      let database = UserDatabase(directory: home.path(name), fileSystem: disk)
      let isSaved = (try? database.commit(changes, to: DomainName("App"), onDamage: .moveAside)) != nil
      isReached = count.withLock { $0 } > step
      let (now, aside) = (
        try value(of: secret),
        files.fileExists(atPath: team + ".aside") ? try value(of: team + ".aside") : nil
      )
      // What is saved is saved where the path led when the save began; each file keeps what it had.
      let isSecretSaved = now == ["secret": "s", "new": "n"]
      #expect(now == secretValue || isSecretSaved, "step \(step): \(now)")
      if isReached {
        #expect(aside == ["team": "t"] || aside == ["team": "t", "new": "n"], "step \(step)")
        #expect(!isSaved || isSecretSaved, "step \(step): what was saved is not at the path")
      } else {
        #expect(isSaved)
      }
      step += 1
    }
    #expect(step > 10)
  }

  @Test("a directory that is away at one step of a save, and exchanged for a link at a later one")
  func away() throws {
    let files = FileManager.default
    let (team, secret) = (home.path("team"), home.path("private"))
    var (step, isReached) = (0, true)
    while isReached {
      for link in step + 2..<step + 24 {
        for path in [team, secret, team + ".aside"] { try? files.removeItem(atPath: path) }
        for path in [team, secret] {
          try files.createDirectory(atPath: path, withIntermediateDirectories: false)
        }
        try home.write("{ team = t; }", to: "team/App.plist")
        try home.write("{ secret = s; }", to: "private/App.plist")
        let count = Lock(0)
        let disk = FaultyFileSystem { [step] operation in
          guard operation.path?.hasPrefix(team) == true else { return nil }
          let number = count.withLock { count in
            count += 1
            return count
          }
          switch number {
          case step + 1: return rename(team, team + ".aside") == 0 ? nil : .inputOutput
          case step + 2: return rename(team + ".aside", team) == 0 ? nil : .inputOutput
          case link + 1:
            return rename(team, team + ".aside") == 0 && symlink(secret, team) == 0 ? nil : .inputOutput
          default: return nil
          }
        }
        var changes = DomainChanges()
        changes.set("n", for: "new")
        let database = UserDatabase(directory: team, fileSystem: disk)
        _ = try? database.commit(changes, to: DomainName("App"), onDamage: .refuse)
        isReached = count.withLock { $0 } > step
        let now = try value(of: secret)
        let isWhole = now == ["secret": "s"] || now == ["secret": "s", "new": "n"]
        #expect(isWhole, "step \(step), \(link): \(now)")
      }
      step += 1
    }
    #expect(step > 10)
  }

  #if os(Linux)
    @Test(
      "another user's directory that takes the place of the user's own before it is held gets no file",
      .enabled(if: Administrator.isExpected, Comment(rawValue: Administrator.absence)))
    func otherOwner() async throws {
      for name in ["team", "theirs"] {
        try FileManager.default.createDirectory(
          atPath: home.path(name), withIntermediateDirectories: false)
      }
      try home.write("{ evil = e; }", to: "theirs/App.plist")
      for path in [home.path("theirs"), home.path("theirs/App.plist")] {
        try #require(chown(path, 65533, 65533) == 0)
      }
      try #require(chown(home.path("team"), 65534, 65534) == 0)
      for (name, mode) in [("theirs", 0o777), ("theirs/App.plist", 0o666), ("", 0o777)] as [(String, mode_t)]
      {
        try #require(chmod(home.path(name), mode) == 0)
      }
      // As another user, whom the whole process has to be.
      await #expect(processExitsWith: .success) {
        [team = home.path("team") as String, theirs = home.path("theirs") as String] in
        try #require(seteuid(65534) == 0)
        let disk = FaultyFileSystem { operation in
          if operation.name == "hold" {
            guard rename(team, team + ".aside") == 0, rename(theirs, team) == 0 else { return .inputOutput }
          }
          return nil
        }
        var changes = DomainChanges()
        changes.set("n", for: "new")
        #expect {
          try UserDatabase(directory: team, fileSystem: disk).commit(
            changes, to: DomainName("App"), onDamage: .moveAside)
        } throws: { error in
          (error as? DatabaseError)?.description.contains("belongs to another user") == true
        }
      }
      #expect(try home.text(of: "team/App.plist") == "{ evil = e; }")
    }
  #endif

  @Test("of several directories that a thread holds the last one counts, and then the one before again")
  func nested() throws {
    let (files, disk) = (FileManager.default, DiskFileSystem())
    func isThere(_ path: String) -> Bool { (try? disk.status(at: path, followingLinks: true)) != nil }
    for name in ["a", "b"] {
      try files.createDirectory(atPath: home.path(name), withIntermediateDirectories: false)
      try home.write("{}", to: "\(name)/file")
    }
    let outer = try #require(try disk.hold(home.path("a")))
    let inner = try #require(try disk.hold(home.path("b/")))
    for name in ["a", "b"] { try #require(rename(home.path(name), home.path("\(name).aside")) == 0) }
    #expect(isThere(home.path("b/file")) && isThere(home.path("b")) && !isThere(home.path("a/file")))
    inner.letGo()
    #expect(!isThere(home.path("b/file")) && isThere(home.path("a/file")))
    outer.letGo()
    #expect(!isThere(home.path("a/file")))
  }

  @Test("the root directory can be held")
  func root() throws {
    let disk = DiskFileSystem()
    let hold = try #require(try disk.hold("/"))
    defer { hold.letGo() }
    #expect(try disk.status(at: "/tmp", followingLinks: true).kind == .directory)
    #expect(try disk.status(at: "/", followingLinks: true).kind == .directory)
  }

  @Test("a file by its path: what is read from one directory never arrives in another, between any two steps")
  func file() throws {
    let files = FileManager.default
    let (team, secret) = (home.path("team"), home.path("private"))
    var step = 0
    var isReached = true
    while isReached {
      for path in [team, secret, team + ".aside"] { try? files.removeItem(atPath: path) }
      for path in [team, secret] {
        try files.createDirectory(atPath: path, withIntermediateDirectories: false)
      }
      try home.write("{ team = t; }", to: "team/f.plist")
      try home.write("{ secret = s; }", to: "private/f.plist")
      let count = Lock(0)
      let disk = FaultyFileSystem { [step] operation in
        guard operation.path?.hasPrefix(team) == true else { return nil }
        let number = count.withLock { count in
          count += 1
          return count
        }
        guard [step + 1, step + 3].contains(number) else { return nil }
        // There, and back two steps later: what was read through the link would be written without it.
        if number == step + 1 {
          guard rename(team, team + ".aside") == 0, symlink(secret, team) == 0 else { return .inputOutput }
        } else {
          guard unlink(team) == 0, rename(team + ".aside", team) == 0 else { return .inputOutput }
        }
        return nil
      }
      try? PropertyListFile.change(team + "/f.plist", fileSystem: disk) { bytes in
        .bytes((bytes ?? []) + Array(" /* changed */".utf8))
      }
      isReached = count.withLock { $0 } > step
      let place = files.fileExists(atPath: team + ".aside") ? "team.aside" : "team"
      #expect(try home.text(of: "\(place)/f.plist").hasPrefix("{ team = t; }"), "step \(step)")
      #expect(try home.text(of: "private/f.plist").hasPrefix("{ secret = s; }"), "step \(step)")
      step += 1
    }
    #expect(step > 10)
  }

  private func value(of directory: String) throws -> PropertyList {
    let data = try Data(contentsOf: URL(fileURLWithPath: "\(directory)/App.plist"))
    return try DomainFileFormat.propertyList(from: [UInt8](data)).value
  }
}
