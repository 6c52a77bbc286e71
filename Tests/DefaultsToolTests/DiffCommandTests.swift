import DefaultsTool
import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

struct DiffCommandTests {
  private let home: ToolHome

  init() throws {
    home = try ToolHome()
  }

  @Test("each place that differs is a line, the deepest one, and the exit code is 6")
  func lines() throws {
    try home.write(
      "{ Count = 5 /*integer*/; Window = { x = 10; y = 1; }; Recent = (a); Old = { k = v; }; }",
      to: "App.plist")
    let file = home.root.path + "/App.plist"
    try Data("{ Count = 6 /*integer*/; Window = { x = 12; y = 1; }; Recent = (a, c.txt); Name = Ann; }".utf8)
      .write(to: URL(fileURLWithPath: file))
    let lines = """
      --- App
      +++ \(file)
      -Count '5 /*integer*/'
      +Count '6 /*integer*/'
      +Name Ann
      -Old '{k = v; }'
      +.Recent[+] c.txt
      -.Window.x 10
      +.Window.x 12

      """
    #expect(home.run("diff", "App", file) == .init(code: .differs, output: lines))
    #expect(
      home.run("diff", "App", "-", input: try String(contentsOfFile: file, encoding: .utf8)).code == .differs)
    #expect(
      home.run("diff", "-to", "json", "App", file).output == """
        [
          {"path":".Count","from":{"int":"5"},"to":{"int":"6"}},
          {"path":".Name","to":{"s":"Ann"}},
          {"path":".Old","from":{"o":{"k":{"s":"v"}}}},
          {"path":".Recent[+]","to":{"s":"c.txt"}},
          {"path":".Window.x","from":{"s":"10"},"to":{"s":"12"}}
        ]

        """)
    #expect(
      home.run("diff", "-to", "commands", "App", file).output == """
        OPENSTEP_DEFAULTS_DIR=\(home.path) defaults write App Count '6 /*integer*/'
        OPENSTEP_DEFAULTS_DIR=\(home.path) defaults write App Name Ann
        OPENSTEP_DEFAULTS_DIR=\(home.path) defaults delete App Old
        OPENSTEP_DEFAULTS_DIR=\(home.path) defaults write App Recent -array-add c.txt
        OPENSTEP_DEFAULTS_DIR=\(home.path) defaults write App .Window.x 12

        """)
    #expect(
      home.run("-macos", "diff", "-to", "commands", "App", file).output.hasPrefix(
        "OPENSTEP_DEFAULTS_DIR=\(home.path) defaults write App Count -int 6\n"))
  }

  @Test("order, comments and formats do not count, types do")
  func equality() throws {
    try home.write("{ a = 5 /*integer*/; b = (x); }", to: "A.plist")
    try home.write("// c\n{ b = (x,);\n a = 5 /*integer*/; }", to: "B.plist")
    #expect(home.run("export", "-to", "binary", "A", home.path + "/../c.plist").code == .done)
    #expect(home.run("diff", "A", "B") == .init(code: .done))
    #expect(home.run("diff", "A", home.root.path + "/c") == .init(code: .done))
    #expect(home.run("diff", "-to", "json", "A", "B") == .init(code: .done, output: "[]\n"))
    try home.write("{ a = 5; b = (x); }", to: "C.plist")
    #expect(home.run("diff", "A", "C").output == "--- A\n+++ C\n-a '5 /*integer*/'\n+a 5\n")
  }

  @Test("directories are compared domain by domain, one with the database")
  func directories() throws {
    for (domain, key) in [("A", "x"), ("B", "y"), ("a/b", "z")] {
      #expect(home.run("write", "-domain", domain, key, "1").code == .done)
    }
    let copy = home.root.path + "/copy"
    try FileManager.default.copyItem(atPath: home.path, toPath: copy)
    #expect(home.run("diff", copy) == .init(code: .done))
    #expect(home.run("write", "A", "x", "2").code == .done)
    #expect(home.run("delete", "B").code == .done)
    #expect(home.run("write", "C", "w", "3").code == .done)
    let lines = "--- \(copy)\n+++ \(home.path)\n-A x 1\n+A x 2\n-B y 1\n+C w 3\n"
    #expect(home.run("diff", copy) == .init(code: .differs, output: lines))
    #expect(home.run("diff", copy, home.path) == .init(code: .differs, output: lines))
    #expect(
      home.run("diff", "-to", "commands", copy).output == """
        OPENSTEP_DEFAULTS_DIR=\(copy) defaults write A x 2
        OPENSTEP_DEFAULTS_DIR=\(copy) defaults delete B
        OPENSTEP_DEFAULTS_DIR=\(copy) defaults write C w 3

        """)
    #expect(home.run("diff", copy, "A").code == .usage)
    #expect(home.run("diff", "-", "-").code == .usage)
  }

  @Test("what cannot be read has its own code, and nothing is on standard output")
  func unreadable() throws {
    try home.write("{ a = 1; }", to: "A.plist")
    try home.write("{ a = ", to: "Bad.plist")
    #expect(
      home.run("diff", "A", "None") == .init(code: .absent, errors: "defaults: there is no domain “None”\n"))
    let outcome = home.run("diff", "A", "Bad")
    #expect(outcome.code == .damaged && outcome.output.isEmpty)
  }

  @Test(
    "the time to compare keys and texts grows with the number of their combining marks, and not with its square"
  )
  func combiningMarks() {
    let ratio = growth(from: 10_000, to: 40_000, bound: 10) { count in
      let marks = repeatedMarks(count)
      let start = threadTime()
      for (domain, letter) in [("Old", "o"), ("New", "n")] {
        let text = "{ \"x\(marks)\" = 1; Text = \"\(letter)\(marks)\"; \"\(letter)\(marks)\" = 2; }"
        #expect(home.run("write", domain, text).code == .done)
      }
      #expect(home.run("diff", "Old", "New").code == .differs)
      #expect(home.run("diff", "-to", "commands", "Old", "New").code == .differs)
      // Also a key of JSON, of which is asked whether it is a tag.
      #expect(home.run("convert", "-to", "json", "-", input: "{\"a\(marks)\": \"x\"}").code == .done)
      return threadTime() - start
    }
    #expect(ratio < 10, "\(ratio)")
  }

  @Test("what export prints and import takes has no difference")
  func stores() throws {
    try home.write(
      "{ \".x\" = 1; d = \"2026-11-20 00:00:00 +0000\" /*date*/; r = \"0.1\" /*real*/; \"[\" = <00>; }",
      to: "T.plist")
    #expect(home.run("import", "T2", "-", input: home.run("export", "T", "-").output).code == .done)
    #expect(home.run("diff", "T", "T2") == .init(code: .done))
  }

  @Test("the commands, run by a shell, make the first into the second")
  func commands() throws {
    let texts = [
      "{}", "{ \".x\" = 1; \"[0]\" = \"-int\"; \"a b\" = \"it's\"; \"\" = e; }",
      "{ \".x\" = { \"y.z\" = (1, 2); }; \"-k\" = \"-array\"; n = \"a\\nb\"; \"k\\nl'\" = (\"\\n\", { \"\\t\" = x; }); \"-int\" = i; \"nul\\000\" = \"\\000\"; \"a b\" = (\"-bool\"); }",
      "{ \".x\" = { \"y.z\" = (1, 2, \"-dict\", <00>, (3)); q = YES /*boolean*/; }; \"-k\" = \"5 /*integer*/\"; n = \"(\"; }",
    ]
    for style in ["-openstep", "-macos"] {
      for (from, to) in texts.indices.flatMap({ from in texts.indices.map { (from, $0) } }) {
        #expect(home.run("write", "A", texts[from]).code == .done)
        #expect(home.run("write", "--", "-b/c", texts[to]).code == .done)
        let operands = ["A", "-domain", "-b/c"]
        let ways = [operands, Array(operands[1...]) + ["A"]]
        for words in ways where from != to && from != 0 && to != 0 {
          let commands = home.run([style, "diff", "-to", "commands"] + words)
          #expect(commands.code == .differs)
          try run(commands.output)
          #expect(home.run(["diff"] + words) == .init(code: .done), "\(commands.output)")
          #expect(home.run("write", "A", texts[from]).code == .done)
          #expect(home.run("write", "--", "-b/c", texts[to]).code == .done)
        }
      }
    }
  }

  private func run(_ commands: String) throws {
    let shell = Process()
    shell.executableURL = URL(fileURLWithPath: "/bin/sh")
    shell.arguments = [
      "-ec", "defaults() { '\(BuiltProduct.path(of: "defaults"))' \"$@\"; }\n" + commands,
    ]
    shell.environment = ["OPENSTEP_DEFAULTS_DIR": home.path, "HOME": home.root.path]
    try shell.run()
    shell.waitUntilExit()
    #expect(shell.terminationStatus == 0)
  }
}
