import DefaultsDatabase
import DefaultsHistory
import DefaultsTool
import Foundation
import TestSupport
import Testing

/// `log`, `undo`, `snapshot` and `restore`.
struct HistoryTests {
  private let home: ToolHome
  private var history: String { home.path + "/.history" }

  init() throws {
    home = try ToolHome()
  }

  /// The lines of `log` without their times.
  private func log(_ words: String...) -> [String] {
    home.run(["log"] + words).output.split(separator: "\n").map { line in
      let fields = line.split(separator: " ", omittingEmptySubsequences: false)
      return line.hasPrefix(" ") ? String(line) : ([fields[0]] + fields.dropFirst(6)).joined(separator: " ")
    }
  }

  private func withoutHistory(_ words: String...) -> ExitCode {
    home.run(words, environment: ["OPENSTEP_DEFAULTS_DIR": home.path, "DEFAULTS_HISTORY": "off"]).code
  }

  /// Records a change that is not made, as a command that is killed does.
  private func recordOnly(_ text: String, of domains: [String], command: [String]) throws {
    var writer = HistoryWriter(
      to: History(of: UserDatabase(directory: home.path)), command: command, undoing: nil)
    for domain in domains {
      try writer.append(
        DomainName(domain), before: .bytes(Array(try home.text(of: "\(domain).plist").utf8)),
        after: .bytes(Array(text.utf8)))
    }
  }

