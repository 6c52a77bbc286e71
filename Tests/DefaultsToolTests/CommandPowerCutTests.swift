import DefaultsDatabase
import DefaultsTool
import Foundation
import TestSupport
import Testing

/// The tool is killed, or the power fails, before each operation of a command, and other commands find the database.
struct CommandPowerCutTests {
  static let home = "/home/user"
  static let directory = "\(home)/.OpenStep/Defaults"

  /// Runs the tool on an imaginary disk.
  @discardableResult
  static func run(
    _ words: [String], input: String = "", on fileSystem: any FileSystem
  ) -> ToolHome.Outcome {
    var (output, errors): ([UInt8], [UInt8]) = ([], [])
    let code = DefaultsCommand.run(
      arguments: words, environment: ["OPENSTEP_DEFAULTS_DIR": directory, "HOME": home],
      input: { Array(input.utf8) },
      output: CommandOutput(standardOutput: { output += $0 }, standardError: { errors += $0 }),
      fileSystem: fileSystem)
    return .init(
      code: code, output: String(decoding: output, as: UTF8.self),
      errors: String(decoding: errors, as: UTF8.self))
  }

  /// A command, and what else the disk holds before it.
  struct Scenario: Sendable, CustomTestStringConvertible {
    let words: [String]
    var input = ""
    /// The names of the domains' files that the command may change.
    let files: [String]
    var testDescription: String { words.joined(separator: " ") }

    static let all = [
      Scenario(words: ["write", "T", "a", "3"], files: ["T.plist"]),
      Scenario(words: ["write", "New", "a", "3"], files: ["New.plist"]),
      Scenario(
        words: ["write"], input: "T a 4\nU b 4\nNew c 4\n", files: ["T.plist", "U.plist", "New.plist"]),
      Scenario(words: ["delete", "T"], files: ["T.plist"]),
      Scenario(words: ["rename", "T", "a", "z"], files: ["T.plist"]),
      Scenario(words: ["undo"], files: ["T.plist"]),
      Scenario(words: ["undo", "3"], files: ["U.plist", "V.plist"]),
      Scenario(words: ["restore", "s"], files: ["T.plist", "U.plist", "V.plist"]),
      Scenario(words: ["snapshot", "t"], files: []),
      Scenario(words: ["snapshot", "-delete", "s"], files: []),
      Scenario(words: ["log", "-clear"], files: []),
    ]
  }

  /// A disk with a history of three commands, the last of which changed one domain, and a snapshot of the first state.
  private func disk() throws -> FileTree {
    var tree = FileTree()
    try tree.addDirectory(CommandPowerCutTests.home)
    let fileSystem = RecordingFileSystem(tree)
    for (words, input) in [
      (["write"], "T a 1\nU b 1\n"), (["snapshot", "s"], ""), (["write", "V", "c", "1"], ""),
      (["write"], "U b 2\nV c 2\n"), (["write", "T", "a", "2"], ""),
    ] {
      #expect(CommandPowerCutTests.run(words, input: input, on: fileSystem).code == .done)
    }
    return fileSystem.tree
  }

