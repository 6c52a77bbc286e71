import DefaultsTool
import Foundation
import TestSupport
import Testing

/// What is no file, in the place of a domain's file: it is told of, and nobody waits for it.
struct MisplacedFilesTests {
  private let home: ToolHome

  init() throws {
    home = try ToolHome()
    let files = FileManager.default
    try files.setAttributes([.posixPermissions: 0o700], ofItemAtPath: home.path)
    #expect(home.run("write", "App", "a", "1").code == .done)
    try files.createDirectory(atPath: home.path + "/Dir.plist", withIntermediateDirectories: false)
    #expect(mkfifo(home.path + "/Pipe.plist", 0o600) == 0)
    try files.createSymbolicLink(atPath: home.path + "/Link.plist", withDestinationPath: "Dir.plist")
    try files.createSymbolicLink(atPath: home.path + "/Null.plist", withDestinationPath: "/dev/null")
    // These are nobody's places.
    try files.createDirectory(atPath: home.path + "/Backup", withIntermediateDirectories: false)
    #expect(mkfifo(home.path + "/pipe", 0o600) == 0)
  }

  /// The lines about all of them, sorted by name.
  private func lines(after prefix: String, advice: String = "move it away") -> String {
    ["Dir": "directory", "Link": "directory", "Null": "device", "Pipe": "pipe"].sorted { $0.key < $1.key }
      .map { name, kind in
        "\(prefix)\(home.path)/\(name).plist: is a \(kind) where the domain's file should be; \(advice)\n"
      }.joined()
  }

  @Test("doctor has a finding for each, also where its domain is named")
  func doctor() {
    #expect(
      home.run("doctor")
        == .init(
          code: .damaged,
          output: lines(after: "error: ", advice: "nothing was changed: move it away")
            + "4 errors, 0 warnings\n"))
    #expect(
      home.run("doctor", "Pipe")
        == .init(
          code: .damaged,
          output:
            "error: \(home.path)/Pipe.plist: is a pipe where the domain's file should be; "
            + "nothing was changed: move it away\n"
            + "1 error, 0 warnings\n"))
    #expect(home.run("doctor", "pipe").code == .absent)
  }

  @Test(
    "a list of all domains tells of them, and goes on without",
    arguments: [
      (["domains"], "App\n"), (["read"], "App a 1\n"), (["find", "1"], "App a 1\n"), (["snapshot", "s"], ""),
    ])
  func all(arguments: [String], output: String) {
    #expect(home.run(arguments) == .init(code: .done, output: output, errors: lines(after: "defaults: ")))
  }

  @Test("a command about one of them fails with a sentence", arguments: ["Dir", "Link", "Null", "Pipe"])
  func one(name: String) {
    for arguments in [
      ["read", name], ["read", name, "k"], ["snapshot", "s", name], ["write", name, "k", "v"],
    ] {
      let outcome = home.run(arguments)
      #expect(outcome.code == .inputOutput && outcome.output.isEmpty)
      #expect(
        outcome.errors.contains("\(home.path)/\(name).plist: is a ")
          && outcome.errors.contains(" where the domain's file should be; "), "\(outcome)")
    }
  }

  @Test(
    "a link that leads to no file is told of where all domains are listed, and restore does not follow it")
  func linkToNoFile() throws {
    let files = FileManager.default
    for name in ["Dir", "Pipe", "Link", "Null"] { try files.removeItem(atPath: home.path + "/\(name).plist") }
    let target = home.path + "/Backup/Away"
    try files.createSymbolicLink(atPath: home.path + "/Away.plist", withDestinationPath: target)
    let line =
      "defaults: \(home.path)/Away.plist: is a link that leads to no file; "
      + "make the file, or remove the link\n"
    #expect(home.run("snapshot", "s") == .init(code: .done, errors: line))
    #expect(home.run("domains") == .init(code: .done, output: "App\n", errors: line))
    try Data("{ b = 2; }".utf8).write(to: URL(fileURLWithPath: target))
    #expect(home.run("write", "App", "a", "3").code == .done)
    #expect(home.run("restore", "s") == .init(code: .done, output: "App restored\n"))
    #expect(home.run("read", "Away", "b") == .init(code: .done, output: "Away b 2\n"))
    // One that has all domains removes those that were made since.
    try files.removeItem(atPath: home.path + "/Away.plist")
    #expect(home.run("snapshot", "all") == .init(code: .done))
    try files.createSymbolicLink(atPath: home.path + "/Away.plist", withDestinationPath: target)
    #expect(
      home.run("restore", "all")
        == .init(
          code: .refused,
          errors: "defaults: \(home.path)/Away.plist: is a link to a file that the snapshot does not have; "
            + "it stays as it is\n"
        ))
    #expect(home.run("read", "Away", "b") == .init(code: .done, output: "Away b 2\n"))
  }

  // A diff ended with the code 3 and without a word, and a snapshot was not whole without one.
  @Test(
    "another user's link is told of by its number, wherever all domains are listed, and by doctor",
    .enabled(if: Administrator.isExpected, Comment(rawValue: Administrator.absence)))
  func othersLinks() throws {
    let files = FileManager.default
    for name in ["Dir", "Pipe", "Link", "Null"] { try files.removeItem(atPath: home.path + "/\(name).plist") }
    for name in ["Theirs", "Theirs2"] {
      let path = home.path + "/\(name).plist"
      try files.createSymbolicLink(atPath: path, withDestinationPath: "App.plist")
      #expect(lchown(path, 65534, 65534) == 0)
    }
    let line = "defaults: \(home.path): links of other users, which are not followed, were left out: 2\n"
    for (arguments, output) in [
      (["domains"], "App\n"), (["find", "1"], "App a 1\n"), (["snapshot", "s"], ""),
    ] {
      #expect(home.run(arguments) == .init(code: .done, output: output, errors: line))
    }
    // This snapshot tells nothing of what it has not.
    #expect(home.run("diff", "@s") == .init(code: .done, errors: line))
    let copy = home.root.path + "/copy"
    #expect(home.run("export", "-into", copy) == .init(code: .done, errors: line))
    #expect(home.run("diff", copy) == .init(code: .refused, errors: line))
    let text = "\(home.path): links of other users, which are not followed, lie in the place of domains: 2\n"
    #expect(
      home.run("doctor") == .init(code: .done, output: "warning: \(text)0 errors, 1 warning\n"))
    let asked = home.run("doctor", "Theirs")
    #expect(asked.output.contains("Theirs.plist: is a symbolic link of another user"), "\(asked)")
  }

  @Test("restore leaves a domain as it is whose copy is no file any more")
  func restore() throws {
    let files = FileManager.default
    for name in ["Dir", "Pipe", "Link", "Null"] { try files.removeItem(atPath: home.path + "/\(name).plist") }
    #expect(home.run("write", "Other", "b", "1").code == .done)
    #expect(home.run("snapshot", "s").code == .done)
    for domain in ["App", "Other"] { #expect(home.run("write", domain, "c", "1").code == .done) }
    let copy = home.path + "/.history/snapshots/s/App.plist"
    try files.removeItem(atPath: copy)
    try files.createDirectory(atPath: copy, withIntermediateDirectories: false)
    let outcome = home.run("restore", "s")
    #expect(outcome.code == .inputOutput)
    #expect(outcome.output == "Other restored\n")
    let reason = "\(copy): is a directory where the domain's file should be"
    #expect(outcome.errors.contains(reason), "\(outcome)")
    #expect(home.run("read", "App", "c") == .init(code: .done, output: "App c 1\n"))
  }
}
