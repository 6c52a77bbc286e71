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
    while process.isRunning { CurrentProcess.pause(microseconds: 1000) }
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
