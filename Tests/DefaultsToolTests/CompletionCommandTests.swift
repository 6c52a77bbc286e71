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

  @Test("of paths that are too many bytes the steps above them are completed")
  func longPaths() throws {
    // Each path of a leaf has 2,000 bytes, and together they have 40 MB.
    let key = String(repeating: "k", count: 100)
    let leaves = (0..<20_000).map { "a\($0) = 1; " }.joined()
    let text =
      String(repeating: "{ \(key) = ", count: 20) + "{ \(leaves)}"
      + String(repeating: "; other = (x); }", count: 20)
    try home.write(text, to: "Deep.plist")
    let step = ".\(key)"
    func path(_ count: Int) -> String { String(repeating: step, count: count) }
    // The last step that has room is the twentieth.
    let others = [path(19) + ".other"] + (0..<19).reversed().map { path($0) + ".other[0]" }
    #expect(complete("read", "Deep", ".") == [path(20)] + others)
    #expect(complete("read", "Deep", path(3) + ".k") == [path(20)] + others.dropLast(4))
    #expect(
      complete("read", "Deep", path(20) + ".a1999")
        == ["", "0", "1", "2", "3", "4", "5", "6", "7", "8", "9"].map {
          path(20) + ".a1999" + $0
        })
    #expect(complete("read", "Deep", path(2) + ".o") == [path(2) + ".other[0]"])
    #expect(complete("read", "Deep", path(2) + ".other[1").isEmpty)
    // Where not even the next step has room, a part of the paths is better than none.
    let many = complete("read", "Deep", path(20) + ".a")
    #expect(many.count > 1000 && many.count < 20_000 && many.allSatisfy { $0.hasPrefix(path(20) + ".a") })
  }

  @Test("the paths in an empty domain, and one with a key that is longer than an argument")
  func unusualPaths() throws {
    try home.write("{ }", to: "Empty.plist")
    #expect(complete("read", "Empty", ".") == ["."])
    try home.write("{ a = 1; \(String(repeating: "b", count: 70_000)) = 2; }", to: "Long.plist")
    #expect(complete("read", "Long", "") == ["a"])
  }

  @Test("a pipe and the standard input are neither waited for nor read", .timeLimit(.minutes(20)))
  func pipes() throws {
    // The shell itself keeps the pipes open for writing, and would let a reader wait for ever.
    let script = """
      mkfifo pipe; exec 3<>pipe; echo '{ a = 1; }' >&3
      for file in ./pipe - /dev/stdin; do defaults completion -words 4 defaults read $file '' <pipe; echo $?; done
      head -n 1 <&3
      """
    #expect(try home.shell(script, by: "/bin/bash").output == "0\n0\n0\n{ a = 1; }\n")
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
    #expect(complete("help", "pa") == ["paths"] && complete("help", "gn") == ["gnustep"])
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

  @Test("behind an option stands what it takes; behind one with a path the shell offers its files")
  func optionWords() {
    #expect(
      complete("import", "-from", "") == [
        "auto", "gnustep", "gnustep-single", "openstep", "windowmaker", "macos", "json", "tagged",
      ])
    #expect(complete("convert", "-to", "xml", "-from", "") == ["json", "tagged", "windowmaker"])
    #expect(complete("import", "-encoding", "l") == ["latin1"])
    #expect(complete("read", "-domain", "Ap") == ["Ape", "App"])
    #expect(complete("convert", "-o", "") == [] && complete("export", "-into", "") == [])
    #expect(complete("lint", "") == [] && complete("read", "./") == [])
    #expect(complete("import", "App", "") == [])
    // Behind that word stands what the verb takes.
    #expect(complete("import", "-from", "gnustep", "-encoding", "latin1", "Ap").starts(with: ["Ape", "App"]))
    #expect(complete("export", "-into", "d", "Ap") == ["Ape", "App"])
    #expect(
      complete("read", "-default", "") == [] && complete("read", "-default", "x", "Ap") == ["Ape", "App"])
    #expect(home.run("snapshot", "before").code == .done)
    #expect(complete("snapshot", "-delete", "") == ["before"])
  }

  @Test("domains stand on both sides of diff, in whatever form it begins")
  func diff() {
    for first in ["App", "-g", "./f.plist", "-", "@before"] {
      #expect(complete("diff", first, "Ap") == ["Ape", "App"], "\(first)")
      #expect(complete("diff", "-to", "commands", first, "Ap") == ["Ape", "App"], "\(first)")
    }
    #expect(complete("diff", "App", "Ape", "") == [])
  }

  @Test("the numbers of undo are those of commands that can be taken back, and then come their domains")
  func numbers() {
    for domain in ["One", "Two", "Three"] { #expect(home.run("write", domain, "k", "1").code == .done) }
    #expect(home.run("undo", "2").code == .done)
    #expect(complete("undo", "").prefix(3) == ["4", "3", "1"])
    #expect(complete("undo", "T") == ["Three"])
    #expect(complete("undo", "3", "") == ["Three"])
    #expect(complete("undo", "2", "") == [] && complete("undo", "3", "Three", "") == [])
  }

  @Test("behind a snapshot's name stand its domains, and not those that there are now")
  func snapshots() {
    #expect(home.run("snapshot", "before", "App", "Ape").code == .done)
    #expect(home.run("write", "Apfel", "k", "v").code == .done)
    #expect(home.run("delete", "Ape").code == .done)
    #expect(complete("restore", "before", "Ap") == ["Ape", "App"])
    #expect(complete("restore", "-n", "before", "Ape", "App") == ["App"])
    #expect(complete("restore", "none", "") == [])
    #expect(complete("diff", "@before/") == ["@before/Ape", "@before/App"])
    #expect(complete("diff", "App", "@before/Ape") == ["@before/Ape"])
    #expect(complete("diff", "@none/") == [])
    #expect(complete("log", "").prefix(2) == ["2", "1"] && complete("log", "2", "") == ["Ape"])
  }

  @Test("import takes a domain or a file, and both are offered")
  func imported() throws {
    try Data("{ a = b; }".utf8).write(to: home.root.appendingPathComponent("Apfel.plist"))
    let outcome = try home.shell("defaults completion -words 3 defaults import Ap")
    #expect(outcome.output == "Ape\nApp\nApfel.plist\n")
  }

  @Test("what a verb does not take is not offered")
  func limits() throws {
    #expect(
      complete("convert", "-to", "") == [
        "openstep", "gnustep", "windowmaker", "xml", "binary", "json", "tagged", "flat",
      ])
    #expect(complete("-u", "") == [])
    #expect(complete("-u", "ann", "re").contains("read"))
    #expect(complete("read", "-to", "xml", "-") == ["-default", "-h", "-to"])
    #expect(complete("export", "-to", "xml", "App", "-r") == ["-replace"])
    for verb in ["edit", "export"] { #expect(complete(verb, "App", "") == [], "\(verb)") }
    #expect(complete("doctor", "App", "Ap") == ["Ape", "App"])
    #expect(complete("undo", "App", "") == [])
    #expect(complete("diff", "App", "Ap") == ["Ape", "App"])
    for verb in ["read", "read-type", "write", "delete", "delete-all", "rename", "watch", "explain"] {
      #expect(complete(verb, "App", "Wi") == ["Window"], "\(verb)")
    }
  }

  @Test(
    "bash replaces the word by what names the key, whatever is in it",
    arguments: [
      (["read", "App", "Co"], "read App Co", ["Count"]),
      (["read", "Odd", ""], "read Odd ", [#"\*"#, #".\"a\\U000ab\""#, "com.apple:x", #"it\'s\ a"#]),
      (["read", "Odd", "com.apple", ":"], "read Odd com.apple:", ["x"]),
      (["read", "Odd", "com.apple", ":", ""], "read Odd com.apple:", ["x"]),
      (["read", "Odd", "'it"], "read Odd 'it", [#"it'\''s a"#]),
      (["read", "Odd", "\"it"], "read Odd \"it", ["it's a"]),
      (["read", "App", "'.Wi"], "read App '.Wi", [".Window.frames[0]", ".Window.x"]),
      (["read", "App", ".Window.f"], "read App .Window.f", [#".Window.frames\[0\]"#]),
      (["read", #"it\'s"#, ""], #"read it\'s "#, ["k"]),
      (["diff", "@", "before/A"], "diff @before/A", ["@before/App"]),
    ])
  func bash(words: [String], line: String, replies: [String]) throws {
    try home.write(#"{ "*" = 1; "a\nb" = 1; "com.apple:x" = 1; "it's a" = 1; }"#, to: "Odd.plist")
    try home.write("{ k = 1; }", to: "it's.plist")
    #expect(home.run("snapshot", "before", "App").code == .done)
    let list = (["defaults"] + words).map { "'\($0.replacingOccurrences(of: "'", with: "'\\''"))'" }
    // A file that an unquoted star would find.
    let script = """
      touch file; source <(defaults completion bash)
      COMP_WORDS=(\(list.joined(separator: " "))); COMP_CWORD=\(words.count); COMP_LINE=$1
      COMP_WORDBREAKS=$' \\t\\n"\\'><=;|&(:'
      _defaults; printf '%s\\n' "${COMPREPLY[@]}"
      """
    let outcome = try home.shell(
      script.replacingOccurrences(
        of: "$1", with: "'" + "defaults \(line)".replacingOccurrences(of: "'", with: "'\\''") + "'"),
      by: "/bin/bash")
    #expect(outcome == .init(status: 0, output: replies.map { $0 + "\n" }.joined()))
  }

  private static let zshPath = "/usr/bin/zsh"

  @Test(
    "zsh replaces the word by what names the key, whatever is in it",
    .enabled(
      if: BuildServer.isRunning || FileManager.default.fileExists(atPath: zshPath), "there is no zsh"),
    arguments: [
      ("read App Co", "read App Count "),
      ("read App .Window.f", #"read App .Window.frames\[0\] "#),
      ("read App '.Window.x", "read App '.Window.x' "),
      ("read Odd com", "read Odd com.apple:x "),
      ("read Odd it", #"read Odd it\'s\ a "#),
      ("read Odd 'it", #"read Odd 'it'\''s a' "#),
      ("read Odd \"it", "read Odd \"it's a\" "),
      (#"read Odd \*"#, #"read Odd \* "#),
      (#"read it\'s "#, #"read it\'s k "#),
      ("read None ", "read None "),
    ])
  func zsh(line: String, completed: String) throws {
    try home.write(#"{ "*" = 1; "com.apple:x" = 1; "it's a" = 1; }"#, to: "Odd.plist")
    try home.write("{ k = 1; }", to: "it's.plist")
    // An interactive shell on a terminal of its own; a key completes the line and prints it in place of running it.
    let script = #"""
      zmodload zsh/zpty
      zpty shell zsh -f -i
      zpty -w shell "PROMPT= RPROMPT=; unsetopt zle_bracketed_paste; autoload -Uz compinit; compinit -u -D
        source <(defaults completion zsh); bindkey '^T' show; zle -N show
        show() { zle complete-word; BUFFER=\"print -r -- 'RES''ULT' \${(qq)BUFFER}\"; zle accept-line }
        print REA''DY"
      zpty -r shell output '*READY*'
      zpty -w -n shell "$LINE"$'\x14'
      zpty -r shell output '*RESULT*'$'\n'
      print -r -- "${${output##*RESULT }%%$'\r'*}"
      """#
    try home.write(script, to: "../script")
    let outcome = try home.shell(
      "timeout 600 \(Self.zshPath) -f script", environment: ["LINE": "defaults \(line)"])
    #expect(outcome == .init(status: 0, output: "defaults \(completed)\n"))
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
    let requests: Set = [".TH", ".SH", ".PP", ".TP", ".B", ".RS", ".RE", ".nf", ".fi"]
    for line in page.output.split(separator: "\n") where line.hasPrefix(".") || line.hasPrefix("'") {
      #expect(requests.contains(String(line.prefix { $0 != " " })), "\(line)")
    }
    #expect(!page.output.contains("“"))
  }
}
