import DefaultsDatabase
import DefaultsTool
import Foundation
import TestSupport
import Testing

/// What the tool does with keys that the administrator sets.
///
/// On a machine with managed values of its own, nobody can name another place for them.
@Suite(.enabled(if: !FileManager.default.fileExists(atPath: "/etc/OpenStep/Managed")))
struct ManagedKeysTests {
  private let home: ToolHome
  private var managed: String { home.root.path + "/Managed" }

  init() throws {
    home = try ToolHome()
    try FileManager.default.createDirectory(atPath: managed, withIntermediateDirectories: true)
    try manage("App", "{ K = theirs; }")
    try manage("NSGlobalDomain", "{ G = theirs; }")
    try home.write("{ G = mine; K = mine; N = mine; }", to: "App.plist")
    try home.write("{ G = mine; K = mine; }", to: "Other.plist")
  }

  private func manage(_ domain: String, _ text: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: "\(managed)/\(domain).plist"))
  }

  private func run(_ words: String..., input: String = "") -> ToolHome.Outcome { run(words, input: input) }

  private func run(_ words: [String], input: String = "") -> ToolHome.Outcome {
    home.run(
      words, input: Array(input.utf8),
      environment: [
        "OPENSTEP_DEFAULTS_DIR": home.path, "HOME": home.root.path, "OPENSTEP_MANAGED_DIR": managed,
      ])
  }

  private func refusal(_ key: String, of domain: String, in file: String) -> ToolHome.Outcome {
    .init(
      code: .refused,
      errors:
        "defaults: \(managed)/\(file).plist: the administrator sets “\(key)” of the domain “\(domain)” here, "
        + "for all users; nothing was changed\n")
  }

  private func note(_ keys: String, of domain: String, in file: String) -> String {
    "defaults: \(managed)/\(file).plist: the administrator sets \(keys) of the domain “\(domain)” here; "
      + "that wins over what is stored\n"
  }

  @Test("one damaged file of the administrator's is reported once by a command about several domains")
  func damagedOnce() throws {
    try manage("NSGlobalDomain", "{ G = ")
    let state = home.root.path + "/state"
    try Data("{ Set = { App = { N = 1; }; Other = { N = 1; }; }; }".utf8).write(
      to: URL(fileURLWithPath: state))
    for words in [["apply", "-n", state], ["export", "-into", home.root.path + "/out"], ["apply", state]] {
      let errors = run(words).errors
      #expect(errors.components(separatedBy: "/NSGlobalDomain.plist:1:7: ").count == 2, "\(words): \(errors)")
    }
  }

  @Test("diff of the database names the keys that the administrator sets, and of another directory none")
  func databases() throws {
    let copy = home.root.path + "/copy"
    try FileManager.default.copyItem(atPath: home.path, toPath: copy)
    #expect(
      run("diff", copy)
        == .init(
          code: .done,
          errors: note("“K”", of: "App", in: "App") + note("“G”", of: "App", in: "NSGlobalDomain")
            + note("“G”", of: "Other", in: "NSGlobalDomain")))
    #expect(run("diff", copy, copy) == .init(code: .done))
  }

  @Test("a write and a delete of a managed key are refused with the administrator's file, and change nothing")
  func refused() throws {
    let before = try home.text(of: "App.plist")
    #expect(run("write", "App", "K", "new") == refusal("K", of: "App", in: "App"))
    #expect(run("write", "App", "K", "mine") == refusal("K", of: "App", in: "App"))
    #expect(run("write", "App", "G", "new") == refusal("G", of: "App", in: "NSGlobalDomain"))
    #expect(run("write", "New", "G", "new") == refusal("G", of: "New", in: "NSGlobalDomain"))
    #expect(run("write", "-g", "G", "new") == refusal("G", of: "NSGlobalDomain", in: "NSGlobalDomain"))
    #expect(run("delete", "App", "K") == refusal("K", of: "App", in: "App"))
    #expect(run("delete", "App") == refusal("G", of: "App", in: "NSGlobalDomain"))
    #expect(run("delete", input: "App N\nApp K\n") == refusal("K", of: "App", in: "App"))
    #expect(run("write", input: "New a b\nApp K new\n") == refusal("K", of: "App", in: "App"))
    #expect(run("write", "App", "{ N = new; }") == refusal("G", of: "App", in: "NSGlobalDomain"))
    #expect(try home.text(of: "App.plist") == before)
    #expect(try home.files() == ["App.plist", "Other.plist"])
  }

  @Test("that others may write to the directory is reported once, however many files are read there")
  func untrusted() throws {
    // Neither the umask nor the directory's group may decide who can write there.
    try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: managed)
    for arguments in [["read", "App", "K"], ["read", "App"], ["read"], ["write", "App", "K", "new"]] {
      let outcome = run(arguments)
      #expect(outcome.code == .done, "\(arguments)")
      #expect(
        outcome.errors.components(separatedBy: "is not trusted").count == 2, "\(arguments): \(outcome.errors)"
      )
    }
  }

  @Test("a domain that is too large to be read has no stored value to protect")
  func tooLarge() throws {
    try home.writeTooLarge(to: "App.plist")
    #expect(run("write", "App", "{ K = new; }") == refusal("K", of: "App", in: "App"))
    #expect(try home.files() == ["App.plist", "Other.plist"])
    #expect(run("delete", "App") == .init(code: .done))
    #expect(try home.files() == ["Other.plist"])
  }

  @Test("the other keys, and that key of a domain that is not managed, are written")
  func others() throws {
    #expect(run("write", "App", "N", "new") == .init(code: .done))
    #expect(run("write", "Other", "K", "new") == .init(code: .done))
    #expect(run("write", "-g", "K", "new") == .init(code: .done))
    #expect(run("delete", "App", "N") == .init(code: .done))
    #expect(try home.text(of: "Other.plist").contains("K = new;"))
  }

  @Test("what read gives can be put back; the managed values stay what they are")
  func roundTrip() throws {
    let lines = run("read").output
    #expect(run("write", input: lines) == .init(code: .done))
    #expect(run("write", "App", "{ G = mine; K = mine; }") == .init(code: .done))
    #expect(run("read", "App").output == "App G mine\nApp K mine\n")
  }

  @Test("what is stored is printed, and one line says that the administrator's values win")
  func told() {
    #expect(
      run("read", "App", "K")
        == .init(code: .done, output: "App K mine\n", errors: note("“K”", of: "App", in: "App")))
    #expect(run("read", "App", "N") == .init(code: .done, output: "App N mine\n"))
    let domain = note("“K”", of: "App", in: "App") + note("“G”", of: "App", in: "NSGlobalDomain")
    #expect(
      run("read", "App") == .init(code: .done, output: "App G mine\nApp K mine\nApp N mine\n", errors: domain)
    )
    #expect(run("read").errors == domain + note("“G”", of: "Other", in: "NSGlobalDomain"))
    #expect(
      run("readkey", "K")
        == .init(code: .done, output: "App K mine\nOther K mine\n", errors: note("“K”", of: "App", in: "App"))
    )
    #expect(run("find", "N") == .init(code: .done, output: "App N mine\n"))
    #expect(run("find", "mine").errors == domain + note("“G”", of: "Other", in: "NSGlobalDomain"))
    #expect(run("export", "App", "-").errors == domain)
    #expect(run("export", "App", home.root.path + "/file").errors == domain)
    #expect(run("export", "-into", home.root.path + "/Export", "App").errors == domain)
  }

  @Test("a key that only the administrator sets is absent, and the line says why")
  func absent() throws {
    try manage("Other", "{ M = theirs; }")
    #expect(
      run("read", "Other", "M")
        == .init(
          code: .absent,
          errors: note("“M”", of: "Other", in: "Other")
            + "defaults: there is no default “M” in the domain “Other”\n"))
  }

  @Test("import carries the other keys and tells of each managed one", arguments: ["-merge", "-replace"])
  func imported(policy: String) throws {
    let outcome = run("import", policy, "App", "-", input: "{ K = new; N = new; X = new; }")
    #expect(outcome.code == .refused)
    #expect(
      outcome.errors
        == "defaults: \(managed)/App.plist: the administrator sets “K” of the domain “App” here; it was not carried\n"
    )
    #expect(run("read", "App").output == "App G mine\nApp K mine\nApp N new\nApp X new\n")
    #expect(run("import", policy, "App", "-", input: run("export", "App", "-").output).code == .done)
  }

  @Test("GNUstep's database, whose programs know no managed values, is not concerned")
  func gnustep() throws {
    // The database is where the configuration says, else in the account's home, whatever HOME is.
    let theirs = try GNUstepHome()
    let outcome = home.run(
      ["-gnustep", "write", "App", "K", "new"],
      environment: [
        GNUstepConfiguration.environmentVariable: theirs.home.path("GNUstep.conf"),
        "OPENSTEP_MANAGED_DIR": managed,
      ])
    #expect(outcome == .init(code: .done))
    #expect(theirs.home.exists("Defaults/App.plist"))
  }

  @Test("a managed file that is damaged sets nothing, as for programs, and is told of")
  func damaged() throws {
    try manage("App", "{ K = ")
    let read = run("read", "App", "K")
    #expect(read.code == .done && read.output == "App K mine\n")
    #expect(read.errors.hasPrefix("defaults: \(managed)/App.plist:1:7: "))
    #expect(run("write", "App", "K", "new").code == .done)
    #expect(run("read", "App", "K").output == "App K new\n")
  }

  @Test(
    "what is deleted from every file, renamed, added to, applied and taken back leaves managed keys alone")
  func otherVerbs() throws {
    try home.write("{ K = hidden; }", to: "App")
    let before = try home.text(of: "App.plist")
    for words in [
      ["delete-all", "App"], ["delete-all", "App", "K"], ["rename", "App", "K", "L"],
      ["rename", "App", "N", "G"],
      ["write", "App", "K", "-array-add", "x"], ["write", "App", ".K", "x"], ["delete", "App", ".K"],
      ["write", "-n", "App", ".K", "x"],
    ] {
      let outcome = home.run(
        words,
        environment: [
          "OPENSTEP_DEFAULTS_DIR": home.path, "HOME": home.root.path, "OPENSTEP_MANAGED_DIR": managed,
        ])
      #expect(outcome.code == .refused, "\(words): \(outcome)")
      #expect(try home.text(of: "App.plist") == before)
      #expect(try home.text(of: "App") == "{ K = hidden; }")
    }
    let applied = run("apply", "-", input: "{ Set = { App = { K = x; New = 1; }; }; }")
    #expect(applied.code == .refused && applied.output == "set App New 1\n")
    // Something else was changed.
    #expect(applied.errors.hasSuffix(", for all users; this was left as it is\n"), "\(applied.errors)")
  }

  @Test("of several domains, each that the administrator's keys keep as it is is named")
  func severalDomains() throws {
    #expect(home.run("snapshot", "s").code == .done)
    try home.write("{ G = mine; K = other; }", to: "App.plist")
    try home.write("{ G = mine; K = other; }", to: "Other.plist")
    let restored = run("restore", "s")
    #expect(restored.code == .refused && restored.output == "Other restored\n", "\(restored)")
    #expect(restored.errors.hasSuffix("; “App” was not changed\n"), "\(restored.errors)")
  }
}
