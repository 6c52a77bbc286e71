import DefaultsDatabase
import Foundation
import TestSupport
import Testing

@testable import DefaultsTool

/// What is said of a damaged domain of which there is a copy that is whole, and of a damaged copy.
@Suite(.enabled(if: Thoroughness.runsHere, Comment(rawValue: Thoroughness.elsewhere)))
struct WholeCopiesTests {
  private let home: ToolHome
  private var history: String { home.path + "/.history" }

  init() throws {
    home = try ToolHome()
  }

  @Test(
    "doctor and log name the newest snapshot that has a damaged domain whole, and its command brings it back")
  func snapshots() throws {
    #expect(home.run("write", "App", "Size", "5").code == .done)
    #expect(home.run("snapshot", "before").code == .done)
    try home.write("{ Size = ", to: "App.plist")
    #expect(home.run("snapshot", "later").code == .done)
    let advice = "; the snapshot “before” has it whole: “defaults restore before App”"
    let doctor = home.run("doctor", "App").output
    #expect(doctor.split(separator: "\n").contains { $0.hasSuffix(advice) }, "\(doctor)")
    #expect(home.run("log", "App").errors.hasSuffix("\(advice)\n"))
    #expect(home.run("restore", "before", "App").code == .done)
    #expect(home.run("read", "App").output == "App Size 5\n")
    #expect(home.run("log", "App").errors.isEmpty)
  }

  @Test(
    "a snapshot of all domains leaves out a file that is too large to be read, and one of its domain is refused"
  )
  func tooLarge() throws {
    #expect(home.run("write", "App", "Size", "5").code == .done)
    try home.writeTooLarge(to: "Huge.plist")
    let reason =
      "defaults: \(home.path)/Huge.plist: cannot be read: it is larger than 1073741824 bytes: File too large"
    let outcome = home.run("snapshot", "before")
    #expect(outcome.code == .done && outcome.output.isEmpty)
    #expect(outcome.errors == "\(reason); it is left out of the snapshot\n")
    #expect(home.run("diff", "@before/App", "App").code == .done)
    let refused = home.run("snapshot", "other", "Huge")
    let advice =
      "nothing was changed; it can still be deleted, and exported as it is where no format is asked for"
    #expect(refused == .init(code: .inputOutput, errors: "\(reason); \(advice)\n"))
  }

  @Test("without a snapshot it is the history's newest copy that is whole, and its command brings it back")
  func copies() throws {
    #expect(home.run("write", "App", "Size", "5").code == .done)
    #expect(home.run("write", "App", "Size", "6").code == .done)
    try home.write("{ Size = ", to: "App.plist")
    let copy = "\(history)/2.0.after"
    let advice = "; the history has it whole, from the command 2: “defaults import -replace App \(copy)”"
    let doctor = home.run("doctor", "App").output
    #expect(doctor.split(separator: "\n").contains { $0.hasSuffix(advice) }, "\(doctor)")
    #expect(home.run("import", "-replace", "App", copy).code == .done)
    #expect(home.run("read", "App").output == "App Size 6\n")
    // A damaged copy is none.
    try home.write("{ Size = ", to: "App.plist")
    for name in ["2.0.after", "3.0.after"] { try home.write("{", to: ".history/\(name)") }
    #expect(home.run("doctor", "App").output.contains("\(history)/1.0.after"))
  }

