import DefaultsTool
import Foundation
import TestSupport
import Testing

/// A domain's file that is named by its path: what it holds is the domain's, although its contents look like Window Maker's.
struct DomainsByPathTests {
  private let home: ToolHome
  private var path: String { home.path + "/App.plist" }

  /// In NeXT's set, which a domain's file has, the escapes of the value are “ˆ…”; in Window Maker's text they are “ü”.
  private static let text = "{ Editor = { Icon = \"\\303\\274\"; Size = 5; }; }\n"

  init() throws {
    home = try ToolHome()
    try home.write(
      DomainsByPathTests.text.replacingOccurrences(of: "Size", with: "NoBorder"), to: "App.plist")
  }

  private func lines(of subject: String) -> [String] {
    home.run("read", "-to", "flat", subject).output.split(separator: "\n").map(String.init)
  }

  @Test("reading and converting the file give the domain's characters")
  func reading() {
    #expect(lines(of: path) == [".Editor.Icon ˆ…", ".Editor.NoBorder 5"])
    #expect(lines(of: path) == lines(of: "App"))
    #expect(home.run("convert", "-to", "flat", path).output == ".Editor.Icon ˆ…\n.Editor.NoBorder 5\n")
    #expect(home.run("convert", "-from", "windowmaker", "-to", "flat", path).output.contains("ü"))
    // git compares it with a file elsewhere.
    #expect(home.run("convert", "-to", "flat", "-textconv", path).output.contains("ü"))
    #expect(home.run("diff", path, "App") == .init(code: .done))
  }

  // The type was lost, and “\303\274”, which another key kept, was “ü” for one reader and “ˆ…” for the other.
  @Test("changes keep characters and types, also through another name of the directory")
  func changes() throws {
    let link = home.root.path + "/link"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: home.path)
    let changes = [
      ["write", path, ".Editor.StartHidden", "-bool", "YES"], ["write", link + "/App", ".Other.Icon", "é"],
      ["rename", path, ".Editor.NoBorder", "NoTitlebar"],
      ["delete", link + "/App.plist", ".Editor.NoTitlebar"],
    ]
    for change in changes {
      #expect(home.run(change) == .init(code: .done))
      #expect(lines(of: path) == lines(of: "App"))
    }
    let expected = [".Editor.Icon ˆ…", ".Editor.StartHidden 'YES /*boolean*/'", ".Other.Icon é"]
    #expect(lines(of: "App") == expected)
  }

  @Test("a merge into the file is one of a domain's texts")
  func merge() throws {
    let text = DomainsByPathTests.text
    try home.writeSides(
      Array(text.utf8), Array(text.replacingOccurrences(of: "Size", with: "Icon2").utf8),
      Array((text.dropLast(3) + "F = { Icon = \"é\"; }; }\n").utf8))
    let (outcome, merged) = try home.merge(["-P", path])
    #expect(outcome == .init(code: .done))
    try Data(merged).write(to: URL(fileURLWithPath: path))
    #expect(lines(of: "App") == [".Editor.Icon ˆ…", ".Editor.Icon2 5", ".F.Icon é"])
  }

  @Test("a file under one of Window Maker's own names is read as its, as the domain is")
  func ownName() throws {
    try home.write("{ Other = \"\\303\\274\"; }\n", to: "WMState")
    for subject in [home.path + "/WMState", "WMState"] { #expect(lines(of: subject) == [".Other ü"]) }
    #expect(home.run("convert", "-to", "flat", home.path + "/WMState").output == ".Other ü\n")
  }

  @Test("outside of the database's directory the contents tell")
  func elsewhere() throws {
    try FileManager.default.copyItem(atPath: path, toPath: home.root.path + "/copy.plist")
    #expect(lines(of: home.root.path + "/copy.plist").first == ".Editor.Icon ü")
  }
}
