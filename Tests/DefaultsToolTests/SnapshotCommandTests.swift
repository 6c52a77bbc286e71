import DefaultsDatabase
import DefaultsHistory
import DefaultsTool
import Foundation
import TestSupport
import Testing

/// `snapshot` and `restore`.
struct SnapshotCommandTests {
  private let home: ToolHome

  init() throws {
    home = try ToolHome()
  }

  @Test("a snapshot is restored byte for byte, and what was made since is removed")
  func snapshots() throws {
    let text = "// mine\n{ a = 1; }"
    try home.write(text, to: "T.plist")
    #expect(home.run("snapshot", "before") == .init(code: .done))
    #expect(home.run("diff", "@before") == .init(code: .done))
    #expect(home.run("write", "T", "z", "1").code == .done)
    #expect(home.run("write", "New", "y", "2").code == .done)
    #expect(home.run("diff", "@before").output.hasSuffix("+New y 2\n+T z 1\n"))
    #expect(home.run("diff", "@before/T") == .init(code: .differs, output: "--- @before/T\n+++ T\n+z 1\n"))
    #expect(home.run("restore", "-n", "before") == .init(code: .done, output: "-New y 2\n-T z 1\n"))
    #expect(home.run("restore", "before") == .init(code: .done, output: "New removed\nT restored\n"))
    #expect(try home.text(of: "T.plist") == text)
    #expect(home.run("restore", "before") == .init(code: .done))
    #expect(home.run("diff", "@before").code == .done)
    #expect(home.run("undo").code == .done)
    #expect(home.run("read").output == "New y 2\nT a 1\nT z 1\n")
    #expect(home.run("restore", "before", "T") == .init(code: .done, output: "T restored\n"))
    #expect(home.run("read").output == "New y 2\nT a 1\n")
  }

  @Test("a snapshot of a database that does not exist yet is empty, and restores that")
  func emptySnapshot() throws {
    let environment = ["OPENSTEP_DEFAULTS_DIR": home.root.path + "/none/Defaults"]
    func run(_ words: String...) -> ToolHome.Outcome { home.run(words, environment: environment) }
    #expect(run("snapshot", "before") == .init(code: .done))
    let mode = try FileManager.default.attributesOfItem(atPath: home.root.path + "/none/Defaults")
    #expect(mode[.posixPermissions] as? Int == 0o700)
    #expect(run("write", "T", "a", "1").code == .done)
    #expect(run("restore", "before") == .init(code: .done, output: "T removed\n"))
    #expect(run("domains") == .init(code: .done))
  }

  @Test("snapshots have names, are listed, and are removed by name only")
  func snapshotNames() throws {
    #expect(home.run("write", "T", "a", "1").code == .done)
    #expect(home.run("write", "U", "a", "1").code == .done)
    #expect(home.run("snapshot", "one", "T").code == .done)
    #expect(home.run("snapshot", "one").code == .refused)
    for name in ["1", "-x", ".x", "a/b", "", "é", String(repeating: "x", count: 65)] {
      #expect(home.run("snapshot", name).code == .usage, "\(name)")
    }
    let fields = home.run("snapshot").output.split(separator: " ").map(String.init)
    #expect(fields.first == "one" && Array(fields.suffix(2)) == ["1", "15\n"])
    #expect(home.run("restore", "one", "U").code == .absent)
    #expect(home.run("restore", "on").errors.hasSuffix("defaults: did you mean “one”?\n"))
    #expect(home.run("snapshot", "two", "None").code == .absent)
    #expect(home.run("snapshot", "twice", "U", "T", "U") == .init(code: .done))
    #expect(home.run("snapshot").output.split(separator: "\n").last?.hasSuffix("  2  30") == true)
    #expect(home.run("restore", "twice", "T", "T") == .init(code: .done))
    #expect(home.run("snapshot", "-delete", "twice") == .init(code: .done))
    #expect(home.run("snapshot", "-delete", "one") == .init(code: .done))
    #expect(home.run("snapshot", "-delete", "one").code == .absent)
    #expect(home.run("diff", "@one").code == .absent)
  }

