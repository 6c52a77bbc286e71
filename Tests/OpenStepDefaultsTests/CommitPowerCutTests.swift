import DefaultsDatabase
import Foundation
import OpenStepDefaults
import OpenStepPropertyList
import TestSupport
import Testing

/// The power fails before each operation of a commit across processes, and the disk is looked at by a new process.
struct CommitPowerCutTests {
  private static let directory = "/home/user/.OpenStep/Defaults"
  private let app: DomainName

  init() throws {
    app = try DomainName("App")
  }

  /// A disk whose database has a domain with two numbers; without a file for nil.
  private func tree(_ number: Int?) throws -> FileTree {
    var tree = FileTree()
    try tree.addDirectory("/home/user")
    guard let number else { return tree }
    try tree.addDirectory("/home/user/.OpenStep")
    try tree.addDirectory(Self.directory)
    try tree.addFile("\(Self.directory)/App.plist", Array("{ a = \(number); b = \(number); }".utf8))
    return tree
  }

  /// Counts both numbers up, as one program does; returns what it was told.
  @discardableResult
  private func count(_ fileSystem: any FileSystem) throws -> Int {
    let defaults = NSUserDefaults(
      database: UserDatabase(directory: Self.directory, fileSystem: fileSystem), applicationName: "App")
    return try defaults.commit { draft in
      for key in ["a", "b"] { draft.setInteger(draft.integerForKey(key) + 1, forKey: key) }
      return draft.integerForKey("a")
    }
  }

  /// The number that both keys have on a disk; nil if they differ or the file is damaged.
  private func number(_ tree: FileTree) throws -> Int? {
    let loaded = try UserDatabase(directory: Self.directory, fileSystem: RecordingFileSystem(tree)).load(app)
    guard loaded.damage == nil else { return nil }
    let texts = ["a", "b"].map { loaded.values[$0]?.scalarText ?? "0" }
    return texts[0] == texts[1] ? Int(texts[0]) : nil
  }

  @Test("at every moment both changes are there or none, and an acknowledged commit is", arguments: [nil, 4])
  func everyMoment(start: Int?) throws {
    let (old, new) = (start ?? 0, (start ?? 0) + 1)
    let disk = RecordingFileSystem(try tree(start))
    let moments = Lock<[FileTree]>([])
    let told = try count(
      FaultyFileSystem(disk) { _ in
        moments.withLock { $0.append(disk.tree) }
        return nil
      })
    #expect(told == new)
    var (cuts, outcomes): (Int, Set<Int?>) = (0, [])
    for moment in moments.withLock({ $0 }) {
      try moment.forEachPowerCut { tree in
        cuts += 1
        let found = try number(tree)
        outcomes.insert(found)
        // What the cut has left does not stand in the way of the next commit, which begins with it.
        let next = RecordingFileSystem(tree)
        let told = try count(next)
        let after = try number(next.tree)
        #expect(found.map { $0 + 1 } == told && after == told)
      }
    }
    #expect(outcomes == [old, new])
    try disk.tree.forEachPowerCut { tree in
      cuts += 1
      let found = try number(tree)
      #expect(found == new)
    }
    #expect(moments.withLock { $0.count } >= 10 && cuts >= 100, "\(cuts) disks")
    print("power cuts of a commit: \(moments.withLock { $0.count }) moments, \(cuts) disks")
  }

  @Test(
    "whatever operation of a commit fails, it throws or is done, and memory and disk agree", arguments: 0..<40
  )
  func everyFailure(index: Int) throws {
    let disk = RecordingFileSystem(try tree(4))
    /// How many operations go well before one fails; nil while none is to fail.
    let remaining = Lock<Int?>(nil)
    let defaults = NSUserDefaults(
      database: UserDatabase(
        directory: Self.directory,
        fileSystem: FaultyFileSystem(disk) { _ in
          remaining.withLock { remaining in
            guard let number = remaining else { return nil }
            remaining = number > 0 ? number - 1 : nil
            return number == 0 ? .inputOutput : nil
          }
        }), applicationName: "App")
    let isThrown: Bool
    remaining.withLock { $0 = index }
    do {
      try defaults.commit { draft in
        for key in ["a", "b"] { draft.setInteger(draft.integerForKey(key) + 1, forKey: key) }
      }
      isThrown = false
    } catch {
      isThrown = true
    }
    remaining.withLock { $0 = nil }
    let found = try #require(try number(disk.tree))
    #expect(isThrown ? [4, 5].contains(found) : found == 5)
    #expect(defaults.integerForKey("a") == defaults.integerForKey("b"))
    if !isThrown { #expect(defaults.integerForKey("a") == 5) }
    #expect(defaults.synchronize())
    #expect(defaults.integerForKey("a") == found)
    try defaults.commit { $0.setInteger($0.integerForKey("a") + 1, forKey: "a") }
    #expect(defaults.integerForKey("a") == found + 1)
    #expect(disk.openCount == 0)
  }
}
