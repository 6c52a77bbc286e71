import Foundation
import TestSupport
import Testing

@testable import DefaultsTool

/// The examples that `help` shows, each run in an empty database.
struct HelpExamplesTests {
  private let home: ToolHome

  init() throws {
    home = try ToolHome()
  }

  private static var forms: [(verb: String, arguments: String, example: String)] {
    DefaultsCommand.table.flatMap { command in
      command.forms.map { (command.name, $0.arguments, $0.example) }
    }
  }

  /// The database that each example begins with: none, so that the first command makes its directory.
  private var emptyDatabase: [String: String] {
    ["OPENSTEP_DEFAULTS_DIR": "", "HOME": home.root.appendingPathComponent("empty").path]
  }

  /// Whether a text is the expected one, in which `…` stands for anything within a line.
  private func isMatch(_ text: String, _ expected: String) -> Bool {
    let (lines, patterns) = (text.split(separator: "\n"), expected.split(separator: "\n"))
    return lines.count == patterns.count
      && zip(lines, patterns).allSatisfy { line, pattern in
        var rest = line[...]
        let parts = pattern.split(separator: "…", omittingEmptySubsequences: false)
        guard rest.hasPrefix(parts[0]) else { return false }
        rest = rest.dropFirst(parts[0].count)
        for part in parts.dropFirst() where !part.isEmpty {
          guard let found = rest.range(of: part) else { return false }
          rest = rest[found.upperBound...]
        }
        return parts.last == "" || rest.isEmpty
      }
  }

  @Test("every form of every verb has an example, which its help and the manual page show")
  func all() throws {
    let manual = home.run("help", "-man").output
    for form in HelpExamplesTests.forms {
      try #require(!form.example.isEmpty, "\(form.verb) \(form.arguments)")
      #expect(form.example.hasPrefix("$ ") && form.example.contains("defaults \(form.verb)"), "\(form)")
      let help = home.run("help", form.verb).output
      for line in form.example.split(separator: "\n") {
        #expect(help.contains("\n  \(line)\n"), "\(line)")
        #expect(line.count <= 90, "\(line)")
      }
      // The first words have no character that roff would need to be told of.
      let start = form.example.prefix { $0.isLetter || $0 == "$" || $0 == " " }
      #expect(manual.contains("\n\(start)"), "\(start)")
    }
  }

  @Test(
    "each topic shows its examples, and they print what stands there", arguments: HelpTopic.all.map(\.name))
  func topics(name: String) throws {
    let topic = try #require(HelpTopic(named: name))
    let help = home.run("help", name).output
    for line in topic.example.split(separator: "\n") { #expect(help.contains("\n  \(line)\n"), "\(line)") }
    try examples(verb: name, arguments: "", example: topic.example)
  }

  @Test("each example prints what stands there", arguments: forms.filter { $0.verb != "watch" })
  func examples(verb: String, arguments: String, example: String) throws {
    var script = ""
    var expected = ""
    for line in example.split(separator: "\n") {
      if line.hasPrefix("$ ") { script += line.dropFirst(2) + "\n" } else { expected += line + "\n" }
    }
    let outcome = try home.shell(script, environment: emptyDatabase)
    #expect(
      isMatch(outcome.output, expected) && outcome.errors.isEmpty,
      "\(example)\n\(outcome.output)\(outcome.errors)")
  }

  @Test(
    "each example of watch prints what stands there, once that is written",
    arguments: forms.filter { $0.verb == "watch" })
  func watch(verb: String, arguments: String, example: String) throws {
    let lines = example.split(separator: "\n")
    try #require(lines.count == 2 && lines[0].hasPrefix("$ ") && lines[1].hasPrefix("defaults write "))
    // Another value goes before, again and again, until the watcher is there and sees the one that is meant.
    let other = lines[1].split(separator: " ").dropLast().joined(separator: " ") + " other"
    let script = """
      : > seen
      \(lines[0].dropFirst(2)) >> seen & watcher=$!
      tries=0
      until grep -qxF "$line" seen || [ $((tries += 1)) -gt 600 ]; do \(other); \(lines[1]); sleep 0.1; done
      kill -KILL $watcher; grep -xF "$line" seen | head -n 1
      """
    let outcome = try home.shell(
      script, environment: emptyDatabase.merging(["line": String(lines[1])]) { $1 })
    #expect(outcome.output == "\(lines[1])\n", "\(outcome)")
  }
}
