import DefaultsTool
import Foundation
import TestSupport
import Testing

/// Texts by their paths whose contents look like Window Maker's before a change or after it: whether they do decides what
/// octal escapes mean, and must change no value that the change does not name.
struct RecognisedTextTests {
  private let home: ToolHome
  private var path: String { home.root.path + "/f.plist" }

  init() throws {
    home = try ToolHome()
  }

  private func write(_ text: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
  }

  private func text() throws -> String {
    String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
  }

  /// The file's values as lines.
  private func lines() -> [String] {
    home.run("read", "-to", "flat", path).output.split(separator: "\n").map(String.init)
  }

  /// Runs a command about the file; `FILE` stands for its path.
  private func run(_ command: String...) -> ToolHome.Outcome {
    home.run(command.map { $0 == "FILE" ? path : $0 })
  }

  // MARK: - Types

  // An untouched number or truth value became a string, without a word.
  @Test(
    "a file with notes of types keeps all of them, whatever keys and forms it has",
    arguments: [
      ("(\"2026\", (Jan, 5 /*integer*/))", ["write", "FILE", "[1][0]", "x"], ["[1][1] '5 /*integer*/'"]),
      ("(\"2026\", (Jan, 5 /*integer*/))", ["write", "FILE", "[+]", "(a, b)"], ["[1][1] '5 /*integer*/'"]),
      ("(\"2026\", (5 /*integer*/, Jan), (Feb, 7))", ["delete", "FILE", "[0]"], ["[0][0] '5 /*integer*/'"]),
      (
        "{ Editor = { AlwaysUserIcon = YES /*boolean*/; Icon = a; }; }",
        ["rename", "FILE", ".Editor.Icon", "NoBorder"],
        [".Editor.AlwaysUserIcon 'YES /*boolean*/'", ".Editor.NoBorder a"]
      ),
      (
        "{\n    Editor = {\n        AlwaysUserIcon = YES /*boolean*/;\n        Icon = a;\n    };\n}\n",
        ["rename", "FILE", ".Editor.Icon", "NoBorder"],
        [".Editor.AlwaysUserIcon 'YES /*boolean*/'", ".Editor.NoBorder a"]
      ),
      (
        "(\n    T,\n    (\n        a,\n        {\n            j = 1.5 /*real*/;\n            k = 5;\n        }\n    )\n)\n",
        ["rename", "FILE", "[1][1].k", "z"], ["[1][1].j '1.5 /*real*/'", "[1][1].z 5"]
      ),
      (
        "{ DefaultFontSize = 12 /*integer*/; Other = x; SystemFont = a; }", ["delete", "FILE", "Other"],
        [".DefaultFontSize '12 /*integer*/'"]
      ),
      (
        "{ FocusMode = a; IconPosition = b; MenuStyle = c; /* mine */ }",
        ["write", "FILE", "FocusMode", "-int", "5"], [".FocusMode '5 /*integer*/'"]
      ),
    ])
  func notes(text: String, command: [String], expected: [String]) throws {
    try write(text)
    #expect(home.run(command.map { $0 == "FILE" ? path : $0 }) == .init(code: .done))
    for line in expected { #expect(lines().contains(line), "\(lines())") }
  }

  @Test(
    "what a rehearsal shows of a list that looks like a menu is what is written",
    arguments: [
      ["[+]", "(5 /*integer*/, YES /*boolean*/)"], ["[1][0]", "-int", "3"], ["[1][1]", "-int", "3"],
      ["[+]", "(a, 5 /*integer*/)"], ["[1]", "-bool", "YES"],
    ])
  func rehearsal(words: [String]) throws {
    try write("(\"2026\", (Jan, \"x\"))\n")
    let shown = home.run(["write", "-n", path] + words)
    let before = lines()
    let outcome = home.run(["write", path] + words)
    #expect(outcome.code == .done && shown.code == .done)
    let isTold = outcome.errors.contains("without its type: Window Maker reads no comments")
    #expect(shown.errors.isEmpty == outcome.errors.isEmpty && outcome.errors.isEmpty == !isTold)
    // A type is shown, kept and not told of, or none of the three.
    let keepsTypes = try text().contains("/*")
    #expect(keepsTypes == !isTold && shown.output.contains("/*") == keepsTypes, "\(shown)")
    #expect(before != lines())
  }

  @Test("rename tells of the types that a file under Window Maker's name loses")
  func renamedTypes() throws {
    // This text is written anew, since it is in the order of its keys.
    try Data("{\n    Dock = {\n        a = 5 /*integer*/;\n        b = x;\n    };\n}\n".utf8).write(
      to: URL(fileURLWithPath: home.root.path + "/WMState"))
    let remark = "defaults: “Dock” is written without its type: Window Maker reads no comments\n"
    let outcome = home.run("rename", home.root.path + "/WMState", ".Dock.b", "c")
    #expect(outcome == .init(code: .done, errors: remark))
    #expect(home.run("read", "-to", "flat", home.root.path + "/WMState").output == ".Dock.a 5\n.Dock.c x\n")
  }

  // MARK: - Characters

  /// Texts in which one value has octal escapes, a change that another value sees, and what is read afterwards.
  private static let changes: [(text: String, command: [String], expected: String)] = [
    (
      "{ Editor = { Icon = \"Men\\303\\274\"; }; }", ["write", "FILE", ".Editor.Size", "5"],
      ".Editor.Icon Menü"
    ),
    ("{ Editor = { Icon = \"Men\\303\\274\"; }; }", ["rename", "FILE", "Editor", "Ü"], ".Icon Menü"),
    (
      "{ Editor = { Icon = \"Men\\303\\274\"; }; }", ["write", "FILE", ".Editor.Size", "-int", "5"],
      ".Editor.Icon Menü"
    ),
    (
      "{ DefaultFontSize = 12; SystemFont = \"a\\303\\251\\\\303b\"; }", ["write", "FILE", "Other", "5"],
      "aé\\303b"
    ),
    (
      "{ DefaultFontSize = 12; SystemFont = \"\\101\\303\\251\\102\"; }",
      ["rename", "FILE", "DefaultFontSize", "Size"], ".SystemFont AéB"
    ),
    (
      "{ DefaultFontSize = 12; Other = 5; SystemFont = \"\\303\\251\"; }", ["delete", "FILE", "Other"],
      ".SystemFont ˆ’"
    ),
    ("(\"Rechnungen\", (Jan, \"M\\303\\244rz\"))", ["write", "FILE", "[+]", "Ende"], "[1][1] März"),
    ("(\"M\\303\\244rz\", (Jan, x), y)", ["delete", "FILE", "[2]"], "[0] Mˆ⁄rz"),
    ("({ x = 1; }, \"2026\", (b, \"\\303\\244\"))", ["delete", "FILE", "[0]"], "[1][1] ˆ⁄"),
  ]

  // “Menü” became “Menˆ…” when another key was written.
  @Test(
    "octal escapes of untouched values stand for the same characters after every change",
    arguments: changes.indices)
  func escapes(index: Int) throws {
    let (text, command, expected) = RecognisedTextTests.changes[index]
    try write(text)
    let words = command.map { $0 == "FILE" ? path : $0 }
    let shown = home.run([words[0], "-n"] + words.dropFirst())
    #expect(home.run(words) == .init(code: .done))
    #expect(lines().contains { $0.hasSuffix(expected) }, "\(lines())")
    #expect(shown.code == .done && (expected.contains("ˆ") || !shown.output.contains("ˆ")))
  }

  @Test("where a text looks like Window Maker's before a change and after it, its escapes keep their bytes")
  func kept() throws {
    let text = "{\n  DefaultFontSize = 12;\n  SystemFont = \"caf\\303\\251\";\n}\n"
    try write(text)
    #expect(run("write", "FILE", "DefaultFontSize", "13") == .init(code: .done))
    #expect(try self.text() == text.replacingOccurrences(of: "12", with: "13"))
    #expect(run("write", "FILE", "MultiByteText", "ä") == .init(code: .done))
    #expect(try self.text().contains("MultiByteText = \"\\303\\244\";"))
    // Nothing but the escapes changes with what the text looks like.
    try write("{\n  DefaultFontSize = 12;  SystemFont = \"\\U00e4\\tcaf\\303\\251\";\n}\n")
    #expect(run("write", "FILE", "Other", "5") == .init(code: .done))
    #expect(
      try self.text()
        == "{\n  DefaultFontSize = 12;  Other = 5;  SystemFont = \"\\U00e4\\tcafé\";\n}\n")
  }

