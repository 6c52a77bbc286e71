import DefaultsTool
import Foundation
import TestSupport
import Testing

/// Window Maker's root menu, which lies among the domains and is none.
struct WindowMakerMenuTests {
  private let home: ToolHome
  private let shared: GNUstepHome
  private var menu: String { shared.directory + "/WMRootMenu" }
  private var sentence: String {
    "defaults: \(menu): is Window Maker's menu, which is no domain; “defaults read \(menu)” shows it"
  }

  init() throws {
    home = try ToolHome()
    shared = try GNUstepHome()
    try FileManager.default.createDirectory(atPath: shared.directory, withIntermediateDirectories: true)
    try Data("(Applications, (Exit, EXIT))".utf8).write(to: URL(fileURLWithPath: menu))
  }

  private func run(_ words: String...) -> ToolHome.Outcome {
    home.run(["-gnustep"] + words, environment: shared.environment)
  }

  @Test("what lists domains tells of the menu and of the command that shows it")
  func listings() throws {
    try Data("{ k = v; }".utf8).write(to: URL(fileURLWithPath: shared.directory + "/App.plist"))
    #expect(run("domains") == .init(code: .done, output: "App\n", errors: "\(sentence)\n"))
    #expect(run("read") == .init(code: .done, output: "App k v\n", errors: "\(sentence)\n"))
    #expect(run("find", "v").errors == "\(sentence)\n")
    #expect(home.run("read", menu, "[1][0]").output == "Exit\n")
  }

  @Test("as a domain the menu is told of, and nothing is made in its place")
  func asDomain() throws {
    for words in [
      ["read"], ["read", "k"], ["read-type", "k"], ["export", "-"], ["delete"], ["rename", "a", "b"],
    ] {
      var line = words
      line.insert("WMRootMenu", at: 1)
      let outcome = home.run(["-gnustep"] + line, environment: shared.environment)
      #expect(outcome == .init(code: .absent, errors: "\(sentence)\n"), "\(line)")
    }
    for words in [
      ["write", "WMRootMenu", "k", "v"], ["write", "WMRootMenu", "{ k = v; }"],
      ["write", "WMRootMenu", ".l[+]", "v"], ["write", "-n", "WMRootMenu", "k", "v"], ["edit", "WMRootMenu"],
    ] {
      let outcome = home.run(["-gnustep"] + words, environment: shared.environment)
      #expect(outcome == .init(code: .refused, errors: "\(sentence); nothing was changed\n"), "\(words)")
    }
    let file = home.root.path + "/i.plist"
    try Data("{ k = v; }".utf8).write(to: URL(fileURLWithPath: file))
    for words in [
      ["write"], ["write", "-n"], ["import", "WMRootMenu", file], ["import", "-n", "WMRootMenu", file],
    ] {
      let outcome = home.run(
        ["-gnustep"] + words, input: Array("App k v\nWMRootMenu k v\n".utf8), environment: shared.environment)
      #expect(
        outcome.code == .refused && outcome.errors == "\(sentence); nothing was changed\n",
        "\(words): \(outcome)")
    }
    #expect(!FileManager.default.fileExists(atPath: shared.directory + "/App.plist"))
    #expect(run("read", "-default", "none", "WMRootMenu", "k") == .init(code: .done, output: "none\n"))
    #expect(!FileManager.default.fileExists(atPath: shared.directory + "/WMRootMenu.plist"))
    #expect(try String(contentsOfFile: menu, encoding: .utf8) == "(Applications, (Exit, EXIT))")
  }

  @Test("without a menu, a domain of its name is a domain like any other")
  func withoutMenu() throws {
    try FileManager.default.removeItem(atPath: menu)
    #expect(run("domains") == .init(code: .done))
    #expect(run("read", "WMRootMenu").errors == "defaults: there is no domain “WMRootMenu”\n")
    #expect(run("write", "WMRootMenu", "k", "v") == .init(code: .done))
    #expect(run("read", "WMRootMenu").output == "WMRootMenu k v\n")
  }
}
