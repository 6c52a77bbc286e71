import DefaultsTool
import Foundation
import TestSupport
import Testing

/// Types and characters of edited texts, which the file's own programs may read in another way than this one.
struct EditedTypesTests {
  private let fixture: EditorHome
  private let shared: GNUstepHome
  private var home: ToolHome { fixture.home }

  init() throws {
    fixture = try EditorHome()
    shared = try GNUstepHome()
  }

  // MARK: - Files by their paths

  private var path: String { "\(home.root.path)/g.plist" }

  private func write(_ text: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
  }

  private func text() throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

  @Test("types stay where others change a file meanwhile that looks like Window Maker's")
  func types() throws {
    try write("{\n  Editor = {\n    AlwaysUserIcon = YES /*boolean*/;\n    Icon = a;\n  };\n}\n")
    let outcome = try fixture.edit(
      path,
      with: "sed 's/Icon = a;/Icon = a; NoBorder = 5;/' $HERE/g.plist > $HERE/t; mv $HERE/t $HERE/g.plist\n"
        + "sed 's/YES/NO/' \"$1\" > $HERE/t; cat $HERE/t > \"$1\"")
    #expect(outcome.code == .done && outcome.errors.contains("was changed meanwhile"), "\(outcome)")
    let values = home.run("read", "-to", "flat", path).output
    #expect(
      values == ".Editor.AlwaysUserIcon 'NO /*boolean*/'\n.Editor.Icon a\n.Editor.NoBorder 5\n", "\(values)")
  }

  @Test("others' types and comments make a file no longer Window Maker's, and its characters stay")
  func othersTypes() throws {
    try write("{\n  Editor = {\n    Icon = \"Men\\303\\274\";\n    NoBorder = x;\n  };\n}\n")
    let outcome = try fixture.edit(
      path,
      with: "sed 's/= x;/= YES \\/*boolean*\\/;/' $HERE/g.plist > $HERE/t; mv $HERE/t $HERE/g.plist\n"
        + "sed 's/Editor/Other/' \"$1\" > $HERE/t; sed 's/Other/Editor/; 3a\\    Omnipresent = YES;' "
        + "$HERE/t > \"$1\"")
    #expect(outcome.code == .done, "\(outcome)")
    #expect(
      home.run("read", "-to", "flat", path).output
        == ".Editor.Icon Menü\n.Editor.NoBorder 'YES /*boolean*/'\n.Editor.Omnipresent YES\n")
  }

  @Test("a text whose octal escapes an edit would make other characters is refused, and is kept")
  func escapes() throws {
    for (before, after, line) in [
      (
        "{\n  Editor = { Icon = \"Men\\303\\274\"; };\n}\n",
        "{\n  Editor = { Icon = \"Men\\303\\274\"; Size = 5; };\n}\n", 2
      ),
      ("{ E = { Icon = \"\\303\\274\"; Size = 5; }; }\n", "{ E = { Icon = \"\\303\\274\"; }; }\n", 1),
      ("{ E = { Icon = \"\\303\\274\"; }; }\n", "// mine\n{ E = { Icon = \"\\303\\274\"; }; }\n", 2),
    ] {
      try write(before)
      try Data(after.utf8).write(to: URL(fileURLWithPath: home.root.path + "/after"))
      let outcome = try fixture.edit(path, with: "cat $HERE/after > \"$1\"")
      #expect(
        outcome.code == .refused && outcome.errors.contains(":\(line):")
          && outcome.errors.contains("write the character itself"), "\(outcome)")
      #expect(try text() == before)
      let left = try #require(try fixture.left().first)
      #expect(try String(contentsOfFile: left, encoding: .utf8) == after)
      try FileManager.default.removeItem(atPath: URL(fileURLWithPath: left).deletingLastPathComponent().path)
    }
    // The characters themselves can be written, and new escapes are the author's own.
    try write("{ E = { Icon = \"\\303\\274\"; }; }\n")
    for new in [
      "{ E = { Icon = \"ü\"; Size = 5; }; }\n", "{ E = { Icon = \"\\374\"; Size = 5; }; }\n",
    ] {
      try Data(new.utf8).write(to: URL(fileURLWithPath: home.root.path + "/after"))
      #expect(try fixture.edit(path, with: "cat $HERE/after > \"$1\"") == .init(code: .done))
      #expect(try text() == new)
    }
  }

  // MARK: - GNUstep's directories

  /// Has a text edited in GNUstep's directory, and gives what its file holds then.
  private func edit(_ before: String?, as text: String) throws -> (outcome: ToolHome.Outcome, file: String?) {
    let path = shared.directory + "/App.plist"
    try FileManager.default.createDirectory(atPath: shared.directory, withIntermediateDirectories: true)
    if let before { try Data(before.utf8).write(to: URL(fileURLWithPath: path)) }
    try Data(text.utf8).write(to: URL(fileURLWithPath: home.root.path + "/after"))
    var environment = shared.environment
    environment["TMPDIR"] = fixture.texts
    environment["EDITOR"] = try fixture.editor("cat $HERE/after > \"$1\"")
    let outcome = home.run(["-gnustep", "edit", "App"], environment: environment)
    return (outcome, try? String(contentsOfFile: path, encoding: .utf8))
  }

  // The comments, the order and the layout were those of the old file, without a word.
  @Test(
    "in GNUstep's directories an edited text stays as it is, but for its notes of types, which become GNUstep's",
    arguments: [
      (
        "// Why\n{\n  Wrap = YES /*boolean*/; // mine\n  // about\n  Font = \"Courier\";\n}\n",
        "// Why\n{\n  Wrap = <*BY>; // mine\n  // about\n  Font = \"Courier\";\n}\n"
      ),
      (
        "{ a = (5 /*integer*/, { b = \"1.5\" /*real*/; }); /*integer*/ c = x /*integer*/; }",
        "{ a = (<*I5>, { b = <*R1.5>; }); /*integer*/ c = x /*integer*/; }"
      ),
      (
        "{ 5 /*integer*/ = 5 /*integer*/; d = \"2001-01-01 00:00:00 +0000\" /*date*/ /* new */; }",
        "{ 5 /*integer*/ = <*I5>; d = <*D2001-01-01 00:00:00 +0000> /* new */; }"
      ),
      ("{ a = 5\n/*integer*/; } // last\n", "{ a = <*I5>; } // last\n"),
      ("{ s = \"5 /*integer*/\"; t = <05>; }", "{ s = \"5 /*integer*/\"; t = <05>; }"),
    ])
  func notes(text: String, expected: String) throws {
    let before = "{\n  // old\n  Font = Ohlfs;\n  Wrap = <*BN>;\n}\n"
    let (outcome, file) = try edit(before, as: text)
    #expect(outcome == .init(code: .done))
    #expect(file == expected)
    #expect(try fixture.left().isEmpty)
  }

  @Test("comments of a new domain in GNUstep's directory stay as well")
  func newDomain() throws {
    let (outcome, file) = try edit(nil, as: "{ n = 6 /*integer*/; /* six */ }\n")
    #expect(outcome == .init(code: .done))
    #expect(file == "{ n = <*I6>; /* six */ }\n")
  }

  @Test("a comment that GNUstep's directory cannot keep beside a value is refused, and the text is kept")
  func refused() throws {
    let before = "{ a = <*I5>; }\n"
    let text = "{ a = \"2001-01-01 00:00:00.5 +0000\" /*date*/; /* mine */ }\n"
    let (outcome, file) = try edit(before, as: text)
    #expect(
      outcome.code == .refused && outcome.errors.contains("the comments would be lost")
        && outcome.errors.contains("your text is kept as "), "\(outcome)")
    #expect(file == before)
    let left = try #require(try fixture.left().first)
    #expect(try String(contentsOfFile: left, encoding: .utf8) == text)
  }

  // GNUstep takes such a file for an empty domain, and its next save removes what it holds.
  @Test(
    "a text that GNUstep does not read is written as values beside types, and is refused with comments",
    arguments: [
      "{ s = 'two words'; n = 5 /*integer*/; }", "s = \"two words\"; n = 5 /*integer*/;\n",
      "\u{FEFF}{ s = \"two words\"; n = 5 /*integer*/; }",
      "{ n = 5 /*integer*/;\u{2028} s = \"two words\"; }", "{ n = 5 /*integer*/; s\u{2029}= \"two words\"; }",
    ])
  func unreadable(text: String) throws {
    let before = "{ n = <*I4>; }\n"
    let (outcome, file) = try edit(before, as: text)
    #expect(outcome == .init(code: .done))
    #expect(file == "{ n = <*I5>; s = \"two words\"; }\n")
    let (refused, kept) = try edit(before, as: text + "// mine\n")
    #expect(
      refused.code == .refused && refused.errors.contains("GNUstep reads values with types only in"),
      "\(refused)")
    #expect(kept == before)
  }

  @Test(
    "a text whose lines end for GNUstep at other places, or in which a character is half of one, is refused beside types",
    arguments: [
      ("{ n = 5 /*integer*/; // mine\r s = x; }", "the comments"),
      ("{ // mine\rn = 5 /*integer*/; // two\rs = x;\r}\r", "the comments"),
      ("{ n = 5 /*integer*/; // mine\u{2028} s = x; }", "the comments"),
      ("{ n = 5 /*integer*/; // a\r /* b \n */ s = x; }", "the comments"),
      ("{ n = 5 /*integer*/; s = \"\\Ud83d\"; }", "one of its characters"),
    ])
  func otherLines(text: String, loss: String) throws {
    let before = "{ n = <*I4>; }\n"
    let (outcome, file) = try edit(before, as: text)
    #expect(
      outcome.code == .refused && outcome.errors.contains("with the values alone \(loss) would be lost"),
      "\(outcome)")
    #expect(file == before)
  }

  @Test("a CR is white space for GNUstep, and part of comments, of which an LF ends one of a line")
  func carriageReturns() throws {
    let before = "{ n = <*I4>; }\n"
    for text in [
      "{\r n = 5 /*integer*/; // mine\r\n s = x; }", "{ /* see http://x */\r n = 5 /*integer*/; }\r\n",
      "{ // a\n\r n = 5 /*integer*/; }",
      "{ n = 5 /*integer*/; /* a\u{2028}b // c\r */ s = x; /**/ // last\r\n }",
      "{ n = 5 /*integer*/; } // mine\r", "{ n = 5 /*integer*/; // a\r// b\r\r\n s = x; }",
      "{ n = 5 /*integer*/; // a\u{2028}\n s = x; }",
      "{ n = 5 /*integer*/; // a\r \t\u{2028} // b\n s = x; }",
    ] {
      let (done, kept) = try edit(before, as: text)
      #expect(done == .init(code: .done))
      #expect(kept == text.replacingOccurrences(of: "5 /*integer*/", with: "<*I5>"))
    }
  }

  // What a command had written into such a text never arrived, and GNUstep's next save removed it.
  @Test(
    "a command's change of a text that GNUstep does not read makes it one that it reads, but keeps comments",
    arguments: [
      ("{ s = 'two words'; }", "{\n    n = <*I5>;\n    s = \"two words\";\n}\n"),
      ("s = \"two words\";", "{\n    n = <*I5>;\n    s = \"two words\";\n}\n"),
      ("{ s = 'a'; t = \"\\Ud83d\"; }", "{ n = <*I5>; s = 'a'; t = \"\\Ud83d\"; }"),
      ("{ s = 'two words'; /* mine */ }", "{ n = <*I5>; s = 'two words'; /* mine */ }"),
      ("{   s = x; }", "{   n = <*I5>; s = x; }"),
    ])
  func command(before: String, expected: String) throws {
    let path = shared.directory + "/App.plist"
    try FileManager.default.createDirectory(atPath: shared.directory, withIntermediateDirectories: true)
    try Data(before.utf8).write(to: URL(fileURLWithPath: path))
    let outcome = home.run(["-gnustep", "write", "App", "n", "-int", "5"], environment: shared.environment)
    #expect(outcome == .init(code: .done))
    #expect(try String(contentsOfFile: path, encoding: .utf8) == expected)
  }

  @Test("a Float in an edited text becomes a Double in GNUstep's directory, of which a line tells")
  func floats() throws {
    let (outcome, file) = try edit("{ a = <*I5>; }\n", as: "{ a = 0.5 /*float*/; /* half */ }\n")
    #expect(
      outcome
        == .init(
          code: .done,
          errors:
            "defaults: “a” is written with a Double for each Float: GNUstep's files do not tell one from the "
            + "other\n"))
    #expect(file == "{ a = <*R0.5>; /* half */ }\n")
  }
}
