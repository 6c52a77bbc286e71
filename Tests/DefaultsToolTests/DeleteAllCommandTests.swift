import DefaultsTool
import Foundation
import Testing

struct DeleteAllCommandTests {
  private let home: ToolHome

  init() throws {
    home = try ToolHome()
    try home.write("{ a = 1; b = 2; }", to: "App.plist")
    try home.write("// old\n{ a = 3; c = 4; }", to: "App")
  }

  /// What is said of the hidden file.
  private var notice: String {
    "defaults: \(home.path)/App: was hidden, so that “defaults undo” does not give it back\n"
  }

  @Test("a domain is removed with the file that it hides, which delete only covers")
  func domain() throws {
    #expect(home.run("delete", "App") == .init(code: .done))
    #expect(try home.files() == ["App", "App.plist"])
    #expect(home.run("delete-all", "App") == .init(code: .done, errors: notice))
    #expect(try home.files() == [])
    #expect(home.run("delete-all", "App").code == .absent)
    #expect(home.run("undo").code == .done)
    #expect(try home.files() == ["App.plist"], "the hidden one is gone, as it was said")
  }

  @Test("a key is removed from both files")
  func key() throws {
    #expect(home.run("delete-all", "App", "a") == .init(code: .done, errors: notice))
    #expect(home.run("read", "App").output == "App b 2\n")
    #expect(try home.text(of: "App") == "// old\n{ c = 4; }")
    #expect(
      home.run("delete-all", "App", "c") == .init(code: .done, errors: notice), "only the hidden file has it")
    #expect(home.run("delete-all", "App", "c").code == .absent)
  }

  @Test("a file of Window Maker's alone is removed")
  func bare() throws {
    try FileManager.default.removeItem(atPath: home.path + "/App.plist")
    #expect(home.run("delete-all", "App") == .init(code: .done))
    #expect(try home.files() == [])
  }

  @Test("a damaged file keeps every byte, and the others as well")
  func damaged() throws {
    try home.write("{ a = ", to: "App")
    #expect(home.run("delete-all", "App", "a").code == .damaged)
    #expect(try home.text(of: "App") == "{ a = ")
    #expect(home.run("read", "App").output == "App a 1\nApp b 2\n")
  }
}