  // They passed for domains that were made since, and were removed.
  @Test("a snapshot of some domains puts them back and removes none; a comparison leaves the others out, too")
  func partialSnapshot() throws {
    for domain in ["T", "U"] { #expect(home.run("write", domain, "a", "1").code == .done) }
    #expect(home.run("snapshot", "some", "T").code == .done)
    #expect(home.run("snapshot", "all").code == .done)
    #expect(home.run("write", "T", "a", "2").code == .done)
    #expect(home.run("write", "V", "a", "1").code == .done)
    #expect(home.run("diff", "@some").output == "--- @some\n+++ \(home.path)\n-T a 1\n+T a 2\n")
    #expect(home.run("restore", "some").output == "T restored\n")
    #expect(home.run("diff", "@some").code == .done)
    #expect(try home.files() == ["T.plist", "U.plist", "V.plist"])
    #expect(home.run("restore", "all").output == "V removed\n")
    let fields = home.run("snapshot").output.split(separator: "\n").map { $0.split(separator: " ").suffix(2) }
    #expect(fields == [["2", "30"], ["1", "15"]])
    #expect(home.run("snapshot", "-delete", "some").code == .done)
  }

  @Test("a snapshot whose files another command takes for left over is not made")
  func emptiedDraft() throws {
    for domain in ["T", "U"] { #expect(home.run("write", domain, "a", "1").code == .done) }
    let history = History(of: UserDatabase(directory: home.path))
    let draft = try history.beginSnapshot("torn")
    try history.add(Array("{ a = 1; }\n".utf8), named: "T.plist", to: draft)
    let folder = home.path + "/.history/snapshots"
    let made = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasPrefix(".") }
    try FileManager.default.removeItem(atPath: folder + "/" + made[0] + "/T.plist")
    try history.add(Array("{ a = 1; }\n".utf8), named: "U.plist", to: draft)
    let error = #expect(throws: DatabaseError.self) { try history.finish(draft, of: 2, isPartial: false) }
    #expect(error?.kind == .refused)
    history.discard(draft)
    #expect(home.run("snapshot").output.isEmpty)
  }

  // The mark was looked for when the snapshot had gone, and all other domains passed for new ones.
  @Test(
    "a snapshot that is removed at any moment of its restoring removes no domain", arguments: [true, false])
  func removedMeanwhile(isPartial: Bool) throws {
    let place = home.path + "/.history/snapshots/s"
    var step = 0
    var isReached = true
    while isReached {
      for domain in ["T", "U"] { #expect(home.run("write", domain, "a", "\(step)").code == .done) }
      #expect(home.run(isPartial ? ["snapshot", "s", "T"] : ["snapshot", "s"]).code == .done)
      let count = Lock(0)
      let disk = FaultyFileSystem { [step] operation in
        guard operation.path?.hasPrefix(place) == true else { return nil }
        let number = count.withLock { count in
          count += 1
          return count
        }
        if number == step + 1 { #expect(rename(place, "\(place).removed") == 0) }
        return nil
      }
      _ = home.run(["restore", "s"], on: disk)
      #expect(try home.files() == ["T.plist", "U.plist"], "\(step)")
      isReached = count.withLock { $0 } > step
      for path in [place, "\(place).removed"] { try? FileManager.default.removeItem(atPath: path) }
      step += 1
    }
    #expect(step > 3)
  }

  @Test("domains whose names begin with a point are kept, listed and put back like others")
  func pointedNames() throws {
    for domain in [".x", ".partial"] { #expect(home.run("write", domain, "a", "1").code == .done) }
    #expect(home.run("snapshot", "some", ".x").code == .done)
    #expect(home.run("snapshot", "all").code == .done)
    #expect(home.run("write", ".x", "a", "2").code == .done)
    let counts = home.run("snapshot").output.split(separator: "\n").map { $0.split(separator: " ").suffix(2) }
    #expect(counts == [["2", "30"], ["1", "15"]])
    #expect(home.run("restore", "some").output == ".x restored\n")
    #expect(home.run("domains").output == ".partial\n.x\n")
  }

  // A name without an extension was that of a domain only where the directory's own path said so.
  @Test("a snapshot of NEXTSPACE's directory has its domains, which are restored")
  func nextspace() throws {
    let directory = home.root.path + "/.NextSpace"
    let configuration = home.root.path + "/GNUstep.conf"
    try Data("GNUSTEP_USER_DEFAULTS_DIR=\(directory)\n".utf8).write(to: URL(fileURLWithPath: configuration))
    let environment = ["GNUSTEP_CONFIG_FILE": configuration]
    func run(_ words: String...) -> ToolHome.Outcome {
      home.run(["-gnustep"] + words, environment: environment)
    }
    #expect(run("write", "Workspace", "a", "1").code == .done)
    #expect(FileManager.default.fileExists(atPath: directory + "/Workspace"))
    #expect(run("snapshot", "s") == .init(code: .done))
    #expect(run("diff", "@s") == .init(code: .done))
    #expect(run("restore", "s") == .init(code: .done))
    #expect(run("write", "Workspace", "a", "2").code == .done)
    #expect(run("restore", "s", "Workspace") == .init(code: .done, output: "Workspace restored\n"))
    #expect(run("delete", "Workspace").code == .done)
    #expect(run("restore", "s") == .init(code: .done, output: "Workspace restored\n"))
    #expect(run("read") == .init(code: .done, output: "Workspace a 1\n"))
    #expect(FileManager.default.fileExists(atPath: directory + "/Workspace"))
  }

  @Test("a snapshot that leaves out what lies in a domain's place removes no domain when it is restored")
  func misplaced() throws {
    let files = FileManager.default
    #expect(home.run("write", "App", "a", "1").code == .done)
    let target = home.root.path + "/elsewhere.plist"
    try files.createSymbolicLink(atPath: home.path + "/Link.plist", withDestinationPath: target)
    try files.createDirectory(atPath: home.path + "/Folder.plist", withIntermediateDirectories: false)
    let outcome = home.run("snapshot", "s")
    #expect(outcome.code == .done && outcome.errors.contains("Link.plist"), "\(outcome)")
    try files.removeItem(atPath: home.path + "/Link.plist")
    try files.removeItem(atPath: home.path + "/Folder.plist")
    for domain in ["Link", "Folder"] { #expect(home.run("write", domain, "z", "1").code == .done) }
    #expect(home.run("restore", "s") == .init(code: .done))
    #expect(try home.files() == ["App.plist", "Folder.plist", "Link.plist"])
  }

  @Test("a snapshot that is removed, and only perhaps not for good, is not said to be unchanged")
  func unsureRemoval() {
    #expect(home.run("write", "T", "a", "1").code == .done && home.run("snapshot", "s").code == .done)
    let isMoved = Lock(false)
    let disk = FaultyFileSystem { operation in
      if operation.name == "rename" { isMoved.withLock { $0 = true } }
      let isSnapshots = operation.path?.hasSuffix("/snapshots") ?? false
      return operation.name == "open directory" && isSnapshots && isMoved.withLock { $0 } ? .inputOutput : nil
    }
    let outcome = home.run(["snapshot", "-delete", "s"], on: disk)
    #expect(outcome.code == .inputOutput && !outcome.errors.contains("nothing was changed"), "\(outcome)")
    #expect(home.run("snapshot", "-delete", "s").code == .absent)
  }

  @Test("what is taken back or restored has its old name, with an extension or without one")
  func names() throws {
    for name in ["WindowMaker", "WindowMaker.plist"] {
      try home.write("{ a = 1; }", to: name)
      #expect(home.run("snapshot", "s").code == .done)
      for command in [["undo"], ["restore", "s"]] {
        #expect(home.run("delete", "WindowMaker").code == .done)
        #expect(try home.files() == [])
        #expect(home.run(command, input: []).code == .done)
        #expect(try home.files() == [name], "\(command)")
      }
      #expect(home.run("snapshot", "-delete", "s").code == .done)
      #expect(home.run("delete", "WindowMaker").code == .done)
    }
  }
}
