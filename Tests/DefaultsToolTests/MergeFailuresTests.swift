import DefaultsDatabase
import DefaultsTool
import Foundation
import TestSupport
import Testing

/// What `merge` makes of files that are no property lists, or cannot be read, and what of OURS it keeps.
struct MergeFailuresTests {
  private let home: ToolHome

  init() throws {
    home = try ToolHome()
  }

  private func path(_ side: String) -> String { home.path(ofSide: side) }

  /// Merges three texts, of which a nil one is not there; gives the outcome, and what OURS holds then.
  private func merge(
    _ base: String?, _ ours: String, _ theirs: String?, options: [String] = []
  ) throws -> (outcome: ToolHome.Outcome, ours: String) {
    try home.writeSides(base.map { Array($0.utf8) }, Array(ours.utf8), theirs.map { Array($0.utf8) })
    return try merge(options: options)
  }

  private func merge(options: [String] = []) throws -> (outcome: ToolHome.Outcome, ours: String) {
    let (outcome, ours) = try home.merge(["-P", "A"] + options)
    return (outcome, try #require(String(validating: ours, as: UTF8.self)))
  }

  // It was taken for empty, and the merge removed what OURS had of it.
  @Test("a side that is cut inside its first comment is no property list: nothing of OURS is dropped")
  func openComment() throws {
    let ours = "{ A = 1; B = 2; C = 3; }\n"
    let (outcome, text) = try merge("{ A = 1; B = 2; }\n", ours, "/* theirs\n{ A = 1; B = 2; }\n")
    #expect(outcome.errors.contains("THEIRS:1:1: the comment that begins here is never closed"))
    #expect(text.contains(ours))
  }

  @Test("what another process makes of OURS meanwhile is merged as well, under the lock of its directory")
  func concurrentChange() throws {
    for (side, text) in [
      ("base", "{ a = 1; }"), ("theirs", "{ a = 1; t = 1; }"), ("Defaults/App.plist", "{ a = 1; }"),
      ("Defaults/.lock", ""),
    ] { try Data(text.utf8).write(to: URL(fileURLWithPath: path(side))) }
    let (ours, lock) = (path("Defaults/App.plist"), path("Defaults/.lock"))
    let wasLocked = Lock([Bool]())
    let disk = FaultyFileSystem { [theirs = path("theirs")] operation in
      if operation.name == "open readingThrough", operation.path == theirs {
        try? Data("{ a = 2; o = 1; }".utf8).write(to: URL(fileURLWithPath: ours))
      }
      if operation.name == "rename" {
        let descriptor = open(lock, O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        wasLocked.withLock { $0.append(flock(descriptor, LOCK_EX | LOCK_NB) != 0) }
      }
      return nil
    }
    #expect(home.run(["merge", path("base"), ours, path("theirs")], on: disk) == .init(code: .done))
    #expect(try String(contentsOfFile: ours, encoding: .utf8) == "{ a = 2; o = 1; t = 1; }")
    #expect(wasLocked.withLock { $0 } == [true])
  }

  @Test("an OURS that another process removes meanwhile stays removed")
  func concurrentRemoval() throws {
    for (side, text) in [("base", "{ a = 1; }"), ("ours", "{ a = 2; }"), ("theirs", "{ a = 1; t = 1; }")] {
      try Data(text.utf8).write(to: URL(fileURLWithPath: path(side)))
    }
    let disk = FaultyFileSystem { [theirs = path("theirs"), ours = path("ours")] operation in
      if operation.path == theirs { try? FileManager.default.removeItem(atPath: ours) }
      return nil
    }
    #expect(
      home.run(["merge", path("base"), path("ours"), path("theirs")], on: disk)
        == .init(code: .unwritten, errors: "defaults: \(path("ours")): there is no such file\n"))
    #expect(!FileManager.default.fileExists(atPath: path("ours")))
  }

  @Test("comments, layout and format of OURS stay where its values are the base's")
  func layout() throws {
    let ours = "{\n\ta = 1;   /* OURS note */\n  b = 2; }"
    #expect(
      try merge("{ a = 1; b = 2; }", ours, "{ a = 1; b = 3; }")
        == (.init(code: .done), ours.replacingOccurrences(of: "b = 2", with: "b = 3")))
    let theirs = home.run("convert", "-to", "xml", "-", input: "{ a = 1; b = 3; }").output
    #expect(theirs.hasPrefix("<?xml"))
    #expect(
      try merge("{ a = 1; b = 2; }", ours, theirs)
        == (.init(code: .done), ours.replacingOccurrences(of: "b = 2", with: "b = 3")))
  }

  @Test("the side that is damaged is named", arguments: [0, 1, 2])
  func blame(damaged: Int) throws {
    var texts = ["{ a = 1; }\n", "{ a = 2; }\n", "{ a = 3; }\n"]
    texts[damaged] = "{ a = 1;\nb = (; }\n"
    let (outcome, _) = try merge(texts[0], texts[1], texts[2])
    let side = ["BASE", "OURS", "THEIRS"][damaged]
    #expect(
      outcome.errors
        == "defaults: A: merged line by line: \(side):2:6: found “;” where a value was expected\n")
  }

  /// The encodings of a text in which marks of ASCII would be no characters.
  private static let wideEncodings: [String.Encoding] = [
    .utf16, .utf16LittleEndian, .utf16BigEndian, .utf32,
  ]

  /// What is said of a file that is in none of them any more.
  private static let narrowed = "defaults: A: is UTF-8 now, since marks and the ends of lines are ASCII\n"

  /// Merges texts in such an encoding.
  private func mergeWide(
    _ encoding: String.Encoding, _ texts: [String?]
  ) throws -> (outcome: ToolHome.Outcome, ours: Data) {
    let sides = try texts.map { text in try text.map { Array(try #require($0.data(using: encoding))) } }
    try home.writeSides(sides[0], sides[1], sides[2])
    let (outcome, ours) = try home.merge(["-P", "A"])
    return (outcome, Data(ours))
  }

  @Test("a conflict in UTF-16 or UTF-32 is marked in UTF-8", arguments: wideEncodings)
  func wideConflict(encoding: String.Encoding) throws {
    let texts = [
      "{\n  a = 1;\n  b = \"ä\";\n}\n", "{\n  a = 2; /* ö */\n  b = \"ä\";\n}\n",
      "{\n  a = 3;\n  b = \"ü\";\n}\n",
    ]
    let (outcome, ours) = try mergeWide(encoding, texts)
    #expect(
      outcome
        == .init(code: .differs, errors: "defaults: conflict: A: a: ours 2, theirs 3\n\(Self.narrowed)"))
    #expect(
      String(data: ours, encoding: .utf8) == """
        {
        <<<<<<< ours A
          a = 2; /* ö */
        =======
          a = 3; /* ö */
        >>>>>>> theirs A
          b = "ü";
        }

        """)
    // Without a conflict the encoding stays.
    let clean = try mergeWide(
      encoding, ["{ a = 1; b = \"ä\"; }", "{ a = 2; b = \"ä\"; }", "{ a = 1; b = \"ü\"; }"])
    #expect(clean.outcome == .init(code: .done))
    #expect(String(data: clean.ours, encoding: encoding) == "{ a = 2; b = \"ü\"; }")
  }

  @Test("what is merged by line, or marked as a whole, is UTF-8 then, too", arguments: wideEncodings)
  func wideFallbacks(encoding: String.Encoding) throws {
    let byLine = try mergeWide(encoding, ["a\nä\n(", "b\nä\n(", "c\nä\n("])
    #expect(byLine.outcome.code == .differs && byLine.outcome.errors.hasSuffix(Self.narrowed))
    #expect(
      String(data: byLine.ours, encoding: .utf8)
        == "<<<<<<< ours A\nb\n=======\nc\n>>>>>>> theirs A\nä\n(")
    let whole = try mergeWide(encoding, ["{ a = 1; }", "{ a = ä; }\n", nil])
    #expect(whole.outcome.code == .differs && whole.outcome.errors.hasSuffix(Self.narrowed))
    #expect(
      String(data: whole.ours, encoding: .utf8)
        == "<<<<<<< ours A\n{ a = ä; }\n=======\n>>>>>>> theirs A\n")
  }

  @Test("half a surrogate pair in UTF-16, which UTF-8 does not hold, is told of with its side")
  func wideSurrogates() throws {
    for (side, value) in zip(["base", "ours", "theirs"], ["1", "2", "3"]) {
      let units = "{\n  a = \(value);\n  b = \"?\";\n}\n".utf16.map {
        side == "ours" && $0 == 0x3F ? 0xD800 : $0
      }
      let bytes: [UInt8] = [0xFF, 0xFE] + units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
      try Data(bytes).write(to: URL(fileURLWithPath: path(side)))
    }
    let outcome = home.run("merge", "-p", "-P", "A", path("base"), path("ours"), path("theirs"))
    #expect(outcome.code == .differs && outcome.output.contains("\u{FFFD}"), "\(outcome)")
    let line =
      "defaults: A: OURS: half a surrogate pair stands for no character, and the result has U+FFFD for it\n"
    #expect(outcome.errors.contains(line), "\(outcome)")
  }

  @Test(
    "what git merges without a conflict keeps the encoding of OURS, and XML its declaration",
    .enabled(if: FileManager.default.fileExists(atPath: "/usr/bin/git")), arguments: wideEncodings)
  func wideLines(encoding: String.Encoding) throws {
    for head in ["", "<?xml version=\"1.0\" encoding=\"UTF-16\"?>\n"] {
      func text(_ first: String, _ last: String) -> String { "\(head)\(first)\n(\nb\nc\n\(last)\nä\n" }
      let (outcome, ours) = try mergeWide(encoding, [text("1", "1"), text("ö", "1"), text("1", "ü")])
      #expect(outcome.code == .done && outcome.errors.contains("merged line by line"), "\(outcome)")
      #expect(ours == text("ö", "ü").data(using: encoding))
    }
  }

  @Test("a conflict in XML of UTF-16 is one of XML in UTF-8")
  func wideXML() throws {
    func text(_ value: String) -> String {
      """
      <?xml version="1.0" encoding="UTF-16"?>
      <plist version="1.0">
      <dict>
      \t<key>a</key>
      \t<string>\(value)</string>
      </dict>
      </plist>

      """
    }
    let (outcome, ours) = try mergeWide(.utf16, ["ä", "ö", "ü"].map(text))
    #expect(outcome.code == .differs)
    #expect(outcome.errors == "defaults: conflict: A: a: ours ö, theirs ü\n\(Self.narrowed)")
    let marked = try #require(String(data: ours, encoding: .utf8))
    #expect(marked.contains("=======") && !marked.contains("UTF-16"))
    for value in ["ö", "ü"] { #expect(marked.contains("<string>\(value)</string>\n")) }
  }

  @Test("a binary file with a conflict becomes text, and a line says so; without one it stays binary")
  func binary() throws {
    func put(_ values: [String]) {
      for (side, text) in zip(["base", "ours", "theirs"], values) {
        let words = ["convert", "-to", "binary", "-o", path(side), "-"]
        #expect(home.run(words, input: Array(text.utf8)).code == .done)
      }
    }
    put(["{ a = 1; }", "{ a = 2; }", "{ a = 3; }"])
    let (outcome, ours) = try merge()
    #expect(
      outcome
        == .init(
          code: .differs,
          errors: "defaults: conflict: A: a: ours 2, theirs 3\n"
            + "defaults: A: was binary and is text now, since marks need lines; without the marks, “defaults convert "
            + "-to binary -o A A” makes it binary again\n"))
    #expect(
      ours == "{\n<<<<<<< ours A\n    a = 2;\n=======\n    a = 3;\n>>>>>>> theirs A\n}\n")
    put(["{ a = 1; b = 1; }", "{ a = 2; b = 1; }", "{ a = 1; b = 2; }"])
    let words = ["merge", "-P", "A", path("base"), path("ours"), path("theirs")]
    #expect(home.run(words) == .init(code: .done))
    #expect(try Data(contentsOf: URL(fileURLWithPath: path("ours"))).starts(with: Data("bplist".utf8)))
  }

  @Test("a directory for temporary files whose name is not UTF-8 keeps no conflict from being marked")
  func undecodableTemporaryDirectory() throws {
    for (side, text) in [("base", "a\n("), ("ours", "b\n("), ("theirs", "c\n(")] {
      try Data(text.utf8).write(to: URL(fileURLWithPath: path(side)))
    }
    let outcome = try home.shell(#"TMPDIR=$(printf '/tmp/\377') defaults merge -P A base ours theirs"#)
    #expect(outcome.status == 6, "\(outcome)")
    #expect(
      try String(contentsOfFile: path("ours"), encoding: .utf8)
        == "<<<<<<< ours A\nb\n=======\nc\n>>>>>>> theirs A\n(")
  }

  @Test("an empty base is none: equal entries are one, others come together or conflict")
  func emptyBase() throws {
    let (outcome, text) = try merge("", "{\n  a = 1;\n  b = 1;\n}\n", "{\n  a = 1;\n  b = 2;\n  c = 3;\n}\n")
    #expect(outcome == .init(code: .differs, errors: "defaults: conflict: A: b: ours 1, theirs 2\n"))
    #expect(
      text == """
        {
          a = 1;
        <<<<<<< ours A
          b = 1;
        =======
          b = 2;
        >>>>>>> theirs A
          c = 3;
        }

        """)
    #expect(try merge("", "{ a = 1; }", "{ b = 2; }").outcome == .init(code: .done))
  }

  @Test("if BASE or THEIRS cannot be read, OURS gets marks around all of it, exit code 6")
  func unreadable() throws {
    let marked = "<<<<<<< ours A\n{ a = 2; }\n=======\n>>>>>>> theirs A\n"
    let (outcome, text) = try merge("{ a = 1; }", "{ a = 2; }", nil)
    #expect(outcome.code == .differs && text == marked)
    #expect(outcome.errors.hasPrefix("defaults: \(path("theirs")): there is no such file\n"))
    #expect(try merge("{ a = 1; }", "", nil).ours == "<<<<<<< ours A\n=======\n>>>>>>> theirs A\n")
    #expect(
      try merge("{ a = 1; }", "{ a = 2; }", nil, options: ["-p"]).outcome.output == marked)
    // A directory in the place of the base.
    _ = try merge(nil, "{ a = 2; }", "{ a = 3; }")
    try FileManager.default.createDirectory(atPath: path("base"), withIntermediateDirectories: false)
    let (second, both) = try merge()
    #expect(second.code == .differs)
    #expect(both.contains("<<<<<<< ours A") && both.contains("{ a = 2; }") && both.contains("{ a = 3; }"))
  }

  @Test(
    "texts that are no property lists are merged by git where there is git",
    .enabled(if: FileManager.default.fileExists(atPath: "/usr/bin/git")))
  func lineByLine() throws {
    let base = "{ a = \none\ntwo\nthree\nfour\nfive\n"
    // git is found by the process's own PATH.
    let (outcome, text) = try merge(
      base, base.replacingOccurrences(of: "one", with: "1"), base.replacingOccurrences(of: "five", with: "5"))
    #expect(outcome.code == .done && outcome.errors.contains("merged line by line: BASE:"))
    #expect(text == "{ a = \n1\ntwo\nthree\nfour\n5\n")
    let (conflict, marked) = try merge(
      base, base.replacingOccurrences(of: "two", with: "2"), base.replacingOccurrences(of: "two", with: "II"),
      options: ["-L", "9"])
    #expect(conflict.code == .differs)
    #expect(
      marked
        == "{ a = \none\n<<<<<<<<< ours A\n2\n=========\nII\n>>>>>>>>> theirs A\nthree\nfour\nfive\n")
  }

  // git waited there for the pipe's writer, with the administrator's rights.
  @Test(
    "git does not look at another user's repository in the working directory",
    .enabled(
      if: Administrator.isExpected && FileManager.default.fileExists(atPath: "/usr/bin/git"),
      Comment(rawValue: Administrator.absence)))
  func othersRepository() async {
    await #expect(processExitsWith: .success) {
      let tests = try MergeFailuresTests()
      let repository = tests.path("repository")
      for name in ["", "/.git", "/.git/objects", "/.git/refs"] {
        try FileManager.default.createDirectory(
          atPath: repository + name, withIntermediateDirectories: false)
      }
      try #require(mkfifo("\(repository)/.git/HEAD", 0o600) == 0)
      for name in ["/.git/HEAD", "/.git/objects", "/.git/refs", "/.git", ""] {
        try #require(chown(repository + name, 65534, 65534) == 0)
      }
      try #require(chdir(repository) == 0)
      let base = "{ a = \none\ntwo\nthree\nfour\nfive\n"
      let (outcome, text) = try tests.merge(
        base, base.replacingOccurrences(of: "one", with: "1"),
        base.replacingOccurrences(of: "five", with: "5"))
      #expect(outcome.code == .done, "\(outcome)")
      #expect(text == "{ a = \n1\ntwo\nthree\nfour\n5\n")
    }
  }

  @Test("the time to merge many changed keys grows with their number")
  func keys() throws {
    func text(_ count: Int, _ value: (Int) -> String) -> String {
      "{\n" + (0..<count).map { "  k\($0) = \(value($0));\n" }.joined() + "}\n"
    }
    for conflicts in [false, true] {
      let ratio = try growth(from: 1000, to: 4000, bound: 8) { count in
        let base = text(count) { _ in "0" }
        let ours = text(count) { $0 % 2 == 0 || conflicts ? "1" : "0" }
        let theirs = text(count) { $0 % 2 == 1 || conflicts ? "2" : "0" }
        let start = threadTime()
        let outcome = try merge(base, ours, theirs, options: ["-p"]).outcome
        let time = threadTime() - start
        #expect(outcome.code == (conflicts ? .differs : .done))
        return time
      }
      #expect(ratio < 8, "\(conflicts): \(ratio)")
    }
  }

  @Test(
    "the time to merge many additions grows with their number, whether in dictionaries or in the outermost array",
    arguments: ["flat", "nested", "array"])
  func additions(shape: String) throws {
    func text(_ count: Int, _ ours: String, _ added: String) -> String {
      switch shape {
      case "flat":
        return "{\n  o = \(ours);\n" + (0..<count).map { "  k\($0) = {\n\(added)  };\n" }.joined() + "}\n"
      case "nested":
        let chain =
          String(repeating: "{\n\(added)    n = ", count: 50) + "{}"
          + String(repeating: ";\n}", count: 50)
        return "{\n  o = \(ours);\n" + (0..<count / 50).map { "  k\($0) = \(chain);\n" }.joined() + "}\n"
      default:
        let elements = added.isEmpty ? [] : (0..<count).map { "  e\($0),\n" }
        return "(\n  b,\n\(elements.joined())  \(ours)\n)\n"
      }
    }
    let ratio = try growth(from: 1000, to: 4000, bound: 8) { count in
      let start = threadTime()
      let (outcome, merged) = try merge(
        text(count, "0", ""), text(count, "1", ""), text(count, "0", "    // of a\n    a = 1;\n"))
      let time = threadTime() - start
      // Two changes of one array conflict.
      #expect(outcome.code == (shape == "array" ? .differs : .done))
      if shape != "array" { #expect(merged == text(count, "1", "    // of a\n    a = 1;\n")) }
      return time
    }
    #expect(ratio < 8, "\(ratio)")
  }
}
