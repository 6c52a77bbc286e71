import DefaultsDatabase
import DefaultsTool
import Foundation
import Testing

struct DefaultsCommandTests {
  private let home: ToolHome

  init() throws {
    home = try ToolHome()
  }

  @Test(
    "a command line that cannot be taken apart is a usage error",
    arguments: [
      (["frobnicate"], "there is no command “frobnicate”; see “defaults help”"),
      (["-x", "read"], "there is no option “-x” before the command; see “defaults help”"),
      (["-u"], "“-u” takes a user's name; see “defaults help”"),
      (["-g"], "no command is given; see “defaults help”"),
      (["-g", "domains"], "“-g” stands for a domain, and “domains” takes none"),
    ])
  func usage(arguments: [String], message: String) {
    #expect(home.run(arguments) == .init(code: .usage, errors: "defaults: \(message)\n"))
  }

  @Test("an unknown user is refused, and the caller's own database stays untouched")
  func unknownUser() throws {
    #expect(
      home.run("-u", "no-such-user", "write", "App", "k", "v")
        == .init(
          code: .refused,
          errors: "defaults: there is no user “no-such-user”; nothing was read or written\n"))
    #expect(try home.files() == [])
  }

  @Test("-u with the caller's own name is the caller's own database")
  func ownUser() {
    #expect(home.run("-u", NSUserName(), "write", "App", "k", "v") == .init(code: .done))
    #expect(home.run("read") == .init(code: .done, output: "App k v\n"))
  }

  @Test("without OPENSTEP_DEFAULTS_DIR the database is .OpenStep/Defaults of HOME")
  func homeDirectory() throws {
    let environment = ["HOME": home.root.path]
    #expect(home.run(["write", "App", "k", "v"], environment: environment) == .init(code: .done))
    let file = home.root.appendingPathComponent(".OpenStep/Defaults/App.plist")
    #expect(try String(contentsOf: file, encoding: .utf8) == "{\n    k = v;\n}\n")
  }

  @Test("a name with a line end stays within the error's one line")
  func oneLineErrors() {
    #expect(
      home.run("read", "a\nb\u{2028}c\u{1B}[1m")
        == .init(code: .absent, errors: "defaults: there is no domain “a\\u{a}b\\u{2028}c\\u{1b}[1m”\n"))
  }

  @Test("output whose reader is gone ends quietly")
  func closedOutput() throws {
    try home.write("{ k = v; }", to: "App.plist")
    var errors = ""
    let code = DefaultsCommand.run(
      arguments: ["read"], environment: ["OPENSTEP_DEFAULTS_DIR": home.path], input: { [] },
      output: CommandOutput(
        standardOutput: { _ in throw StreamError.closed },
        standardError: { errors += String(decoding: $0, as: UTF8.self) }))
    #expect(code == .done)
    #expect(errors.isEmpty)
  }

  @Test(
    "a verb whose reader is gone ends with the code of what it has found, however long its output is",
    arguments: [1, 10_000])
  func closedFindings(count: Int) throws {
    let entries = (0..<count).map { "k\($0) = \(String(repeating: "v", count: 20));" }.joined()
    try home.write("{ \(entries) }", to: "App.plist")
    try home.write("{ b = ", to: "Bad.plist")
    let state = home.root.path + "/state"
    try Data("{ Replace = { New = { \(entries) }; }; }".utf8).write(to: URL(fileURLWithPath: state))
    for (words, expected) in [
      (["diff", home.path + "/App.plist", "-"], ExitCode.differs), (["read"], .damaged),
      (["lint", home.path + "/Bad.plist"], .damaged),
      (["apply", "-check", state], .differs), (["apply", state], .done),
    ] {
      let code = DefaultsCommand.run(
        arguments: words, environment: ["OPENSTEP_DEFAULTS_DIR": home.path], input: { Array("{}".utf8) },
        output: CommandOutput(standardOutput: { _ in throw StreamError.closed }, standardError: { _ in }))
      #expect(code == expected, "\(words)")
    }
    #expect(home.run("read", "New", "k0").code == .done)
  }

  @Test("output that cannot be written exits 5 with the system's reason")
  func failedOutput() throws {
    try home.write("{ k = v; }", to: "App.plist")
    var errors = ""
    let code = DefaultsCommand.run(
      arguments: ["read"], environment: ["OPENSTEP_DEFAULTS_DIR": home.path], input: { [] },
      output: CommandOutput(
        standardOutput: { _ in throw StreamError.failed("No space left on device") },
        standardError: { errors += String(decoding: $0, as: UTF8.self) }))
    #expect(code == .inputOutput)
    #expect(errors == "defaults: standard output: No space left on device\n")
  }

  @Test("a database that cannot be read exits 5")
  func unreadable() throws {
    try home.write("", to: "NotADirectory")
    let path = home.path + "/NotADirectory"
    let outcome = home.run(["read"], environment: ["OPENSTEP_DEFAULTS_DIR": path])
    #expect(outcome.code == .inputOutput)
    #expect(outcome.errors.hasPrefix("defaults: \(path): "))
    #expect(outcome.errors.filter { $0 == "\n" }.count == 1)
  }

  @Test("a lock that another process holds is waited for, then refused with its holder's name")
  func locked() throws {
    // The first write also makes the lock's file.
    try #require(home.run("write", "App", "k", "old") == .init(code: .done))
    let disk = DiskFileSystem()
    let lock = try disk.open(home.path + "/.lock", for: .locking)
    defer { disk.close(lock) }
    try #require(try disk.tryLock(lock))
    for words in [["write", "App", "k", "new"], ["delete", "App", "k"]] {
      let outcome = home.run(words)
      #expect(outcome.code == .refused)
      #expect(outcome.errors.contains("has held the lock"))
      #expect(outcome.errors.filter { $0 == "\n" }.count == 1)
    }
    #expect(home.run("read") == .init(code: .done, output: "App k old\n"), "readers need no lock")
  }

  @Test(
    "an option behind the operands, or behind the verb, is told where it belongs",
    arguments: [
      (
        "write App k v -gnustep", ExitCode.usage,
        "“-gnustep” is an option only before the command: “defaults -gnustep write …”"
      ),
      ("read -macos App", .usage, "“-macos” is an option only before the command: “defaults -macos read …”"),
      (
        "export App -gnustep x", .usage,
        "“-gnustep” is an option only before the command: “defaults -gnustep export …”"
      ),
      (
        "read App k -default x", .usage,
        "“-default” is an option only before the operands: “defaults read -default …”"
      ),
      (
        "read -domain App -to xml", .usage,
        "“-to” is an option only before the operands: “defaults read -to …”"
      ),
      ("find k -part", .usage, "“-part” is an option only before the operands: “defaults find -part …”"),
      ("delete None k -f", .usage, "“-f” is an option only before the operands: “defaults delete -f …”"),
      ("delete App -n", .absent, "“-n” is an option only before the operands: “defaults delete -n …”"),
      ("undo App -force", .usage, "“-force” is an option only before the operands: “defaults undo -force …”"),
      ("apply -n f -check", .inputOutput, nil),
      // Behind “--”, and in their place, the words are what they are.
      ("read -default x -- None k -default", .usage, nil), ("delete -n App none", .absent, nil),
      ("read App none", .absent, nil), ("write App k v -frob", .usage, nil),
    ] as [(String, ExitCode, String?)])
  func misplacedOptions(line: String, code: ExitCode, hint: String?) throws {
    let home = try ToolHome()
    try home.write("{ k = v; }", to: "App.plist")
    let outcome = home.run(line.split(separator: " ").map(String.init))
    #expect(outcome.code == code, "\(outcome)")
    let lines = outcome.errors.split(separator: "\n").map(String.init)
    #expect(
      lines.dropFirst().first == hint.map { "defaults: \($0)" } && lines.count <= 2, "\(outcome.errors)")
    #expect(home.run("read").output == "App k v\n")
  }
}
