import DefaultsTool
import Foundation
import Testing

/// A file's name where a domain is due, and a path at which there is no file.
struct FileNameHintsTests {
  private let home: ToolHome

  init() throws {
    home = try ToolHome()
    try home.write("{ k = v; }", to: "App.plist")
    #expect(home.run("snapshot", "s").code == .done)
  }

  private let hint = "defaults: did you mean “./App.plist”, or the domain “App”?\n"

  @Test(
    "where a verb finds no domain of a file's name, it names the path and the domain that may be meant",
    arguments: [
      "read App.plist", "read App.plist k", "read-type App.plist k", "rename App.plist k l",
      "delete App.plist",
      "delete App.plist k", "delete-all App.plist", "explain App.plist k", "diff App.plist App",
      "diff App App.plist", "export App.plist -", "export -into out App.plist", "undo App.plist",
      "snapshot t App.plist", "restore s App.plist", "doctor App.plist", "log App.plist",
      "log -clear App.plist",
    ])
  func absent(line: String) {
    let outcome = home.run(line.split(separator: " ").map(String.init))
    #expect(outcome.code == .absent && outcome.output.isEmpty)
    #expect(outcome.errors.hasSuffix(hint) && outcome.errors.split(separator: "\n").count == 2, "\(outcome)")
  }

  @Test("a verb that makes such a domain, or waits for it, says so first; once it is there, nothing is said")
  func made() throws {
    let remark = "defaults: there is no domain “App.plist” yet\n\(hint)"
    #expect(home.run("write", "-n", "App.plist", "k", "v").errors == remark)
    #expect(home.run("import", "-n", "App.plist", "-", input: "{ a = b; }").errors == remark)
    let edited = home.run(
      ["edit", "App.plist"],
      environment: ["OPENSTEP_DEFAULTS_DIR": home.path, "HOME": home.root.path, "EDITOR": "true"])
    #expect(edited == .init(code: .done, errors: remark + "defaults: App.plist: unchanged\n"))
    #expect(home.run("write", "App.plist", "k", "v") == .init(code: .done, errors: remark))
    #expect(home.run("write", "App.plist", "k", "w") == .init(code: .done))
    #expect(home.run("read", "App.plist") == .init(code: .done, output: "App.plist k w\n"))
  }

  @Test("a path without a file names the domain that macOS keeps there, and one that exists")
  func paths() throws {
    let preferences = home.root.path + "/Library/Preferences"
    for (path, domain) in [
      ("\(preferences)/com.apple.dock.plist", "com.apple.dock"),
      ("\(preferences)/com.apple.dock", "com.apple.dock"),
      ("\(preferences)/.GlobalPreferences.plist", "NSGlobalDomain"), ("\(home.root.path)/App.plist", "App"),
    ] {
      let hint = "defaults: did you mean the domain “\(domain)”?\n"
      let read = home.run("read", path, "k")
      #expect(read.code == .absent && read.errors.hasSuffix(hint), "\(read)")
      guard path.hasPrefix(preferences) else { continue }
      let write = home.run("write", path, "k", "v")
      #expect(write.code == .inputOutput && write.errors.hasSuffix(hint), "\(write)")
    }
    let other = home.run("read", home.root.path + "/Other.plist")
    #expect(other.errors == "defaults: \(home.root.path)/Other.plist: there is no such file\n")
  }
}
