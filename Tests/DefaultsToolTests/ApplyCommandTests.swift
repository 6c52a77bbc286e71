import DefaultsTool
import Foundation
import Testing

struct ApplyCommandTests {
  private let home: ToolHome

  init() throws {
    home = try ToolHome()
    try home.write(
      "{ Font = Courier; OldKey = 5; Window = { x = 1; old = 2; }; Other = o; }", to: "App.plist")
    try home.write("{ A = 1; B = 2; }", to: "Tool.plist")
  }

  private static let state = """
    {
        Set = {
            App = { Font = Helvetica; Columns = 80 /*integer*/; ".Window.x" = 10 /*integer*/; };
            NSGlobalDomain = { NSLanguages = (French, English); };
        };
        Delete = { App = (OldKey, ".Window.old", Absent); None = (a); };
        Replace = { Tool = { A = 1; C = 3; }; };
    }
    """

  private static let shape =
    "defaults: the shape is { Set = { DOMAIN = { key = value; }; }; Delete = { DOMAIN = (key); }; }"

  private static let lines = """
    set App Columns '80 /*integer*/'
    set App Font Helvetica (was Courier)
    set App .Window.x '10 /*integer*/' (was 1)
    delete App OldKey (was 5)
    delete App .Window.old (was 2)
    set NSGlobalDomain NSLanguages '(French, English)'
    delete Tool B (was 2)
    set Tool C 3

    """

  // The first of both was dropped in silence.
  @Test(
    "a key that stands twice is refused, at every depth",
    arguments: [
      ("{ Set = { A = { a = 1; }; }; Set = { B = { b = 1; }; }; }", "1:3", "Set"),
      ("{ Set = { A = { a = 1; }; A = { b = 1; }; }; }", "1:11", "A"),
      ("{ Set = { A = { a = 1; a = 2; }; }; }", "1:17", "a"),
    ])
  func twice(_ text: String, _ place: String, _ key: String) {
    let outcome = home.run("apply", "-", input: text)
    #expect(
      outcome
        == .init(
          code: .usage,
          errors:
            "defaults: standard input:\(place): the key “\(key)” stands here again further on, and only the last value "
            + "counts; nothing was applied: remove one of the two\n"))
    #expect(home.run("read", "A").code == .absent)
  }

  private func sorted(_ text: String) -> [Substring] { text.split(separator: "\n").sorted() }

  @Test("a file is applied once, and then all is so already")
  func applying() throws {
    let before = home.run("read").output
    for option in ["-n", "-check"] {
      let outcome = home.run("apply", option, "-", input: ApplyCommandTests.state)
      #expect(outcome.code == (option == "-n" ? .done : .differs))
      #expect(sorted(outcome.output) == sorted(ApplyCommandTests.lines))
      #expect(home.run("read").output == before)
    }
    #expect(
      sorted(home.run("apply", "-", input: ApplyCommandTests.state).output) == sorted(ApplyCommandTests.lines)
    )
    #expect(
      home.run("read").output == """
        App Columns '80 /*integer*/'
        App Font Helvetica
        App Other o
        App Window '{x = 10 /*integer*/; }'
        NSGlobalDomain NSLanguages '(French, English)'
        Tool A 1
        Tool C 3

        """)
    #expect(home.run("apply", "-", input: ApplyCommandTests.state) == .init(code: .done))
    #expect(home.run("apply", "-check", "-", input: ApplyCommandTests.state) == .init(code: .done))
    #expect(home.run("undo").code == .done)
    #expect(home.run("read").output == before, "one undo takes back the whole")
  }

  @Test("types are strict, and JSON is taken")
  func types() {
    #expect(
      home.run("apply", "-", input: #"{"Set": {"App": {"OldKey": 5}}}"#).output
        == "set App OldKey '5 /*integer*/' (was 5)\n")
    #expect(home.run("apply", "-", input: #"{"Set": {"App": {"OldKey": null}}}"#).code == .damaged)
    #expect(home.run("read", "App", "OldKey").output == "App OldKey '5 /*integer*/'\n")
  }

  @Test(
    "what is no state is a usage error, and nothing is written",
    arguments: [
      ("(a)", "is no dictionary with Set, Delete or Replace\n\(shape)"),
      (
        "{ App = { Font = x; }; }",
        "there is no “App” beside Set, Delete and Replace\n"
          + "defaults: the shape is { Set = { App = { key = value; }; }; }"
      ),
      (
        "{ \"My Font\" = x; }",
        "there is no “My Font” beside Set, Delete and Replace\n"
          + "defaults: the shape is { Set = { DOMAIN = { \"My Font\" = value; }; }; }"
      ),
      ("{ Sett = {}; }", "there is no “Sett” beside Set, Delete and Replace\ndefaults: did you mean “Set”?"),
      ("{ Set = (a); }", "“Set” is no dictionary of domains\n\(shape)"),
      (
        "{ Set = { App = x; }; }",
        "“Set” has for the domain “App” no dictionary of keys and values\n"
          + "defaults: the shape is { Set = { App = { key = value; }; }; }, "
          + "and for a key of that name { Set = { DOMAIN = { App = value; }; }; }"
      ),
      (
        "{ Delete = { App = x; }; }",
        "“Delete” has for the domain “App” no array of keys\n"
          + "defaults: the shape is { Delete = { App = (key); }; }, "
          + "and for a key of that name { Delete = { DOMAIN = (App); }; }"
      ),
      ("{ Delete = { App = ((x)); }; }", "a key of “Delete” is no string"),
      (
        "{ Set = { App = { a = 1; }; }; Delete = { App = (a); }; }",
        "“a” of the domain “App” is asked for twice"
      ),
      (
        "{ Set = { App = { a = 1; }; }; Delete = { App = (\".a\"); }; }",
        "“a” of the domain “App” is asked for twice"
      ),
      ("{ Set = { App = { \".a.b\" = 1; a = 2; }; }; }", "“a” of the domain “App” is asked for twice"),
      (
        "{ Set = { App = { a = 1; }; }; Replace = { App = {}; }; }",
        "“.” of the domain “App” is asked for twice"
      ),
    ])
  func usage(text: String, message: String) {
    let before = home.run("read").output
    #expect(
      home.run("apply", "-", input: text)
        == .init(code: .usage, errors: "defaults: standard input: \(message)\n"))
    #expect(home.run("read").output == before)
    #expect(home.run("apply").code == .usage)
  }

  @Test("a value without a place is refused, and the others are done")
  func refusals() {
    let outcome = home.run("apply", "-", input: "{ Set = { App = { \".Font.x\" = 1; New = 2; }; }; }")
    #expect(outcome.code == .refused)
    #expect(outcome.output == "set App New 2\n")
    let reason = ".Font is a string, which has neither keys nor elements; this was left as it is"
    #expect(outcome.errors == "defaults: App: .Font.x: \(reason)\n")
    #expect(home.run("read", "App", "New").code == .done)
  }
}