  /// The bytes of the domains' files; those that do not exist are left out.
  private func files(of tree: FileTree) -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    for name in tree.names(in: CommandPowerCutTests.directory) where name.hasSuffix(".plist") {
      files[name] = tree.bytes(at: "\(CommandPowerCutTests.directory)/\(name)")
    }
    return files
  }

  /// Why a disk is not what it must be after a command was cut short or done; nil where all is well.
  private func complaint(
    about tree: FileTree, _ scenario: Scenario, before: [String: [UInt8]], after: [String: [UInt8]],
    isDone: Bool
  ) -> String? {
    let found = files(of: tree)
    for name in Set(before.keys).union(after.keys).union(found.keys) {
      guard scenario.files.contains(name) else {
        if found[name] != before[name] { return "\(name), which is not meant, is another" }
        continue
      }
      if isDone, found[name] != after[name] { return "\(name) was acknowledged, and is not there" }
      if found[name] != before[name], found[name] != after[name] { return "\(name) is neither old nor new" }
    }
    // The history can be read, and what it says can be taken back.
    let disk = RecordingFileSystem(tree)
    let log = CommandPowerCutTests.run(["log", "-p"], on: disk)
    if log.code != .done || !log.errors.isEmpty { return "log: \(log)" }
    let undone = CommandPowerCutTests.run(["undo"], on: disk)
    let isEmpty = undone.code == .absent
    if undone.code != .done, !isEmpty { return "undo: \(undone)\n\(log.output)" }
    // Behind the line that names the command stands what was done.
    if !isEmpty, undone.output.split(separator: "\n").count < 2 {
      return "undo has done nothing:\n\(log.output)"
    }
    return nil
  }

  /// Why commands that come after one that was killed do not work as they must; nil where all is well.
  private func laterComplaint(about tree: FileTree, _ scenario: Scenario) -> String? {
    // A change is recorded, and taken back alone.
    let disk = RecordingFileSystem(tree)
    for words in [["write", "T", "next", "1"], ["undo"]] {
      let outcome = CommandPowerCutTests.run(words, on: disk)
      if outcome.code != .done || !outcome.errors.isEmpty { return "\(words): \(outcome)" }
    }
    if files(of: disk.tree) != files(of: tree) { return "undo has not taken back just the next change" }
    // A snapshot is whole, or not there.
    for (name, domains) in [("s", ["T.plist", "U.plist"]), ("t", ["T.plist", "U.plist", "V.plist"])] {
      let outcome = CommandPowerCutTests.run(["diff", "@\(name)"], on: disk)
      switch outcome.code {
      case .absent where name == "t" || scenario.words.contains("-delete"): break
      case .done, .differs:
        let copies = tree.names(in: "\(CommandPowerCutTests.directory)/.history/snapshots/\(name)")
        if copies != domains { return "the snapshot “\(name)” has \(copies)" }
      default: return "snapshot \(name): \(outcome)"
      }
    }
    return nil
  }

  /// Whether an operation changes the disk.
  static func changes(_ operation: FaultyFileSystem.Operation) -> Bool {
    let reading = [
      "read", "status", "tryLock", "names", "destination", "open reading", "open directory", "open locking",
    ]
    return !reading.contains { operation.name.hasPrefix($0) }
  }

  @Test("each domain is as before or after, the history is whole, and undo works", arguments: Scenario.all)
  func everyMoment(scenario: Scenario) throws {
    let start = try disk()
    let before = files(of: start)
    let fileSystem = RecordingFileSystem(start)
    let moments = Lock<[FileTree]>([])
    let outcome = CommandPowerCutTests.run(
      scenario.words, input: scenario.input,
      on: FaultyFileSystem(fileSystem) { operation in
        // Before an operation that only reads, all is as before the next one that changes something.
        if CommandPowerCutTests.changes(operation) { moments.withLock { $0.append(fileSystem.tree) } }
        return nil
      })
    #expect(outcome.code == .done && outcome.errors.isEmpty, "\(outcome)")
    let after = files(of: fileSystem.tree)
    #expect(scenario.files.allSatisfy { before[$0] != after[$0] })
    var (cuts, complaints): (Int, Set<String>) = (0, [])
    func judge(_ tree: FileTree, isDone: Bool) {
      cuts += 1
      if let complaint = complaint(about: tree, scenario, before: before, after: after, isDone: isDone) {
        complaints.insert(complaint)
      }
    }
    for moment in moments.withLock({ $0 }) {
      judge(moment, isDone: false)
      if let complaint = laterComplaint(about: moment, scenario) { complaints.insert(complaint) }
      // Of the disks that a loss of power may leave, some are looked at, spread over all of them.
      var number = 0
      moment.forEachPowerCut { _ in number += 1 }
      let step = max(1, number / 6)
      number = 0
      moment.forEachPowerCut { tree in
        if number % step == 0 { judge(tree, isDone: false) }
        number += 1
      }
    }
    var number = 0
    fileSystem.tree.forEachPowerCut { tree in
      if number % 16 == 0 { judge(tree, isDone: true) }
      number += 1
    }
    if let complaint = laterComplaint(about: fileSystem.tree, scenario) { complaints.insert(complaint) }
    #expect(complaints.isEmpty, "\(complaints.sorted().prefix(5).joined(separator: "\n"))")
    #expect(moments.withLock { $0.count } >= 3)
    print(
      "kills and power cuts of \(scenario.testDescription): \(moments.withLock { $0.count }) moments, \(cuts) disks"
    )
  }

  @Test("a merge that is cut short leaves OURS as it was or merged")
  func merge() throws {
    var tree = FileTree()
    try tree.addDirectory(CommandPowerCutTests.home)
    let texts = ["base": "{ a = 1; b = 1; }", "ours": "{ a = 2; b = 1; }", "theirs": "{ a = 1; b = 2; }"]
    for (name, text) in texts { try tree.addFile("\(CommandPowerCutTests.home)/\(name)", text.utf8) }
    let disk = RecordingFileSystem(tree)
    let moments = Lock<[FileTree]>([])
    let paths = ["base", "ours", "theirs"].map { "\(CommandPowerCutTests.home)/\($0)" }
    let outcome = CommandPowerCutTests.run(
      ["merge"] + paths,
      on: FaultyFileSystem(disk) { _ in
        moments.withLock { $0.append(disk.tree) }
        return nil
      })
    #expect(outcome == .init(code: .done))
    let merged = Array("{ a = 2; b = 2; }".utf8)
    var outcomes: Set<[UInt8]?> = []
    for moment in moments.withLock({ $0 }) {
      moment.forEachPowerCut { outcomes.insert($0.bytes(at: paths[1])) }
    }
    #expect(outcomes == [Array("{ a = 2; b = 1; }".utf8), merged])
    disk.tree.forEachPowerCut { #expect($0.bytes(at: paths[1]) == merged) }
  }

  // It counted as too large to be copied, and nothing was said.
  @Test("a command that cannot read its own new file again says so")
  func unreadNewFile() throws {
    let fileSystem = RecordingFileSystem(try disk())
    let outcome = CommandPowerCutTests.run(
      ["write", "T", "a", "3"],
      on: FaultyFileSystem(fileSystem) { operation in
        let isNew = operation.path?.contains("/.save-") ?? false
        return isNew && operation.name == "open reading" ? .inputOutput : nil
      })
    #expect(outcome.code == .done)
    #expect(outcome.errors.contains("the new file of “T” cannot be read and copied: "), "\(outcome)")
    #expect(CommandPowerCutTests.run(["undo"], on: fileSystem).code == .refused)
    #expect(CommandPowerCutTests.run(["undo", "-force"], on: fileSystem).code == .done)
  }

  @Test(
    "whatever operation fails, a command says so or is done", arguments: Array(stride(from: 0, to: 60, by: 3))
  )
  func everyFailure(index: Int) throws {
    for words in [["write", "T", "a", "3"], ["undo"], ["restore", "s"]] {
      let start = try disk()
      let fileSystem = RecordingFileSystem(start)
      let before = files(of: start)
      let count = Lock(0)
      let outcome = CommandPowerCutTests.run(
        words,
        on: FaultyFileSystem(fileSystem) { _ in
          count.withLock { count in
            count += 1
            return count == index + 1 ? .inputOutput : nil
          }
        })
      let found = files(of: fileSystem.tree)
      // A command that failed may have changed the file, and only not be sure that it stays.
      if outcome.code == .done, words[0] != "restore" { #expect(found != before, "\(words): \(outcome)") }
      #expect(outcome.code == .done || !outcome.errors.isEmpty)
      #expect(CommandPowerCutTests.run(["log"], on: fileSystem).code == .done)
      #expect(CommandPowerCutTests.run(["write", "T", "next", "1"], on: fileSystem).code == .done)
      #expect(CommandPowerCutTests.run(["undo"], on: fileSystem).code == .done)
      #expect(files(of: fileSystem.tree) == found, "\(words)")
      #expect(fileSystem.openCount == 0)
    }
  }
}
