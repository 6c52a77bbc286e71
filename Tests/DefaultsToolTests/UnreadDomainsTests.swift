import DefaultsTool
import Foundation
import Testing

/// Domains that exist only inside a program: no command makes a file for them, which no program would read.
struct UnreadDomainsTests {
  private let home: ToolHome
  private static let reason =
    "which exists only inside the program; nothing was changed; choose another domain\n"

  init() throws {
    home = try ToolHome()
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: home.path)
  }

  @Test(
    "a command that would write one is refused",
    arguments: [
      (["write", "NSArgumentDomain", "k", "v"], ""), (["write", "-n", "NSRegistrationDomain", "k", "v"], ""),
      (["write", "NSRegistrationDomain", "{ k = v; }"], ""),
      (["write", "NSArgumentDomain", ".k.l", "v"], ""),
      (["write"], "NSArgumentDomain k v\n"), (["import", "NSRegistrationDomain", "-"], "{ k = v; }"),
      (["apply", "-"], "{ Set = { NSArgumentDomain = { k = v; }; }; }"), (["edit", "NSArgumentDomain"], ""),
      (["-gnustep", "write", "NSArgumentDomain", "k", "v"], ""),
    ])
  func written(arguments: [String], input: String) throws {
    let outcome = home.run(
      arguments, input: Array(input.utf8),
      environment: [
        "OPENSTEP_DEFAULTS_DIR": home.path, "HOME": home.root.path, "EDITOR": "true",
        "GNUSTEP_CONFIG_FILE": home.root.path + "/none",
      ])
    #expect(outcome.code == .refused)
    #expect(outcome.errors.hasPrefix("defaults: “NS"), "\(outcome)")
    #expect(outcome.errors.hasSuffix(UnreadDomainsTests.reason), "\(outcome)")
    #expect(try home.files().isEmpty)
  }

  @Test("other domains of a batch and a state are not held up by a refused one, as by any other")
  func others() throws {
    let state = "{ Set = { NSArgumentDomain = { k = v; }; App = { k = v; }; }; }"
    #expect(home.run("apply", "-", input: state).code == .refused)
    #expect(try home.files() == ["App.plist"])
  }

  @Test("a file that is there is read, told of by doctor, and deleted")
  func present() throws {
    try home.write("{ k = v; }", to: "NSArgumentDomain.plist")
    let path = home.path + "/NSArgumentDomain.plist"
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    #expect(home.run("read", "NSArgumentDomain") == .init(code: .done, output: "NSArgumentDomain k v\n"))
    #expect(home.run("domains").output == "NSArgumentDomain\n")
    #expect(
      home.run("doctor", "NSArgumentDomain")
        == .init(
          code: .done,
          output:
            "warning: \(path): no program reads it: “NSArgumentDomain” is the domain of a program's arguments, "
            + "which exists only inside the program; “defaults delete NSArgumentDomain” removes it\n"
            + "0 errors, 1 warning\n"))
    #expect(home.run("write", "NSArgumentDomain", "k", "w").code == .refused)
    #expect(home.run("delete", "NSArgumentDomain") == .init(code: .done))
    #expect(try home.files().isEmpty)
  }
}
