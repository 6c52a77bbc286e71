import DefaultsDatabase
import DefaultsTool
import Foundation
import TestSupport
import Testing

/// The history in a database's directory in which other users may rename entries, such as a group's.
struct HistoryExchangeTests {
  private let home: ToolHome
  private var history: String { home.path + "/.history" }
  private var precious: String { home.root.path + "/precious" }

  init() throws {
    home = try ToolHome()
    #expect(home.run("write", "App", "k", "1").code == .done)
    #expect(home.run("snapshot", "s").code == .done)
    #expect(home.run("write", "App", "k", "2").code == .done)
    try FileManager.default.copyItem(atPath: history, toPath: precious)
  }

  /// The files of a directory, with their contents.
  private func contents(of directory: String) throws -> [String: Data?] {
    let paths = try #require(FileManager.default.subpaths(atPath: directory))
    return Dictionary(
      uniqueKeysWithValues: paths.map { ($0, FileManager.default.contents(atPath: "\(directory)/\($0)")) })
  }

  /// A directory of the history as the other user knows it, and what a link in its place leads to.
  enum Part: CaseIterable {
    case history, snapshots, temporary
  }

  @Test(
    "a directory that is exchanged for a link between any two steps leads no command out of the history",
    arguments: Part.allCases,
    [
      ["snapshot", "-delete", "s"], ["snapshot", "t"], ["log", "-clear"], ["write", "App", "k", "3"],
      ["undo"],
    ])
  func exchange(part: Part, command: [String]) throws {
    let files = FileManager.default
    let before = try contents(of: precious)
    let (history, precious) = (history, precious)
    try files.copyItem(atPath: home.path, toPath: home.path + ".kept")
    var isReached = true
    var step = 0
    while isReached {
      try files.removeItem(atPath: home.path)
      try files.copyItem(atPath: home.path + ".kept", toPath: home.path)
      let count = Lock(0)
      let isExchanged = Lock(false)
      let disk = FaultyFileSystem { [step] operation in
        guard let path = operation.path, path.hasPrefix(history) else { return nil }
        let number = count.withLock { count in
          count += 1
          return count
        }
        guard number > step, !isExchanged.withLock({ $0 }) else { return nil }
        let place: String
        switch part {
        case .history: place = history
        case .snapshots: place = history + "/snapshots"
        case .temporary:
          let names = (try? FileManager.default.contentsOfDirectory(atPath: history + "/snapshots")) ?? []
          guard let name = names.first(where: { $0.hasSuffix(".new") }) else { return nil }
          place = "\(history)/snapshots/\(name)"
        }
        let end =
          part == .history
          ? precious : part == .snapshots ? precious + "/snapshots" : precious + "/snapshots/s"
        guard rename(place, place + ".aside") == 0, symlink(end, place) == 0 else { return nil }
        isExchanged.withLock { $0 = true }
        return nil
      }
      _ = home.run(command, on: disk)
      isReached = isExchanged.withLock { $0 }
      #expect(try contents(of: precious) == before, "\(command) at step \(step)")
      step += 1
    }
    // The last round is one in which nothing was left to exchange.
    #expect(step > 3 || part == .temporary && command[0] != "snapshot", "\(step)")
  }
}
