import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

@testable import DefaultsDatabase

/// A database's directory in one in which other users may rename entries, such as a group's.
struct HeldDirectoryTests {
  private let home: TemporaryHome

  /// The database's directory.
  private let team: String
  /// The directory to which a link leads that takes its place.
  private let secret: String

  init() throws {
    home = try TemporaryHome()
    (team, secret) = (home.path("team"), home.path("private"))
  }

  /// Makes both directories anew, each with a file.
  private func makeDirectories(with file: String, _ ours: [UInt8], _ secrets: [UInt8]) throws {
    for path in [team, secret, team + ".aside"] { try? FileManager.default.removeItem(atPath: path) }
    for (path, bytes) in [(team, ours), (secret, secrets)] {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
      try home.write(bytes, to: "\(path == team ? "team" : "private")/\(file)")
    }
  }

  /// A disk that calls a body before each step in the database's directory with the step's number, from 1 on.
  private func disk(before step: @escaping @Sendable (Int) -> SystemError?) -> FaultyFileSystem {
    let count = Lock(0)
    return FaultyFileSystem { [team] operation in
      guard operation.path?.hasPrefix(team) == true else { return nil }
      let number = count.withLock { count in
        count += 1
        return count
      }
      return step(number)
    }
  }

  /// How many steps a disk has made in the database's directory.
  private func stepCount(of disk: FaultyFileSystem) -> Int {
    disk.operations.count { $0.path?.hasPrefix(team) == true }
  }

  @Test(
    "a directory that is exchanged for a link between any two steps of a save: no file is replaced by another's",
    arguments: [DomainFileFormat.openStep, .xml], ["team", "team/"])
  func exchange(format: DomainFileFormat, name: String) throws {
    let files = FileManager.default
    let secretValue: PropertyList = ["secret": "s"]
    var step = 0
    var isReached = true
    while isReached {
      try makeDirectories(
        with: "App.plist", format.bytes(of: ["team": "t"]), format.bytes(of: secretValue))
      let disk = disk { [step, team, secret] number in
        if number == step + 1 {
          guard rename(team, team + ".aside") == 0, symlink(secret, team) == 0 else { return .inputOutput }
        }
        return nil
      }
      var changes = DomainChanges()
      changes.set("n", for: "new")
      let database = UserDatabase(directory: home.path(name), fileSystem: disk)
      let isSaved = (try? database.commit(changes, to: DomainName("App"), onDamage: .moveAside)) != nil
      isReached = stepCount(of: disk) > step
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
    var (step, isReached) = (0, true)
    while isReached {
      for link in step + 2..<step + 24 {
        try makeDirectories(with: "App.plist", Array("{ team = t; }".utf8), Array("{ secret = s; }".utf8))
        let disk = disk { [step, team, secret] number in
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
        isReached = stepCount(of: disk) > step
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
    var step = 0
    var isReached = true
    while isReached {
      try makeDirectories(with: "f.plist", Array("{ team = t; }".utf8), Array("{ secret = s; }".utf8))
      let disk = disk { [step, team, secret] number in
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
      isReached = stepCount(of: disk) > step
      let place = FileManager.default.fileExists(atPath: team + ".aside") ? "team.aside" : "team"
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

  // The changes were in the file that had moved, and the caller was told to try again.
  @Test(
    "an update whose closure sees the directory moved is refused, and changes nothing, also where a link leads there",
    arguments: [false, true], [Array(".aside".utf8), [0xFF]])
  func movedInClosure(isLinked: Bool, suffix: [UInt8]) throws {
    let text = Array("{ n = 7; }\n".utf8)
    try makeDirectories(with: "App.plist", text, text)
    let database = UserDatabase(directory: team)
    let isRun = Lock(false)
    // One of the names is no UTF-8.
    let aside = team.utf8CString.dropLast() + suffix.map { CChar(bitPattern: $0) } + [0]
    let error = #expect(throws: DatabaseError.self) {
      try database.update(UpdateRequest(of: try DomainName("App"))) { _ in
        #expect(rename(team, Array(aside)) == 0)
        if isLinked { #expect(symlink(Array(aside), team) == 0) }
        isRun.withLock { $0 = true }
        var changes = DomainChanges()
        changes.set("8", for: "n")
        return changes
      }
    }
    #expect(isRun.withLock { $0 } && error?.kind == .refused)
    #expect(error?.description.hasSuffix("the changes were not saved: try again") == true)
    #expect(rename(Array(aside), home.path("found")) == 0)
    #expect(try home.bytes(of: "found/App.plist") == text)
  }

  #if os(Linux)
    // A save that was made was reported as one in a directory that was moved away.
    @Test(
      "a directory of which it cannot be found out for the moment where it is counts as not moved",
      .enabled(if: Administrator.isExpected, Comment(rawValue: Administrator.absence)))
    func unknownPlace() async {
      await #expect(processExitsWith: .success) {
        let home = try TemporaryHome()
        let (path, other) = (home.path("held"), home.path("other"))
        try #require(mkdir(path, 0o755) == 0 && chown(path, 65534, 0) == 0 && chmod(home.path, 0o755) == 0)
        try FileRights(ofUser: 65534).with(towards: path) { () throws(DatabaseError) in
          guard let held = try? HeldDirectory(path) else {
            Issue.record("the directory cannot be held")
            return
          }
          defer { held.letGo() }
          #expect(!held.isMoved)
          #expect(!withoutFreeDescriptors { held.isMoved })
          try FileRights.withOwn(towards: path) { () throws(DatabaseError) in
            #expect(rename(path, other) == 0)
          }
          #expect(held.isMoved)
        }
      }
    }
  #endif
}
