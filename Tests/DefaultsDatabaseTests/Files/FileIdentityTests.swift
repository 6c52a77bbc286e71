import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

@testable import DefaultsDatabase

/// When a file's times prove that it was not written since.
struct FileIdentityTests {
  private let home: TemporaryHome
  private let app: DomainName

  init() throws {
    home = try TemporaryHome()
    app = try DomainName("App")
  }

  private func changes(_ count: Int) -> DomainChanges {
    var changes = DomainChanges()
    changes.set(.string("\(count)"), for: "count")
    return changes
  }

  private func commit(_ count: Int, in database: UserDatabase) throws -> Commit {
    try database.commit(changes(count), to: app, onDamage: .refuse)
  }

  /// Writes a digit over the last one, without another file and without another length.
  private func overwrite(with digit: Int) throws {
    let text = try home.text(of: "App.plist").replacing(/count = \d/, with: "count = \(digit)")
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: home.path("App.plist")))
    try file.write(contentsOf: Data(text.utf8))
    try file.close()
  }

  @Test(
    "a commit's own file is proved at once, and a write into it right afterwards is found, however soon it comes"
  )
  func ownFile() throws {
    let database = UserDatabase(directory: home.path)
    for round in 0..<500 {
      let identity = try #require(try commit(round % 5, in: database).after.identity)
      #expect(identity.isConclusive)
      #expect(try database.load(app, unlessStill: identity) == nil)
      try overwrite(with: round % 5 + 5)
      let changed = try database.load(app, unlessStill: identity)
      #expect(changed?.values == ["count": .string("\(round % 5 + 5)")])
    }
  }

  @Test("two commits after each other have different identities, however soon the second comes")
  func successors() throws {
    let database = UserDatabase(directory: home.path)
    var last: FileIdentity?
    for round in 0..<500 {
      let commit = try commit(round % 2, in: database)
      #expect(commit.after.identity != last)
      last = commit.after.identity
    }
  }

  @Test("where a file cannot be given a time, it is saved all the same, and proves nothing for a while")
  func noTime() throws {
    let fileSystem = FaultyFileSystem { $0.name == "setModified" ? .notPermitted : nil }
    let commit = try commit(1, in: UserDatabase(directory: home.path, fileSystem: fileSystem))
    #expect(fileSystem.operations.contains { $0.name == "setModified" })
    #expect(commit.after.identity?.isConclusive == false)
    #expect(try home.text(of: "App.plist").contains("count"))
  }

  @Test(
    "a time proves nothing that the file system keeps less exactly, or that is the one of the clock's tick")
  func coarse() {
    let now = FileTime(seconds: 1000, nanoseconds: 5)
    let tick = FileTime(seconds: 1000, nanoseconds: 0)
    func identity(modified: FileTime, changed: FileTime, ownTime: FileTime?) -> FileIdentity {
      FileIdentity(
        FileStatus(
          kind: .regular, owner: 0, group: 0, device: 1, inode: 1, size: 1, modified: modified,
          changed: changed),
        at: now, ownTime: ownTime)
    }
    #expect(identity(modified: now, changed: tick, ownTime: now).isConclusive)
    #expect(!identity(modified: now, changed: tick, ownTime: nil).isConclusive)
    #expect(!identity(modified: tick, changed: tick, ownTime: now).isConclusive)
    #expect(!identity(modified: tick, changed: tick, ownTime: tick).isConclusive)
  }

  @Test("a commit reads the file again only if others may have written it since the last one")
  func readAgain() throws {
    let fileSystem = FaultyFileSystem()
    let database = UserDatabase(directory: home.path, fileSystem: fileSystem)
    func readCount() -> Int {
      fileSystem.operations.count { $0.name == "open reading" && $0.path == home.path("App.plist") }
    }
    let first = try commit(1, in: database)
    let before = readCount()
    var request = CommitRequest(changes(2), to: app)
    request.knownText = first.after.text
    request.knownIdentity = first.after.identity
    let second = try database.commit(request)
    #expect(second.foundKnownText)
    #expect(readCount() == before)
    try overwrite(with: 7)
    var others = DomainChanges()
    others.set("b", for: "a")
    request = CommitRequest(others, to: app)
    request.knownText = second.after.text
    request.knownIdentity = second.after.identity
    let third = try database.commit(request)
    #expect(!third.foundKnownText)
    #expect(third.after.values == ["a": "b", "count": "7"])
  }

  @Test(
    "a time at either end of what a file system keeps has a date, and is old or new",
    arguments: [Int64.min, .max])
  func extremeTime(seconds: Int64) {
    let time = FileTime(seconds: seconds, nanoseconds: 0)
    #expect(time.date.secondsSinceReferenceDate == Double(seconds) - 978_307_200)
    let status = FileStatus(
      kind: .regular, owner: 0, group: 0, device: 1, inode: 1, size: 1, modified: time, changed: time)
    let now = FileTime(seconds: 1_800_000_000, nanoseconds: 0)
    #expect(FileIdentity(status, at: now).isConclusive == (seconds < 0))
  }
}
