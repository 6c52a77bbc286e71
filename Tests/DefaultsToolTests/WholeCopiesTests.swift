import DefaultsDatabase
import DefaultsTool
import Foundation
import TestSupport
import Testing

/// What is said of a damaged domain of which there is a copy that is whole, and of a damaged copy.
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

  @Test("no more is read of snapshots and of the history than a command has put there, or 256 MB unasked")
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

  @Test("what is read of snapshots unasked is bounded for all domains together")
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
}
