import DefaultsDatabase
import DefaultsTool
import Foundation
import TestSupport
import Testing

/// The history's files, and undo and restore, where files are damaged, too large or in the way.
struct HistoryFilesTests {
  private let home: ToolHome
  private var history: String { home.path + "/.history" }

  init() throws {
    home = try ToolHome()
  }

  private func withoutHistory(_ words: String...) -> ExitCode {
    home.run(words, environment: ["OPENSTEP_DEFAULTS_DIR": home.path, "DEFAULTS_HISTORY": "off"]).code
  }

  // MARK: Files

  @Test("a closed pipe and a full device end no undo, restore or apply halfway")
  func brokenOutput() throws {
    let script = """
      for i in 1 2 3 4 5 6 7 8; do echo "D$i k $(printf %020000d $i)"; done | defaults write
      defaults snapshot full; defaults undo >/dev/full 2>/dev/null; echo $?; defaults domains | wc -l | tr -d ' '
      defaults restore full >/dev/full 2>/dev/null; echo $?; defaults domains | wc -l | tr -d ' '
      defaults undo | true; defaults domains | wc -l | tr -d ' '
      for i in 1 2 3; do echo "{ Set = { D$i = { k = 1; }; }; }" >f$i; done
      defaults apply f1 f2 f3 >/dev/full 2>/dev/null; echo $?; defaults domains | wc -l | tr -d ' '
      """
    #expect(try home.shell(script) == .init(status: 0, output: "5\n0\n5\n8\n0\n5\n3\n"))
  }