  @Test(
    "no more is read of snapshots and of the history than a command has put there, or 256 MB unasked",
    .enabled(if: Thoroughness.isComplete, Comment(rawValue: Thoroughness.absence)))
  func holes() throws {
    func enlarge(_ name: String, to size: Int) throws {
      try #require(truncate("\(history)/\(name)", off_t(size)) == 0)
    }
    for value in ["5", "6"] { #expect(home.run("write", "App", "Size", value).code == .done) }
    for name in ["before", "later"] { #expect(home.run("snapshot", name).code == .done) }
    try home.write("{ Size = ", to: "App.plist")
    try home.write("{ Size = ", to: ".history/snapshots/later/App.plist")
    try enlarge("snapshots/later/App.plist", to: 300 << 20)
    #expect(home.run("snapshot").errors.isEmpty)
    #expect(home.run("log", "App").errors.contains("the snapshot “before” has it whole"))
    try enlarge("snapshots/later/App.plist", to: 100 << 20)
    #expect(home.run("snapshot").errors.contains("snapshots/later/App.plist:"))
    #expect(home.run("snapshot", "-delete", "before").code == .done)
    try enlarge("2.0.after", to: (1 << 20) + 1)
    #expect(home.run("log", "App").errors.contains("\(history)/1.0.after"))
    let outcome = home.run("log", "-p", "2")
    #expect((outcome.output + outcome.errors).contains("2.0.after"), "\(outcome)")
  }

  @Test(
    "what is read of snapshots unasked is bounded for all domains together",
    .enabled(if: Thoroughness.isComplete, Comment(rawValue: Thoroughness.absence)))
  func budget() throws {
    for domain in ["A", "B"] { #expect(home.run("write", domain, "Size", "5").code == .done) }
    #expect(home.run("snapshot", "all").code == .done)
    let large = "{" + String(repeating: " ", count: 60 << 20) + "}"
    try home.write(large, to: ".history/snapshots/all/B.plist")
    /// What has each of the domains whole.
    func places() -> [String] {
      home.run("doctor").output.split(separator: "\n").compactMap { line in
        ["the snapshot “all”", "the history"].first { line.contains("\($0) has it whole") }
      }
    }
    for domain in ["A", "B"] { try home.write("{ Size = ", to: "\(domain).plist") }
    #expect(places() == ["the snapshot “all”", "the snapshot “all”"])
    // A damaged copy of 200 MB has been read then.
    try home.write("{", to: ".history/snapshots/all/A.plist")
    try #require(truncate("\(history)/snapshots/all/A.plist", off_t(200 << 20)) == 0)
    #expect(places() == ["the history", "the history"])
  }

  /// The command that is advised, and what it comes to.
  private func advised(by output: String, environment: [String: String] = [:]) throws -> (
    command: String, outcome: ToolHome.ShellOutcome
  ) {
    let text = try #require(output.split(separator: "\n").first { $0.contains("has it whole") })
    let command = text.split(separator: "“").last.map { $0.prefix { $0 != "”" } } ?? ""
    return (String(command), try home.shell(String(command), environment: environment))
  }

  @Test("a text with comments comes back by its editor, byte for byte, and can be taken back")
  func commentedText() throws {
    let text = "// mine\n{\n  Size = 5; /* here */\n}\n"
    try home.write(text, to: "App.plist")
    #expect(home.run("write", "App", "Size", "6").code == .done)
    let whole = try home.text(of: "App.plist")
    try home.write("{ Size = ", to: "App.plist")
    let (command, outcome) = try advised(by: home.run("doctor", "App").output)
    #expect(
      command == "VISUAL='cp \(history)/1.0.after' defaults edit App" && outcome.status == 0, "\(outcome)")
    #expect(try home.text(of: "App.plist") == whole && whole == text.replacing("5", with: "6"))
    #expect(home.run("undo").code == .done)
    #expect(try home.text(of: "App.plist") == "{ Size = ")
  }

  @Test("of an XML copy with comments it is said that they are left out")
  func commentedXML() throws {
    let head = "<?xml version=\"1.0\"?><!-- mine --><plist version=\"1.0\"><dict><key>Size</key>"
    try home.write("\(head)<string>5</string></dict></plist>", to: "App.plist")
    // The history has the file as it is before this command.
    #expect(home.run("delete", "App").code == .done)
    try home.write("{ Size = ", to: "App.plist")
    let doctor = home.run("doctor", "App").output
    #expect(doctor.contains("/1.0.before”, which leaves its comments out\n"), "\(doctor)")
    #expect(try advised(by: doctor).outcome.status == 0)
    #expect(home.run("read", "App").output == "App Size 5\n")
  }

  @Test("a copy of Window Maker's text, which has another name, is read with its octal escapes")
  func windowMaker() throws {
    try home.write("{ Name = \"caf\\303\\251\"; }\n", to: "WMState")
    #expect(home.run("write", "WMState", "Size", "6").code == .done)
    try home.write("{ Name = ", to: "WMState")
    let (command, outcome) = try advised(by: home.run("doctor", "WMState").output)
    #expect(command.hasPrefix("defaults import -replace -from windowmaker WMState "), "\(command)")
    #expect(outcome.status == 0)
    #expect(home.run("read", "WMState", "Name").output == "WMState Name café\n")
  }

  @Test("the commands are about the database that was asked about")
  func options() throws {
    #expect(home.run("write", "App", "Size", "5").code == .done)
    try home.write("{ Size = ", to: "App.plist")
    let user = ["-u", NSUserName()]
    let start = "“defaults -u \(NSUserName()) import -replace App \(history)/"
    let doctor = home.run(user + ["doctor", "App"]).output
    #expect(doctor.contains(start), "\(doctor)")
    #expect(home.run(user + ["log", "App"]).errors.contains(start))

    let shared = try GNUstepHome()
    func run(_ words: String...) -> ToolHome.Outcome {
      home.run(["-gnustep"] + words, environment: shared.environment)
    }
    #expect(run("write", "App", "Size", "5").code == .done)
    #expect(run("snapshot", "before").code == .done)
    try Data("{ Size = ".utf8).write(to: URL(fileURLWithPath: shared.directory + "/App.plist"))
    let (command, outcome) = try advised(
      by: run("doctor", "App").output,
      environment: shared.environment.filter { $0.key == GNUstepConfiguration.environmentVariable })
    #expect(command == "defaults -gnustep restore before App" && outcome.status == 0, "\(outcome)")
    #expect(run("read", "App").output == "App Size 5\n")
  }

  @Test("a domain without a copy gets no advice about one")
  func none() throws {
    try home.write("{ Size = ", to: "App.plist")
    let doctor = home.run("doctor", "App").output
    #expect(!doctor.contains("whole:") && !doctor.contains("history"), "\(doctor)")
  }

  @Test(
    "a snapshot with a damaged file is made and listed, and both say that restore leaves its domain alone")
  func damagedSnapshot() throws {
    #expect(home.run("write", "Good", "k", "v").code == .done)
    try home.write("{ Size = ", to: "App.plist")
    let remark =
      "defaults: \(history)/snapshots/s/App.plist:1:10: the text ends where a value was expected; the “{” at 1:1 is not closed; "
      + "“defaults restore s” leaves the domain “App” as it is\n"
    #expect(home.run("snapshot", "s") == .init(code: .done, errors: remark))
    let list = home.run("snapshot")
    #expect(list.code == .done && list.output.hasPrefix("s  ") && list.errors == remark, "\(list)")
    #expect(home.run("snapshot", "g", "Good") == .init(code: .done))
    try home.write("{ Size = 5; }", to: "App.plist")
    #expect(home.run("restore", "s").code == .damaged)
    #expect(try home.text(of: "App.plist") == "{ Size = 5; }")
  }

  // MARK: Other users

  @Test(
    "in another user's directory no command is advised by which that user reaches files of the administrator's",
    .enabled(if: Administrator.isExpected, Comment(rawValue: Administrator.absence)))
  func otherUser() throws {
    try #require(chmod(home.root.path, 0o755) == 0 && chmod(home.path, 0o755) == 0)
    let theirs = home.path + "/theirs"
    try FileManager.default.createDirectory(atPath: theirs, withIntermediateDirectories: false)
    try home.write("// mine\n{\n  Size = 5; /* here */\n}\n", to: "theirs/App.plist")
    for path in [theirs, theirs + "/App.plist"] { try #require(chown(path, 65534, 65534) == 0) }
    // The directory may also be reached by a link of the administrator's.
    let link = home.root.path + "/link"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: theirs)
    func run(_ words: String..., in directory: String) -> ToolHome.Outcome {
      home.run(words, environment: ["OPENSTEP_DEFAULTS_DIR": directory, "HOME": home.root.path])
    }
    #expect(run("write", "App", "Size", "6", in: theirs).code == .done)
    try home.write("{ Size = ", to: "theirs/App.plist")
    for directory in [theirs, link] {
      let copy = "\(directory)/.history/1.0.after"
      let advice = "“defaults import -replace App \(copy)”, which leaves its comments out"
      for outcome in [run("doctor", "App", in: directory), run("log", "App", in: directory)] {
        #expect((outcome.output + outcome.errors).contains(advice), "\(outcome)")
        #expect(!(outcome.output + outcome.errors).contains("VISUAL"))
      }
    }
    // The import reads the copy with that user's rights.
    let (copy, secret) = (theirs + "/.history/1.0.after", home.root.path + "/secret")
    try "{ Secret = s; }".write(toFile: secret, atomically: false, encoding: .utf8)
    try #require(chmod(secret, 0o600) == 0)
    try FileManager.default.moveItem(atPath: copy, toPath: copy + ".old")
    try FileManager.default.createSymbolicLink(atPath: copy, withDestinationPath: secret)
    try #require(lchown(copy, 65534, 65534) == 0)
    #expect(run("import", "-replace", "App", copy, in: theirs).code != .done)
    #expect(try home.text(of: "theirs/App.plist") == "{ Size = ")
    try FileManager.default.removeItem(atPath: copy)
    try FileManager.default.moveItem(atPath: copy + ".old", toPath: copy)
    #expect(run("import", "-replace", "App", copy, in: theirs).code == .done)
    #expect(run("read", "App", in: theirs).output == "App Size 6\n")
  }

  @Test(
    "no change of rights is advised on a path in another user's directory",
    .enabled(if: Administrator.isExpected, Comment(rawValue: Administrator.absence)))
  func othersRights() throws {
    try #require(chmod(home.root.path, 0o755) == 0 && chmod(home.path, 0o755) == 0)
    try home.write("{ a = 1; }", to: "Mine.plist")
    try #require(chmod(home.path + "/Mine.plist", 0o644) == 0)
    #expect(home.run("write", "App", "a", "1").code == .done)
    try #require(chmod(history, 0o755) == 0)
    func findings() -> [Substring] { home.run("doctor").output.split(separator: "\n").dropLast() }
    #expect(findings().count == 3 && findings().allSatisfy { $0.contains("; “chmod ") }, "\(findings())")
    try #require(chown(home.path, 65534, 65534) == 0 && chown(history, 65534, 65534) == 0)
    let advised = findings().count { $0.hasSuffix(" ends that") || $0.hasSuffix(" moves it away") }
    #expect(advised == 5, "\(findings())")
    #expect(!findings().contains { $0.contains("chmod") || $0.contains("chown") }, "\(findings())")
  }

  // MARK: Hostile histories

  /// Puts a log into the history of which each record is about one domain.
  private func writeLog(_ records: some Sequence<(before: String, after: String)>) throws {
    try FileManager.default.createDirectory(atPath: history, withIntermediateDirectories: true)
    try #require(chmod(history, 0o700) == 0)
    let lines = records.enumerated().map { index, copies in
      "{Id = \(index + 1) /*integer*/; Time = \"2026-01-01 00:00:00 +0000\" /*date*/; Domain = App; "
        + "Command = (w); Before = \"\(copies.before)\"; After = \"\(copies.after)\"; }\n"
    }
    try home.write(lines.joined(), to: ".history/log")
  }

  /// Puts a damaged copy there, all of which is read.
  private func writeDamagedCopy(_ name: String, byteCount: Int = 1 << 20) throws {
    try home.write("", to: ".history/\(name)")
    try #require(truncate("\(history)/\(name)", off_t(byteCount)) == 0)
  }

  /// How often a command opens copies of the history.
  private func openCount(_ words: String...) -> (count: Int, outcome: ToolHome.Outcome) {
    let disk = FaultyFileSystem()
    let environment = ["OPENSTEP_DEFAULTS_DIR": home.path, "HOME": home.root.path]
    let outcome = home.run(words, environment: environment, on: disk)
    let count = disk.operations.count { operation in
      operation.name.hasPrefix("open reading")
        && [".before", ".after"].contains { operation.path?.hasSuffix($0) == true }
    }
    return (count, outcome)
  }

  @Test("doctor looks at each copy once, however many commands of the log name it")
  func namedAgain() throws {
    try writeLog((0..<300).map { _ in ("1.0.before", "1.0.after") } + [("2.0.before", "2.0.before")])
    for name in ["1.0.before", "1.0.after"] { try writeDamagedCopy(name) }
    try home.write("{ Size = 5; }", to: ".history/2.0.before")
    try home.write("{ Size = ", to: "App.plist")
    let (count, outcome) = openCount("doctor", "App")
    #expect(count == 1 && outcome.output.contains("has it whole"), "\(count): \(outcome)")
    // Also to find out which commands were taken back, no more is read than some times what a history holds.
    let (logCount, log) = openCount("log", "App")
    #expect(logCount > 3 && logCount <= 70 && log.errors.contains("has it whole"), "\(logCount)")
  }

  // For each damaged domain all snapshots were looked at again.
  @Test("a look at a file that cannot be read counts like one that can")
  func unreadable() throws {
    let refusing = FaultyFileSystem { $0.path?.hasSuffix("/A.plist") == true ? .notPermitted : nil }
    let database = UserDatabase(directory: home.path, fileSystem: refusing)
    let budget = ReadingBudget(byteCount: 10 * 4096)
    for count in 1...10 {
      #expect(!budget.isSpent)
      #expect(!budget.allows(try DomainName("A"), of: database))
      #expect(budget.isSpent == (count == 10))
    }
    let small = ReadingBudget(byteCount: 10 * 4096)
    for count in 1...10 {
      #expect(!small.allows(1 << 20))
      #expect(small.isSpent == (count == 10))
    }
  }

  @Test(
    "what is read of copies unasked is bounded",
    .enabled(if: Thoroughness.isComplete, Comment(rawValue: Thoroughness.absence)))
  func manyCopies() throws {
    for count in [100, 300] {
      try writeLog([("1.0.after", "1.0.after")] + (2...count).map { ("\($0).0.after", "\($0).0.after") })
      try home.write("{ Size = 5; }", to: ".history/1.0.after")
      try home.write("{ Size = ", to: "App.plist")
      for number in 2...count { try writeDamagedCopy("\(number).0.after") }
      let (opens, outcome) = openCount("doctor", "App")
      #expect(outcome.output.contains("has it whole") == (count == 100), "\(opens): \(outcome)")
      #expect(opens <= 257)
    }
  }

  // Of a log of twelve megabytes each was looked for: a quarter of a minute.
  @Test(
    "copies that are missing are not looked for without end",
    .enabled(if: Thoroughness.isComplete, Comment(rawValue: Thoroughness.absence)))
  func missingCopies() throws {
    try writeLog((1...20_000).map { ("\($0).0.before", "\($0).0.after") })
    let (opens, outcome) = openCount("log", "App")
    #expect(outcome.code == .done && opens > 10_000 && opens <= 16 << 10, "\(opens)")
  }

  @Test("log -p reads and prints no more than 128 MB, unless it is asked for one command")
  func longLog() throws {
    try writeLog((0..<140).map { _ in ("1.0.before", "1.0.after") })
    for name in ["1.0.before", "1.0.after"] { try writeDamagedCopy(name) }
    let lines = home.run("log", "-p").output.split(separator: "\n")
    let unshown = lines.count { $0.contains("take more than 128 MB: “log -p ") }
    #expect(lines.count == 280 && unshown == 12, "\(unshown)")
    #expect(lines.last?.hasSuffix("“log -p 1” shows these") == true)
    #expect(!home.run("log", "-p", "1").output.contains("128 MB"))
  }
}
