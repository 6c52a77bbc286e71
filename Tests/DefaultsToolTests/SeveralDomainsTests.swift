import DefaultsDatabase
import DefaultsTool
import Foundation
import TestSupport
import Testing

/// Commands that change several domains while another process holds the lock.
struct SeveralDomainsTests {
  private let home: ToolHome

  init() throws {
    home = try ToolHome()
  }

  // Each line said that nothing was changed, of which domain it did not say, and others were changed.
  @Test(
    "each error says which domain was not changed",
    arguments: [
      ["write"], ["delete"], ["apply", "state.plist"], ["import", "-merge", "store"],
      ["restore", "saved"], ["undo"],
    ])
  func names(command: [String]) async throws {
    for name in ["First", "Second"] {
      #expect(home.run("write", name, "k", "old").code == .done)
      let store = home.root.appendingPathComponent("store")
      try FileManager.default.createDirectory(at: store, withIntermediateDirectories: true)
      try Data("{ k = imported; }".utf8).write(to: store.appendingPathComponent("\(name).plist"))
    }
    try Data("{ Set = { First = { k = applied; }; Second = { k = applied; }; }; }".utf8)
      .write(to: home.root.appendingPathComponent("state.plist"))
    #expect(home.run("snapshot", "saved").code == .done)
    let lines = "First k new\nSecond k new\n"
    #expect(home.run(["write"], input: Array(lines.utf8)).code == .done)
    let arguments = command.map { ["state.plist", "store"].contains($0) ? home.root.path + "/" + $0 : $0 }
    let input =
      command[0] == "write" ? "First k 1\nSecond k 2\n" : command[0] == "delete" ? "First k\nSecond k\n" : ""
    let holder = try await LockHolder(of: UserDatabase(directory: home.path))
    let outcome = home.run(arguments, input: Array(input.utf8))
    holder.release()
    #expect(outcome.code == .refused, "\(outcome)")
    for name in ["First", "Second"] {
      #expect(outcome.errors.contains("“\(name)” was not changed"), "\(outcome)")
    }
    #expect(!outcome.errors.contains("nothing was changed"))
    #expect(home.run("read", "First", "k").output == "First k new\n")
  }

  @Test("of a single domain it is said that nothing was changed")
  func single() async throws {
    let holder = try await LockHolder(of: UserDatabase(directory: home.path))
    let outcome = home.run("write", "First", "k", "v")
    holder.release()
    #expect(outcome.code == .refused && outcome.errors.contains("nothing was changed"), "\(outcome)")
  }
}
