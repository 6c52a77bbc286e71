import DefaultsTool
import Foundation
import TestSupport
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

  @Test("each link of a cycle is one finding, whether its name is a domain's or not")
  func cycle() throws {
    for (name, target) in [("A.plist", "B.plist"), ("B.plist", "A.plist"), ("C", "C"), ("d.e", "d.e")] {
      try FileManager.default.createSymbolicLink(
        atPath: "\(home.path)/\(name)", withDestinationPath: target)
    }
    let outcome = home.run("doctor")
    let lines = outcome.output.split(separator: "\n").filter { $0.contains("symbolic links form a cycle") }
    let places = lines.map { $0.split(separator: " ")[1] }
    #expect(
      places.sorted() == ["A.plist", "B.plist", "C", "d.e"].map { "\(home.path)/\($0):" }, "\(outcome.output)"
    )
    #expect(outcome.code == .damaged && outcome.output.hasSuffix("\n4 errors, 0 warnings\n"))
  }

  // MARK: - Further findings

  /// Makes a file or directory look as if it was made some days ago.
  private func age(_ path: String, days: Int = 2) throws {
    let date = Date(timeIntervalSinceNow: Double(-86_400 * days))
    try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
  }

  @Test("equal keys, a lock that is no file, an open history, and GNUstep's stale lock are told")
  func furtherFindings() throws {
    try put("{ a = 1;\n b = { x = 1; x = 2; };\n a = 3; }", "Twice.plist")
    let files = FileManager.default
    #expect(home.run("write", "App", "k", "v").code == .done)
    try files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: home.path + "/.history")
    try files.removeItem(atPath: home.path + "/.lock")
    try files.createDirectory(atPath: home.path + "/.lock", withIntermediateDirectories: false)
    let lock = home.path + "/.lck/.GNUstepDefaults.lck"
    try files.createDirectory(atPath: lock, withIntermediateDirectories: true)
    let folder = home.root.path + "/texts/defaults-edit-1"
    try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Data((home.path + "/App.plist").utf8).write(to: URL(fileURLWithPath: folder + "/.edited"))
    func output() -> String {
      home.run(
        ["doctor"], environment: ["OPENSTEP_DEFAULTS_DIR": home.path, "TMPDIR": home.root.path + "/texts"]
      ).output
    }
    #expect(!output().contains(lock), "a lock of this moment is in use")
    try age(lock)
    let text = output()
    for line in [
      "warning: \(home.path)/Twice.plist:1:3: the key “a” stands here again",
      "warning: \(home.path)/Twice.plist:2:8: the key “x” stands here again",
      "error: \(home.path)/.lock: is no regular file",
      "warning: \(home.path)/.history: others may look into it",
      "note: \(lock): is a lock that a GNUstep program has left",
      "note: \(folder): is left of an edit of \(home.path)/App.plist",
    ] { #expect(text.contains(line), "\(line)\n\(text)") }
  }

  @Test(
    "files of another user, and what others may write of the administrator's, are told",
    .enabled(
      if: Administrator.isExpected && !FileManager.default.fileExists(atPath: "/etc/OpenStep/Managed"),
      Comment(rawValue: Administrator.absence)))
  func owners() throws {
    try put("{ a = 1; }", "App.plist")
    #expect(chown(home.path + "/App.plist", 65534, 65534) == 0)
    let managed = home.root.path + "/Managed"
    try FileManager.default.createDirectory(atPath: managed, withIntermediateDirectories: true)
    try Data("{ a = ".utf8).write(to: URL(fileURLWithPath: managed + "/App.plist"))
    func doctor() -> ToolHome.Outcome {
      home.run(
        ["doctor"], environment: ["OPENSTEP_DEFAULTS_DIR": home.path, "OPENSTEP_MANAGED_DIR": managed])
    }
    #expect(
      doctor().output.contains(
        "warning: \(home.path)/App.plist: belongs to user 65534, and the directory to user 0"))
    #expect(doctor().output.contains("error: \(managed)/App.plist:1:7: "))
    #expect(chmod(managed, 0o777) == 0)
    #expect(doctor().output.contains("error: \(managed)"))
  }

  // MARK: - Repairs

  @Test("of a damaged text all whole entries are kept, each part is told, and undo takes it back")
  func rescue() throws {
    let damaged = "// mine\n{\n  a = 1; // one\n  b = (;\n  \"c d\" = 3;\n}\n"
    try put(damaged, "App.plist")
    let finding = home.run("doctor")
    let remedy =
      "; “defaults doctor -repair” rescues what is whole: 2 entries are kept, 1 stretch is lost "
      + "(4:3-4:9)\n"
    #expect(finding.output.contains(remedy), "\(finding.output)")
    let outcome = home.run("doctor", "-repair")
    let kept = try #require(try home.files().first { $0.hasPrefix("App.damaged-") })
    let path = home.path + "/App.plist"
    #expect(outcome.code == .done)
    #expect(
      outcome.output.hasPrefix(
        """
        repaired: \(path): 2 entries are kept, 1 stretch is lost (4:3-4:9); the damaged file was kept as \(home.path)/\(kept)
          kept \(path):3:3-3:9 a
          lost \(path):4:3-4:9
          kept \(path):5:3-5:13 c d

        """), "\(outcome.output)")
    let lines = try home.text(of: "App.plist").split(separator: "\n", omittingEmptySubsequences: false)
    let comment =
      /\/\* rescued \d{4}-.* \+0000: 2 entries are kept, 1 stretch is lost \(4:3-4:9\) \*\//
    #expect(lines[0].wholeMatch(of: comment) != nil, "\(lines[0])")
    #expect(lines.dropFirst() == ["// mine", "{", "  a = 1; // one", "  ", "  \"c d\" = 3;", "}", ""])
    #expect(try home.text(of: kept) == damaged)
    #expect(home.run("log").output.hasSuffix("  doctor -repair\n"))
    #expect(home.run("undo").code == .done)
    #expect(try home.text(of: "App.plist") == damaged)
  }

  @Test("what cannot be rescued stays an error, and keeps every byte")
  func nothingToRescue() throws {
    let head = "<?xml version=\"1.0\"?><plist version=\"1.0\"><dict>"
    for (text, name) in [(head, "X"), ("bplist00abc", "B"), ("(a, b", "L"), ("", "E"), ("{ a = ", "N")] {
      try put(text, name + ".plist")
    }
    let outcome = home.run("doctor", "-repair")
    #expect(outcome.code == .damaged && outcome.output.hasSuffix("\n5 errors, 0 warnings\n"))
    #expect(outcome.output.components(separatedBy: "; nothing of it can be rescued\n").count == 6)
    #expect(try home.text(of: "X.plist") == head && home.text(of: "N.plist") == "{ a = ")
    #expect(try home.files().count == 5)
  }

  @Test("of a damaged XML file the whole entries are kept as well, each part is told, and undo takes it back")
  func rescuedXML() throws {
    let damaged = """
      <?xml version="1.0"?>
      <plist version="1.0">
      <dict>
       <key>a</key>
       <integer>1</integer>
       <key>b</key>
       <stri>2</stri>
       <key>c</key>
       <string>3</string>
      </dict>
      </plist>

      """
    try put(damaged, "App.plist")
    let path = home.path + "/App.plist"
    let found = home.run("doctor", "App").output
    #expect(found.hasPrefix("error: \(path):7:2: no property list has an element “stri”"), "\(found)")
    #expect(
      found.contains(
        "; “defaults doctor -repair” rescues what is whole: 2 entries are kept, 1 stretch is lost (6:2-8:2)\n"
      ), "\(found)")
    let outcome = home.run("doctor", "-repair", "App")
    let kept = try #require(try home.files().first { $0.hasPrefix("App.damaged-") })
    #expect(
      outcome.output.hasPrefix(
        """
        repaired: \(path): 2 entries are kept, 1 stretch is lost (6:2-8:2); the damaged file was kept as \(home.path)/\(kept); it was XML and is text now
          kept \(path):4:2-5:22 a
          lost \(path):6:2-8:2
          kept \(path):8:2-9:20 c

        """), "\(outcome.output)")
    #expect(home.run("read").output == "App a '1 /*integer*/'\nApp c 3\n")
    #expect(home.run("undo").code == .done)
    #expect(try home.text(of: "App.plist") == damaged)
  }

  @Test("rescued text is one that the file's own programs read")
  func rescueForOthers() throws {
    try put("{\n  a = 5 /*integer*/; // c\n  b = (;\n}\n", "WindowMaker")
    #expect(home.run("doctor", "-repair").output.contains("1 entry is kept, 1 stretch is lost (3:3-3:9)"))
    #expect(home.run("read", "WindowMaker").output == "WindowMaker a 5\n")
    #expect(home.run("lint", home.path + "/WindowMaker").errors.isEmpty)
    let shared = try GNUstepHome()
    try FileManager.default.createDirectory(atPath: shared.directory, withIntermediateDirectories: true)
    let path = shared.directory + "/App.plist"
    try Data("{ n = <*I5>; b = (; }".utf8).write(to: URL(fileURLWithPath: path))
    #expect(
      home.run(["-gnustep", "doctor", "-repair", "App"], environment: shared.environment).code == .done)
    #expect(try String(contentsOfFile: path, encoding: .utf8).contains("<integer>5</integer>"))
  }

  @Test("equal keys are reduced to the one that counts, and others' rights are taken away")
  func equalKeysAndRights() throws {
    try put("// mine\n{ a = 1; b = 2; a = 3; /* c */ }\n", "App.plist", mode: 0o664)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: home.path)
    let outcome = home.run("doctor", "-repair")
    #expect(outcome.code == .done && outcome.output.hasSuffix("\nwell\n"), "\(outcome.output)")
    #expect(try home.text(of: "App.plist") == "// mine\n{ b = 2; a = 3; /* c */ }\n")
    let files = FileManager.default
    #expect(try files.attributesOfItem(atPath: home.path)[.posixPermissions] as? Int == 0o700)
    #expect(try files.attributesOfItem(atPath: home.path + "/App.plist")[.posixPermissions] as? Int == 0o600)
    #expect(home.run("undo").code == .done)
    #expect(try home.text(of: "App.plist") == "// mine\n{ a = 1; b = 2; a = 3; /* c */ }\n")
  }

  @Test("only what a killed program has left for more than a day is removed")
  func leftOvers() throws {
    let lock = home.path + "/.lck/.GNUstepDefaults.lck"
    try FileManager.default.createDirectory(atPath: lock, withIntermediateDirectories: true)
    for name in [".save-0123456789abcdef", ".save-mine", "App.damaged-20200101-000000"] { try put("x", name) }
    let save = home.path + "/.save-0123456789abcdef"
    for path in [lock, save, home.path + "/.save-mine"] { try age(path) }
    let outcome = home.run("doctor", "-repair")
    #expect(outcome.output.contains("repaired: \(lock): is removed\n"), "\(outcome.output)")
    let files = FileManager.default
    #expect(!files.fileExists(atPath: lock))
    // The time of the last change of the file itself, which nobody can set, is of this moment.
    #expect(files.fileExists(atPath: save))
    #expect(files.fileExists(atPath: home.path + "/.save-mine"))
    #expect(try home.files() == ["App.damaged-20200101-000000"])
  }

  @Test("GNUstep's lock is removed as well if its time lies in the future")
  func futureLock() throws {
    let lock = home.path + "/.lck/.GNUstepDefaults.lck"
    try FileManager.default.createDirectory(atPath: lock, withIntermediateDirectories: true)
    try age(lock, days: -2)
    let outcome = home.run("doctor", "-repair")
    #expect(outcome.output.contains("repaired: \(lock): is removed\n"), "\(outcome.output)")
    #expect(!FileManager.default.fileExists(atPath: lock))
  }

  @Test("a history that takes too much is cut to its bound")
  func history() throws {
    #expect(home.run("write", "App", "k", "v").code == .done)
    let big = home.path + "/.history/9.0.before"
    #expect(FileManager.default.createFile(atPath: big, contents: Data(count: 9 << 20)))
    #expect(home.run("doctor").output.contains("warning: \(home.path)/.history: takes "))
    let outcome = home.run("doctor", "-repair")
    #expect(outcome.output.hasSuffix("\nwell\n") && !FileManager.default.fileExists(atPath: big))
    #expect(home.run("undo").output == "undo 1: write App k v\n-App k v\n")
  }

  @Test("a repair that fails is reported, and its finding stays")
  func failingRepair() throws {
    try put("{ a = 1; b = (; }", "App.plist")
    let files = FileManager.default
    try? files.removeItem(atPath: home.path + "/.lock")
    try files.createDirectory(atPath: home.path + "/.lock", withIntermediateDirectories: false)
    let outcome = home.run("doctor", "-repair")
    // That the repair failed weighs more than what it leaves.
    #expect(outcome.code == .inputOutput && outcome.errors.contains("/.lock: is no regular file"))
    #expect(outcome.output.contains("error: \(home.path)/App.plist:1:15: "))
    #expect(try home.text(of: "App.plist") == "{ a = 1; b = (; }")
  }
}
