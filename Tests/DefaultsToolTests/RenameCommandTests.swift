import DefaultsTool
import Foundation
import Testing

struct RenameCommandTests {
  private let home: ToolHome

  init() throws {
    home = try ToolHome()
  }

  @Test("a renamed default keeps its value, its place and its comments")
  func place() throws {
    try home.write("{\n  // the font\n  Font = Ohlfs; // small\n  a = 1 /*integer*/;\n}\n", to: "App.plist")
    #expect(home.run("rename", "App", "Font", "zFont") == .init(code: .done))
    #expect(
      try home.text(of: "App.plist")
        == "{\n  // the font\n  zFont = Ohlfs; // small\n  a = 1 /*integer*/;\n}\n")
  }

  @Test("in a sorted text without comments it moves to where its new key belongs")
  func sorted() throws {
    #expect(home.run("write", "App", "{ a = 1; b = (x); c = 5 /*integer*/; }").code == .done)
    #expect(home.run("rename", "App", "a", "z") == .init(code: .done))
    #expect(try home.text(of: "App.plist") == "{\n    b = (x);\n    c = 5 /*integer*/;\n    z = 1;\n}\n")
  }

  @Test("a key that is there already is kept, unless it is to be replaced")
  func present() throws {
    for text in ["{ a = 1; b = 2; }", "{\n    a = 1;\n    b = 2;\n}\n"] {
      try home.write(text, to: "App.plist")
      #expect(
        home.run("rename", "App", "a", "b")
          == .init(
            code: .refused,
            errors: "defaults: App: there is “b” already; “-replace” takes its place; nothing was changed\n"))
      #expect(try home.text(of: "App.plist") == text)
      #expect(home.run("rename", "-replace", "App", "a", "b") == .init(code: .done))
      #expect(home.run("read", "App").output == "App b 1\n")
    }
    #expect(home.run("rename", "App", "b", "b") == .init(code: .done))
    #expect(home.run("read", "App").output == "App b 1\n")
  }

  @Test("an entry inside a value is renamed by its path")
  func paths() throws {
    try home.write("{ w = { x = 1; y = 2; }; l = (a); }", to: "App.plist")
    #expect(home.run("rename", "App", ".w.x", "left") == .init(code: .done))
    #expect(home.run("rename", "App", ".w.y", ".w.top") == .init(code: .done))
    #expect(try home.text(of: "App.plist") == "{ w = { left = 1; top = 2; }; l = (a); }")
    #expect(home.run("rename", "App", ".w.top", ".v.top").code == .usage)
    #expect(home.run("rename", "App", ".l[0]", "x").code == .usage)
    #expect(home.run("rename", "App", ".w.none", "x").code == .absent)
    #expect(home.run("rename", "App", "none", "x").code == .absent)
    #expect(home.run("rename", "None", "none", "x").code == .absent)
  }

  @Test("XML and binary files are renamed as well")
  func formats() throws {
    #expect(home.run("write", "App", "a", "-int", "5").code == .done)
    for format in ["xml", "binary"] {
      #expect(home.run("export", "-to", format, "App", home.path + "/../\(format).plist").code == .done)
      let path = home.root.path + "/\(format).plist"
      #expect(home.run("rename", path, "a", "b") == .init(code: .done))
      #expect(home.run("read", path).output == "b '5 /*integer*/'\n")
    }
  }
}
