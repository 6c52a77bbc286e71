import Foundation
import Testing

@testable import DefaultsTool

/// What a terminal gets of other people's data.
struct TerminalTests {
  private let home: ToolHome

  /// An escape sequence, a C1 control, a direction, an isolate, a joiner, a mark without width, a tag.
  private static let harmful: [Unicode.Scalar] = [
    "\u{1B}", "\u{7}", "\u{9B}", "\u{202E}", "\u{2066}", "\u{200B}", "\u{200D}", "\u{FEFF}", "\u{AD}",
    "\u{E0041}",
    "\u{7F}", "\r", "\u{2028}",
  ]
  private static let text = "a" + harmful.map { "\($0)b" }.joined()
  /// The same in a property list, by the escapes of its text.
  private static let source =
    #"a\033b\007b\U009bb\U202eb\U2066b\U200bb\U200db\UFEFFb\U00adb\UDB40\UDC41b\177b\rb\U2028b"#

  init() throws {
    home = try ToolHome()
    try home.write("{ K = \"\(TerminalTests.source)\"; Plain = \"é 日本 👍\"; }", to: "App.plist")
    try home.write("{ \"\(TerminalTests.source)\" = v; }", to: "\(TerminalTests.text).plist")
  }

  private func run(_ words: [String], input: String = "") -> (output: String, errors: String) {
    var output: [UInt8] = []
    var errors: [UInt8] = []
    _ = DefaultsCommand.run(
      arguments: words,
      environment: ["OPENSTEP_DEFAULTS_DIR": home.path, "HOME": home.root.path, "EDITOR": "true"],
      input: { Array(input.utf8) },
      output: CommandOutput(
        standardOutput: { output += $0 }, standardError: { errors += $0 }, outputIsTerminal: true,
        errorsAreOnTerminal: true))
    return (String(decoding: output, as: UTF8.self), String(decoding: errors, as: UTF8.self))
  }

  private func isHarmless(_ text: String) -> Bool {
    !text.unicodeScalars.contains { scalar in TerminalTests.harmful.contains(scalar) }
  }

  @Test("no verb lets a harmful character through, neither as output nor in an error")
  func verbs() throws {
    let file = home.root.path + "/\(TerminalTests.text)"
    try Data("{ \"\(TerminalTests.text)\" = ".utf8).write(to: URL(fileURLWithPath: file))
    let good = home.root.path + "/good"
    try Data("{ \"\(TerminalTests.source)\" = \"\(TerminalTests.text)\"; }".utf8).write(
      to: URL(fileURLWithPath: good))
    let name = TerminalTests.text
    for words in [
      ["read"], ["read", "App"], ["read", "App", "K"], ["read", name], ["read", "App", name],
      ["readkey", name],
      ["readkey", "K"], ["find", name], ["find", name + "x"], ["domains"], ["lint", file, good],
      ["lint", file + "x"],
      ["convert", "-to", "openstep", good], ["convert", "-to", "openstep", "-ascii", good],
      ["convert", "-to", "gnustep", good], ["convert", "-to", "xml", good], ["convert", "-to", "json", good],
      ["convert", "-to", "tagged", good], ["convert", "-to", "json", file], ["export", "App", "-"],
      ["export", "-to", "xml", name, "-"], ["export", "-to", "binary", "App", "-"],
      ["export", name + "x", "-"],
      ["import", "-dry-run", file], ["import", "-dry-run", "-into", home.root.path + "/x", name, good],
      ["write", "App", name, "("], ["delete", "App", name], ["delete", name + "x"], [name], ["help", name],
      ["-\(name)", "read"], ["read", "a/\(name)"], ["read-type", "App", name], ["read-type", "App", "K"],
      ["rename", "App", name, "x"], ["rename", "-n", "App", "K", name], ["write", "-n", "App", name, name],
      ["delete", "-n", "App"], ["delete-all", "-n", "App"], ["diff", "App", good], ["explain", "App", "K"],
      ["explain", "App", name],
      ["explain", "-to", "json", "App", "K"], ["paths"], ["edit", name], ["edit", file],
      ["doctor", name],
      ["undo", "-n", "App"], ["snapshot", name], ["apply", good], ["diff", "@\(name)"],
      ["restore", name],
      ["undo", name],
      ["diff", "-to", "json", "App", good],
      ["diff", "-to", "commands", "App", good], ["read", "-to", "flat"],
      ["read", "-to", "value", "App", "K"],
      ["read", "-to", "xml", "App"], ["read", "App", ".\(name)"], ["write", "App", "[\(name)", "v"],
    ] {
      let (output, errors) = run(words)
      #expect(isHarmless(output), "\(words): \(output.debugDescription)")
      #expect(isHarmless(errors), "\(words): \(errors.debugDescription)")
      #expect(!output.isEmpty || !errors.isEmpty, "\(words)")
    }
  }

