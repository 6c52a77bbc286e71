import DefaultsTool
import Foundation
import TestSupport
import Testing

/// Inputs on which a command once took quadratic time. It would now exceed the limit many times over.
@Suite(
  .enabled(if: Thoroughness.runsHere, Comment(rawValue: Thoroughness.elsewhere)), .timeLimit(.minutes(20)))
struct LargeInputTests {
  private let home: ToolHome

  init() throws {
    home = try ToolHome()
  }

  @Test("data of which each is never closed, for doctor")
  func openData() throws {
    try home.write("{\n" + String(repeating: "a = <0;\n", count: 400_000), to: "App.plist")
    #expect(home.run("doctor").code == .damaged)
  }

  @Test("an edit of one of many keys of a file in XML")
  func edit() throws {
    let entries = (0..<40_000).map { "<key>k\($0)</key><string>v</string>\n" }.joined()
    try home.write("<plist version=\"1.0\"><dict>\n\(entries)</dict></plist>\n", to: "App.plist")
    let script = "VISUAL=\"sed -i -e 's/k17 = v/k17 = w/' -e 's/k18 = v/kx = v/'\" defaults edit App; echo $?"
    #expect(try home.shell(script).output.hasSuffix("0\n"))
    #expect(home.run("read", "App", "k17").output == "App k17 w\n")
    #expect(home.run("read", "App", "kx").output == "App kx v\n")
  }

  @Test("a merge of many keys with comments that only one side has")
  func merge() throws {
    let count = Thoroughness.isComplete ? 60_000 : 15_000
    func text(_ name: String) -> String {
      "{\n" + (0..<count).map { "  \(name)\($0) = 1; // c\n" }.joined() + "}\n"
    }
    let root = home.root.path
    for (name, contents) in [("base", "{ }\n"), ("ours", text("a")), ("theirs", text("b"))] {
      try contents.write(toFile: "\(root)/\(name)", atomically: false, encoding: .utf8)
    }
    let outcome = home.run("merge", "-p", "\(root)/base", "\(root)/ours", "\(root)/theirs")
    #expect(outcome.code == .done)
    #expect(outcome.output.split(separator: "\n").count { $0.hasSuffix(" = 1; // c") } == 2 * count)
  }

  @Test("a request for many new domains looks at the database's directory once", arguments: [10, 100])
  func apply(count: Int) throws {
    let state = home.root.appendingPathComponent("state").path
    try "{ Set = { \((0..<count).map { "D\($0) = { k = 1; }; " }.joined()) }; }"
      .write(toFile: state, atomically: false, encoding: .utf8)
    let disk = FaultyFileSystem()
    #expect(home.run(["apply", state], on: disk).code == .done)
    let looks = disk.operations.count { $0.name == "names" && $0.path == home.path }
    #expect(looks <= 2, "\(looks)")
  }
}
