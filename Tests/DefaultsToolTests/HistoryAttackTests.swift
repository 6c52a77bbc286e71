import DefaultsDatabase
import DefaultsHistory
import DefaultsTool
import Foundation
import TestSupport
import Testing

/// The history where users, processes and files do what was not hoped for.
struct HistoryAttackTests {
  private let home: ToolHome
  private var history: String { home.path + "/.history" }

  init() throws {
    home = try ToolHome()
  }

  /// The numbers and remarks of `log`, the newest first.
  private func log() -> [String] {
    home.run("log").output.split(separator: "\n").map { line in
      let number = line.prefix { $0 != " " }
      let remark = line.firstRange(of: "  (").map { line[$0.lowerBound...].dropFirst(2) }
      return remark.map { "\(number) \($0)" } ?? String(number)
    }
  }

  private func withoutHistory(_ words: String...) -> ExitCode {
    home.run(words, environment: ["OPENSTEP_DEFAULTS_DIR": home.path, "DEFAULTS_HISTORY": "off"]).code
  }

  // MARK: Other users

  /// The home of the user 65534, whose name need not be known, below one that is the administrator's.
  private func othersDatabase() throws -> (path: String, root: String) {
    try #require(chmod(home.root.path, 0o755) == 0 && chmod(home.path, 0o755) == 0)
    let path = home.path + "/theirs"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    try #require(chown(path, 65534, 65534) == 0)
    return (path, home.path + "/precious")
  }

  @Test(
    "the administrator follows no link of a user in the place of the history",
    .enabled(if: Administrator.isExpected, Comment(rawValue: Administrator.absence)),
    arguments: [".history", ".history/snapshots"])
  func linkOfUser(name: String) throws {
    let (path, precious) = try othersDatabase()
    let files = FileManager.default
    try files.createDirectory(atPath: precious + "/snapshots/victim", withIntermediateDirectories: true)
    try files.createDirectory(atPath: precious + "/victim", withIntermediateDirectories: true)
    for file in ["log", "snapshots/victim/App.plist", "victim/App.plist"] {
      try Data("mine".utf8).write(to: URL(fileURLWithPath: "\(precious)/\(file)"))
    }
    try #require(chmod(precious, 0o700) == 0)
    if name != ".history" {
      try files.createDirectory(atPath: path + "/.history", withIntermediateDirectories: false)
      try #require(chown(path + "/.history", 65534, 65534) == 0)
    }
    let end = name == ".history" ? precious : precious + "/snapshots"
    try files.createSymbolicLink(atPath: "\(path)/\(name)", withDestinationPath: end)
    try #require(lchown("\(path)/\(name)", 65534, 65534) == 0)
    let before = try #require(files.subpaths(atPath: precious)).sorted()
    func run(_ words: String...) -> ToolHome.Outcome {
      home.run(words, environment: ["OPENSTEP_DEFAULTS_DIR": path])
    }
    #expect(run("write", "App", "k", "1").code == .done)
    #expect(run("snapshot", "-delete", "victim").code != .done)
    #expect(run("snapshot", "new").code != .done)
    #expect(run("snapshot").code != .done)
    #expect(run("restore", "victim").code != .done)
    if name == ".history" {
      #expect(run("log").code != .done)
      #expect(run("undo").code != .done)
      #expect(run("log", "-clear").code != .done)
    }
    #expect(try #require(files.subpaths(atPath: precious)).sorted() == before)
    #expect(try String(contentsOfFile: precious + "/log", encoding: .utf8) == "mine")
  }