  @Test("a record whose change was not made is withdrawn, with its copies; the command's words stay")
  func withdraw() throws {
    let database = UserDatabase(directory: home.path)
    var writer = HistoryWriter(to: History(of: database), command: ["write", "T", "a", "1"], undoing: nil)
    func append(_ domain: String) throws {
      try home.write("{ k = new; }", to: "\(domain).plist")
      try writer.append(
        DomainName(domain), before: .none, after: .bytes(Array("{ k = new; }".utf8)))
    }
    func copies() throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: home.path + "/.history").filter {
        $0.hasSuffix(".after") || $0.hasSuffix(".before")
      }
    }
    try append("T")
    try writer.withdraw(DomainName("T"))
    writer.finish()
    #expect(log() == [])
    #expect(try copies() == [])
    try append("T")
    try append("U")
    try writer.withdraw(DomainName("U"))
    writer.finish()
    #expect(log() == ["1 write T a 1"] && log("U") == [])
    // No name is used twice.
    #expect(try copies() == ["1.1.after"])
    try append("U")
    #expect(log("U") == ["1 write T a 1"])
  }

  @Test("each command that changes something is listed once, the newest first, with what it changed")
  func list() throws {
    #expect(home.run("log") == .init(code: .done))
    #expect(home.run("write", "T", "a", "-int", "1").code == .done)
    #expect(home.run("write", input: "T b 2\nU c 3\n").code == .done)
    #expect(home.run("write", "T", "a", "-int", "1").code == .done, "nothing changes")
    #expect(home.run("write", "-n", "T", "a", "2").code == .done)
    #expect(home.run("delete", "T", "a").code == .done)
    #expect(log() == ["3 delete T a", "2 write", "1 write T a -int 1"])
    #expect(log("U") == ["2 write"])
    #expect(
      log("-p") == [
        "3 delete T a", "    -T a '1 /*integer*/'", "2 write", "    +T b 2", "    +U c 3",
        "1 write T a -int 1",
        "    +T a '1 /*integer*/'",
      ])
    let time = try #require(
      home.run("log").output.split(separator: " ", omittingEmptySubsequences: true).dropFirst().first)
    #expect(time.wholeMatch(of: /\d{4}-\d\d-\d\d/) != nil)
    #expect(home.run("log", "-clear", "U") == .init(code: .done))
    #expect(log("U") == [])
    #expect(home.run("log", "-clear") == .init(code: .done))
    #expect(log() == [])
    #expect(try Set(FileManager.default.contentsOfDirectory(atPath: history)) == [".gitignore", "log"])
  }

  @Test("the history is its owner's alone, no domain, and hidden from git")
  func directory() throws {
    #expect(home.run("write", "T", "a", "1").code == .done)
    let files = FileManager.default
    func mode(_ path: String) throws -> Int? {
      try files.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }
    #expect(try mode(history) == 0o700)
    for name in try files.contentsOfDirectory(atPath: history) {
      #expect(try mode("\(history)/\(name)") == 0o600)
    }
    #expect(try String(contentsOfFile: history + "/.gitignore", encoding: .utf8) == "*\n")
    #expect(home.run("domains").output == "T\n")
    #expect(withoutHistory("write", "T", "a", "2") == .done)
    #expect(log() == ["1 write T a 1"])
    #expect(home.run("write", "T", "long", String(repeating: "x", count: 201)).code == .done)
    #expect(log().first == "2 write T long …")
  }

  @Test("undo gives back every byte, also of several commands one after the other")
  func bytes() throws {
    let text = "// mine\n{ a = 1; /* b */ b = (x); }\n"
    try home.write(text, to: "T.plist")
    #expect(home.run("write", "T", "a", "2").code == .done)
    let second = try home.text(of: "T.plist")
    #expect(home.run("delete", "T", "b").code == .done)
    #expect(home.run("undo") == .init(code: .done, output: "undo 2: delete T b\n+T b (x)\n"))
    #expect(try home.text(of: "T.plist") == second)
    #expect(home.run("undo") == .init(code: .done, output: "undo 1: write T a 2\n-T a 2\n+T a 1\n"))
    #expect(try home.text(of: "T.plist") == text)
    #expect(home.run("undo").code == .absent)
    #expect(
      log()
        == ["4 undo 1", "3 undo 2", "2 delete T b (undone)", "1 write T a 2 (undone)"].map {
          $0.replacing(" (", with: "  (")
        })
  }

  @Test("a domain that was made is removed, and one that was removed is made again")
  func wholeDomains() throws {
    #expect(home.run("write", "T", "a", "1").code == .done)
    #expect(home.run("undo") == .init(code: .done, output: "undo 1: write T a 1\n-T a 1\n"))
    #expect(try home.files() == [])
    try home.write("{ k = v; } // end", to: "U.plist")
    #expect(home.run("delete", "U").code == .done)
    #expect(home.run("undo", "U") == .init(code: .done, output: "undo 3: delete U\n+U k v\n"))
    #expect(try home.text(of: "U.plist") == "{ k = v; } // end")
  }

  @Test("an undo is taken back by its number, and any command by its own")
  func numbers() throws {
    for value in ["1", "2"] { #expect(home.run("write", "T", "k\(value)", value).code == .done) }
    #expect(home.run("undo", "1") == .init(code: .done, output: "undo 1: write T k1 1\n-T k1 1\n"))
    #expect(home.run("read").output == "T k2 2\n")
    #expect(home.run("undo", "3") == .init(code: .done, output: "undo 3: undo 1\n+T k1 1\n"))
    #expect(home.run("read").output == "T k1 1\nT k2 2\n")
    #expect(
      home.run("undo", "99")
        == .init(code: .absent, errors: "defaults: there is no command 99 in the history, which has 1 to 4\n")
    )
    #expect(home.run("undo", "-n").output == "undo 2: write T k2 2\n-T k2 2\n")
    #expect(home.run("read").output == "T k1 1\nT k2 2\n")
  }

  @Test("later changes of others stay, and a key that was changed again is a conflict")
  func conflicts() throws {
    #expect(home.run("write", "T", "{ a = 1; w = { x = 1; }; }").code == .done)
    #expect(home.run("write", "T", "a", "2").code == .done)
    #expect(withoutHistory("write", "T", ".w.y", "2") == .done)
    #expect(home.run("undo").output == "undo 2: write T a 2\n-T a 2\n+T a 1\n")
    #expect(home.run("read").output == "T a 1\nT w '{x = 1; y = 2; }'\n")
    #expect(home.run("write", "T", "a", "3").code == .done)
    #expect(withoutHistory("write", "T", "a", "4") == .done)
    let before = try home.text(of: "T.plist")
    #expect(
      home.run("undo")
        == .init(
          code: .differs,
          errors:
            "defaults: conflict: T a: now 4, before 1\ndefaults: the command 4 is not taken back, since its keys "
            + "were changed again; nothing was changed\n"))
    #expect(try home.text(of: "T.plist") == before)
    #expect(home.run("undo", "-force").code == .done)
    #expect(home.run("read", "T", "a").output == "T a 1\n")
  }

  @Test("a batch is one command, and a conflict in one domain leaves the others")
  func batches() throws {
    #expect(home.run("write", input: "A k 1\nB k 1\n").code == .done)
    #expect(home.run("write", input: "A k 2\nB k 2\n").code == .done)
    #expect(home.run("undo").code == .done)
    #expect(home.run("read").output == "A k 1\nB k 1\n")
    #expect(home.run("undo", "3").code == .done)
    #expect(withoutHistory("write", "B", "k", "9") == .done)
    #expect(home.run("undo", "2").code == .differs)
    #expect(home.run("read").output == "A k 2\nB k 9\n")
    #expect(home.run("undo", "2", "A").code == .done)
    #expect(home.run("read").output == "A k 1\nB k 9\n")
  }

  @Test("a command that was recorded and not made is passed over")
  func notMade() throws {
    #expect(home.run("write", "T", "a", "1").code == .done)
    try recordOnly("{ a = 2; }", of: ["T"], command: ["write", "T", "a", "2"])
    #expect(log() == ["2 write T a 2  (not made)", "1 write T a 1"])
    #expect(home.run("undo").output == "undo 1: write T a 1\n-T a 1\n")
  }

  // It stood in the log as made, and undo refused to pass over it.
  @Test(
    "a change of a file too large to be copied that fails is withdrawn, and undo takes back the one before")
  func failedChangeOfLargeFile() throws {
    let large = String(repeating: "x", count: 2 << 20)
    try home.write("{ a = \"\(large)\"; }", to: "Big.plist")
    #expect(home.run("write", "T", "a", "1").code == .done)
    let disk = FaultyFileSystem {
      $0.name == "rename" && $0.path?.contains(".history") == false ? .noSpace : nil
    }
    #expect(home.run(["write", "Big", "k", "v"], on: disk).code == .inputOutput)
    #expect(log() == ["1 write T a 1"])
    #expect(home.run("undo").output == "undo 1: write T a 1\n-T a 1\n")
  }

  @Test("what was not made is forgotten by the next change, and never stands in the way of undo")
  func forgotten() throws {
    #expect(home.run("write", "T", "a", "1").code == .done)
    try recordOnly("{ a = 2; }", of: ["T"], command: ["write", "T", "a", "2"])
    #expect(home.run("write", "T", "a", "3").code == .done)
    #expect(log() == ["3 write T a 3", "1 write T a 1"])
    #expect(home.run("undo").output == "undo 3: write T a 3\n-T a 3\n+T a 1\n")
    #expect(home.run("undo").output == "undo 1: write T a 1\n-T a 1\n")
    #expect(home.run("undo").code == .absent)
  }

  @Test(
    "what was made and then put back by hand, as git does it, stays in the list", arguments: [true, false])
  func putBack(removesValue: Bool) throws {
    #expect(home.run("write", "T", "a", "1").code == .done)
    let before = try home.text(of: "T.plist")
    let change = removesValue ? ["delete", "T"] : ["write", "T", "b", "2"]
    #expect(home.run(change).code == .done)
    // Until the clock that gives files their times has moved on, which takes milliseconds.
    let recorded = try status(of: ".history/log").modified
    repeat {
      try home.write(before, to: "T.plist")
    } while try status(of: "T.plist").modified == recorded
    #expect(log().first == "2 \(change.joined(separator: " "))  (undone)")
    #expect(home.run("write", "T", "c", "3").code == .done)
    #expect(log() == ["3 write T c 3", "2 \(change.joined(separator: " "))  (undone)", "1 write T a 1"])
    #expect(home.run("undo", "2").code == .absent)
    #expect(home.run("undo").code == .done)
    #expect(try home.text(of: "T.plist") == before)
    // The second has no effect any more.
    #expect(home.run("undo").code == .done)
    #expect(home.run("domains").output.isEmpty)
  }

  @Test("new rights of a file do not make what was not made into what was taken back")
  func rightsOfUnchanged() throws {
    #expect(home.run("write", "T", "a", "1").code == .done)
    try recordOnly("{ a = 2; }", of: ["T"], command: ["write", "T", "a", "2"])
    let recorded = try status(of: ".history/log").changed
    repeat {
      #expect(chmod(home.path + "/T.plist", 0o640) == 0)
    } while try status(of: "T.plist").changed == recorded
    #expect(log() == ["2 write T a 2  (not made)", "1 write T a 1"])
  }

  @Test("the time of a command is shown in whole seconds")
  func time() throws {
    #expect(home.run("write", "T", "a", "1").code == .done)
    #expect(
      home.run("log").output.wholeMatch(of: /1  \d{4}-\d\d-\d\d \d\d:\d\d:\d\d \+0000  write T a 1\n/) != nil)
  }

  private func status(of name: String) throws -> FileStatus {
    try DiskFileSystem().status(at: "\(home.path)/\(name)", followingLinks: false)
  }

  @Test("of a batch that was killed halfway, what was made is taken back")
  func partlyMade() throws {
    #expect(home.run("write", input: "A k 1\nB k 1\n").code == .done)
    try recordOnly("{\n    k = 2;\n}\n", of: ["A", "B"], command: ["write"])
    try home.write("{\n    k = 2;\n}\n", to: "A.plist")
    #expect(log().first == "2 write  (partly made)")
    #expect(home.run("undo") == .init(code: .done, output: "undo 2: write\n-A k 2\n+A k 1\n"))
    #expect(home.run("read").output == "A k 1\nB k 1\n")
  }

  @Test("what somebody has taken back by hand is passed over")
  func takenBackByHand() throws {
    for value in ["1", "2"] { #expect(home.run("write", "T", "a", value).code == .done) }
    #expect(withoutHistory("write", "T", "a", "1") == .done)
    #expect(home.run("undo").output == "undo 1: write T a 1\n-T a 1\n")
    #expect(home.run("undo").code == .absent)
  }

  @Test("undo of a damaged file says where it is damaged")
  func damaged() throws {
    #expect(home.run("write", "T", "a", "1").code == .done)
    try home.write("{ a = 1; b = ", to: "T.plist")
    let outcome = home.run("undo")
    #expect(
      outcome.code == .damaged && outcome.errors.hasPrefix("defaults: \(home.path)/T.plist:1:14: ")
        && outcome.errors.contains("“-force” restores the file all the same"),
      "\(outcome)")
    #expect(try home.text(of: "T.plist") == "{ a = 1; b = ")
    // A file without a token is damaged, too, and not an empty domain.
    for text in ["", "// lost\n"] {
      try home.write(text, to: "T.plist")
      #expect(home.run("undo").code == .damaged)
      #expect(try home.text(of: "T.plist") == text)
    }
  }

  @Test("a command that replaced a damaged file is taken back with a word about that")
  func damagedBefore() throws {
    try home.write("{ a = 1; b = ", to: "T.plist")
    #expect(home.run("write", "T", "{ a = 2; }").code == .done)
    let rehearsal = home.run("undo", "-n")
    #expect(rehearsal.errors == "defaults: T: the file would be damaged, as it was before the command\n")
    // Somebody has changed the file: that it was damaged before is no fault of this one.
    let present = "{ a = 2; c = 3; }\n"
    try home.write(present, to: "T.plist")
    let refusal = home.run("undo")
    #expect(refusal.code == .damaged && !refusal.errors.contains(home.path), "\(refusal)")
    #expect(
      refusal.errors.hasPrefix("defaults: T: the file was damaged before the command 1, at 1:14: "),
      "\(refusal)")
    #expect(try home.text(of: "T.plist") == present)
    let outcome = home.run("undo", "-force", "1")
    #expect(outcome.code == .done)
    #expect(outcome.errors.contains("defaults: T: the file is damaged, as it was before the command\n"))
    #expect(try home.text(of: "T.plist") == "{ a = 1; b = ")
  }

  // It was moved aside, and the domain was gone.
  @Test(
    "undo leaves a damaged file that is as it was before the command",
    arguments: ["{ a = (; b = 1; }\n", "x = "])
  func damagedAsBefore(text: String) throws {
    try home.write(text, to: "T.plist")
    #expect(home.run("write", "T", "{ n = 1; }").code == .done)
    #expect(home.run("write", "T", "m", "2").code == .done)
    try home.write(text, to: "T.plist")
    let before = try home.files()
    for words in [["undo", "-n", "-force", "1"], ["undo", "-force", "1"]] {
      #expect(home.run(words).code == .done)
      #expect(try home.text(of: "T.plist") == text && home.files() == before, "\(words)")
    }
  }

  @Test("log -p of a domain shows its changes alone")
  func changesOfDomain() {
    #expect(home.run("write", input: "T a 1\nU b 2\n").code == .done)
    let output = home.run("log", "-p", "U").output
    #expect(output.contains("    +U b 2\n") && !output.contains("T a"), "\(output)")
    #expect(home.run("log", "-p").output.contains("    +T a 1\n"))
  }

  #if os(Linux)
    @Test(
      "on a full disk a change is refused, marked in the log until the next, and nothing else is undone",
      .enabled(if: FullDisk.isExpected, Comment(rawValue: FullDisk.absence)))
    func fullDisk() throws {
      let disk = try FullDisk(in: TemporaryHome())
      let environment = ["OPENSTEP_DEFAULTS_DIR": disk.path + "/D"]
      func run(_ words: String...) -> ToolHome.Outcome { home.run(words, environment: environment) }
      #expect(run("write", "T", "a", "1").code == .done)
      disk.fill()
      let big = String(repeating: "x", count: 20_000)
      #expect(run("write", "T", "big", big).code == .inputOutput)
      #expect(run("read") == .init(code: .done, output: "T a 1\n"))
      #expect(run("log").code == .done)
      disk.empty()
      #expect(run("write", "T", "a", "2").code == .done)
      #expect(!run("log").output.contains("not made"))
      // Whether the change that was refused has a number depends on what the full disk still took.
      let lines = run("undo").output.split(separator: "\n")
      #expect(lines.first?.hasSuffix(": write T a 2") == true && lines.dropFirst() == ["-T a 2", "+T a 1"])
      #expect(run("undo").output == "undo 1: write T a 1\n-T a 1\n")
      #expect(run("undo").code == .absent)
    }

    @Test(
      "on a full disk the history cannot be cleared, and keeps all that it has",
      .enabled(if: FullDisk.isExpected, Comment(rawValue: FullDisk.absence)))
    func clearingOnFullDisk() throws {
      let disk = try FullDisk(in: TemporaryHome())
      let environment = ["OPENSTEP_DEFAULTS_DIR": disk.path + "/D"]
      func run(_ words: String...) -> ToolHome.Outcome { home.run(words, environment: environment) }
      #expect(run("write", "T", "a", "1").code == .done)
      #expect(run("write", "U", "a", "1").code == .done)
      let log = run("log")
      disk.fill()
      for words in [["log", "-clear"], ["log", "-clear", "T"]] {
        let outcome = home.run(words, environment: environment)
        #expect(outcome.code == .inputOutput)
        let reason =
          "\(disk.path)/D/.history: the history cannot be cleared: No space left on device; nothing was changed"
        #expect(outcome.errors.hasPrefix("defaults: \(reason)"), "\(outcome)")
        #expect(run("log") == log)
      }
      disk.empty()
      #expect(run("undo").code == .done)
      #expect(run("log", "-clear") == .init(code: .done))
      #expect(run("log") == .init(code: .done))
    }
  #endif

  @Test("the history keeps a hundred commands and 4 MiB, and no copy that none of them needs")
  func bounds() throws {
    for number in 0..<120 { #expect(home.run("write", "T", "k", "\(number)").code == .done) }
    #expect(log().count == 100)
    #expect(log().last == "21 write T k 20")
    let big = String(repeating: "x", count: 900_000)
    for number in 0..<12 { #expect(home.run("write", "Big", "k", "\(number)\(big)").code == .done) }
    let files = FileManager.default
    let size = try files.contentsOfDirectory(atPath: history).reduce(0) { size, name in
      size + (try files.attributesOfItem(atPath: "\(history)/\(name)")[.size] as? Int ?? 0)
    }
    #expect(size <= (4 << 20) + 2 * 900_100)
    #expect(home.run("undo", "Big").code == .done)
    #expect(home.run("read", "-to", "value", "Big", "k").output.hasPrefix("10x"))
    let huge = String(repeating: "y", count: 1 << 20)
    #expect(home.run("write", "Big", "k", huge).code == .done)
    let outcome = home.run("undo")
    #expect(
      outcome.code == .refused && outcome.errors.contains("too large to be copied"), "\(outcome.errors)")
  }

  @Test("where the history cannot be written, the command is done and says so")
  func unwritable() throws {
    try home.write("in the way", to: ".history")
    let outcome = home.run("write", "T", "a", "1")
    #expect(outcome.errors.hasPrefix("defaults: \(home.path)/.history: the history cannot be written: "))
    #expect(outcome.code == .done && outcome.output.isEmpty)
    #expect(home.run("read").output == "T a 1\n")
  }
}