  @Test("lines that a terminal shows come back as they were stored")
  func lines() throws {
    let shown = run(["read"]).output
    #expect(shown.contains("Plain 'é 日本 👍'"))
    let other = try ToolHome()
    #expect(other.run("write", input: shown) == .init(code: .done))
    #expect(other.run("read").output == home.run("read").output)
    // So does a text property list.
    let text = run(["export", "App", "-"]).output
    #expect(other.run(["import", "-replace", "App", "-"], input: Array(text.utf8)).code == .done)
    #expect(other.run("read").output == home.run("read").output)
  }

  @Test("a command that watch shows sets the same value")
  func watchedCommands() {
    let output = CommandOutput(standardOutput: { _ in }, standardError: { _ in }, outputIsTerminal: true)
    for text in [TerminalTests.text, TerminalTests.text + "\n"] {
      let word = ShellWord.portable(text, escaping: output.escapes)
      #expect(isHarmless(word) && word.hasPrefix("\"$(printf %b 'a\\0033b"))
    }
    let word = ShellWord.text(TerminalTests.text, escaping: output.escapes)
    #expect(isHarmless(word) && word.hasPrefix("$'a\\033b"))
  }

  @Test("any shell runs the commands that a terminal shows, and they store the same values")
  func shownCommands() throws {
    try home.write("{ gone = 1; }", to: "Other.plist")
    try home.write(
      "{ K = \"\(TerminalTests.source)\"; L = (\"\(TerminalTests.source)\", { \"\(TerminalTests.source)\" = 1; }); }",
      to: "App.plist")
    let commands = run(["diff", "-to", "commands", "Other", "App"]).output
    #expect(isHarmless(commands) && !commands.contains("$"), "\(commands)")
    #expect(try home.shell("set -e\n" + commands) == .init(status: 0), "\(commands)")
    #expect(home.run("diff", "Other", "App") == .init(code: .done))
  }

  @Test("bytes that are no text are escapes too, and what lays out a text stays")
  func bytes() {
    #expect(
      TerminalText.escaped([0x61, 0xFF, 0x09, 0x0A, 0xC3, 0xA9, 0xE2, 0x80])
        == Array("a\\377\t\né\\342\\200".utf8))
  }

  @Test(
    "a person who types a note with another spelling is told of the right one, and a script is not",
    arguments: [
      (["5 /* integer */"], "5 /*integer*/"), (["5/*integer*/"], "5 /*integer*/"),
      (["YES /*bool*/"], "YES /*boolean*/"), (["-array", "x", "1.5 /* REAL */"], "1.5 /*real*/"),
    ])
  func misspeltNote(words: [String], meant: String) {
    let written = words.last ?? ""
    let line = ["write", "App", "k"] + words
    #expect(
      run(line).errors == "defaults: “\(written)” is written as a string; with its type it is '\(meant)'\n")
    #expect(home.run(line) == .init(code: .done))
    // It is a string for both.
    #expect(home.run("read", "App", "k").output.contains(written))
    for other in ["x /* integer */", "5 /* big */", "/* integer */", "5"] {
      #expect(run(["write", "App", "k", other]).errors.isEmpty, "\(other)")
    }
    #expect(run(["write", "App", "k", "-string", written]).errors.isEmpty)
  }

  @Test("a key of a dictionary is any word, and no value of which a hint could tell")
  func keysWithoutHints() throws {
    for key in ["(a", "5 /* integer */"] {
      for flag in ["-dict", "-dict-add"] {
        #expect(run(["write", "Keys", "k", flag, key, "1"]).errors.isEmpty, "\(flag) \(key)")
        #expect(home.run("read", "-to", "value", "Keys", "k").output.contains(key))
      }
    }
  }

  @Test("a file that is converted gets the characters that a terminal would not")
  func convertedFile() throws {
    let (source, target) = (home.root.path + "/source", home.root.path + "/target")
    try Data("{ k = \"a\u{202E}b\"; }".utf8).write(to: URL(fileURLWithPath: source))
    _ = run(["convert", "-to", "json", "-o", target, source])
    #expect(try String(contentsOfFile: target, encoding: .utf8).unicodeScalars.contains("\u{202E}"))
    #expect(isHarmless(run(["convert", "-to", "json", source]).output))
  }

  @Test("a pipe gets the bytes")
  func pipe() throws {
    let name = TerminalTests.text
    #expect(home.run("export", "App", "-").output.contains("\u{1B}b\u{7}"))
    #expect(home.run("export", "App", "-").output.contains("\u{202E}"))
    #expect(home.run("convert", "-to", "openstep", "-", input: "\"\u{202E}\"").output == "\"\u{202E}\"\n")
    // A line's own escapes are for what would break it; the others are bytes.
    #expect(home.run("read", "App", "K").output.contains("\u{202E}"))
    #expect(home.run("find", name + "x").errors.contains("\u{202E}"))
  }

  @Test(
    "a real terminal is recognised", arguments: [["read", "App", "K"], ["export", "App", "-"], ["domains"]])
  func pseudoTerminal(words: [String]) throws {
    let (status, text) = try PseudoTerminal.run(words, in: home)
    #expect(status == 0 && text.contains("\\U202E"), "\(text.debugDescription)")
    #expect(isHarmless(text), "\(text.debugDescription)")
  }
}