  @Test("the copies of Window Maker's files are read as Window Maker reads them")
  func windowMaker() throws {
    try home.write("{ Name = \"\\303\\244\"; B = 1; }\n", to: "WindowMaker")
    #expect(home.run("write", "WindowMaker", "B", "2").code == .done)
    #expect(withoutHistory("write", "WindowMaker", "C", "5") == .done)
    #expect(
      home.run("undo")
        == .init(
          code: .done, output: "undo 1: write WindowMaker B 2\n-WindowMaker B 2\n+WindowMaker B 1\n"))
    #expect(home.run("read", "-to", "value", "WindowMaker", "Name").output == "ä\n")
    #expect(home.run("delete", "WindowMaker", "Name").code == .done)
    #expect(home.run("log", "-p").output.contains("-WindowMaker Name ä\n"))
  }

  @Test("restore and “undo -force” replace a damaged file, and keep it")
  func damagedFile() throws {
    for words in [["restore", "s"], ["undo", "-force"]] {
      let home = try ToolHome()
      #expect(home.run("write", "T", "a", "1").code == .done)
      #expect(home.run("snapshot", "s").code == .done)
      #expect(home.run("write", "T", "a", "2").code == .done)
      try home.write("{ a = ", to: "T.plist")
      let outcome = home.run(words)
      #expect(
        outcome.code == .done
          && outcome.errors.contains("T.plist: was damaged; the damaged file was kept as "),
        "\(words): \(outcome)")
      #expect(home.run("read").output == "T a 1\n")
      let kept = try #require(home.files().first { $0.hasPrefix("T.damaged-") })
      #expect(try home.text(of: kept) == "{ a = ")
    }
  }

  @Test("the damaged file of a snapshot is named, and the others are restored")
  func damagedSnapshot() throws {
    try home.write("{ a = ", to: "T.plist")
    try home.write("{ a = 1; }", to: "U.plist")
    #expect(home.run("snapshot", "s").code == .done)
    try home.write("{ a = 2; }", to: "T.plist")
    try home.write("{ a = 2; }", to: "U.plist")
    let outcome = home.run("restore", "s")
    #expect(outcome.code == .damaged && outcome.output == "U restored\n")
    #expect(outcome.errors.hasPrefix("defaults: \(history)/snapshots/s/T.plist:1:7: "), "\(outcome.errors)")
    #expect(home.run("read").output == "T a 2\nU a 1\n")
  }

  @Test("a file that was too large is named, and does not stand in the way of what came before")
  func tooLarge() {
    #expect(home.run("write", "Big", "a", "1").code == .done)
    #expect(home.run("write", "Big", "b", String(repeating: "x", count: 1 << 20)).code == .done)
    #expect(
      home.run("undo")
        == .init(
          code: .refused,
          errors:
            "defaults: the command 2 has changed the domain “Big”, whose file was too large to be copied, "
            + "and cannot be taken back; nothing was changed; “defaults undo 1” takes back an earlier one\n"))
    #expect(home.run("undo", "1").code == .done)
    #expect(home.run("read", "Big", "a").code == .absent)
  }

  // MARK: The log

  @Test("a damaged log is kept with its copies, and the next command says so")
  func damagedLog() throws {
    #expect(home.run("write", "T", "a", "1").code == .done)
    let log = "{Id = 9223372036854775807 /*integer*/; }\n"
    try home.write(log, to: ".history/log")
    #expect(home.run("undo").code == .damaged)
    let outcome = home.run("write", "T", "a", "2")
    #expect(outcome.code == .done)
    #expect(
      outcome.errors.contains("it was kept in \(history)/damaged-1 with all copies"), "\(outcome.errors)")
    #expect(try home.text(of: ".history/damaged-1/log") == log)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: history + "/damaged-1").sorted() == [
        "1.0.after", "log",
      ])
    // The copy of the damaged log's only command tells that there was a first one.
    #expect(home.run("undo") == .init(code: .done, output: "undo 2: write T a 2\n-T a 2\n+T a 1\n"))
    #expect(home.run("log", "-clear").code == .done)
    #expect(!FileManager.default.fileExists(atPath: history + "/damaged-1"))
  }

  // One that is a hole of a gigabyte took as much memory.
  @Test("a log that is larger than a history can be is damaged, and is read no further")
  func largeLog() throws {
    #expect(home.run("write", "T", "a", "1").code == .done)
    let log = try home.text(of: ".history/log")
    try home.write(log, withHoleUpTo: 1 << 30, to: ".history/log")
    let outcome = home.run("log")
    #expect(outcome.code == .damaged && outcome.errors.contains("is larger than 12 MB"), "\(outcome.errors)")
    #expect(home.run("write", "T", "a", "2").errors.contains("/damaged-1 with all copies"))
    #expect(home.run("undo").output.hasPrefix("undo 2: "))
  }

  @Test("the line of a command that lost power while it wrote it does not count")
  func tornLine() throws {
    #expect(home.run("write", "T", "a", "1").code == .done)
    let whole = try home.text(of: ".history/log")
    try home.write(whole + "{Id = 2 /*integer*/; Ti", to: ".history/log")
    #expect(home.run("log").output.split(separator: "\n").count == 1)
    #expect(home.run("write", "T", "a", "2") == .init(code: .done))
    #expect(home.run("log").output.split(separator: "\n").map(\.first) == ["2", "1"])
  }

  @Test("the history keeps its bound whatever words a command has")
  func longCommands() throws {
    let words = (0..<5000).map { "\($0)" + String(repeating: "w", count: 185) }
    for number in 0..<8 {
      #expect(home.run(["write", "T", "k", "-array", "\(number)"] + words).code == .done)
    }
    let size = try FileManager.default.contentsOfDirectory(atPath: history).reduce(0) { size, name in
      size + (try FileManager.default.attributesOfItem(atPath: "\(history)/\(name)")[.size] as? Int ?? 0)
    }
    // The newest command has the file before and after it.
    #expect(size <= (4 << 20) + 2 * (1 << 20))
    #expect(try home.text(of: ".history/log").utf8.count < 8 * 2000)
  }

  @Test("while another process has the history, a command waits for it once, and does its work")
  func lockedHistory() throws {
    #expect(home.run("write", "T", "a", "1").code == .done)
    let disk = DiskFileSystem()
    let descriptor = try disk.open(history, for: .directory)
    defer { disk.close(descriptor) }
    try #require(try disk.tryLock(descriptor))
    let lateness = Lateness(in: home.root.path)
    let start = ContinuousClock.now
    // A process of its own does not wait for the updates of other tests.
    let outcome = try home.shell("defaults write", input: (0..<60).map { "D\($0) k 1\n" }.joined())
    // One wait is two seconds, and sixty would be two minutes.
    #expect(ContinuousClock.now - start < .seconds(20) + lateness.total)
    #expect(outcome.status == 0)
    #expect(
      outcome.errors.components(separatedBy: "another process holds it").count == 2,
      "\(outcome.errors)")
    #expect(home.run("read", "D19").output == "D19 k 1\n")
  }

  /// Runs the tool on a file system.
  private func run(_ words: [String], input: String = "", on disk: any FileSystem) -> ExitCode {
    DefaultsCommand.run(
      arguments: words, environment: ["OPENSTEP_DEFAULTS_DIR": home.path], input: { Array(input.utf8) },
      output: CommandOutput(standardOutput: { _ in }, standardError: { _ in }), fileSystem: disk)
  }

  @Test("a new file that the system refuses to read is not recorded as an absent one")
  func unreadable() {
    #expect(home.run("write", "T", "a", "1").code == .done)
    let isSave = { @Sendable (operation: FaultyFileSystem.Operation) in
      operation.name == "open reading" && operation.path?.contains("/.history/") == false
        && operation.path?.hasSuffix("T.plist") == false
    }
    let disk = FaultyFileSystem { isSave($0) ? .inputOutput : nil }
    #expect(run(["write", "T", "a", "2"], on: disk) == .done)
    #expect(disk.operations.contains(where: isSave))
    #expect(home.run("undo").code == .refused)
    #expect(home.run("read").output == "T a 2\n")
    #expect(
      home.run("undo", "-force") == .init(code: .done, output: "undo 2: write T a 2\n-T a 2\n+T a 1\n"))
    #expect(home.run("log").output.contains("  undo -force 2\n"))
  }

  @Test("a copy that cannot be read at the moment is no missing one: its record stays")
  func unreadableCopy() throws {
    for value in ["1", "2"] { #expect(home.run("write", "T", "a", value).code == .done) }
    let disk = FaultyFileSystem { operation in
      let isCopy = operation.path?.contains("/.history/2.0") == true
      return isCopy && operation.name == "open reading" ? .inputOutput : nil
    }
    #expect(run(["write", "T", "a", "3"], on: disk) == .done)
    #expect(disk.operations.contains { $0.path?.contains("/.history/2.0") == true })
    let log = home.run("log").output
    #expect(log.contains("  write T a 2\n") && log.contains("  write T a 3\n"), "\(log)")
    for copy in try FileManager.default.contentsOfDirectory(atPath: history) where copy.hasPrefix("2.0") {
      try FileManager.default.removeItem(atPath: "\(history)/\(copy)")
    }
    #expect(home.run("undo").code == .done && home.run("read").output == "T a 2\n")
  }

  @Test("what a command has to say of the history is also told if it fails")
  func remarkOfFailure() throws {
    #expect(home.run("write", "T", "a", "1").code == .done)
    try home.write("{Id = 9223372036854775807 /*integer*/; }\n", to: ".history/log")
    let errors = Lock<[UInt8]>([])
    let disk = FaultyFileSystem { operation in
      operation.name == "rename" && operation.path?.contains("/.history/") == false ? .noSpace : nil
    }
    let code = DefaultsCommand.run(
      arguments: ["write", "T", "a", "2"], environment: ["OPENSTEP_DEFAULTS_DIR": home.path], input: { [] },
      output: CommandOutput(
        standardOutput: { _ in }, standardError: { bytes in errors.withLock { $0 += bytes } }),
      fileSystem: disk)
    #expect(code == .inputOutput)
    let text = errors.withLock { String(decoding: $0, as: UTF8.self) }
    #expect(text.contains("/.history/damaged-1"), "\(text)")
  }

  @Test("a command reads the log once, and adds a line for each domain", arguments: [10, 100])
  func appending(count: Int) {
    #expect(home.run("write", input: (0..<count).map { "D\($0) k 1\n" }.joined()).code == .done)
    let disk = FaultyFileSystem()
    #expect(run(["write"], input: (0..<count).map { "D\($0) k 2\n" }.joined(), on: disk) == .done)
    func uses(_ name: String, _ file: String) -> Int {
      disk.operations.count { $0.name == name && $0.path?.hasSuffix("/.history/\(file)") == true }
    }
    #expect(uses("open reading", "log") == 1)
    #expect(uses("open appending", "log") == count)
    #expect(uses("open creating", "log.new") == 0)
  }

  @Test("of a command whose second change the history could not record the first is recorded, and it says so")
  func partlyRecorded() throws {
    #expect(home.run("write", input: "A k 1\nB k 1\nC k 1\n").code == .done)
    let disk = FaultyFileSystem { $0.name == "open appending" && $0.number == 2 ? .noSpace : nil }
    let outcome = home.run(["write"], input: Array("A k 2\nB k 2\nC k 2\n".utf8), on: disk)
    #expect(outcome.code == .done)
    #expect(
      outcome.errors.contains(
        "its change of “B” and those after it are not recorded in the history, so that “defaults undo” takes back only "
          + "those before;"), "\(outcome.errors)")
    #expect(home.run("undo").code == .done)
    #expect(home.run("read").output == "A k 1\nB k 2\nC k 2\n")
  }

  @Test(
    "a link, or a file, in the place of a directory of the history is named as what it is",
    arguments: [true, false], ["", "/snapshots"])
  func misplacedDirectory(isLink: Bool, name: String) throws {
    let files = FileManager.default
    let place = history + name
    if !name.isEmpty { try files.createDirectory(atPath: history, withIntermediateDirectories: false) }
    if isLink {
      try files.createSymbolicLink(atPath: place, withDestinationPath: home.root.path)
    } else {
      try home.write("in the way", to: ".history" + name)
    }
    let reason =
      isLink
      ? "it is a symbolic link, which is not followed; remove the link; what it leads to stays\n"
      : "it is no directory; move it away\n"
    #expect(
      home.run("snapshot")
        == .init(code: .inputOutput, errors: "defaults: \(place): the snapshots cannot be listed: \(reason)"))
    #expect(
      home.run("snapshot", "s").errors == "defaults: \(place): the snapshot “s” cannot be made: \(reason)")
    guard name.isEmpty else { return }
    #expect(
      home.run("log") == .init(code: .inputOutput, errors: "defaults: \(place): cannot be read: \(reason)"))
    let consequence =
      "; the command is not recorded in the history, so that “defaults undo” cannot take it back; "
    #expect(
      home.run("write", "T", "a", "1")
        == .init(
          code: .done,
          errors:
            "defaults: \(place): the history cannot be written: \(reason.replacing("; ", with: consequence, maxReplacements: 1))"
        ))
    let found = home.run("doctor").output
    #expect(found.contains("error: \(place): cannot be read: \(reason)"), "\(found)")
    #expect(!found.contains("\(place): others may look into it"))
  }

  // MARK: Snapshots

  @Test("while a snapshot is written, no command waits for the history")
  func snapshotWithoutLock() {
    #expect(home.run("write", "T", "a", "1").code == .done)
    let isFree = Lock<Bool?>(nil)
    let disk = FaultyFileSystem { [history] operation in
      guard operation.name == "open creating", operation.path?.hasSuffix("/T.plist") == true else {
        return nil
      }
      let disk = DiskFileSystem()
      guard let descriptor = try? disk.open(history, for: .directory) else { return .inputOutput }
      defer { disk.close(descriptor) }
      isFree.withLock { $0 = try? disk.tryLock(descriptor) }
      disk.unlock(descriptor)
      return nil
    }
    #expect(run(["snapshot", "s"], on: disk) == .done)
    #expect(isFree.withLock { $0 } == true)
  }

  @Test("a domain that is removed while a snapshot is made is left out")
  func removedMeanwhile() throws {
    for domain in ["T", "U"] { #expect(home.run("write", domain, "a", "1").code == .done) }
    let file = home.path + "/U.plist"
    let disk = FaultyFileSystem { operation in
      if operation.name == "open reading", operation.path?.hasSuffix("/T.plist") == true { unlink(file) }
      return nil
    }
    #expect(run(["snapshot", "s"], on: disk) == .done)
    #expect(try FileManager.default.contentsOfDirectory(atPath: history + "/snapshots/s") == ["T.plist"])
  }

  @Test("what a killed snapshot has left is removed later, and not while it may be another's")
  func leftOver() throws {
    #expect(home.run("snapshot", "s").code == .done)
    let place = history + "/snapshots/.abc.new"
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
    try Data("{}".utf8).write(to: URL(fileURLWithPath: place + "/T.plist"))
    #expect(home.run("snapshot", "t").code == .done)
    #expect(FileManager.default.fileExists(atPath: place))
    #expect(run(["snapshot", "u"], on: FaultyFileSystem(secondsAhead: 400)) == .done)
    #expect(!FileManager.default.fileExists(atPath: place))
  }

  @Test("a left-over that cannot be removed does not stand in a snapshot's way")
  func stubbornLeftOver() throws {
    #expect(home.run("snapshot", "s").code == .done)
    // A snapshot has no directories.
    let place = history + "/snapshots/.abc.new/directory"
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
    for name in [".aaa.new", ".zzz.new"] {
      try FileManager.default.createDirectory(
        atPath: history + "/snapshots/\(name)", withIntermediateDirectories: false)
    }
    let later = FaultyFileSystem(secondsAhead: 400)
    #expect(run(["snapshot", "t"], on: later) == .done)
    #expect(run(["snapshot", "-delete", "s"], on: later) == .done)
    #expect(home.run("snapshot").output.hasPrefix("t "))
    let left = try FileManager.default.contentsOfDirectory(atPath: history + "/snapshots").sorted()
    #expect(left == [".abc.new", "t"], "the others are removed")
  }

  @Test(
    "a file whose name has no extension is put back under its name",
    arguments: [
      ["delete B", "undo"], ["delete-all B", "undo"], ["snapshot s", "delete B", "restore s"],
      ["delete B", "undo", "undo 2", "undo 3"], ["snapshot s", "delete B", "restore s", "undo", "undo 3"],
    ])
  func bareName(commands: [String]) throws {
    let text = "{ a = 1; } // mine\n"
    try home.write(text, to: "B")
    for command in commands {
      let outcome = home.run(command.split(separator: " ").map(String.init))
      #expect(outcome.code == .done, "\(command): \(outcome)")
    }
    #expect(try home.files() == ["B"] && home.text(of: "B") == text)
  }

  @Test("a record of an older version, which has no word of the name, is taken back as ever")
  func bareNameInOldRecord() throws {
    try home.write("{ a = 1; }", to: "B")
    #expect(home.run("delete", "B").code == .done)
    let log = try home.text(of: ".history/log")
    let old = log.replacing("Bare = YES /*boolean*/; ", with: "")
    #expect(old != log)
    try home.write(old, to: ".history/log")
    #expect(home.run("undo").code == .done)
    #expect(try home.files() == ["B.plist"])
  }
}
