import DefaultsTool
import Foundation
import TestSupport
import Testing

struct CompletionCommandTests {
  private let home: ToolHome

  init() throws {
    home = try ToolHome()
    try home.write("{ Count = 1; Window = { x = 1; frames = (a); }; \".k\" = 1; }", to: "App.plist")
    try home.write("{ a = 1; }", to: "Ape.plist")
    try home.write("{ a = ", to: "Bad.plist")
  }

  private func complete(_ words: String...) -> [String] {
    let outcome = home.run(["completion", "-words", "\(words.count + 1)", "defaults"] + words)
    #expect(outcome.code == .done && outcome.errors.isEmpty)
    return outcome.output.split(separator: "\n").map(String.init)
  }

  @Test("verbs, options, domains, keys, paths, formats, flags and snapshots are completed")
  func words() {
    #expect(complete("re") == ["read", "read-type", "readkey", "rename", "restore"])
    #expect(complete("-ma") == ["-macos"])
    #expect(complete("read", "Ap") == ["Ape", "App"])
    #expect(complete("-gnustep", "-u") == ["-u"])
    #expect(complete("read", "-t") == ["-to"])
    #expect(
      complete("read", "-to", "") == [
        "lines", "value", "flat", "openstep", "gnustep", "xml", "json", "tagged",
      ])
    #expect(complete("read", "-to", "json", "App", "") == [".\".k\"", "Count", "Window"])
    #expect(complete("read", "App", ".W") == [".Window.frames[0]", ".Window.x"])
    #expect(complete("write", "App", "Count", "-in") == ["-int", "-integer"])
    #expect(complete("help", "pa") == ["paths"])
    #expect(complete("ed") == ["edit"] && complete("edit", "Ap") == ["Ape", "App"])
    #expect(complete("doctor", "-") == ["-h", "-repair"])
    #expect(complete("completion", "b") == ["bash"])
    #expect(home.run("snapshot", "before", "App").code == .done)
    #expect(complete("restore", "") == ["before"])
    #expect(complete("diff", "@") == ["@before"])
    #expect(complete("-g", "read", "") == [])
    #expect(complete("read", "None", "") == [])
    #expect(complete("read", "Bad", "") == [])
    #expect(complete("frob", "") == [])
    #expect(home.run("completion", "-words", "2", "defaults").output.contains("write\n"))
  }

  @Test("a script for each shell is printed, and bash takes its own")
  func scripts() throws {
    for shell in ["bash", "zsh", "fish"] {
      let script = home.run("completion", shell)
      #expect(script.code == .done && script.output.contains("completion -words"))
    }
    #expect(home.run("completion", "csh").code == .usage)
    #expect(home.run("completion").code == .usage)
    #expect(home.run("completion", "-words", "1", "defaults").code == .usage)
    let bash = Process()
    bash.executableURL = URL(fileURLWithPath: "/bin/bash")
    bash.arguments = [
      "-c",
      "defaults() { '\(BuiltProduct.path(of: "defaults"))' \"$@\"; }\n\(home.run("completion", "bash").output)\n"
        + "COMP_WORDS=(defaults read App Co); COMP_CWORD=3; _defaults; [ \"${COMPREPLY[*]}\" = Count ]",
    ]
    bash.environment = ["OPENSTEP_DEFAULTS_DIR": home.path, "HOME": home.root.path, "PATH": "/usr/bin:/bin"]
    try bash.run()
    bash.waitUntilExit()
    #expect(bash.terminationStatus == 0)
  }

  @Test("help -man prints a manual page with every verb and exit code, in which no line is a stray request")
  func manual() {
    let page = home.run("help", "-man")
    #expect(page.code == .done)
    #expect(page.output.hasPrefix(".TH DEFAULTS 1 "))
    for verb in [
      "read", "write", "delete\\-all", "diff", "undo", "apply", "merge", "doctor", "edit", "completion",
    ] {
      #expect(page.output.contains("\n.B defaults \(verb)"), "\(verb)")
    }
    let requests: Set = [".TH", ".SH", ".TP", ".B", ".RS", ".RE", ".nf", ".fi", ".PP"]
    for line in page.output.split(separator: "\n") where line.hasPrefix(".") || line.hasPrefix("'") {
      #expect(requests.contains(String(line.prefix { $0 != " " })), "\(line)")
    }
    #expect(!page.output.contains("“"))
  }
}
