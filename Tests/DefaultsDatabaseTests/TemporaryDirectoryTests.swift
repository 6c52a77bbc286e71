import DefaultsDatabase
import Foundation
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
}
