import DefaultsDatabase
import DefaultsTool
import Foundation
import TestSupport
import Testing

/// A database, or a directory, that cannot be written.
struct ReadOnlyDatabaseTests {
  private let fixture: EditorHome
  private var home: ToolHome { fixture.home }

  init() throws {
    fixture = try EditorHome()
  }

  /// A file system on which nothing can be made, renamed or removed.
  private static func readOnly() -> FaultyFileSystem {
    FaultyFileSystem(isWritable: false) { operation in
      let isRefused = ["open creating", "open appending", "rename", "remove", "makeDirectory", "link"]
        .contains(
          operation.name)
      // The lock's file is there, and needs no right to the directory.
      return isRefused && operation.path?.hasSuffix("/.lock") != true ? .readOnly : nil
    }
  }

  @Test(
    "every verb that writes says that nothing was changed, and changes nothing",
    arguments: [
      "write App a 2", "write App .b.c 2", "delete App a", "delete App", "delete-all App", "rename App a b",
      "write New a 1", "apply state", "import -merge App values", "undo", "restore s", "snapshot t",
      "snapshot -delete s", "log -clear", "log -clear App",
    ])
  func verbs(line: String) throws {
    #expect(home.run("write", "App", "a", "1").code == .done)
    #expect(home.run("snapshot", "s").code == .done)
    #expect(home.run("write", "App", "a", "3").code == .done)
    let values = "\(home.root.path)/values"
    let state = "\(home.root.path)/state"
    try Data("{ a = 9; }".utf8).write(to: URL(fileURLWithPath: values))
    try Data("{ Set = { App = { a = 9; }; }; }".utf8).write(to: URL(fileURLWithPath: state))
    let words = line.replacing("values", with: values).replacing("state", with: state)
    let outcome = home.run(words.split(separator: " ").map(String.init), on: Self.readOnly())
    #expect(outcome.code == .inputOutput, "\(outcome)")
    let last =
      outcome.errors.split(separator: "\n").last { !$0.contains("the history cannot be written") } ?? ""
    #expect(last.contains("Read-only file system"), "\(outcome)")
    #expect(last.contains("the file is unchanged") || last.contains("nothing was changed"), "\(outcome)")
    #expect(home.run("read").output == "App a 3\n")
    #expect(home.run("log").output.split(separator: "\n").count == 2)
    #expect(home.run("snapshot").output.split(separator: "\n").map { $0.prefix(2) } == ["s "])
  }

  @Test("a file that is written by its path says so, too")
  func paths() throws {
    let path = "\(home.root.path)/f.plist"
    try Data("{ a = 1; }".utf8).write(to: URL(fileURLWithPath: path))
    for file in [PropertyListFile.NewFile.bytes([]), .none] {
      let error = try #require(throws: DatabaseError.self) {
        try PropertyListFile.change(path, fileSystem: Self.readOnly()) { _ in file }
      }
      #expect(error.description.hasSuffix(": Read-only file system; nothing was changed"), "\(error)")
    }
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "{ a = 1; }")
  }

  @Test("edit starts no editor where the directory of the domain or the file cannot be written")
  func edit() throws {
    let path = "\(home.root.path)/f.plist"
    try Data("{ a = 1; }".utf8).write(to: URL(fileURLWithPath: path))
    #expect(home.run("write", "App", "a", "1").code == .done)
    let editor = try fixture.editor("touch \"$HERE/started\"")
    for (operand, file) in [
      ("App", "\(home.path)/App.plist"), ("New", "\(home.path)/New.plist"), (path, path),
    ] {
      let outcome = home.run(
        ["edit", operand],
        environment: [
          "OPENSTEP_DEFAULTS_DIR": home.path, "HOME": home.root.path, "TMPDIR": fixture.texts,
          "EDITOR": editor,
        ], on: FaultyFileSystem(isWritable: false))
      #expect(
        outcome
          == .init(
            code: .inputOutput,
            errors:
              "defaults: \(file): cannot be saved, since its directory cannot be written; no editor was started, "
              + "and nothing was changed\n"))
    }
    #expect(!FileManager.default.fileExists(atPath: "\(home.root.path)/started"))
    #expect(try fixture.left().isEmpty)
  }

  @Test("edit makes the first domain of a database that is not there yet")
  func first() throws {
    try FileManager.default.removeItem(at: home.database)
    let outcome = home.run(
      ["edit", "App"],
      environment: [
        "OPENSTEP_DEFAULTS_DIR": home.path, "HOME": home.root.path, "TMPDIR": fixture.texts,
        "EDITOR": try fixture.editor("echo '{ a = 1; }' > \"$1\""),
      ])
    #expect(outcome == .init(code: .done))
    #expect(home.run("read", "App").output == "App a 1\n")
  }
}
