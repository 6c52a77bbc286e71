import DefaultsTool
import Foundation
import TestSupport
import Testing

/// What the operands of `diff` name, and which of them commands can change.
struct DiffOperandsTests {
  private let home: ToolHome

  init() throws {
    home = try ToolHome()
    try home.write("{ q = 5; }", to: "T.plist")
    #expect(home.run("snapshot", "s1") == .init(code: .done))
    #expect(home.run("write", "T", "q", "6").code == .done)
  }

  @Test("no commands change a snapshot or standard input")
  func unchangeable() {
    for words in [["@s1/T", "T"], ["@s1"], ["@s1/T"], ["-", "T"]] {
      let outcome = home.run(["diff", "-to", "commands"] + words, input: Array("{ q = 5; }".utf8))
      #expect(outcome.code == .usage && outcome.output.isEmpty)
      #expect(
        outcome.errors.hasPrefix(
          "defaults: “-to commands” gives the commands that change the first of the two, and none changes “\(words[0])”"
        ))
      #expect(home.run(["diff"] + words, input: Array("{ q = 5; }".utf8)).code == .differs)
    }
    #expect(
      home.run("diff", "-to", "commands", "T", "@s1/T").output
        == "OPENSTEP_DEFAULTS_DIR=\(home.path) defaults write T q 5\n")
  }

  @Test("behind “--” and “-domain” a name is a domain's, whatever it begins with")
  func literal() throws {
    for name in ["@s1", "@s1/T", "-", "@"] {
      #expect(home.run("write", "-domain", name, "q", "7").code == .done)
      for words in [["-domain", name, "T"], ["--", name, "T"]] {
        #expect(
          home.run(["diff"] + words) == .init(code: .differs, output: "--- \(name)\n+++ T\n-q 7\n+q 6\n"))
      }
    }
    #expect(home.run("diff", "@", "T").code == .usage)
    #expect(home.run("diff", "-", "-").code == .usage)
  }

  @Test("keys and values with control characters are stored as they are by commands that any shell runs")
  func shells() throws {
    let value = #"""
      { "a\nb" = 1; c = "x\ny\tz"; d = ("\n", { "\n'" = "\""; }); ".e\r" = ""; w = { "\n" = 1; }; "-int" = 1;
      f = "\UFEFFa"; "\UFEFFk" = ("x\UFEFF", "\U2028", "\U0085"); }
      """#
    for style in ["-openstep", "-macos"] {
      #expect(home.run("write", "A", "{ w = { x = 1; }; }").code == .done)
      #expect(home.run("write", "B", value).code == .done)
      let commands = home.run(style, "diff", "-to", "commands", "A", "B").output
      #expect(!commands.contains("$'"), "\(commands)")
      let shell = try home.shell("set -e\n" + commands)
      #expect(shell == .init(status: 0), "\(commands)")
      #expect(home.run("diff", "A", "B") == .init(code: .done))
    }
  }

  @Test(
    "names of domains and databases with control characters are in commands that any shell runs",
    arguments: ["\u{1B}[31m-%s\\0$x`'\"!", "a\nb", "a\n\n", "\n", "\u{FEFF} é\u{9B}1"])
  func names(name: String) throws {
    let folder = home.root.path + "/" + name
    let environment = ["OPENSTEP_DEFAULTS_DIR": folder, "HOME": home.root.path]
    for (key, domain) in [("1", name), ("2", "B")] {
      #expect(home.run(["write", "-domain", domain, "k", key], environment: environment).code == .done)
    }
    let commands = home.run(
      ["diff", "-to", "commands", "-domain", name, "B"], environment: environment)
    #expect(!commands.output.contains("$'") && !commands.output.contains("\u{1B}"), "\(commands)")
    #expect(try home.shell("set -e\n" + commands.output) == .init(status: 0), "\(commands)")
    let after = home.run(["diff", "-domain", name, "B"], environment: environment)
    #expect(after == .init(code: .done))
  }

  @Test("the commands name the database as this command line does")
  func database() throws {
    let folder = home.root.path + "/it's here"
    let environment = ["OPENSTEP_DEFAULTS_DIR": folder, "HOME": home.root.path]
    for (key, domain) in [("1", "A"), ("2", "B")] {
      #expect(home.run(["write", domain, "k", key], environment: environment).code == .done)
    }
    #expect(
      home.run(["diff", "-to", "commands", "A", "B"], environment: environment).output
        == "OPENSTEP_DEFAULTS_DIR='\(home.root.path)/it'\\''s here' defaults write A k 2\n")
    // This process's user is the owner of the database below HOME.
    let plain = ["HOME": home.root.path]
    for options in [[], ["-u", NSUserName()]] {
      for (key, domain) in [("1", "A"), ("2", "B")] {
        #expect(home.run(options + ["write", domain, "k", key], environment: plain).code == .done)
      }
      let outcome = home.run(options + ["diff", "-to", "commands", "A", "B"], environment: plain)
      #expect(outcome.output == "defaults \((options + ["write A k 2\n"]).joined(separator: " "))")
    }
  }

  @Test("a domain that may have been meant is asked for, also one of a snapshot")
  func hints() throws {
    #expect(home.run("write", "Notes", "k", "1").code == .done)
    #expect(home.run("snapshot", "s2").code == .done)
    let error = "defaults: there is no domain “Nots”\ndefaults: did you mean “Notes”?\n"
    for words in [
      ["diff", "@s2/Nots"], ["diff", "T", "Nots"], ["export", "Nots", "-"],
      ["export", "Nots", home.root.path + "/f"],
      ["export", "-into", home.root.path + "/out", "Nots"], ["snapshot", "s3", "Nots"], ["doctor", "Nots"],
    ] {
      #expect(home.run(words) == .init(code: .absent, errors: error), "\(words)")
    }
  }

  @Test("with -gnustep the commands are about GNUstep's database, and about no other directory")
  func gnustepDirectory() throws {
    let shared = try GNUstepHome()
    func run(_ words: String...) -> ToolHome.Outcome {
      home.run(["-gnustep"] + words, environment: shared.environment)
    }
    #expect(run("write", "App", "k", "1").code == .done)
    let copy = home.root.path + "/copy"
    try FileManager.default.copyItem(atPath: shared.directory, toPath: copy)
    #expect(run("write", "App", "k", "2").code == .done)
    #expect(
      run("diff", "-to", "commands", shared.directory, copy)
        == .init(code: .differs, output: "defaults -gnustep write App k 1\n"))
    let refused = run("diff", "-to", "commands", copy)
    #expect(refused.code == .refused && refused.output.isEmpty)
    #expect(refused.errors.hasPrefix("defaults: \(copy): no command of this tool names it"))
    #expect(run("diff", copy).output.hasSuffix("-App k 1\n+App k 2\n"))
  }

  @Test("a domain that is empty is like one that is absent, in each format")
  func emptyDomain() throws {
    let (with, without) = (home.root.path + "/with", home.root.path + "/without")
    for folder in [with, without] {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    }
    try Data("{}".utf8).write(to: URL(fileURLWithPath: with + "/Empty.plist"))
    for format in ["lines", "commands", "json"] {
      let output = format == "json" ? "[]\n" : ""
      for (left, right) in [(with, without), (without, with)] {
        #expect(
          home.run("diff", "-to", format, left, right) == .init(code: .done, output: output), "\(format)")
      }
    }
  }

  @Test("a damaged domain of a whole database is reported and left out, and the others are compared")
  func damagedDomain() throws {
    try home.write("{ k = 1; }", to: "A.plist")
    try home.write("{ k = 1; }", to: "Bad.plist")
    try home.write("{ k = 1; }", to: "Good.plist")
    #expect(home.run("snapshot", "s").code == .done)
    #expect(home.run("write", "Good", "k", "2").code == .done)
    try home.write("{ k = ", to: "Bad.plist")
    let lines = "--- @s\n+++ \(home.path)\n-Good k 1\n+Good k 2\n"
    let outcome = home.run("diff", "@s")
    #expect(outcome.code == .damaged && outcome.output == lines)
    #expect(outcome.errors.hasPrefix("defaults: \(home.path)/Bad.plist:1:7: "), "\(outcome.errors)")
    #expect(outcome.errors.filter { $0 == "\n" }.count == 1)

    let snapshot = "\(home.path)/.history/snapshots/s"
    for name in ["Bad", "A"] {
      try Data("{ k = ".utf8).write(to: URL(fileURLWithPath: "\(snapshot)/\(name).plist"))
    }
    let both = home.run("diff", "@s")
    #expect(both.code == .damaged && both.output == lines)
    #expect(both.errors.filter { $0 == "\n" }.count == 3, "\(both.errors)")
    #expect(home.run("diff", snapshot, home.path).output.hasSuffix("-Good k 1\n+Good k 2\n"))
    #expect(
      home.run("diff", "-to", "commands", snapshot).output
        == "OPENSTEP_DEFAULTS_DIR=\(snapshot) defaults write Good k 2\n")
    #expect(home.run("write", "Good", "k", "1").code == .done)
    let equal = home.run("diff", "@s")
    #expect(equal.code == .damaged && equal.output.isEmpty)
  }

  @Test("a domain in whose place something else lies is told of, and not shown as new or gone")
  func misplaced() throws {
    #expect(home.run("write", "App", "a", "1").code == .done)
    #expect(home.run("write", "Other", "a", "1").code == .done)
    #expect(home.run("snapshot", "s").code == .done)
    try FileManager.default.removeItem(atPath: home.path + "/App.plist")
    try FileManager.default.createDirectory(
      atPath: home.path + "/App.plist", withIntermediateDirectories: false)
    let outcome = home.run("diff", "@s")
    #expect(outcome.code == .inputOutput && outcome.output.isEmpty, "\(outcome)")
    #expect(outcome.errors.contains("App.plist: is a directory"), "\(outcome)")
    #expect(home.run("read").code == .done)
    #expect(home.run("snapshot", "other", "Other").code == .done)
    #expect(home.run("diff", "@other").code == .done, "what a snapshot of some domains lacks is not compared")
  }
}
