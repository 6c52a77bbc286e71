import DefaultsTool
import Foundation
import Testing

/// “Did you mean”: mistyped options, and names of domains and snapshots.
struct SuggestionsTests {
  private let home: ToolHome

  init() throws {
    home = try ToolHome()
    try home.write("{ a = 1; }", to: "Editor.plist")
  }

  @Test(
    "an option that is near one of the verb's is asked about",
    arguments: [
      ("read -too xml Editor", "-to"), ("write --n Editor a b", "-n"),
      ("write -dryrun Editor a b", "-dry-run"),
      ("doctor -repiar", "-repair"), ("snapshot --delete s", "-delete"), ("import -mrege Editor f", "-merge"),
      ("export -replce Editor f", "-replace"), ("convert -enconding latin1 -to xml f", "-encoding"),
      ("undo -forec", "-force"), ("torture -kill 1", "-kills"), ("lint --hlep f", "--help"),
      ("-macso read", "-macos"), ("-gnusetp read", "-gnustep"),
    ])
  func options(line: String, option: String) {
    let outcome = home.run(line.split(separator: " ").map(String.init))
    #expect(outcome.code == .usage)
    #expect(outcome.errors.hasSuffix("\ndefaults: did you mean “\(option)”?\n"), "\(outcome.errors)")
  }

  @Test("an option that is near none is not asked about, nor is one of a single letter")
  func others() {
    for line in ["read -frobnicate Editor", "write -m Editor a b", "lint -x f"] {
      let outcome = home.run(line.split(separator: " ").map(String.init))
      #expect(outcome.code == .usage && !outcome.errors.contains("did you mean"), "\(outcome.errors)")
    }
  }

  @Test("a format that is near one is asked about")
  func formats() {
    for verb in ["read", "convert", "export"] {
      let outcome = home.run(verb, "-to", "gnustpe", "Editor")
      #expect(outcome.code == .usage)
      #expect(outcome.errors.hasSuffix("\ndefaults: did you mean “gnustep”?\n"), "\(outcome.errors)")
    }
  }

  @Test("a domain that a snapshot does not have, and a snapshot that there is not")
  func snapshots() throws {
    #expect(home.run("snapshot", "before").code == .done)
    #expect(
      home.run("restore", "before", "Edtior")
        == .init(
          code: .absent,
          errors: "defaults: there is no domain “Edtior” in the snapshot “before”\n"
            + "defaults: did you mean “Editor”?\n"))
    let hint = "defaults: there is no snapshot “befroe”\ndefaults: did you mean “before”?\n"
    for line in ["restore befroe", "snapshot -delete befroe", "diff @befroe", "diff @befroe/Editor"] {
      let outcome = home.run(line.split(separator: " ").map(String.init))
      #expect(outcome == .init(code: .absent, errors: hint), "\(line)")
    }
    #expect(home.run("diff", "@before/Edtior").errors.hasSuffix("did you mean “Editor”?\n"))
  }

  @Test(
    "“snapshot delete NAME” is taken for “snapshot -delete NAME” with its hyphen forgotten, and does nothing")
  func delete() throws {
    #expect(home.run("snapshot", "before").code == .done)
    let outcome = home.run("snapshot", "delete", "before")
    #expect(outcome.code == .usage)
    #expect(outcome.errors.hasSuffix("did you mean “defaults snapshot -delete before”?\n"), "\(outcome)")
    #expect(home.run("snapshot").output.split(separator: "\n").count == 1)
    #expect(home.run("snapshot", "delete", "Editor") == .init(code: .done))
  }

  @Test("a domain of which nothing can be taken back")
  func undo() {
    #expect(home.run("write", "Editor", "a", "2").code == .done)
    #expect(
      home.run("undo", "Edtior").errors
        == "defaults: there is nothing to take back in the domain “Edtior”\ndefaults: did you mean “Editor”?\n"
    )
  }
}
