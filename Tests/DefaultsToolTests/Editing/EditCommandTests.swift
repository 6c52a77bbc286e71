import DefaultsTool
import Foundation
import TestSupport
import Testing

/// `edit`, with scripts as editors.
struct EditCommandTests {
  private let fixture: EditorHome
  private var home: ToolHome { fixture.home }
  private var texts: String { fixture.texts }

  init() throws {
    fixture = try EditorHome()
  }

  // MARK: - What is written

  @Test("a text is edited as it stands, and is written byte for byte, as one command")
  func bytes() throws {
    try home.write("// mine\n{ a = 1; /* b */ }", to: "App.plist")
    let outcome = try fixture.edit(
      "App",
      with: "cp \"$1\" $HERE/seen; stat -c '%a %n' $(dirname \"$1\") > $HERE/place\n"
        + "printf '{ a = 2; // two\\n}//end' > \"$1\"")
    #expect(outcome == .init(code: .done))
    #expect(try fixture.note("seen") == "// mine\n{ a = 1; /* b */ }")
    #expect(try fixture.note("place").hasPrefix("700 \(texts)/defaults-edit-"))
    #expect(try home.text(of: "App.plist") == "{ a = 2; // two\n}//end")
    #expect(try fixture.left().isEmpty && FileManager.default.contentsOfDirectory(atPath: texts).isEmpty)
    #expect(home.run("log").output.hasSuffix("  edit App\n"))
    #expect(home.run("undo").code == .done)
    #expect(try home.text(of: "App.plist") == "// mine\n{ a = 1; /* b */ }")
  }

  @Test("a text that begins with a comment which is never closed is no result, also of a file by its path")
  func openComment() throws {
    try home.write("{ a = 1; }", to: "App.plist")
    for operand in ["App", "\(home.path)/App.plist"] {
      let outcome = try fixture.edit(operand, with: "printf '/* { a = 2; }' > \"$1\"")
      #expect(outcome.code == .damaged, "\(outcome)")
      #expect(outcome.errors.contains("the comment that begins here is never closed"), "\(outcome)")
      #expect(try home.text(of: "App.plist") == "{ a = 1; }")
    }
  }