  @Test("escapes that are no UTF-8 are NeXT's characters, whatever keys a file has")
  func nextStep() throws {
    try write("{ Editor = { Icon = \"Men\\366.png\"; }; }")
    #expect(lines() == [".Editor.Icon Menü.png"])
    #expect(run("write", "FILE", ".Editor.NoBorder", "YES") == .init(code: .done))
    #expect(lines() == [".Editor.Icon Menü.png", ".Editor.NoBorder YES"])
    #expect(try text().contains("Men\\366.png"))
  }

  @Test("a settings file of apply is OPENSTEP's text, whatever its domains are named")
  func settings() {
    for name in ["Icon", "Icom"] {
      let outcome = home.run(
        ["apply", "-"], input: Array("{ Set = { \(name) = { t = \"\\331\"; u = \"\\303\\251\"; }; }; }".utf8))
      #expect(outcome == .init(code: .done, output: "set \(name) t ä\nset \(name) u ˆ’\n"))
    }
  }

  // MARK: - Merges

  @Test(
    "a merge of texts that look like Window Maker's keeps types and characters of both sides",
    arguments: [
      (
        "(\"T\", (\"a\", b))", "(\"T2\", (\"a\", b))", "(\"T\", (\"a\", b), (5 /*integer*/))",
        "(\"T2\", (\"a\", b), (5 /*integer*/))"
      ),
      (
        "{ DefaultFontSize = 12; SystemFont = a; }", "{ DefaultFontSize = 13; SystemFont = a; }",
        "{ DefaultFontSize = 12; N = 5 /*integer*/; SystemFont = a; }",
        "{ DefaultFontSize = 13; N = 5 /*integer*/; SystemFont = a; }"
      ),
      (
        "{ DefaultFontSize = 12; SystemFont = a; }",
        "{ DefaultFontSize = 12; MultiByteText = b; SystemFont = a; }",
        "{ DefaultFontSize = 12 /*integer*/; SystemFont = \"é\"; }",
        "{ DefaultFontSize = 12 /*integer*/; MultiByteText = b; SystemFont = \"é\"; }"
      ),
      (
        "{ E = { Icon = x; }; }", "{ E = { Icon = \"Men\\303\\274\"; }; }",
        "{ E = { Icon = x; Size = 5; }; }",
        "{ E = { Icon = \"Menü\"; Size = 5; }; }"
      ),
      (
        "{\n  E = {\n    Icon = x;\n  };\n}\n", "{\n  E = {\n    Icon = \"Men\\303\\274\";\n  };\n}\n",
        "{\n  E = {\n    Icon = x;\n    NoBorder = 5; // wide\n  };\n}\n",
        "{\n  E = {\n    Icon = \"Menü\";\n    NoBorder = 5; // wide\n  };\n}\n"
      ),
    ])
  func merges(base: String, ours: String, theirs: String, expected: String) throws {
    try home.writeSides(Array(base.utf8), Array(ours.utf8), Array(theirs.utf8))
    let (outcome, merged) = try home.merge()
    #expect(outcome == .init(code: .done))
    #expect(String(decoding: merged, as: UTF8.self) == expected)
  }

