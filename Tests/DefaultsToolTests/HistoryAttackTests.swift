import DefaultsDatabase
import DefaultsHistory
import DefaultsTool
import Foundation
import TestSupport
import Testing

/// The history where other users, overlapping commands and undos of undos come together.
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

  // MARK: Overlaps

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

  @Test(
    "a command whose first changes the history has forgotten meanwhile is not recorded in part, and says so")
  func forgotten() throws {
    let history = History(of: UserDatabase(directory: home.path))
    func change(_ domain: String, by writer: inout HistoryWriter) throws {
      try writer.append(DomainName(domain), before: .none, after: .bytes(Array("{ k = 1; }".utf8)))
      try home.write("{ k = 1; }", to: "\(domain).plist")
    }
    var batch = HistoryWriter(to: history, command: ["write"], undoing: nil)
    try change("A", by: &batch)
    for number in 2...101 {
      var other = HistoryWriter(to: history, command: ["write", "\(number)"], undoing: nil)
      try change("D\(number)", by: &other)
    }
    let error = #expect(throws: DatabaseError.self) { try change("B", by: &batch) }
    #expect(
      error?.kind == .refused && error?.advice == "its change of “B” and those after it are not recorded")
    #expect(home.run("undo", "1").code != .done)
    #expect(log().count == 100 && log().last == "2")
  }

  @Test(
    "a command whose log is cleared, damaged or removed while it is at work is not recorded in part",
    arguments: ["cleared", "damaged", "removed", "shortened", "its last line", "everything"], [false, true])
  func forgottenAtOnce(kind: String, hasOlder: Bool) throws {
    let history = History(of: UserDatabase(directory: home.path))
    let (first, second) = ("{ k = 1; }", FileVersion.bytes(Array("{ k = 2; }".utf8)))
    var before = FileVersion.none
    if hasOlder {
      // A command has changed the same domain before.
      var older = HistoryWriter(to: history, command: ["older"], undoing: nil)
      try older.append(DomainName("A"), before: before, after: .bytes(Array(first.utf8)))
      try home.write(first, to: "A.plist")
      before = .bytes(Array(first.utf8))
    }
    var batch = HistoryWriter(to: history, command: ["write"], undoing: nil)
    // A change that was withdrawn is no part.
    try batch.append(DomainName("Not made"), before: .none, after: second)
    try batch.withdraw(DomainName("Not made"))
    try batch.append(DomainName("A"), before: before, after: second)
    let other = { [home] in home.run("write", input: "A k 3\nO k 1\nP k 1\n").code == .done }
    switch kind {
    case "shortened":
      try home.write("", to: ".history/log")
      #expect(other())
    case "its last line":
      try home.write(
        home.text(of: ".history/log").split(separator: "\n").dropLast().joined(separator: "\n") + "\n",
        to: ".history/log")
      #expect(other())
    case "everything":
      try FileManager.default.removeItem(atPath: "\(home.path)/.history")
      #expect(other())
    case "cleared": try history.clear(domain: nil)
    case "damaged": try home.write("no record\n", to: ".history/log")
    default: try FileManager.default.removeItem(atPath: "\(home.path)/.history")
    }
    for name in ["B", "C"] {
      let error = #expect(throws: DatabaseError.self) {
        try batch.append(DomainName(name), before: .none, after: second)
      }
      #expect(
        error?.message
          == "the history no longer has what the command has changed before"
          && error?.advice == "its change of “\(name)” and those after it are not recorded")
    }
    switch kind {
    case "damaged":
      // The next command moves the log aside, and its number goes on.
      #expect(throws: DatabaseError.self) { try history.records() }
      let next = home.run("write", "N", "k", "1")
      #expect(next.code == .done && next.errors.contains("/.history/damaged-1 with all copies"))
      #expect(log() == [hasOlder ? "3" : "2"])
    case "cleared", "removed":
      #expect(try history.records().isEmpty)
    default:
      #expect(try history.records().suffix(2).map(\.domain.text) == ["O", "P"])
      #expect(home.run("undo").code == .done && home.run("read").output == (hasOlder ? "A k 1\n" : ""))
    }
  }

  @Test("a command whose only change was withdrawn goes on when the history is cleared")
  func clearedBefore() throws {
    let history = History(of: UserDatabase(directory: home.path))
    var batch = HistoryWriter(to: history, command: ["write"], undoing: nil)
    let after = FileVersion.bytes(Array("{ k = 1; }".utf8))
    try batch.append(DomainName("A"), before: .none, after: after)
    try batch.withdraw(DomainName("A"))
    try history.clear(domain: nil)
    let other = home.run("write", "O", "k", "1")
    #expect(other == .init(code: .done))
    for name in ["B", "C"] { try batch.append(DomainName(name), before: .none, after: after) }
    let records = try history.records()
    #expect(records.map(\.domain.text) == ["O", "B", "C"] && Set(records.map(\.identifier)).count == 2)
    #expect(records[1].identifier == records[2].identifier && records[1].identifier > records[0].identifier)
  }

  /// Makes the changes of one command in the domain `A`.
  private func change(to texts: [String], after first: String) throws {
    var writer = HistoryWriter(
      to: History(of: UserDatabase(directory: home.path)), command: ["write"], undoing: nil)
    var before = first
    for text in texts {
      try writer.append(
        DomainName("A"), before: .bytes(Array(before.utf8)), after: .bytes(Array(text.utf8)))
      try home.write(text, to: "A.plist")
      before = text
    }
  }

  @Test("a command that has changed a domain twice is taken back as a whole, and done again as a whole")
  func twice() throws {
    let (first, last) = ("{ k = 1; } // one", "{ k = 3; n = 1; }")
    try change(to: ["{ k = 2; }", last], after: first)
    #expect(home.run("undo") == .init(code: .done, output: "undo 1: write\n-A k 3\n+A k 1\n-A n 1\n"))
    #expect(try home.text(of: "A.plist") == first)
    #expect(home.run("undo").code == .absent)
    #expect(home.run("undo", "2") == .init(code: .done, output: "undo 2: undo 1\n-A k 1\n+A k 3\n+A n 1\n"))
    #expect(try home.text(of: "A.plist") == last)
  }

  @Test("of a command that has changed a domain twice, later changes of others stay")
  func twiceAndOthers() throws {
    try change(to: ["{ k = 2; }", "{ k = 3; n = 1; }"], after: "{ k = 1; }")
    try home.write("{ k = 3; n = 1; z = 1; }", to: "A.plist")
    #expect(home.run("undo").code == .done)
    #expect(home.run("read").output == "A k 1\nA z 1\n")
  }

  @Test("a command that has changed a domain there and back is passed over")
  func thereAndBack() throws {
    #expect(home.run("write", "B", "k", "1").code == .done)
    try change(to: ["{ k = 2; }", "{ k = 1; }"], after: "{ k = 1; }")
    #expect(home.run("undo") == .init(code: .done, output: "undo 1: write B k 1\n-B k 1\n"))
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
    #expect(home.run("undo") == .init(code: .done, output: "undo 1: write S z 0\n-S z 0\n"))
    #expect(home.run("undo").code == .absent)
  }

  @Test("a command is taken back in one domain after the other")
  func byDomain() {
    #expect(home.run("write", input: "A k 1\nB k 1\n").code == .done)
    #expect(home.run("undo", "A") == .init(code: .done, output: "undo 1: write\n-A k 1\n"))
    #expect(log() == ["2", "1 (partly undone)"])
    #expect(home.run("undo", "B") == .init(code: .done, output: "undo 1: write\n-B k 1\n"))
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

  @Test(
    "a command of the administrator whose history other users could exchange says that it is not recorded",
    .enabled(if: Administrator.isExpected, Comment(rawValue: Administrator.absence)))
  func sharedDirectory() throws {
    try #require(chown(home.path, 0, 65534) == 0 && chmod(home.path, 0o775) == 0)
    let outcome = home.run("write", "App", "k", "1")
    #expect(outcome.code == .done)
    #expect(outcome.errors.contains("may replace files; the command is not recorded in the history"))
    #expect(home.run("read", "App").output == "App k 1\n")
  }

  @Test("domains whose names only look alike are two")
  func normalization() {
    #expect(home.run("write", "\u{E9}", "k", "1").code == .done)
    #expect(home.run("write", "e\u{301}", "k", "1").code == .done)
    #expect(home.run("undo", "\u{E9}").code == .done)
    #expect(Array(home.run("domains").output.utf8) == Array("e\u{301}\n".utf8))
  }

  @Test("a hundred and twenty domains of one command are all taken back")
  func manyDomains() {
    let lines = (0..<120).map { "D\($0) k 1\n" }.joined()
    #expect(home.run("write", input: lines).code == .done)
    #expect(home.run("undo").code == .done)
    #expect(home.run("domains") == .init(code: .done))
  }

  @Test("changes of one command beyond the bound are refused by the history, and the others kept")
  func tooManyChanges() throws {
    var writer = HistoryWriter(
      to: History(of: UserDatabase(directory: home.path)), command: ["write"], undoing: nil)
    for number in 0..<4 {
      let bytes = [UInt8](repeating: UInt8(ascii: "x"), count: (1 << 20) - (number < 3 ? 0 : 9000))
      try writer.append(DomainName("Big\(number)"), before: .none, after: .bytes(bytes))
    }
    var error: DatabaseError?
    for number in 0..<200 where error == nil {
      do throws(DatabaseError) {
        try writer.append(DomainName("D\(number)"), before: .unread, after: .none)
      } catch let failure {
        error = failure
      }
    }
    #expect(
      error?.message == "the command, or others at the same time, change too many domains for the history")
    let size = try FileManager.default.contentsOfDirectory(atPath: history).reduce(0) { size, name in
      size + (try FileManager.default.attributesOfItem(atPath: "\(history)/\(name)")[.size] as? Int ?? 0)
    }
    #expect(size <= 4 << 20)
    #expect(home.run("log").code == .done)
  }
}
