import DefaultsTool
import Foundation
import TestSupport
import Testing

/// `edit` of a file that others change meanwhile.
struct EditMergingTests {
  private let fixture: EditorHome
  private var home: ToolHome { fixture.home }

  init() throws {
    fixture = try EditorHome()
  }

  @Test("what others have changed meanwhile stays, with the text's own bytes around it")
  func merged() throws {
    try home.write("{\n  a = 1;\n  b = 1;\n}\n", to: "App.plist")
    let outcome = try fixture.edit(
      "App",
      with:
        "printf '{\\n  a = 2; // mine\\n  b = 1;\\n}\\n' > \"$1\"\necho '{ a = 1; b = 3; c = 4; }' > $DIR/App.plist"
    )
    #expect(
      outcome
        == .init(
          code: .done, errors: "defaults: App: was changed meanwhile; the other changes are in it as well\n"))
    #expect(try home.text(of: "App.plist") == "{\n  a = 2; // mine\n  b = 3;\n  c = 4;\n}\n")
    #expect(try fixture.left().isEmpty)
  }

  @Test(
    "comments that others have changed meanwhile stay where their lines allow it, and are missed otherwise")
  func mergedComments() throws {
    let text = "{\n  // one\n  a = 1;\n\n  // two\n  b = 1;\n}\n"
    try home.write(text, to: "App.plist")
    var outcome = try fixture.edit(
      "App",
      with:
        "sed -i 's/a = 1/a = 2/' \"$1\"; sed -i 's/two/three/; s/b = 1;/b = 1; c = 1; \\/\\/ new/' $DIR/App.plist"
    )
    let report = "defaults: App: was changed meanwhile; the other changes are in it as well"
    #expect(outcome == .init(code: .done, errors: "\(report)\n"))
    #expect(
      try home.text(of: "App.plist")
        == "{\n  // one\n  a = 2;\n\n  // three\n  b = 1; c = 1; // new\n}\n")
    // Both change the first line of this one.
    try home.write("{ a = 1; }\n", to: "App.plist")
    outcome = try fixture.edit(
      "App", with: "echo '{ a = 2; }' > \"$1\"; echo '{ a = 1; } // theirs' > $DIR/App.plist")
    #expect(outcome == .init(code: .done, errors: "\(report), but not the others' comments\n"))
    #expect(try home.text(of: "App.plist") == "{ a = 2; }\n")
    #expect(home.run("undo").code == .done)
    #expect(try home.text(of: "App.plist") == "{ a = 1; } // theirs\n")
    // Neither a note of a type nor an address in a string is a comment.
    try home.write("{ a = 1; }\n", to: "App.plist")
    let theirs = "{ a = 1; n = 5 /*integer*/; u = \"http://x\"; }"
    outcome = try fixture.edit("App", with: "echo '{ a = 2; }' > \"$1\"; echo '\(theirs)' > $DIR/App.plist")
    #expect(outcome == .init(code: .done, errors: "\(report)\n"))
  }

  private let conflict = """
    if [ -e $HERE/second ]; then cp "$1" $HERE/seen; exit; fi; touch $HERE/second
    echo '{ a = 2; b = 1; }' > "$1"; echo '{ a = 3; b = 4; }' > $DIR/App.plist
    """

  @Test("where both have changed a key, it is listed; without a terminal the exit code is 6, and both stay")
  func conflictWithoutTerminal() throws {
    try home.write("{ a = 1; b = 1; }", to: "App.plist")
    let outcome = try fixture.edit("App", with: conflict)
    let kept = try #require(try fixture.left().first)
    #expect(outcome.code == .differs)
    #expect(outcome.errors.hasPrefix("defaults: conflict: App a: yours 2, now 3\n"))
    #expect(try home.text(of: "App.plist") == "{ a = 3; b = 4; }\n")
    #expect(try String(contentsOfFile: kept, encoding: .utf8) == "{ a = 2; b = 1; }\n")
  }

  @Test("on a terminal the next edit has the others' other changes, and decides the conflict")
  func conflictOnTerminal() throws {
    try home.write("{ a = 1; b = 1; }", to: "App.plist")
    #expect(try fixture.edit("App", with: conflict, answers: ["e"]).code == .done)
    #expect(try fixture.note("seen") == "{ a = 2; b = 4; }\n")
    #expect(try home.text(of: "App.plist") == "{ a = 2; b = 4; }\n")
    #expect(try fixture.left().isEmpty)
  }

  @Test(
    "on a terminal one side's values are written where both have changed a key, and all other changes stay",
    arguments: [
      ("m", "{ a = 2; b = 4; }\n"), ("t", "{ a = 3; b = 4; }\n"), ("what?\nmine", "{ a = 2; b = 4; }\n"),
    ])
  func sides(answers: String, text: String) throws {
    try home.write("{ a = 1; b = 1; }", to: "App.plist")
    let outcome = try fixture.edit(
      "App", with: conflict, answers: answers.split(separator: "\n").map(String.init))
    #expect(outcome.code == .done)
    #expect(outcome.errors.hasPrefix("defaults: conflict: App a: yours 2, now 3\n"))
    #expect(outcome.errors.hasSuffix("(e)dit again, (m)ine, (t)heirs, (k)eep the text and stop:\n"))
    #expect(try home.text(of: "App.plist") == text)
    #expect(try fixture.left().isEmpty)
  }

  @Test(
    "a side that cannot be written is asked for again, and the text with one's own values stays",
    arguments: ["t", "m"])
  func refusedSide(answer: String) throws {
    try home.write("{ a = 1; b = 1; }", to: "App.plist")
    let lock = home.path + "/.lock"
    // The lock is held from the first question on, and the answers end there.
    var held: Int32 = -1
    defer { if held >= 0 { close(held) } }
    let outcome = try fixture.edit("App", with: conflict, answers: [answer]) { question in
      guard held < 0 else { return }
      held = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
      #expect(held >= 0 && flock(held, LOCK_EX) == 0, "\(question)")
    }
    let kept = try #require(try fixture.left().first)
    #expect(
      outcome.code == .refused && outcome.errors.hasSuffix("your text is kept as \(kept)\n"), "\(outcome)")
    #expect(try String(contentsOfFile: kept, encoding: .utf8) == "{ a = 2; b = 4; }\n")
    #expect(try home.text(of: "App.plist") == "{ a = 3; b = 4; }\n")
  }

  @Test("a mistake in the text offers no side")
  func noSides() throws {
    let outcome = try fixture.edit("App", with: "echo '{ a' > \"$1\"", answers: ["m", "t", "k"])
    #expect(outcome.code == .damaged && !outcome.errors.contains("(m)ine"))
    #expect(try fixture.left().count == 1)
  }

  @Test("a domain that was damaged meanwhile is left as it is")
  func damagedMeanwhile() throws {
    try home.write("{ a = 1; }", to: "App.plist")
    let outcome = try fixture.edit("App", with: "echo '{ a = 2; }' > \"$1\"; echo '{ a =' > $DIR/App.plist")
    #expect(outcome.code == .damaged && outcome.errors.contains("your text is kept as "))
    #expect(try home.text(of: "App.plist") == "{ a =\n")
  }

  @Test("half a surrogate pair that others have changed meanwhile is merged by line, or not at all")
  func halves() throws {
    func edit(_ text: String, others: String) throws -> ToolHome.Outcome {
      try home.write(text, to: "App.plist")
      return try fixture.edit(
        "App",
        with: "sed 's/a = 1/a = 2/' \"$1\" > $HERE/t; cat $HERE/t > \"$1\"\n"
          + "sed '\(others)' $DIR/App.plist > $HERE/x; mv $HERE/x $DIR/App.plist")
    }
    let lines = "{\n  z = \"x\\UD800\";\n  a = 1;\n\n\n  b = 1;\n}\n"
    let outcome = try edit(lines, others: "s/b = 1/b = 2/")
    #expect(
      outcome.code == .done && outcome.errors.contains("the other changes are in it as well"), "\(outcome)")
    #expect(try home.text(of: "App.plist") == "{\n  z = \"x\\UD800\";\n  a = 2;\n\n\n  b = 2;\n}\n")
    let line = "{ z = \"x\\UD800\"; a = 1; b = 1; }"
    #expect(try edit(line, others: "s/b = 1/b = 2/").code == .done)
    #expect(try home.text(of: "App.plist") == "{ z = \"x\\UD800\"; a = 2; b = 2; }")
    let refused = try edit(line, others: "s/UD800/UD801/")
    #expect(refused.code == .differs && refused.errors.contains("only lines could be merged"), "\(refused)")
    #expect(!refused.errors.contains("in the same places"))
    #expect(try home.text(of: "App.plist") == "{ z = \"x\\UD801\"; a = 1; b = 1; }")
    #expect(try fixture.left().count == 1)
  }

  // Grün became Grˆ…n in a file that was made anew.
  @Test("a text that is not UTF-8 is not made anew to take the others' changes")
  func damagedText() throws {
    let bytes =
      Array("{ a = \"Grün\"; x = \"".utf8) + [0xE9] + Array("\"; y = \"".utf8) + [0xE9]
      + Array("\"; b = 1; }".utf8)
    let url = URL(fileURLWithPath: home.path + "/App.plist")
    try Data(bytes).write(to: url)
    let outcome = try fixture.edit(
      "App",
      with: "LC_ALL=C sed 's/ y = .*; b/ b/' \"$1\" > $HERE/t; cat $HERE/t > \"$1\"\n"
        + "LC_ALL=C sed 's/ x = .*; y/ y/' $DIR/App.plist > $HERE/x; mv $HERE/x $DIR/App.plist")
    #expect(outcome.code == .differs, "\(outcome)")
    #expect(try Data(contentsOf: url).firstRange(of: Data("Grün".utf8)) != nil)
    let left = try #require(try fixture.left().first)
    #expect(try Data(contentsOf: URL(fileURLWithPath: left)).firstRange(of: Data("Grün".utf8)) != nil)
  }

  @Test("Window Maker's file under another name is known by its contents where others change it meanwhile")
  func windowMakersContents() throws {
    let path = "\(home.root.path)/Blue.style"
    let text = "{ FocusMode = m; IconPosition = p; WindowTitleFont = f; Back = x; Name = x; }\n"
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    let outcome = try fixture.edit(
      path,
      with: "sed 's/Name = x/Name = \"na\\\\303\\\\257f\"/' \"$1\" > $HERE/t; cat $HERE/t > \"$1\"\n"
        + "sed 's/Back = x/Back = \"caf\\\\303\\\\251\"/' $HERE/Blue.style > $HERE/x; mv $HERE/x $HERE/Blue.style"
    )
    #expect(outcome.code == .done, "\(outcome)")
    let read = home.run("read", path).output
    #expect(read.contains("Back café") && read.contains("Name naïf"), "\(read)")
  }
}