  @Test(
    "what the administrator makes in a user's history is the user's",
    .enabled(if: Administrator.isExpected, Comment(rawValue: Administrator.absence)))
  func ownership() throws {
    let (path, _) = try othersDatabase()
    func run(_ words: String...) -> ToolHome.Outcome {
      home.run(words, environment: ["OPENSTEP_DEFAULTS_DIR": path])
    }
    #expect(run("snapshot", "one") == .init(code: .done))
    #expect(run("write", "App", "k", "1") == .init(code: .done))
    #expect(run("log", "-clear") == .init(code: .done))
    for name in try #require(FileManager.default.subpaths(atPath: path + "/.history")) + ["."] {
      let status = try DiskFileSystem().status(at: "\(path)/.history/\(name)", followingLinks: false)
      #expect(status.owner == 65534, "\(name)")
    }
  }

  @Test(
    "in a directory in which others may make files, the administrator uses its own history only",
    .enabled(if: Administrator.isExpected, Comment(rawValue: Administrator.absence)))
  func openDirectory() throws {
    try FileManager.default.createDirectory(atPath: history, withIntermediateDirectories: false)
    try #require(chown(history, 65534, 65534) == 0 && chmod(home.path, 0o1777) == 0)
    let outcome = home.run("write", "T", "a", "1")
    #expect(outcome.code == .done && outcome.errors.contains("the history cannot be written"), "\(outcome)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: history) == [])
  }

  // MARK: Numbers

  @Test("a command among whose changes another one comes keeps its number, and is taken back as a whole")
  func overlap() throws {
    let history = History(of: UserDatabase(directory: home.path))
    var batch = HistoryWriter(to: history, command: ["write"], undoing: nil)
    var other = HistoryWriter(to: history, command: ["write", "Z", "k", "1"], undoing: nil)
    func change(_ domain: String, by writer: inout HistoryWriter) throws {
      try writer.append(DomainName(domain), before: .none, after: .bytes(Array("{ k = 1; }".utf8)))
      try home.write("{ k = 1; }", to: "\(domain).plist")
    }
    try change("A", by: &batch)
    try change("Z", by: &other)
    try change("B", by: &batch)
    #expect(log() == ["2", "1"])
    #expect(home.run("undo", "1").code == .done)
    #expect(home.run("domains").output == "Z\n")
  }

  @Test("no number is given twice, also after the newest records were removed")
  func noNumberTwice() {
    for domain in ["A", "B", "C"] { #expect(home.run("write", domain, "k", "1").code == .done) }
    #expect(home.run("log", "-clear", "C").code == .done)
    #expect(home.run("write", "D", "k", "1").code == .done)
    #expect(log() == ["4", "2", "1"])
    #expect(home.run("log", "-clear").code == .done)
    #expect(home.run("write", "E", "k", "1").code == .done)
    #expect(log() == ["5"])
  }

  @Test("a number that is no command's, and an empty word, are never taken for the newest command")
  func strangeNumbers() {
    #expect(home.run("write", "T", "a", "1").code == .done)
    #expect(home.run("write", "123", "a", "1").code == .done)
    #expect(home.run("undo", "").code == .usage)
    let number = "99999999999999999999999999"
    #expect(
      home.run("undo", number)
        == .init(code: .absent, errors: "defaults: there is no command \(number) in the history\n"))
    #expect(home.run("domains").output == "123\nT\n")
    #expect(home.run("undo", "--", "123").code == .done)
    #expect(home.run("domains").output == "T\n")
  }

  // MARK: What was taken back

  @Test("undo comes to every command, whatever was undone and done again before")
  func undoOfUndo() {
    #expect(home.run("write", "S", "z", "0").code == .done)
    #expect(home.run("write", "T", "a", "1").code == .done)
    for words in [["undo"], ["undo", "3"], ["undo", "4"]] {
      #expect(home.run(words).code == .done, "\(words)")
    }
    #expect(home.run("read").output == "S z 0\n")
    #expect(log() == ["5", "4 (undone)", "3", "2 (undone)", "1"])
    #expect(home.run("undo") == .init(code: .done, output: "-S z 0\n"))
    #expect(home.run("undo").code == .absent)
  }

  @Test("a command is taken back in one domain after the other")
  func byDomain() {
    #expect(home.run("write", input: "A k 1\nB k 1\n").code == .done)
    #expect(home.run("undo", "A") == .init(code: .done, output: "-A k 1\n"))
    #expect(log() == ["2", "1 (partly undone)"])
    #expect(home.run("undo", "B") == .init(code: .done, output: "-B k 1\n"))
    #expect(log() == ["3", "2", "1 (undone)"])
    #expect(
      home.run("undo", "1")
        == .init(
          code: .absent, errors: "defaults: the command 1 was taken back already; nothing was done\n"))
  }

  @Test("what cannot be changed in one domain leaves all others as they are")
  func managedKey() throws {
    let managed = home.root.path + "/Managed"
    try FileManager.default.createDirectory(atPath: managed, withIntermediateDirectories: false)
    let environment = ["OPENSTEP_DEFAULTS_DIR": home.path, "OPENSTEP_MANAGED_DIR": managed]
    #expect(home.run("write", input: "A k 1\nB k 1\n").code == .done)
    try Data("{ k = 9; }".utf8).write(to: URL(fileURLWithPath: managed + "/A.plist"))
    #expect(home.run(["undo"], environment: environment).code == .refused)
    #expect(home.run("read").output == "A k 1\nB k 1\n")
    #expect(log() == ["1"])
  }

  @Test("domains whose names only look alike are two")
  func normalization() {
    #expect(home.run("write", "\u{E9}", "k", "1").code == .done)
    #expect(home.run("write", "e\u{301}", "k", "1").code == .done)
    #expect(home.run("undo", "\u{E9}").code == .done)
    #expect(Array(home.run("domains").output.utf8) == Array("e\u{301}\n".utf8))
  }

  @Test(
    "a hundred and twenty domains of one command are all taken back; more than the history holds are told of")
  func manyDomains() {
    let lines = (0..<120).map { "D\($0) k 1\n" }.joined()
    #expect(home.run("write", input: lines).code == .done)
    #expect(home.run("undo").code == .done)
    #expect(home.run("domains") == .init(code: .done))
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
    #expect(home.run("undo") == .init(code: .done, output: "-WindowMaker B 2\n+WindowMaker B 1\n"))
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
    #expect(home.run("undo") == .init(code: .done, output: "-T a 2\n+T a 1\n"))
  }

  @Test("the line of a command that lost power while it wrote it does not count")
  func tornLine() throws {
    #expect(home.run("write", "T", "a", "1").code == .done)
    let whole = try home.text(of: ".history/log")
    try home.write(whole + "{Id = 2 /*integer*/; Ti", to: ".history/log")
    #expect(log() == ["1"])
    #expect(home.run("write", "T", "a", "2") == .init(code: .done))
    #expect(log() == ["2", "1"])
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
    let start = ContinuousClock.now
    let outcome = home.run("write", input: (0..<20).map { "D\($0) k 1\n" }.joined())
    // One wait is two seconds, and twenty would be forty.
    #expect(ContinuousClock.now - start < .seconds(20))
    #expect(outcome.code == .done)
    #expect(outcome.errors.contains("another process has held it for 2 seconds"), "\(outcome.errors)")
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
    #expect(home.run("undo", "-force") == .init(code: .done, output: "-T a 2\n+T a 1\n"))
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
}