  // In NeXT's set \303\274 is “ˆ…”, in Window Maker's text “ü”.
  @Test(
    "what no side of a merge has changed stays what it is, whichever side looks like Window Maker's",
    arguments: [
      (
        "{ E = { Icon = \"\\303\\274\"; Size = 5; }; }",
        "{ E = { Icon = \"\\303\\274\"; Size = 5; }; A = x; }",
        "{ E = { Icon = \"\\303\\274\"; }; }", [".A x", ".E.Icon ˆ…"]
      ),
      (
        "", "{ E = { Icon = \"\\303\\274\"; Size = 5; }; }",
        "{ E = { Icon = \"\\303\\274\"; }; F = { Icon = x; }; }", [".E.Icon ˆ…", ".E.Size 5", ".F.Icon x"]
      ),
      (
        "{ E = { Icon = x; }; }", "{ E = { Icon = y; }; }", "{ E = { Icon = x; }; F = \"\\303\\274\"; }",
        [".E.Icon y", ".F ˆ…"]
      ),
      (
        "{ E = { Icon = \"\\303\\274\"; }; }", "{ E = { Icon = \"\\303\\274\"; Size = 5; }; }",
        "{ E = { Icon = \"\\303\\274\"; }; A = x; }", [".A x", ".E.Icon ü", ".E.Size 5"]
      ),
    ] as [(String, String, String, [String])])
  func unchanged(base: String, ours: String, theirs: String, expected: [String]) throws {
    try home.writeSides(Array(base.utf8), Array(ours.utf8), Array(theirs.utf8))
    let (outcome, merged) = try home.merge()
    #expect(outcome == .init(code: .done))
    try write(String(decoding: merged, as: UTF8.self))
    #expect(lines() == expected)
  }

  @Test("a merge tells of the types that a file under Window Maker's name loses")
  func mergedTypes() throws {
    try home.writeSides(
      Array("{ a = 1; }".utf8), Array("{ a = 2; }".utf8), Array("{ a = 1; b = 5 /*integer*/; }".utf8))
    let (outcome, merged) = try home.merge(["-P", "WMState"])
    #expect(
      outcome
        == .init(
          code: .done,
          errors: "defaults: WMState: “b” is written without its type: Window Maker reads no comments\n"))
    #expect(String(decoding: merged, as: UTF8.self) == "{ a = 2; b = 5; }")
  }
}
