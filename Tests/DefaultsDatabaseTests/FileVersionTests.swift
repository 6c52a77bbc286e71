import DefaultsDatabase
import OpenStepPropertyList
import TestSupport
import Testing

/// What a file held before and after a change, for those who keep its bytes.
struct FileVersionTests {
  private let home: TemporaryHome
  private let app: DomainName

  init() throws {
    home = try TemporaryHome()
    app = try DomainName("App")
  }

  /// A domain's text of so many bytes.
  private func text(byteCount: Int) -> String {
    let (head, tail) = ("{ k = ", "; }")
    return head + String(repeating: "x", count: byteCount - head.utf8.count - tail.utf8.count) + tail
  }

  @Test("a file at the limit is read, and of a larger one no byte")
  func limit() throws {
    let disk = FaultyFileSystem()
    let database = UserDatabase(directory: home.path, fileSystem: disk)
    #expect(database.version(of: app) == .none)
    let largest = text(byteCount: 1 << 20)
    try home.write(largest, to: "App.plist")
    #expect(database.version(of: app) == .bytes(Array(largest.utf8)))
    try home.write(text(byteCount: (1 << 20) + 1), to: "App.plist")
    let readCount = disk.operations.count { $0.name == "read" }
    #expect(database.version(of: app) == .unread)
    #expect(disk.operations.count { $0.name == "read" } == readCount)
  }

  @Test("a save reads a new file again only if it is not larger")
  func saves() throws {
    var changes = DomainChanges()
    changes.set("v", for: "l")
    for (byteCount, isRead) in [(1 << 10, true), (1 << 20, false)] {
      let versions = Lock<[FileVersion]>([])
      let disk = FaultyFileSystem()
      let database = UserDatabase(directory: home.path, fileSystem: disk) { _, change in
        guard case .begins(let before, let after) = change else { return }
        versions.withLock { $0 += [before, after] }
      }
      try home.write(text(byteCount: byteCount), to: "App.plist")
      _ = try database.commit(changes, to: app, onDamage: .refuse)
      let seen = versions.withLock { $0 }
      try #require(seen.count == 2)
      #expect(seen[0] == .bytes(Array(text(byteCount: byteCount).utf8)))
      let saved = Array(try home.text(of: "App.plist").utf8)
      #expect(seen[1] == (isRead ? .bytes(saved) : .unread))
    }
  }
}