  @Test("a domain that does not exist is made")
  func newDomain() throws {
    #expect(
      try fixture.edit("New", with: "cat \"$1\" > $HERE/seen; echo '{ k = v; }' > \"$1\"").code == .done)
    #expect(try fixture.note("seen") == "{\n}\n")
    #expect(home.run("read").output == "New k v\n")
    #expect(
      try fixture.edit("Other", with: "true") == .init(code: .done, errors: "defaults: Other: unchanged\n"))
    #expect(try home.files() == ["New.plist"])
  }

  @Test("nothing is written for a text that is unchanged, empty or gone")
  func givenUp() throws {
    try home.write("{ a = 1; }", to: "App.plist")
    #expect(try fixture.edit("App", with: "true").errors == "defaults: App: unchanged\n")
    for script in [": > \"$1\"", "printf ' \\n' > \"$1\"", "rm \"$1\""] {
      let outcome = try fixture.edit("App", with: script)
      #expect(outcome.code == .done && outcome.errors.contains("the text is empty, and was given up"))
    }
    // Also after a mistake.
    let script = "if [ -e $HERE/second ]; then : > \"$1\"; else touch $HERE/second; echo '{' > \"$1\"; fi"
    #expect(try fixture.edit("App", with: script, answers: ["e"]).code == .done)
    #expect(try home.text(of: "App.plist") == "{ a = 1; }")
    #expect(try fixture.left().isEmpty && home.run("log").output.isEmpty)
  }

  @Test(
    "of an XML or binary file the values are edited, and it keeps its format", arguments: ["xml", "binary"])
  func otherFormats(format: String) throws {
    #expect(home.run("write", "T", "n", "-int", "5").code == .done)
    let exported = home.root.path + "/exported"
    #expect(home.run("export", "-to", format, "T", exported).code == .done)
    try FileManager.default.copyItem(atPath: exported, toPath: home.path + "/App.plist")
    let outcome = try fixture.edit(
      "App", with: "cp \"$1\" $HERE/seen; echo '{ n = 6 /*integer*/; d = <0a>; }' > \"$1\"")
    #expect(outcome == .init(code: .done))
    #expect(try fixture.note("seen") == "{\n    n = 5 /*integer*/;\n}\n")
    #expect(home.run("read", "App").output == "App d <0a>\nApp n '6 /*integer*/'\n")
    let start = try Data(contentsOf: URL(fileURLWithPath: home.path + "/App.plist")).prefix(5)
    #expect(start == Data((format == "xml" ? "<?xml" : "bplis").utf8))
  }

  @Test("files are edited by their paths; an array, too, but no JSON and no XML whose comments would be lost")
  func paths() throws {
    let folder = home.root.path + "/files"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    func put(_ text: String, _ name: String) throws {
      try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
    }
    try put("(a, /* b */ b)", "list.plist")
    #expect(try fixture.edit("\(folder)/list", with: "printf '(c) // c' > \"$1\"") == .init(code: .done))
    #expect(try String(contentsOfFile: folder + "/list.plist", encoding: .utf8) == "(c) // c")
    #expect(home.run("log").output.isEmpty)
    try put("{\"a\": 1}", "x.plist")
    #expect(try fixture.edit("\(folder)/x.plist", with: "echo x > \"$1\"").code == .refused)
    let head = "<?xml version=\"1.0\"?><plist version=\"1.0\">"
    try put("\(head)<!-- c --><dict><key>a</key><string>1</string></dict></plist>", "c.plist")
    #expect(try fixture.edit("\(folder)/c.plist", with: "echo x > \"$1\"").code == .refused)
    try put("bplist00", "d.plist")
    #expect(try fixture.edit("\(folder)/d.plist", with: "echo x > \"$1\"").code == .damaged)
    #expect(try fixture.left().isEmpty)
  }

  @Test("a damaged text can be mended, and the damaged file is kept beside it")
  func damaged() throws {
    try home.write("{ a = 1; b = ", to: "App.plist")
    let outcome = try fixture.edit("App", with: "cp \"$1\" $HERE/seen; echo '{ a = 1; b = 2; }' > \"$1\"")
    #expect(outcome.code == .done && outcome.errors.hasPrefix("defaults: App: the damaged file was kept as "))
    #expect(try fixture.note("seen") == "{ a = 1; b = ")
    #expect(home.run("read").output == "App a 1\nApp b 2\n")
    let kept = try #require(try home.files().first { $0.hasPrefix("App.damaged-") })
    #expect(try home.text(of: kept) == "{ a = 1; b = ")
    #expect(home.run("undo").code == .done)
    #expect(try home.text(of: "App.plist") == "{ a = 1; b = ")
  }

  @Test("where there is no directory for a file, no editor is started")
  func noDirectory() throws {
    let folder = home.root.path + "/none"
    let outcome = try fixture.edit("\(folder)/x", with: "touch $HERE/seen; echo '{ a = 1; }' > \"$1\"")
    #expect(
      outcome
        == .init(
          code: .inputOutput,
          errors: "defaults: \(folder): there is no such directory; nothing was changed: make it first\n"))
    #expect(!FileManager.default.fileExists(atPath: home.root.path + "/seen"))
    #expect(try fixture.left().isEmpty)
  }

  @Test("damaged XML is edited as it stands, as a domain and as a file")
  func damagedXML() throws {
    let head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<plist version=\"1.0\">\n<dict><!-- c -->\n"
    let damaged = head + "<key>a</key></dict>\n</plist>\n"
    let mended = head + "<key>a</key><string>1</string></dict>\n</plist>\n"
    let script = "cp \"$1\" $HERE/seen; sed -i 's,</key></dict>,</key><string>1</string></dict>,' \"$1\""
    let folder = home.root.path
    for (operand, path) in [("App", home.path + "/App.plist"), ("\(folder)/f.plist", "\(folder)/f.plist")] {
      try Data(damaged.utf8).write(to: URL(fileURLWithPath: path))
      let outcome = try fixture.edit(operand, with: script)
      #expect(outcome.code == .done, "\(outcome.errors)")
      #expect(try fixture.note("seen") == damaged)
      #expect(try String(contentsOfFile: path, encoding: .utf8) == mended)
    }
    let kept = try #require(try home.files().first { $0.hasPrefix("App.damaged-") })
    #expect(try home.text(of: kept) == damaged)
    // What is still damaged is not written.
    try Data(damaged.utf8).write(to: URL(fileURLWithPath: home.path + "/App.plist"))
    let refused = try fixture.edit("App", with: "sed -i 's/a/b/' \"$1\"")
    #expect(refused.code == .damaged && refused.errors.contains("your text is kept as "), "\(refused.errors)")
    #expect(try home.text(of: "App.plist") == damaged)
  }

  @Test("git's marks can be removed from a domain's XML, as the error advises")
  func conflictInXML() throws {
    let head = "<plist version=\"1.0\">\n<dict>\n<key>a</key>\n"
    let (end, ours, theirs) = ("</dict>\n</plist>\n", "<string>1</string>\n", "<string>2</string>\n")
    try home.write(
      "\(head)<<<<<<< HEAD\n\(ours)=======\n\(theirs)>>>>>>> other\n\(end)", to: "App.plist")
    #expect(home.run("read", "App").errors.contains("“defaults edit”"))
    let outcome = try fixture.edit("App", with: "sed -i -e '/^<<<<<<</d' -e '/^=======/,/^>>>>>>>/d' \"$1\"")
    #expect(outcome.code == .done, "\(outcome.errors)")
    #expect(try home.text(of: "App.plist") == head + ours + end)
  }

  // MARK: - Editors

  @Test("a domain's file without a token is damaged, and can be mended", arguments: ["", "/* lost */\n"])
  func emptyFile(text: String) throws {
    try home.write(text, to: "App.plist")
    // Spaces and comments alone are no domain; an editor's mistake is told with its place.
    let mistake = try fixture.edit("App", with: "echo '// nothing' > \"$1\"")
    let kept = try #require(try fixture.left().first)
    #expect(mistake.code == .damaged && mistake.errors.hasPrefix("defaults: \(kept):"), "\(mistake.errors)")
    try FileManager.default.removeItem(atPath: kept)
    let outcome = try fixture.edit("App", with: "echo '{ a = 2; }' > \"$1\"")
    #expect(outcome.code == .done && outcome.errors.contains(": the damaged file was kept as "))
    #expect(try home.text(of: "App.plist") == "{ a = 2; }\n")
  }

  @Test("VISUAL comes before EDITOR, and a command may have arguments")
  func choice() throws {
    let editor = try fixture.editor("printf '{ k = \"%s\"; }' \"$2 $3\" > \"$1\"")
    let words = "sh -c '\(editor) \"$2\" $0 $1' one two"
    #expect(fixture.run(["edit", "App"], editor: "false", environment: ["VISUAL": words]).code == .done)
    #expect(home.run("read").output == "App k 'one two'\n")
    #expect(
      fixture.run(["edit", "App"], editor: words, environment: ["VISUAL": ""]).errors
        == "defaults: App: unchanged\n")
  }

  @Test("an editor that does not start, or fails, writes nothing; a text that it has changed stays")
  func failures() throws {
    try home.write("{ a = 1; }", to: "App.plist")
    let none = fixture.run(["edit", "App"], editor: home.root.path + "/none")
    #expect(none.code == .inputOutput && none.errors.hasSuffix("cannot be started; nothing was changed\n"))
    #expect(try fixture.edit("App", with: "exit 1").code == .refused)
    #expect(try fixture.edit("App", with: "kill -KILL $$").code == .refused)
    #expect(try fixture.left().isEmpty)
    let changed = try fixture.edit("App", with: "echo '{ a = 2; }' > \"$1\"; exit 1")
    let kept = try #require(try fixture.left().first)
    #expect(changed.code == .refused && changed.errors.hasSuffix("; your text is kept as \(kept)\n"))
    #expect(try home.text(of: "App.plist") == "{ a = 1; }")
    #expect(home.run("edit").code == .usage && home.run("edit", "-x", "App").code == .usage)
    #expect(home.run("edit", "App", "key").code == .usage)
  }

  // MARK: - Mistakes

  @Test("without a terminal a mistake is exit code 4; the text is kept, and the next edit tells of it")
  func mistakeWithoutTerminal() throws {
    try home.write("{ a = 1; }", to: "App.plist")
    for (text, message) in [
      ("{ a = ; b = (1, }", ":1:17: found “}” where a value was expected"),
      ("(a)", ":1:1: holds another value where a dictionary was expected"),
      ("word", ":1:1: holds another value where a dictionary was expected"),
    ] {
      let outcome = try fixture.edit("App", with: "printf '\(text)' > \"$1\"")
      let kept = try #require(try fixture.left().first)
      #expect(
        outcome.code == .damaged && outcome.errors.hasPrefix("defaults: \(kept)\(message)"),
        "\(outcome.errors)")
      #expect(outcome.errors.contains("; your text is kept as \(kept)\n"))
      #expect(try String(contentsOfFile: kept, encoding: .utf8) == text)
      let next = try fixture.edit("App", with: "true")
      let folder = URL(fileURLWithPath: kept).deletingLastPathComponent().path
      #expect(next.errors.hasPrefix("defaults: \(folder): is left of an earlier edit of App; "))
      #expect(try fixture.edit("Other", with: "true").errors == "defaults: Other: unchanged\n")
      try FileManager.default.removeItem(atPath: folder)
    }
    #expect(try home.text(of: "App.plist") == "{ a = 1; }")
  }

  @Test("on a terminal the mistake is shown with its place, and editing goes on at its line")
  func question() throws {
    let script = """
      echo "$@" >> $HERE/calls; [ $# = 1 ] || shift
      if [ -e $HERE/second ]; then sed -i 's/b = ($/b = 2;/' "$1"; else touch $HERE/second; printf '{\\n a = 1;\\n b = (\\n}' > "$1"; fi
      """
    let vim = home.root.path + "/vim"
    try FileManager.default.createSymbolicLink(atPath: vim, withDestinationPath: "/bin/sh")
    let outcome = fixture.run(
      ["edit", "App"], editor: try fixture.editor(script, shell: vim), answers: ["what?", "", "e"])
    #expect(outcome.code == .done)
    let question = "(e)dit again, (k)eep the text and stop:\n"
    #expect(
      outcome.errors.hasSuffix(
        ":4:1: found “}” where a value was expected\n}\n^\n\(question)\(question)\(question)"))
    #expect(home.run("read").output == "App a 1\nApp b 2\n")
    let calls = try fixture.note("calls").split(separator: "\n")
    #expect(calls.count == 2 && !calls[0].hasPrefix("+") && calls[1].hasPrefix("+4 \(texts)/"))
    #expect(try fixture.left().isEmpty)
  }

  @Test("to keep the text, and the end of input, stop with exit code 4", arguments: [["k"], []])
  func keeping(answers: [String]) throws {
    let outcome = try fixture.edit("App", with: "echo '{ a' > \"$1\"", answers: answers)
    let kept = try #require(try fixture.left().first)
    #expect(outcome.code == .damaged && outcome.errors.hasSuffix("defaults: your text is kept as \(kept)\n"))
    #expect(try String(contentsOfFile: kept, encoding: .utf8) == "{ a\n")
    #expect(try home.files().isEmpty)
  }

  @Test("what Window Maker cannot read is not written into its file")
  func windowMaker() throws {
    try home.write("{\n  a = 1;\n}\n", to: "WindowMaker")
    let refused = try fixture.edit("WindowMaker", with: "echo '{ a = 2; /* c */ }' > \"$1\"")
    #expect(refused.code == .refused && refused.errors.contains("/WindowMaker:1:10: "), "\(refused.errors)")
    #expect(try home.text(of: "WindowMaker") == "{\n  a = 1;\n}\n")
    #expect(try fixture.edit("WindowMaker", with: "printf '{\\n  a = 2;\\n}' > \"$1\"").code == .done)
    #expect(try home.text(of: "WindowMaker") == "{\n  a = 2;\n}")
  }

  @Test(
    "a key that the administrator sets is not changed, and the text is kept",
    .enabled(if: !FileManager.default.fileExists(atPath: "/etc/OpenStep/Managed")))
  func managed() throws {
    let folder = home.root.path + "/Managed"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Data("{ Font = Ohlfs; }".utf8).write(to: URL(fileURLWithPath: folder + "/App.plist"))
    let environment = ["OPENSTEP_MANAGED_DIR": folder]
    let outcome = try fixture.edit("App", with: "echo '{ Font = x; }' > \"$1\"", environment: environment)
    #expect(outcome.code == .refused && outcome.errors.contains("the administrator sets “Font”"))
    #expect(try fixture.left().count == 1 && home.files().isEmpty)
    #expect(
      try fixture.edit("App", with: "echo '{ a = x; }' > \"$1\"", environment: environment).code == .done)
  }

  // MARK: - Other databases

  @Test("in GNUstep's database a file keeps what GNUstep reads")
  func gnustep() throws {
    let shared = try GNUstepHome()
    var environment = shared.environment
    environment["TMPDIR"] = texts
    environment["EDITOR"] = try fixture.editor("cp \"$1\" $HERE/seen; echo '{ n = 6 /*integer*/; }' > \"$1\"")
    func run(_ words: String...) -> ToolHome.Outcome {
      home.run(["-gnustep"] + words, environment: environment)
    }
    #expect(run("edit", "App") == .init(code: .done))
    #expect(run("read", "App", "n").output == "App n '6 /*integer*/'\n")
    let path = shared.directory + "/App.plist"
    #expect(try String(contentsOfFile: path, encoding: .utf8).contains("<integer>6</integer>"))
    // A text that has GNUstep's own types stays as it was edited, and one with notes gets them.
    try Data("{ n = <*I5>; }".utf8).write(to: URL(fileURLWithPath: path))
    #expect(run("edit", "App").code == .done)
    #expect(try fixture.note("seen") == "{ n = <*I5>; }")
    #expect(try String(contentsOfFile: path, encoding: .utf8).contains("n = <*I6>;"))
    environment["EDITOR"] = try fixture.editor("printf '{ n = <*I7>; /* c */ }' > \"$1\"")
    #expect(run("edit", "App").code == .done)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "{ n = <*I7>; /* c */ }")
  }

  @Test(
    "the administrator edits another user's domain with that user's rights, in a directory of its own",
    .enabled(if: Administrator.isExpected, Comment(rawValue: Administrator.absence)))
  func otherUser() throws {
    try home.write("{ a = 1; }", to: "App.plist")
    #expect(chmod(home.root.path, 0o755) == 0 && chmod(home.path, 0o755) == 0)
    for path in [home.path + "/App.plist", home.path] { #expect(chown(path, 65534, 65534) == 0) }
    let script =
      "stat -c %u $(dirname \"$1\") > $HERE/owner; id -u >> $HERE/owner; echo '{ a = 2; }' > \"$1\""
    #expect(try fixture.edit("App", with: script) == .init(code: .done))
    #expect(try fixture.note("owner") == "0\n0\n")
    let owner = try FileManager.default.attributesOfItem(atPath: home.path + "/App.plist")[.ownerAccountID]
    #expect(owner as? Int == 65534)
    // In a directory that the user could exchange, no text is shown to the administrator's editor.
    let theirs = home.root.path + "/theirs"
    try FileManager.default.createDirectory(atPath: theirs, withIntermediateDirectories: true)
    #expect(chown(theirs, 65534, 65534) == 0)
    let elsewhere = try fixture.edit(
      "App", with: "dirname \"$1\" > $HERE/place", environment: ["XDG_RUNTIME_DIR": theirs])
    #expect(elsewhere.errors == "defaults: App: unchanged\n")
    #expect(try fixture.note("place").hasPrefix("\(texts)/defaults-edit-"))
  }
}
