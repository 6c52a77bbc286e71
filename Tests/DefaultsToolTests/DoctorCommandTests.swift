import DefaultsTool
import Foundation
import Testing

struct DoctorCommandTests {
  private let home: ToolHome

  init() throws {
    home = try ToolHome()
    let files = FileManager.default
    try files.setAttributes([.posixPermissions: 0o700], ofItemAtPath: home.path)
  }

  private func put(_ text: String, _ name: String, mode: Int = 0o600) throws {
    try home.write(text, to: name)
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: "\(home.path)/\(name)")
  }

  @Test("a sound database is well")
  func well() throws {
    #expect(home.run("write", "App", "k", "-int", "5").code == .done)
    #expect(home.run("doctor") == .init(code: .done, output: "well\n"))
    let none = home.run(["doctor"], environment: ["OPENSTEP_DEFAULTS_DIR": home.root.path + "/none"])
    #expect(none.code == .done && none.output.hasPrefix("note: \(home.root.path)/none: does not exist"))
  }

  @Test("each finding is a line with its place, and an error gives exit code 4")
  func findings() throws {
    try put("{ a = b; c = ", "Bad.plist")
    try put("{ n = 5x /*integer*/; }", "Note.plist")
    try put("{ a = 1; }", "Open.plist", mode: 0o644)
    try put("{ a = 1; }", "Two.plist")
    try put("{ a = 2; }", "Two")
    try put("/* c */\n{ a = 2; }", "WindowMaker")
    try put("{ a = ", "App.damaged-1")
    try FileManager.default.createSymbolicLink(
      atPath: "\(home.path)/Link.plist", withDestinationPath: "nowhere")
    let outcome = home.run("doctor")
    #expect(outcome.code == .damaged && outcome.errors.isEmpty)
    for line in [
      "error: \(home.path)/Bad.plist:1:14: ", "warning: \(home.path)/Note.plist:1:",
      "note: \(home.path)/App.damaged-1: ",
      "warning: \(home.path)/Open.plist: others may read it, mode 644",
      "warning: \(home.path)/Two: is hidden by ",
      "error: \(home.path)/WindowMaker:1:1: ",
      "error: \(home.path)/Link.plist: is a link that leads to no file",
    ] {
      #expect(
        outcome.output.split(separator: "\n").contains { $0.hasPrefix(line) }, "\(line)\n\(outcome.output)")
    }
    #expect(outcome.output.hasSuffix("\n3 errors, 3 warnings\n"))
    #expect(home.run("doctor", "Two").output.hasSuffix("0 errors, 1 warning\n"))
    #expect(home.run("doctor", "None").code == .absent)
    #expect(try home.text(of: "Bad.plist") == "{ a = b; c = ")
  }
}
