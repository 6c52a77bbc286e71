import DefaultsDatabase
import DefaultsTool
import Foundation
import TestSupport
import Testing

/// What `doctor -repair` leaves of a file, what it says, and how it ends.
struct DoctorRepairTests {
  private let home: ToolHome
  private var history: String { home.path + "/.history" }

  init() throws {
    home = try ToolHome()
    #expect(chmod(home.path, 0o700) == 0)
  }

  private func put(_ bytes: some Sequence<UInt8>, _ name: String) throws {
    try Data(bytes).write(to: home.database.appendingPathComponent(name))
    #expect(chmod("\(home.path)/\(name)", 0o600) == 0)
  }

  private func put(_ text: String, _ name: String) throws { try put(text.utf8, name) }

  private func bytes(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: home.database.appendingPathComponent(name)))
  }

  @Test(
    "a rescued text of another encoding is UTF-8, and the line says so; so it does of XML, which becomes text"
  )
  func rescuedEncoding() throws {
    let text = "{ a = \"\u{E9}\"; b = (; }\n"
    try put([0xFF, 0xFE] + utf16(text, isBig: false), "App.plist")
    let wide = home.run("doctor", "-repair", "App").output
    let line = try #require(wide.split(separator: "\n").first)
    #expect(line.hasPrefix("repaired: ") && line.hasSuffix("; the text was not UTF-8, and is now"), "\(wide)")
    #expect(try home.text(of: "App.plist").contains("a = \"\u{E9}\";"))
    try put(text, "App.plist")
    #expect(!home.run("doctor", "-repair", "App").output.contains("UTF-8"))
    try put("<plist><dict><key>a</key><string>x</string><key>b</key><arr</dict></plist>", "App.plist")
    let xml = home.run("doctor", "-repair", "App").output
    #expect(xml.split(separator: "\n").first?.hasSuffix("; it was XML and is text now") == true, "\(xml)")
  }

  @Test("half of a character in a text of UTF-16, which becomes U+FFFD, is told of with its place")
  func halfCharacters() throws {
    let units: [UInt16] = Array("{\n  a = \"x?y\";\n  b = (;\n  c = \"?\";\n}\n".utf16).map {
      $0 == 0x3F ? 0xD800 : $0
    }
    try put([0xFF, 0xFE] + units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }, "App.plist")
    let remark = "2 entries are kept, 1 stretch is lost (3:3-3:9), 2 half characters are U+FFFD (2:9, 4:8)"
    #expect(home.run("doctor", "App").output.contains(remark))
    #expect(home.run("doctor", "-repair", "App").output.contains(remark))
    #expect(try home.text(of: "App.plist").contains("\(remark) */\n{\n  a = \"x\u{FFFD}y\";\n"))
  }

  // MARK: What cannot be looked at

  @Test(
    "a look that fails before the repairs and not again is reported with its file, and is a failure",
    arguments: [
      ("open reading", 0, "App.plist: cannot be read: "), ("status", 3, "App.plist: cannot be looked at: "),
    ])
  func failedLook(operation: String, index: Int, message: String) throws {
    try put("{ a = 1; a = 2; }", "App.plist")
    try put("{ b = 1; b = 2; }", "Other.plist")
    let count = Lock(0)
    let disk = FaultyFileSystem { [path = home.path + "/App.plist"] found in
      guard found.name == operation, found.path == path else { return nil }
      return count.withLock { count in
        defer { count += 1 }
        return count == index ? .inputOutput : nil
      }
    }
    let outcome = home.run(["doctor", "-repair"], on: disk)
    #expect(outcome.code == .inputOutput, "\(outcome)")
    #expect(outcome.errors.hasPrefix("defaults: \(home.path)/\(message)"), "\(outcome)")
    #expect(outcome.output.contains("repaired: \(home.path)/Other.plist: "))
    #expect(outcome.output.hasSuffix("\n0 errors, 1 warning\n"), "\(outcome)")
    #expect(try home.text(of: "App.plist") == "{ a = 1; a = 2; }")
  }

  // MARK: Another owner

  @Test(
    "the administrator's repair takes no rights away from a file of another owner than the directory's",
    .enabled(if: Administrator.isExpected, Comment(rawValue: Administrator.absence)))
  func otherOwners() throws {
    try put("{ a = 1; }", "App.plist")
    let path = home.path + "/App.plist"
    #expect(chmod(path, 0o644) == 0 && chown(path, 65534, 65534) == 0)
    let remark = "warning: \(path): belongs to user 65534, and the directory to user 0"
    let outcome = home.run("doctor", "-repair")
    #expect(!outcome.output.contains("repaired") && outcome.output.contains(remark), "\(outcome)")
    var found = stat()
    #expect(stat(path, &found) == 0 && found.st_mode & 0o777 == 0o644 && found.st_uid == 65534)
    // In that user's own directory it is done, and the file stays the user's.
    #expect(chmod(home.root.path, 0o755) == 0 && chown(home.path, 65534, 65534) == 0)
    #expect(home.run("doctor", "-repair").output == "repaired: \(path): is its owner's alone\nwell\n")
    #expect(stat(path, &found) == 0 && found.st_mode & 0o777 == 0o600 && found.st_uid == 65534)
  }

  // MARK: Equal keys

  @Test("the file with equal keys keeps its encoding and its mark, and undo takes it back")
  func encodings() throws {
    let rest = "{\n  b = \"\u{E9}\";\n  a = 2;\n}\n"
    let text = rest.replacing("{\n", with: "{\n  a = \"\u{E9}\";\n")
    let encodings: [(String) -> [UInt8]] = [
      { [0xEF, 0xBB, 0xBF] + Array($0.utf8) }, { [0xFF, 0xFE] + utf16($0, isBig: false) },
      // NeXT's set.
      { $0.unicodeScalars.map { UInt8($0.value) } },
    ]
    for encode in encodings {
      try put(encode(text), "App.plist")
      let outcome = home.run("doctor", "-repair")
      #expect(
        outcome
          == .init(
            code: .done,
            output:
              "repaired: \(home.path)/App.plist: an entry whose key stands there again is removed\nwell\n"))
      #expect(try bytes("App.plist") == encode(rest))
      #expect(home.run("undo").code == .done)
      #expect(try bytes("App.plist") == encode(text))
    }
  }

  @Test("equal keys of inner dictionaries are removed with their comments, by one repair of the file")
  func innerKeys() throws {
    try put(
      "{\n  w = {\n    // old\n    x = 1; // one\n\n    x = 2;\n  };\n  l = ({ y = 1; y = 2; });\n  a = 1;\n"
        + "  a = 2;\n}\n", "App.plist")
    #expect(home.run("doctor").output.hasSuffix("\n0 errors, 3 warnings\n"))
    #expect(
      home.run("doctor", "-repair")
        == .init(
          code: .done,
          output:
            "repaired: \(home.path)/App.plist: 3 entries whose keys stand there again are removed\nwell\n"))
    #expect(
      try home.text(of: "App.plist") == "{\n  w = {\n    x = 2;\n  };\n  l = ({ y = 2; });\n  a = 2;\n}\n")
  }

  @Test("a file that would be taken for another encoding stays as it is, and the exit code says so")
  func otherEncoding() throws {
    let bytes = "{ a = \"\u{F6}\"; u = \"\u{C3}\u{BC}\"; a = 1; }".unicodeScalars.map { UInt8($0.value) }
    try put(bytes, "App.plist")
    let outcome = home.run("doctor", "-repair")
    #expect(outcome.code == .refused && outcome.output.hasSuffix("\n0 errors, 1 warning\n"))
    #expect(outcome.errors.hasPrefix("defaults: \(home.path)/App.plist: the equal keys stay, since "))
    #expect(try self.bytes("App.plist") == bytes)
  }

  // MARK: Rescue

  @Test("of equal keys before the damage the last entry is kept, and one stretch of many entries is one")
  func summary() throws {
    try put("{ a = 1; a = 2; b = (; c = ; d = xx yy; e = 3 }", "App.plist")
    let path = home.path + "/App.plist"
    let lines = home.run("doctor", "-repair").output.split(separator: "\n")
    #expect(
      lines[0].hasPrefix(
        "repaired: \(path): 3 entries are kept, 2 stretches are lost (1:17-1:23, 1:30-1:40); "))
    #expect(
      lines[1...6] == [
        "  left out \(path):1:3-1:9 a, which stands there again", "  kept \(path):1:10-1:16 a",
        "  lost \(path):1:17-1:23", "  kept \(path):1:24-1:29 c", "  lost \(path):1:30-1:40",
        "  kept \(path):1:41-1:47 e",
      ], "\(lines)")
    try put("{ a = 1; b = xx yy; c = 1; d = xx yy; e = 1; f = xx yy; g = 1; h = xx yy; }", "Many.plist")
    #expect(
      home.run("doctor", "Many").output.contains(
        ": 4 entries are kept, 4 stretches are lost (1:10-1:20, 1:28-1:38, 1:46-1:56, …)\n"))
    try put("{ a = 1;", "Cut.plist")
    #expect(home.run("doctor", "Cut").output.contains(": 1 entry is kept, nothing is lost\n"))
  }

  // MARK: Failures

  @Test("the exit code is that of the heaviest failure of a repair")
  func failure() throws {
    try put("{ a = 1; a = 2; }", "App.plist")
    #expect(chmod(home.path + "/App.plist", 0o644) == 0)
    let outcome = home.run(
      ["doctor", "-repair"], on: FaultyFileSystem { $0.name == "setMode" ? .inputOutput : nil })
    #expect(outcome.code == .inputOutput && outcome.errors.contains("its permissions cannot be changed"))
    #expect(outcome.output.contains("warning: \(home.path)/App.plist: others may read it, mode 644"))
  }

  @Test("for a file with a second name, of which the rights are not changed, no repair is offered")
  func secondName() throws {
    try put("{ a = 1; }", "App.plist")
    #expect(chmod(home.path + "/App.plist", 0o644) == 0)
    try FileManager.default.linkItem(atPath: home.path + "/App.plist", toPath: home.root.path + "/other")
    let outcome = home.run("doctor", "-repair")
    #expect(outcome.code == .done && outcome.errors.isEmpty, "\(outcome)")
    #expect(outcome.output.contains("warning: \(home.path)/App.plist: others may read it, mode 644"))
  }

  @Test("a directory that cannot be listed is an error, and so is one file that cannot be read")
  func unreadable() throws {
    try put("{ a = 1; }", "App.plist")
    try put("{ a = 1; a = 2; }", "Other.plist")
    let file = home.run(["doctor"], environment: ["OPENSTEP_DEFAULTS_DIR": home.path + "/App.plist"])
    #expect(file.code == .damaged && file.output.hasPrefix("error: \(home.path)/App.plist: "))
    #expect(file.output.hasSuffix("\n1 error, 0 warnings\n") && file.errors.isEmpty, "\(file)")
    let directory = home.path
    let unlisted = home.run(
      ["doctor"], on: FaultyFileSystem { $0.name == "names" && $0.path == directory ? .inputOutput : nil })
    #expect(unlisted.code == .damaged)
    #expect(unlisted.output.hasPrefix("error: \(directory): the domains cannot be listed: "), "\(unlisted)")
    let unread = home.run(
      ["doctor"],
      on: FaultyFileSystem {
        $0.name == "open reading" && $0.path == directory + "/App.plist" ? .inputOutput : nil
      })
    #expect(unread.code == .damaged && unread.output.hasSuffix("\n1 error, 1 warning\n"), "\(unread)")
    #expect(unread.output.contains("error: \(directory)/App.plist: cannot be read: "))
    #expect(unread.output.contains("warning: \(directory)/Other.plist:1:3: "))
  }

  @Test("whatever the system refuses to read, the findings about all else are told")
  func everyFailure() throws {
    #expect(home.run("write", "App", "k", "v").code == .done)
    try put("{ a = 1; a = 2; }", "Other.plist")
    let count = FaultyFileSystem()
    #expect(home.run(["doctor"], on: count).output.hasSuffix("\n0 errors, 1 warning\n"))
    var toldCount = 0
    for index in count.operations.indices {
      let outcome = home.run(["doctor"], on: FaultyFileSystem { $0.index == index ? .inputOutput : nil })
      #expect([.done, .damaged].contains(outcome.code) && outcome.errors.isEmpty, "\(index): \(outcome)")
      if outcome.output.contains("warning: \(home.path)/Other.plist:1:3: ") { toldCount += 1 }
    }
    // The others are failures to list the domains, and to find that file.
    #expect(toldCount > count.operations.count / 2, "\(toldCount) of \(count.operations.count)")
  }

  @Test(
    "the administrator looks at another user's directory with that user's rights",
    .enabled(if: Administrator.isExpected, Comment(rawValue: Administrator.absence)))
  func ownersRights() throws {
    let secret = home.root.path + "/secret"
    try FileManager.default.createDirectory(atPath: secret, withIntermediateDirectories: false)
    #expect(chmod(secret, 0o700) == 0 && chmod(home.root.path, 0o755) == 0)
    try FileManager.default.createSymbolicLink(
      atPath: home.path + "/Link", withDestinationPath: secret + "/none")
    #expect(chown(home.path, 65534, 65534) == 0)
    let outcome = home.run("doctor")
    #expect(
      outcome.output.contains("error: \(home.path)/Link: cannot be looked at: Permission denied"),
      "\(outcome)")
    #expect(!outcome.output.contains("leads to no file"))
  }

  // MARK: The history

  @Test("an open history is closed")
  func openHistory() throws {
    #expect(home.run("write", "App", "k", "v").code == .done)
    #expect(chmod(history, 0o755) == 0)
    #expect(home.run("doctor").output.hasPrefix("warning: \(history): others may look into it, mode 755; "))
    let outcome = home.run("doctor", "-repair")
    #expect(outcome == .init(code: .done, output: "repaired: \(history): is its owner's alone\nwell\n"))
    let mode = try FileManager.default.attributesOfItem(atPath: history)[.posixPermissions] as? Int
    #expect(mode == 0o700)
  }

  @Test("a history that cannot be made smaller is told, and not said to be repaired")
  func largeHistory() throws {
    #expect(home.run("write", "App", "k", "v").code == .done)
    let files = FileManager.default
    #expect(files.createFile(atPath: history + "/mine", contents: Data(count: 9 << 20)))
    var outcome = home.run("doctor", "-repair")
    #expect(outcome.code == .done && !outcome.output.contains("repaired"), "\(outcome)")
    #expect(outcome.output.hasPrefix("warning: \(history): takes "))
    #expect(files.fileExists(atPath: history + "/mine"))
    // Without its log, no copy is needed.
    try files.moveItem(atPath: history + "/mine", toPath: history + "/9.0.before")
    try files.removeItem(atPath: history + "/log")
    outcome = home.run("doctor", "-repair")
    #expect(outcome == .init(code: .done, output: "repaired: \(history): takes 2 bytes\nwell\n"))
  }

  @Test("a damaged log keeps its copies, and those that were kept are named")
  func damagedLogs() throws {
    #expect(home.run("write", "App", "k", "v").code == .done)
    let big = history + "/9.0.before"
    #expect(FileManager.default.createFile(atPath: big, contents: Data(count: 9 << 20)))
    try home.write("no record\n", to: ".history/log")
    let outcome = home.run("doctor", "-repair")
    #expect(outcome.code == .damaged && !outcome.output.contains("repaired"), "\(outcome)")
    #expect(outcome.output.hasSuffix("\n1 error, 1 warning\n"))
    #expect(FileManager.default.fileExists(atPath: big))
    for _ in 0..<2 {
      #expect(home.run("write", "App", "k", "w").code == .done)
      #expect(home.run("write", "App", "k", "v").code == .done)
      try home.write("no record\n", to: ".history/log")
    }
    #expect(home.run("write", "App", "k", "w").code == .done)
    let notes = home.run("doctor").output
    for number in 1...3 {
      let note = "note: \(history)/damaged-\(number): is a damaged log of the history"
      #expect(notes.contains(note), "\(notes)")
    }
    #expect(notes.hasSuffix("\nwell\n"))
    #expect(home.run("log", "-clear").code == .done)
    #expect(home.run("doctor").output == "well\n")
  }

  // MARK: What killed programs have left

  @Test("the temporary file of a save is removed when it is older than a day, and not before")
  func leftOverSave() throws {
    let save = home.path + "/.save-0123456789abcdef"
    for name in [".save-0123456789abcdef", ".save-mine"] { try put("x", name) }
    let hours = 23 * 3600
    let early = home.run(["doctor", "-repair"], on: FaultyFileSystem(secondsAhead: Int64(hours)))
    #expect(early.output.hasPrefix("note: \(save): was left behind") && early.output.hasSuffix("\nwell\n"))
    #expect(FileManager.default.fileExists(atPath: save))
    let late = home.run(["doctor", "-repair"], on: FaultyFileSystem(secondsAhead: Int64(2 * hours)))
    #expect(late == .init(code: .done, output: "repaired: \(save): is removed\nwell\n"))
    #expect(!FileManager.default.fileExists(atPath: save))
    #expect(FileManager.default.fileExists(atPath: home.path + "/.save-mine"))
  }

  @Test("a domain that is named twice is mended once, and each finding is told once")
  func twice() throws {
    try home.write("{ a = 1; b = ", to: "App.plist")
    let found = home.run("doctor", "App")
    #expect(home.run("doctor", "App", "App") == found && found.code == .damaged)
    #expect(home.run("doctor", "-repair", "App", "App").code == .done)
  }
}
