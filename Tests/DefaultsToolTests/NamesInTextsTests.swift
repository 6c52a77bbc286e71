import DefaultsTool
import Foundation
import Testing

/// Names of domains and keys that stand in a text and not on the command line.
struct NamesInTextsTests {
  private let home: ToolHome

  init() throws {
    home = try ToolHome()
  }

  @Test(
    "apply knows the names of the global domain", arguments: ["-g", "-globalDomain", "Apple Global Domain"])
  func apply(name: String) throws {
    #expect(
      home.run("apply", "-", input: "{ Set = { \"\(name)\" = { a = 1; b = 2; }; }; }")
        == .init(code: .done, output: "set NSGlobalDomain a 1\nset NSGlobalDomain b 2\n"))
    #expect(try home.files() == ["NSGlobalDomain.plist"])
    #expect(
      home.run("apply", "-", input: "{ Delete = { \"\(name)\" = (b); }; }").output
        == "delete NSGlobalDomain b (was 2)\n")
    #expect(home.run("apply", "-", input: "{ Replace = { \"\(name)\" = { c = 3; }; }; }").code == .done)
    #expect(home.run("read", "-g").output == "NSGlobalDomain c 3\n")
    // Under both names it is one domain.
    let twice = "{ Set = { \"\(name)\" = { a = 1; }; NSGlobalDomain = { a = 2; }; }; }"
    #expect(home.run("apply", "-", input: twice).code == .usage)
  }

  @Test("diff knows them behind a snapshot's name")
  func diff() {
    #expect(home.run("write", "-g", "a", "1").code == .done)
    #expect(home.run("snapshot", "s").code == .done)
    #expect(home.run("write", "-g", "a", "2").code == .done)
    #expect(home.run("diff", "@s/-g").output == "--- @s/-g\n+++ NSGlobalDomain\n-a 1\n+a 2\n")
    #expect(home.run("diff", "@s/-g", "-g").code == .differs)
  }

  @Test("in lines of standard input domain and key are what stands there, and the help says so")
  func lines() throws {
    #expect(home.run("write", input: "-g .a.b 1\nApp .a.b 2\n").code == .done)
    #expect(try home.files() == ["-g.plist", "App.plist"])
    #expect(home.run("read", "App").output == "App .a.b 2\n")
    #expect(home.run("read", "-to", "flat", "App").output == "'.\".a.b\"' 2\n")
    try home.write("{ a = { b = 1; }; }", to: "Tool.plist")
    #expect(
      home.run("delete", input: "Tool .a.b\n")
        == .init(
          code: .absent,
          errors: "defaults: standard input:1: there is no default “.a.b” in the domain “Tool”; in a line of "
            + "standard input a key is no path\n"))
    for verb in ["write", "delete"] {
      #expect(home.run("help", verb).output.contains(".a.b is a key and no path"), "\(verb)")
    }
  }

  @Test("-u with one's own name keeps OPENSTEP_DEFAULTS_DIR, and with another's does not; the help says so")
  func users() throws {
    #expect(home.run("-u", NSUserName(), "paths").output.contains(home.path))
    let other = NSUserName() == "daemon" ? "bin" : "daemon"
    #expect(!home.run("-u", other, "paths").output.contains("database\t\(home.path)\t"))
    let help = home.run("help").output
    #expect(help.contains("whatever OPENSTEP_DEFAULTS_DIR says"))
  }
}
