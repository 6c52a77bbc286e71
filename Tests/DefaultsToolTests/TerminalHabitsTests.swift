import DefaultsTool
import Foundation
import Testing

/// Colours, widths and help, as a real terminal gets them.
struct TerminalHabitsTests {
  private let home: ToolHome

  init() throws {
    home = try ToolHome()
    try home.write("{ k = 1; }", to: "A.plist")
    try home.write("{ k = 2; }", to: "B.plist")
    for (name, text) in [("good", "{ k = 1; }"), ("bad", "{ k = ]; }")] {
      try Data(text.utf8).write(to: home.root.appendingPathComponent(name))
    }
  }

  private let escape = "\u{1B}["

  @Test("differences, the value that counts, a good file and the mark of an error are coloured")
  func colours() throws {
    #expect(
      try PseudoTerminal.run(["diff", "A", "B"], in: home) == (
        6,
        "\(escape)1m--- A\(escape)m\n\(escape)1m+++ B\(escape)m\n\(escape)31m-k 1\(escape)m\n"
          + "\(escape)32m+k 2\(escape)m\n"
      ))
    let explained = try PseudoTerminal.run(["explain", "A", "k"], in: home).text
    let coloured = explained.split(separator: "\n").filter { $0.contains(escape) }
    #expect(coloured.count == 1 && coloured.first?.hasPrefix("\(escape)1m>  A ") == true, "\(explained)")
    let linted = try PseudoTerminal.run(["lint", "good", "bad"], in: home)
    #expect(linted.status == 4)
    #expect(linted.text.hasPrefix("\(escape)92mgood: OK\(escape)m\ndefaults: bad:1:7: "), "\(linted.text)")
    #expect(linted.text.hasSuffix("{ k = ]; }\n\(escape)91m      ^\(escape)m\n"), "\(linted.text)")
  }

  @Test("NO_COLOR and a dumb terminal end the colours; an empty NO_COLOR does not count")
  func plain() throws {
    for environment in [
      ["TERM": "xterm", "NO_COLOR": "1"], ["TERM": "dumb"], ["TERM": ""], [:],
      ["TERM": "xterm", "NO_COLOR": "0"],
    ] {
      for words in [["diff", "A", "B"], ["explain", "A", "k"], ["lint", "good", "bad"]] {
        let text = try PseudoTerminal.run(words, in: home, environment: environment).text
        #expect(!text.contains(escape) && !text.isEmpty, "\(environment) \(words)")
      }
    }
    let text = try PseudoTerminal.run(
      ["diff", "A", "B"], in: home, environment: ["TERM": "xterm", "NO_COLOR": ""]
    ).text
    #expect(text.contains(escape))
  }

  @Test(
    "other verbs, and whatever is no terminal, have no colours",
    arguments: [
      ["read"], ["help"], ["help", "diff"], ["log", "-p"], ["write", "-n", "A", "k", "3"], ["domains"],
      ["diff", "-to", "commands", "A", "B"], ["diff", "-to", "json", "A", "B"], ["export", "A", "-"],
      ["explain", "-to", "json", "A", "k"], ["paths"], ["doctor"],
    ])
  func uncoloured(words: [String]) throws {
    // So that “log” has something to print.
    #expect(home.run("write", "L", "k", "1").code == .done)
    let text = try PseudoTerminal.run(words, in: home).text
    #expect(!text.contains(escape) && !text.isEmpty)
    let piped = try home.shell("TERM=xterm defaults diff A B; TERM=xterm defaults lint good bad")
    #expect(!piped.output.contains(escape) && !piped.errors.contains(escape))
  }

  @Test("coloured lines escape what others' data holds, too")
  func escapes() throws {
    try home.write("{ \"k\\033[2J\" = \"\\U202e\"; }", to: "C.plist")
    let text = try PseudoTerminal.run(["diff", "A", "C"], in: home).text
    #expect(text.contains("\(escape)32m+") && !text.contains("\(escape)2J") && !text.contains("\u{202E}"))
  }

  @Test("help breaks its lines where the terminal ends", arguments: [50, 72, 100] as [UInt16])
  func help(columns: UInt16) throws {
    let text = try PseudoTerminal.run(["help"], in: home, columns: columns).text
    let rows = text.split(separator: "\n").filter { $0.hasPrefix("      ") }
    #expect(!rows.isEmpty)
    // The second column is broken; a form that is wider than the first has a line of its own.
    #expect(rows.allSatisfy { $0.count <= max(Int(columns), 60) }, "\(text)")
    let words = text.split(whereSeparator: \.isWhitespace)
    #expect(words == home.run("help").output.split(whereSeparator: \.isWhitespace), "no word is lost")
  }

  @Test("who types lines is told how they end", arguments: ["write", "delete"])
  func lines(verb: String) {
    func run(isTerminal: Bool) -> String {
      var errors = ""
      let code = DefaultsCommand.run(
        arguments: [verb], environment: ["OPENSTEP_DEFAULTS_DIR": home.path, "HOME": home.root.path],
        input: { Array("A k 1\n".utf8) },
        output: CommandOutput(
          standardOutput: { _ in }, standardError: { errors += String(decoding: $0, as: UTF8.self) },
          errorsAreOnTerminal: true), ask: isTerminal ? { _ in nil } : nil)
      #expect(code == .done)
      return errors
    }
    let sentence = "defaults: reading lines from standard input; Ctrl-D ends them\n"
    #expect(run(isTerminal: true) == sentence)
    #expect(home.run("write", "A", "k", "1").code == .done)
    #expect(run(isTerminal: false) == "")
  }

  @Test("a long value is shortened in the table of explain, and stands whole in the line above it")
  func explain() throws {
    let value = String(repeating: "x", count: 500)
    #expect(home.run("write", "A", "long", value).code == .done)
    let lines = try PseudoTerminal.run(["explain", "A", "long"], in: home, columns: 200).text.split(
      separator: "\n")
    #expect(lines[0] == "A long \(value)")
    let row = try #require(lines.first { $0.contains(">  A ") })
    #expect(row.contains("x…  \(home.path)/A.plist:"), "\(row)")
    #expect(row.replacing("\(escape)1m", with: "").replacing("\(escape)m", with: "").count <= 200)
    #expect(
      lines.last == "defaults: values were cut to the terminal's width, with “…”; “-to json” has them whole")
    let piped = home.run("explain", "A", "long")
    #expect(piped.output.contains("\t\(value)\t") && piped.errors.isEmpty)
    #expect(home.run("write", "A", "short", "x…").code == .done)
    let whole = try PseudoTerminal.run(["explain", "A", "short"], in: home, columns: 200).text
    #expect(!whole.contains("cut"))
  }

  @Test(
    "-h, -help and --help among the options of a verb are its help, wherever they stand",
    arguments: ["-h", "-help", "--help"])
  func helpAnywhere(option: String) throws {
    for words in [
      ["read", option], ["read", "-to", "xml", option], ["write", "-n", option, "A", "k"],
      ["undo", "-n", option],
      ["import", "x", option], ["export", "A", option, "-"], ["convert", "-to", "xml", option, "good"],
      ["lint", "good", option], ["domains", option], ["torture", "-kills", "1", option], ["find", option],
      ["merge", "-p", option], ["apply", option], ["paths", option], ["completion", option],
    ] {
      #expect(home.run(words) == home.run("help", words[0]), "\(words)")
    }
    // Behind the first operand it is a key or a value, and behind “--” a name.
    #expect(home.run("write", "A", option, "x") == .init(code: .done))
    #expect(home.run("write", "A", "k", option) == .init(code: .done))
    #expect(home.run("read", "A").output == "A \(option) x\nA k \(option)\n")
    #expect(home.run("read", "--", option).code == .absent)
    #expect(home.run("lint", "--", option).code == .inputOutput)
    #expect(
      home.run("completion", "-words", "3", "defaults", "read", option).output.contains(option)
        == (option == "-h"))
  }
}
