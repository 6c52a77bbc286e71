import DefaultsDatabase
import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

/// Private directories for databases that live as long as an object.
struct TemporaryDirectoryTests {
  private let home: TemporaryHome

  init() throws {
    home = try TemporaryHome()
  }

  private func place(_ name: String, mode: Int) throws -> String {
    let path = home.path(name)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    return path
  }

  @Test(
    "a place where other users can exchange entries is left out, and its error is given if there is no other")
  func places() throws {
    let (open, sticky) = (try place("open", mode: 0o777), try place("sticky", mode: 0o1777))
    let made = try TemporaryDirectory(in: [open, sticky], named: "Test-")
    #expect(made.path.hasPrefix(sticky + "/Test-"))
    #expect(try DiskFileSystem().status(at: made.path, followingLinks: false).mode & 0o7777 == 0o700)
    let error = #expect(throws: DatabaseError.self) { try TemporaryDirectory(in: [open], named: "Test-") }
    #expect(error?.kind == .refused && error?.path == open)
    #expect(try FileManager.default.contentsOfDirectory(atPath: open).isEmpty)
    if CurrentProcess.effectiveUser == 0 {
      #expect(chown(sticky, 12345, 12345) == 0)
      #expect(throws: DatabaseError.self) { try TemporaryDirectory(in: [sticky], named: "Test-") }
      #expect(chown(sticky, 0, 0) == 0)
    }
    made.remove()
    #expect(try FileManager.default.contentsOfDirectory(atPath: sticky).isEmpty)
  }

  @Test("all that is in it is removed with it, and no more than a link to what is elsewhere")
  func removal() throws {
    let made = try TemporaryDirectory(in: [home.path], named: "Test-")
    let other = try place("other", mode: 0o700)
    let files = FileManager.default
    try files.createDirectory(atPath: made.path + "/a/b", withIntermediateDirectories: true)
    for path in [made.path + "/f", made.path + "/a/b/f", other + "/f"] {
      try Data("x".utf8).write(to: URL(fileURLWithPath: path))
    }
    try files.createSymbolicLink(atPath: made.path + "/a/link", withDestinationPath: other)
    made.remove()
    #expect(!files.fileExists(atPath: made.path))
    #expect(files.fileExists(atPath: other + "/f"))
  }

  #if os(Linux)
    @Test(
      "of a file system that is mounted in it no file is removed",
      .enabled(if: FullDisk.isExpected, Comment(rawValue: FullDisk.absence)))
    func mounted() throws {
      let made = try TemporaryDirectory(in: [home.path], named: "Test-")
      let (files, inner) = (FileManager.default, made.path + "/a/mounted")
      try files.createDirectory(atPath: inner, withIntermediateDirectories: true)
      #expect(mount("none", inner, "tmpfs", 0, "size=64k") == 0)
      defer { umount2(inner, Int32(MNT_DETACH)) }
      for path in [inner, made.path] { try Data("x".utf8).write(to: URL(fileURLWithPath: path + "/f")) }
      made.remove()
      #expect(files.fileExists(atPath: inner + "/f") && !files.fileExists(atPath: made.path + "/f"))
    }
  #endif

  // File systems give the number of a removed directory to the next one.
  @Test("another directory to which a link in its place leads keeps its files")
  func linkInItsPlace() throws {
    let made = try TemporaryDirectory(in: [home.path], named: "Test-")
    let (files, number) = (
      FileManager.default, try DiskFileSystem().status(at: made.path, followingLinks: false)
    )
    try files.removeItem(atPath: made.path)
    for index in 0..<20 {
      let other = try place("other\(index)", mode: 0o700)
      try Data("x".utf8).write(to: URL(fileURLWithPath: other + "/f"))
      try files.createSymbolicLink(atPath: made.path, withDestinationPath: other)
      #expect(try !DiskFileSystem().status(at: other, followingLinks: false).isSameFile(as: number))
      made.remove()
      #expect(files.fileExists(atPath: other + "/f"))
      try files.removeItem(atPath: made.path)
    }
  }

  private func save(_ value: Int, in database: UserDatabase) throws {
    var changes = DomainChanges()
    changes.set(.string("\(value)"), for: "k")
    _ = try database.commit(changes, to: try DomainName("App"), onDamage: .refuse)
  }

  // The administrator's group may write in such places in containers.
  @Test(
    "a database in it is saved and read wherever the directory could be made",
    arguments: [0o700, 0o775, 0o1777])
  func database(mode: Int) throws {
    let made = try TemporaryDirectory(in: [try place("place", mode: mode)], named: "Test-")
    let database = UserDatabase(in: made)
    try save(1, in: database)
    #expect(try database.load(try DomainName("App")).values == ["k": "1"])
    #expect(try database.domainNames() == [try DomainName("App")])
    made.remove()
    #expect(!FileManager.default.fileExists(atPath: made.path))
  }

  @Test(
    "where it was removed or exchanged, nothing is read or saved, and it is not made again",
    arguments: [false, true], [0o700, 0o1777])
  func exchanged(isExchanged: Bool, mode: Int) throws {
    let made = try TemporaryDirectory(in: [try place("place", mode: mode)], named: "Test-")
    let (database, files, app) = (UserDatabase(in: made), FileManager.default, try DomainName("App"))
    try save(1, in: database)
    try files.moveItem(atPath: made.path, toPath: made.path + "-moved")
    if isExchanged {
      try files.createDirectory(atPath: made.path, withIntermediateDirectories: false)
      try Data("{ k = planted; }".utf8).write(to: URL(fileURLWithPath: made.path + "/App.plist"))
    }
    let errors = [
      #expect(throws: DatabaseError.self) { try save(2, in: database) },
      #expect(throws: DatabaseError.self) { try database.load(app) },
      #expect(throws: DatabaseError.self) { try database.domainNames() },
    ]
    for error in errors { #expect(error?.message == "was removed, or exchanged for something else") }
    #expect(files.fileExists(atPath: made.path) == isExchanged)
    if isExchanged {
      #expect(try files.contentsOfDirectory(atPath: made.path) == ["App.plist"])
      #expect(try String(contentsOfFile: made.path + "/App.plist", encoding: .utf8) == "{ k = planted; }")
    }
    let moved = try String(contentsOfFile: made.path + "-moved/App.plist", encoding: .utf8)
    #expect(moved.contains("k = 1;"))
  }
}
