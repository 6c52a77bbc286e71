import DefaultsTool
import Foundation
import Testing

struct LintCommandTests {
  private let home: ToolHome

  init() throws {
    home = try ToolHome()
  }

  private func path(_ file: String) -> String {
    home.database.appendingPathComponent(file).path
  }

  @Test("good files of every format are OK")
  func good() throws {
    try home.write("{ a = (1, 2); } // mine\n", to: "text")
    try home.write("a = b;\nc;\n", to: "strings")
    try home.write("{ a = <*I5>; }", to: "gnustep")
    try home.write("<?xml version=\"1.0\"?><plist version=\"1.0\"><array/></plist>", to: "xml")
    let binary = try PropertyListSerialization.data(fromPropertyList: ["a": 1], format: .binary, options: 0)
    try binary.write(to: home.database.appendingPathComponent("binary"))
    let files = ["text", "strings", "gnustep", "xml", "binary"].map(path)
    #expect(
      home.run(["lint"] + files) == .init(code: .done, output: files.map { "\($0): OK\n" }.joined()))
    #expect(home.run("lint", "-", input: "(a, b)") == .init(code: .done, output: "standard input: OK\n"))
  }

  @Test("a damaged file gives line, column, the source line and a caret")
  func damaged() throws {
    try home.write("{\n    a = b;\n    c = ;;\n}\n", to: "bad")
    let outcome = home.run("lint", path("bad"))
    #expect(outcome.code == .damaged)
    #expect(outcome.output.isEmpty)
    let lines = outcome.errors.split(separator: "\n")
    #expect(lines.count == 3)
    #expect(lines.first?.hasPrefix("defaults: \(path("bad")):3:10: ") == true)
    #expect(lines.dropFirst() == ["    c = ;;", "         ^"])
  }

  @Test("an error without a place is one line")
  func damagedXML() throws {
    try home.write("<?xml version=\"1.0\"?><plist version=\"1.0\"><array>", to: "xml")
    let outcome = home.run("lint", path("xml"))
    #expect(outcome.code == .damaged)
    #expect(outcome.errors.hasPrefix("defaults: \(path("xml")): "))
    #expect(outcome.errors.filter { $0 == "\n" }.count == 1)
  }

  @Test("of several files each is checked; the exit code tells the worst")
  func several() throws {
    try home.write("(", to: "bad")
    try home.write("()", to: "good")
    let damaged = home.run("lint", path("bad"), path("good"))
    #expect(damaged.code == .damaged)
    #expect(damaged.output == "\(path("good")): OK\n")
    let missing = home.run("lint", path("none"), path("bad"), path("good"))
    #expect(missing.code == .inputOutput)
    #expect(missing.output == "\(path("good")): OK\n")
    #expect(missing.errors.hasPrefix("defaults: \(path("none")): No such file or directory\n"))
    #expect(missing.errors.contains("defaults: \(path("bad")):1:2: "))
    #expect(home.run("lint", home.path).code == .inputOutput)
  }

  @Test("an empty name is no directory")
  func emptyName() {
    #expect(
      home.run("lint", "") == .init(code: .inputOutput, errors: "defaults: “”: the name of a file is empty\n")
    )
  }

  @Test("lint without files is a usage error")
  func usage() {
    #expect(
      home.run("lint")
        == .init(
          code: .usage, errors: "defaults: “lint” takes the names of files; see “defaults help lint”\n"))
  }
}
