import Foundation
import TestSupport
import Testing

@testable import DefaultsTool

/// `defaults torture`, as a shell meets it.
struct TortureCommandTests {
  private let home: ToolHome

  init() throws {
    home = try ToolHome()
  }

  /// Starts the tool beside the database of the test's own; its streams go to files of these names.
  private func start(_ arguments: String...) throws -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: BuiltProduct.path(of: "defaults"))
    process.arguments = ["torture"] + arguments
    process.environment = ["OPENSTEP_DEFAULTS_DIR": home.path, "HOME": home.root.path]
    for file in ["out", "err"] { try Data().write(to: home.root.appendingPathComponent(file)) }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: home.root.appendingPathComponent("out"))
    process.standardError = try FileHandle(forWritingTo: home.root.appendingPathComponent("err"))
    try process.run()
    return process
  }

  private func printed(_ file: String) throws -> String {
    try String(contentsOf: home.root.appendingPathComponent(file), encoding: .utf8)
  }

  /// The command lines of all processes that mention a path.
  private func processes(mentioning path: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: "/proc").filter { Int($0) != nil }.compactMap {
      // A process may be gone by now.
      FileManager.default.contents(atPath: "/proc/\($0)/cmdline").map { String(decoding: $0, as: UTF8.self) }
    }.filter { $0.contains(path) }
  }

  @Test("a small run prints a table, loses nothing, and leaves nothing beside the database")
  func table() throws {
    let before = try FileManager.default.contentsOfDirectory(atPath: home.root.path)
    let process = try start("-kills", "2", "-writers", "2", "-keys", "5")
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    let output = try printed("out")
    let lines = output.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
    for line in [
      "kills of a busy writer 2", "files unparseable 0", "acknowledged keys lost 0",
      "race of 2 processes × 5 keys 10", "race of 2 processes × 5 keys, one stopped, one killed 10",
      "race of 2 threads × 5 keys 10", "keys lost 0", "ends without synchronize: return from main 3",
      "ends without synchronize: SIGKILL 3",
    ] {
      #expect(lines.contains(line), "\(line)")
    }
    #expect(!lines.contains { $0.contains(" lost ") && !$0.hasSuffix(" 0") && !$0.hasPrefix("oldest") })
    #expect(try printed("err").isEmpty, "progress is shown on a terminal only")
    let after = try FileManager.default.contentsOfDirectory(atPath: home.root.path)
    #expect(Set(after).subtracting(before) == ["out", "err"])
    #expect(try home.files() == [])
  }

  @Test(
    "a signal ends the run, its processes and its folder",
    .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/cmdline")),
    arguments: [SIGINT, SIGTERM])
  func interruption(signal: Int32) throws {
    let process = try start("-kills", "1", "-writers", "3", "-keys", "100000")
    defer { TortureCommandTests.end(process) }
    // By then writers race, one of them stopped; nothing earlier takes so long.
    try waitForProcesses { $0.count >= 3 }
    kill(process.processIdentifier, signal)
    process.waitUntilExit()
    #expect(process.terminationReason == .uncaughtSignal)
    #expect(process.terminationStatus == signal)
    #expect(try processes(mentioning: home.root.path) == [])
    #expect(
      Set(try FileManager.default.contentsOfDirectory(atPath: home.root.path)) == ["Defaults", "err", "out"])
  }

  @Test(
    "processes of a run that was killed end as well",
    .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/cmdline")))
  func killed() throws {
    let process = try start("-kills", "1", "-writers", "3", "-keys", "100000")
    defer { TortureCommandTests.end(process) }
    try waitForProcesses { $0.count >= 3 }
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    try waitForProcesses(\.isEmpty)
  }

  /// Ends a run where a test has given up; its folder is removed then.
  private static func end(_ process: Process) {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
  }

  /// Waits until the processes of the run are as they should be, for two minutes at most.
  ///
  /// They are the run's children, not this process's, which no event tells of.
  private func waitForProcesses(_ isReached: ([String]) -> Bool) throws {
    let deadline = ContinuousClock.now + .seconds(120)
    while try !isReached(processes(mentioning: home.root.path)) {
      try #require(ContinuousClock.now < deadline)
      Thread.sleep(forTimeInterval: 0.01)
    }
  }

  @Test("the folder is made beside the database, or in the nearest folder that is there")
  func place() throws {
    let root = home.root.path
    #expect(try TortureCommand.placeBesideDatabase { ["OPENSTEP_DEFAULTS_DIR": home.path][$0] } == root)
    #expect(try TortureCommand.placeBesideDatabase { ["HOME": root][$0] } == root)
    #expect(try TortureCommand.placeBesideDatabase { ["OPENSTEP_DEFAULTS_DIR": "\(root)/a/b/c"][$0] } == root)
  }

  @Test("a folder that is not there is an error that names it; nothing is run")
  func noFolder() throws {
    let process = try start("-dir", home.root.appendingPathComponent("none").path)
    process.waitUntilExit()
    #expect(process.terminationStatus == 5)
    #expect(try printed("err").hasPrefix("defaults: \(home.root.path)/none: no folder can be made here: "))
    #expect(try printed("out").isEmpty)
  }

  @Test(
    "wrong arguments are usage errors",
    arguments: [
      (["-kills"], "“-kills” takes a number from 1 to 100000"),
      (["-writers", "0"], "“-writers” takes a number from 1 to 100000"),
      (["-keys", "many"], "“-keys” takes a number from 1 to 100000"),
      (["-dir"], "“-dir” takes a folder"),
      (["here"], "“torture” has no option “here”; it takes nothing but options"),
    ])
  func usage(arguments: [String], message: String) {
    #expect(
      home.run(["torture"] + arguments)
        == .init(code: .usage, errors: "defaults: \(message); see “defaults help torture”\n"))
  }

  @Test("it makes its own defaults, and nobody else's")
  func otherUser() {
    let outcome = home.run("-u", "root", "torture", "-kills", "1")
    #expect(outcome.code == .usage && outcome.errors.contains("“torture” makes its own defaults"))
  }
}
