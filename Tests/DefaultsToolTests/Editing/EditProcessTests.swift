import DefaultsDatabase
import Foundation
import TestSupport
import Testing

/// `edit` as a process of its own: its terminal, and its signals.
struct EditProcessTests {
  private let fixture: EditorHome
  private var home: ToolHome { fixture.home }

  init() throws {
    fixture = try EditorHome()
    try home.write("{ a = 1; }", to: "App.plist")
  }

  @Test("the terminal shows the mistake and takes the answers", arguments: ["k", "e", "x\nk"])
  func terminal(answer: String) throws {
    let editor = try fixture.editor(
      "if [ -e $HERE/second ]; then echo '{ a = 3; }' > \"$1\"; else touch $HERE/second; echo '{ a' > \"$1\"; fi"
    )
    let (status, text) = try PseudoTerminal.run(
      ["edit", "App"], in: home,
      environment: ["TMPDIR": fixture.texts, "EDITOR": editor, "PATH": "/usr/bin:/bin"], answer: answer)
    #expect(
      text.contains("App.plist:2:1: ") && text.contains("(e)dit again, (k)eep the text and stop: "), "\(text)"
    )
    if answer == "e" {
      #expect(try status == 0 && fixture.left().isEmpty)
      #expect(try home.text(of: "App.plist") == "{ a = 3; }\n")
    } else {
      let kept = try #require(try fixture.left().first)
      #expect(status == 4 && text.contains("your text is kept as \(kept)"))
      #expect(try String(contentsOfFile: kept, encoding: .utf8) == "{ a\n")
      #expect(try home.text(of: "App.plist") == "{ a = 1; }")
    }
  }

  @Test("to an editor's programs a broken pipe does what it does usually")
  func brokenPipe() throws {
    let editor = try fixture.editor(
      "sh -c 'kill -PIPE $$; : > \"$0\"' $HERE/ignored; echo '{ a = 2; }' > \"$1\"")
    let outcome = try home.shell(
      "defaults edit App", environment: ["EDITOR": editor, "TMPDIR": fixture.texts])
    #expect(outcome.status == 0)
    #expect(try home.text(of: "App.plist") == "{ a = 2; }\n")
    #expect(!FileManager.default.fileExists(atPath: home.root.path + "/ignored"))
  }

  @Test("an editor's end is known where the tool was started with the signal of children's ends ignored")
  func ignoredEnds() throws {
    let editor = try fixture.editor("echo '{ a = 2; }' > \"$1\"")
    let outcome = try home.shell(
      "trap '' CHLD; exec defaults edit App", environment: ["EDITOR": editor, "TMPDIR": fixture.texts],
      by: "/bin/bash")
    #expect(outcome == .init(status: 0))
    #expect(try home.text(of: "App.plist") == "{ a = 2; }\n")
  }

  @Test(
    "a signal can end an editor's programs, whatever the tool's thread blocks",
    arguments: ["unlimited", "512"])
  func unblocked(stackSize: String) throws {
    let editor = try fixture.editor(
      "sh -c 'kill -TERM $$; : > \"$0\"' $HERE/blocked; echo '{ a = 2; }' > \"$1\"")
    // With a small stack the command runs on a thread of its own.
    let outcome = try home.shell(
      "ulimit -s \(stackSize); exec defaults edit App",
      environment: ["EDITOR": editor, "TMPDIR": fixture.texts])
    #expect(outcome.status == 0, "\(outcome)")
    #expect(try home.text(of: "App.plist") == "{ a = 2; }\n")
    #expect(!FileManager.default.fileExists(atPath: home.root.path + "/blocked"))
  }

  @Test("a text in a directory that was made in the place of the private one is not taken")
  func exchangedDirectory() throws {
    let editor = try fixture.editor(
      "d=$(dirname \"$1\"); rm -rf \"$d\"; mkdir -m 700 \"$d\"; echo '{ evil = 1; }' > \"$1\"")
    try home.write("{ a = 1; }", to: "App.plist")
    let outcome = try home.shell(
      "exec defaults edit App",
      environment: ["EDITOR": editor, "TMPDIR": fixture.texts, "XDG_RUNTIME_DIR": ""])
    #expect(outcome.status == 3 && outcome.errors.contains("was removed, or exchanged"), "\(outcome)")
    #expect(try home.text(of: "App.plist") == "{ a = 1; }")
  }

  // MARK: - git

  /// Edits a domain of three lines, of which the editor changes the first and another program the last, so that git
  /// merges them.
  ///
  /// - Parameter script: What the command `git` does before it is git.
  private func edit(withGit script: String) throws -> ToolHome.ShellOutcome {
    try home.write("{\n  a = 1;\n\n  b = 1; // b\n}\n", to: "App.plist")
    let editor = try fixture.editor("sed -i 's/a = 1/a = 2/' \"$1\"; sed -i 's/b = 1/b = 2/' $DIR/App.plist")
    // The shell writes it: a file that this process has just written cannot always be run.
    let line = """
      mkdir -p git; printf '%s\n' '#!/bin/sh' "$script" 'exec /usr/bin/git "$@"' > git/git; chmod 755 git/git
      PATH="$PWD/git:$PATH" defaults edit App
      """
    return try home.shell(
      line,
      environment: ["EDITOR": editor, "TMPDIR": fixture.texts, "XDG_RUNTIME_DIR": "", "script": script])
  }

  @Test(
    "while git merges, other programs can write, and what they write is merged as well",
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/git")))
  func writeWhileGitMerges() throws {
    let outcome = try edit(withGit: "[ -e $HOME/once ] || { : > $HOME/once; defaults write App c 3; }")
    #expect(
      outcome
        == .init(
          status: 0,
          errors: "defaults: App: was changed meanwhile; the other changes are in it as well\n"))
    #expect(home.run("read").output == "App a 2\nApp b 2\nApp c 3\n")
    #expect(try home.text(of: "App.plist").contains("// b"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.texts).isEmpty)
  }

  @Test(
    "a file that others change again and again is left as it is, and the text is kept",
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/git")))
  func changedAgainAndAgain() throws {
    let outcome = try edit(withGit: "echo >> $HOME/runs; defaults write App c $(wc -l < $HOME/runs)")
    #expect(outcome.status == 3 && outcome.errors.contains("App: was changed by others again and again"))
    let kept = try #require(try fixture.left().first)
    #expect(outcome.errors.hasSuffix("your text is kept as \(kept)\n"))
    #expect(home.run("read", "App", "a").output == "App a 1\n")
    #expect(home.run("read", "App", "c").output == "App c 4\n")
  }

  @Test(
    "for another user's domain, git's files are the administrator's, as git is",
    .enabled(if: Administrator.isExpected, Comment(rawValue: Administrator.absence)))
  func gitOfAdministrator() throws {
    for path in [home.root.path, home.path] { #expect(chmod(path, 0o755) == 0) }
    for path in [home.path + "/App.plist", home.path] { #expect(chown(path, 65534, 65534) == 0) }
    let script = "for last; do :; done; { id -u; stat -c %u \"${last%/*}\" \"$last\"; } > $HOME/owners"
    #expect(try edit(withGit: script).status == 0)
    #expect(try String(contentsOfFile: home.root.path + "/owners", encoding: .utf8) == "0\n0\n0\n")
    #expect(try home.text(of: "App.plist") == "{\n  a = 2;\n\n  b = 2; // b\n}\n")
  }

  @Test("a text that is left of a file is told of from every directory")
  func leftOfFile() throws {
    let editor = try fixture.editor("echo '{ a' > \"$1\"")
    let script =
      "echo '{ a = 1; }' > x.plist; defaults edit ./x.plist; cd /; EDITOR=true defaults edit \"$HOME/x.plist\""
    let outcome = try home.shell(script, environment: ["EDITOR": editor, "TMPDIR": fixture.texts])
    #expect(outcome.status == 0 && outcome.errors.contains("is left of an earlier edit"), "\(outcome)")
  }

  @Test(
    "a tool that is ended while the editor runs leaves the text; an interruption is the editor's alone",
    arguments: [Signal.terminate, .hangUp, .kill, .interrupt])
  func signals(_ signal: Signal) throws {
    // It ends by itself where the test has ended.
    let editor = try fixture.editor(
      "echo '{ a = 2; }' > \"$1\"; : > $HERE/ready; while [ -e $HERE/ready ]; do sleep 0.01; done")
    let process = try ChildProcess(
      program: BuiltProduct.path(of: "defaults"), arguments: ["edit", "App"],
      environment: [
        "OPENSTEP_DEFAULTS_DIR": home.path, "HOME": home.root.path, "TMPDIR": fixture.texts,
        "XDG_RUNTIME_DIR": "",
        "VISUAL": editor,
      ], standardError: home.root.path + "/errors")
    let ready = home.root.path + "/ready"
    while process.isRunning, !FileManager.default.fileExists(atPath: ready) {
      CurrentProcess.pause(microseconds: 1000)
    }
    process.send(signal)
    if signal == .interrupt { try FileManager.default.removeItem(atPath: ready) }
    _ = process.awaitEnding()
    if signal == .interrupt {
      #expect(process.ending == .status(0))
      #expect(try home.text(of: "App.plist") == "{ a = 2; }\n" && fixture.left().isEmpty)
    } else {
      #expect(process.ending == .signal(signal))
      #expect(try home.text(of: "App.plist") == "{ a = 1; }")
      let kept = try #require(try fixture.left().first)
      #expect(try String(contentsOfFile: kept, encoding: .utf8) == "{ a = 2; }\n")
    }
  }
}
