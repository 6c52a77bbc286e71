import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

@testable import DefaultsDatabase

/// What keeps a database's directory in order.
struct UpkeepTests {
  private let home: TemporaryHome
  private let database: UserDatabase

  init() throws {
    home = try TemporaryHome()
    database = UserDatabase(directory: home.path)
  }

  @Test("temporary files of saves are found by their names, and removed one by one")
  func temporaryFiles() throws {
    #expect(try UserDatabase(directory: home.path("none")).leftOvers().isEmpty)
    for name in [
      ".save-0123456789abcdef", ".save-fedcba9876543210", ".save-mine", "App.plist", ".save-0123456789abcde",
    ] {
      try home.write("x", to: name)
    }
    let found = try database.leftOvers()
    #expect(found.map(\.path) == [".save-0123456789abcdef", ".save-fedcba9876543210"].map(home.path))
    #expect(found.allSatisfy { $0.kind == .save && $0.age < 60 })
    try database.remove(found[0])
    try database.remove(found[0])
    #expect(try database.leftOvers().map(\.path) == [found[1].path])
  }

  @Test("a temporary file that vanishes meanwhile hides no other, from the look and from a save's sweep")
  func vanishedFile() throws {
    let names = [".save-0000000000000001", ".save-0000000000000002", ".save-0000000000000003"]
    for sweeps in [false, true] {
      for name in names { try home.write("x", to: name) }
      // Renamed or removed by the save to which it belongs.
      let vanishing = FaultyFileSystem(secondsAhead: 1000) { [home] operation in
        guard operation.name == "status", operation.path?.hasSuffix(names[0]) == true else { return nil }
        unlink(home.path(names[0]))
        return .notFound
      }
      let database = UserDatabase(directory: home.path, fileSystem: vanishing)
      if sweeps {
        var changes = DomainChanges()
        changes.set("v", for: "k")
        _ = try database.commit(changes, to: DomainName("App"), onDamage: .refuse)
        #expect(names.filter(home.exists) == [])
      } else {
        #expect(try database.leftOvers().map(\.path) == names.dropFirst().map(home.path))
      }
    }
  }

  @Test("GNUstep's stale lock is removed under the directory's lock, under which others take it")
  func removalUnderLock() throws {
    let lock = home.path(".lck/.GNUstepDefaults.lck")
    try FileManager.default.createDirectory(atPath: lock, withIntermediateDirectories: true)
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -30)], ofItemAtPath: lock)
    let found = try #require(try database.leftOvers().first)
    try home.write("", to: ".lock")
    let descriptor = open(home.path(".lock"), O_RDWR | O_CLOEXEC)
    defer { close(descriptor) }
    try #require(flock(descriptor, LOCK_EX) == 0)
    let error = #expect(throws: DatabaseError.self) { try database.remove(found) }
    #expect(error?.path == home.path(".lock"))
    #expect(home.exists(".lck/.GNUstepDefaults.lck"))
    #expect(flock(descriptor, LOCK_UN) == 0)
    try database.remove(found)
    #expect(!home.exists(".lck/.GNUstepDefaults.lck"))
  }

  @Test("GNUstep's lock is removed when it is stale, and not before")
  func gnustepLock() throws {
    let lock = home.path(".lck/.GNUstepDefaults.lck")
    try FileManager.default.createDirectory(atPath: lock, withIntermediateDirectories: true)
    #expect(try database.leftOvers().isEmpty)
    let date = Date(timeIntervalSinceNow: -30)
    try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: lock)
    let found = try #require(try database.leftOvers().first)
    #expect(found.kind == .gnustepLock && found.path == lock && found.age > 20)
    // Another program has taken it meanwhile.
    try FileManager.default.setAttributes([.modificationDate: Date()], ofItemAtPath: lock)
    try database.remove(found)
    #expect(home.exists(".lck/.GNUstepDefaults.lck"))
    try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: lock)
    try database.remove(found)
    #expect(!home.exists(".lck/.GNUstepDefaults.lck"))
  }

  @Test("others' rights are taken away, also from the file to which a link leads")
  func rights() throws {
    try home.write("{ a = 1; }", to: "far")
    try FileManager.default.createSymbolicLink(atPath: home.path("App.plist"), withDestinationPath: "far")
    for name in ["far", ""] {
      try FileManager.default.setAttributes([.posixPermissions: 0o757], ofItemAtPath: home.path(name))
    }
    // The administrator follows no link while others may write to the directory.
    if CurrentProcess.effectiveUser == 0 {
      #expect(throws: DatabaseError.self) { try database.makePrivate(DomainName("App")) }
    }
    try database.makePrivate(nil)
    try database.makePrivate(DomainName("App"))
    #expect(try home.mode(of: "far") == 0o700 && home.mode(of: "") == 0o700)
    #expect(try database.isWritable())
  }

  @Test(
    "a file of another owner than the directory's, or with a second name, keeps its rights",
    .enabled(if: Administrator.isExpected, Comment(rawValue: Administrator.absence)))
  func rightsOfOthersFiles() throws {
    for name in ["Other.plist", "Linked.plist"] {
      try home.write("{ a = 1; }", to: name)
      try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: home.path(name))
    }
    #expect(chown(home.path("Other.plist"), 65534, 65534) == 0)
    #expect(link(home.path("Linked.plist"), home.path("second")) == 0)
    for name in ["Other", "Linked"] {
      let error = #expect(throws: DatabaseError.self) { try database.makePrivate(DomainName(name)) }
      #expect(error?.kind == .refused)
      #expect(try home.mode(of: "\(name).plist") == 0o644)
    }
  }

  @Test("the place of a value in a text, and none in another file")
  func positions() throws {
    let app = try DomainName("App")
    #expect(try database.contents(of: app).position(of: [.key("a")]) == nil)
    try home.write("{\n a = (1, 2);\n}", to: "App.plist")
    let position = try #require(try database.contents(of: app).position(of: [.key("a"), .index(1)]))
    #expect(position.line == 2 && position.column == 10)
    #expect(try database.contents(of: app).position(of: [.key("b")]) == nil)
    let value: PropertyList = ["a": "1"]
    try home.write(value.xmlBytes(), to: "App.plist")
    #expect(try database.contents(of: app).position(of: [.key("a")]) == nil)
  }

  @Test("bytes that a file has had before are put back, whatever they are")
  func formerBytes() throws {
    let app = try DomainName("App")
    try home.write("{ a = 1; }", to: "App.plist")
    let damaged = Array("{ a = ".utf8)
    let commit = try database.commit(
      CommitRequest(to: app) { _ throws(DatabaseError) in .formerBytes(damaged) })
    #expect(commit.movedAside == nil)
    #expect(try home.bytes(of: "App.plist") == damaged)
    #expect(try database.load(app).isDamaged)
  }
}
