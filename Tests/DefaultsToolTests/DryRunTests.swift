import DefaultsTool
import Foundation
import Testing

/// `-n` on each verb that writes: what it prints, and that nothing changes.
struct DryRunTests {
  private let home: ToolHome

  init() throws {
    home = try ToolHome()
    try home.write("{ a = 1; l = (x); w = { x = 1; }; }", to: "T.plist")
    try home.write("{ b = 2; }", to: "U.plist")
    try home.write("{ hidden = 1; }", to: "U")
    try Data("{ a = 1; }".utf8).write(to: home.root.appendingPathComponent("f.plist"))
  }

  /// The bytes, the number and the time of every file.
  private func state() throws -> [String: [AnyHashable]] {
    var state: [String: [AnyHashable]] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: home.root.path) {
      let path = home.root.path + "/" + name
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      let contents =
        attributes[.type] as? FileAttributeType == .typeDirectory
        ? Data() : try Data(contentsOf: URL(fileURLWithPath: path))
      state[name] = [
        contents, attributes[.systemFileNumber] as? Int, attributes[.modificationDate] as? Date,
      ]
    }
    return state
  }

  @Test(
    "a rehearsal prints the differences, and touches nothing",
    arguments: [
      (["write", "-n", "T", "a", "-int", "5"], "", "-T a 1\n+T a '5 /*integer*/'\n"),
      (["write", "-dry-run", "T", "c", "v"], "", "+T c v\n"),
      (["write", "-n", "T", "a", "1"], "", ""),
      (["write", "-n", "T", ".w.y", "2"], "", "+T .w.y 2\n"),
      (["write", "-n", "T", "l", "-array-add", "y", "z"], "", "+T .l[+] y\n+T .l[+] z\n"),
      (["write", "-n", "New", "k", "v"], "", "+New k v\n"),
      (["write", "-n", "T", "{ a = 1; }"], "", "-T l (x)\n-T w '{x = 1; }'\n"),
      (["write", "-n"], "T a 2\nU '{ c = 3; }'\n", "-T a 1\n+T a 2\n-U b 2\n+U c 3\n"),
      (["delete", "-n", "T", "a"], "", "-T a 1\n"),
      (["delete", "-n", "T", ".w.x"], "", "-T .w.x 1\n"),
      (["delete", "-n", "U"], "", "-U b 2\n"),
      (["delete", "-n"], "T a\nU b\n", "-T a 1\n-U b 2\n"),
      (["delete-all", "-n", "U"], "", "-hidden 1\n-U b 2\n"),
      (["rename", "-n", "T", "a", "c"], "", "-T a 1\n+T c 1\n"),
      (["rename", "-n", "T", ".w.x", "z"], "", "-T .w.x 1\n+T .w.z 1\n"),
      (["write", "-n", "F", "a", "2"], "", "-a 1\n+a 2\n"),
      (["delete", "-n", "F", "a"], "", "-a 1\n"),
      (["delete", "-n", "F"], "", "-a 1\n"),
      (["rename", "-n", "F", "a", "b"], "", "-a 1\n+b 1\n"),
    ])
  func rehearsals(words: [String], input: String, output: String) throws {
    let before = try state()
    let words = words.map { $0 == "F" ? home.root.path + "/f" : $0 }
    #expect(home.run(words, input: Array(input.utf8)) == .init(code: .done, output: output))
    #expect(try state() == before)
  }

  @Test("what would be refused is refused in a rehearsal, too")
  func refusals() throws {
    let before = try state()
    #expect(home.run("write", "-n", "T", ".l.x", "1").code == .refused)
    #expect(home.run("write", "-n", "T", "a", "-int").code == .usage)
    #expect(home.run("delete", "-n", "T", "none").code == .absent)
    #expect(home.run("rename", "-n", "T", "a", "l").code == .refused)
    #expect(try state() == before)
  }
}
