import DefaultsTool
import Foundation
import TestSupport
import Testing

struct MergeCommandTests {
  private let home: ToolHome

  init() throws {
    home = try ToolHome()
  }

  /// Merges three texts; gives the outcome, and what OURS holds then.
  private func merge(
    _ base: String, _ ours: String, _ theirs: String, options: [String] = []
  ) throws -> (ToolHome.Outcome, String) {
    try home.writeSides(Array(base.utf8), Array(ours.utf8), Array(theirs.utf8))
    let (outcome, merged) = try home.merge(options)
    return (outcome, try #require(String(validating: merged, as: UTF8.self)))
  }

  @Test("changes of different keys come together, and every other byte of OURS stays")
  func clean() throws {
    let base = "{\n  // mine\n  a = 1;\n  b = { c = 1; d = 2; };\n  l = (x);\n  gone = 1;\n}\n"
    let ours = "{\n  // mine\n  a = 5; // five\n  b = { c = 1; d = 2; };\n  l = (x);\n  gone = 1;\n}\n"
    let theirs = "{\n  // theirs\n  a = 1;\n  b = { c = 9; d = 2; };\n  l = (x, y);\n  new = 1;\n}\n"
    let (outcome, text) = try merge(base, ours, theirs)
    #expect(outcome == .init(code: .done))
    #expect(
      text == "{\n  // mine\n  a = 5; // five\n  b = { c = 9; d = 2; };\n  l = (x, y);\n  new = 1;\n}\n")
  }

  @Test("equal changes are one, and a side that is as the base takes the other's bytes")
  func equal() throws {
    let (base, other) = ("{ a = 1; }", "// new\n{ a = 2; }")
    #expect(try merge(base, other, other) == (.init(code: .done), other))
    #expect(try merge(base, base, other) == (.init(code: .done), other))
    #expect(try merge(base, other, base) == (.init(code: .done), other))
    #expect(try merge(base, "{ a = 2; }", "{\n a = 2; b = 1; }").0.code == .done)
  }

  @Test("different changes of one value are both there, between marks around that entry alone")
  func conflict() throws {
    let (outcome, text) = try merge(
      "{\n  a = 1;\n  b = 1;\n}\n", "{\n  a = 6;\n  b = 1;\n}\n", "{\n  a = 7;\n  b = 2;\n}\n",
      options: ["-P", "App.plist"])
    #expect(
      outcome
        == .init(code: .differs, errors: "defaults: conflict: App.plist: a: ours 6, theirs 7\n"))
    #expect(
      text == """
        {
        <<<<<<< ours App.plist
          a = 6;
        =======
          a = 7;
        >>>>>>> theirs App.plist
          b = 2;
        }

        """)
    #expect(home.run("lint", home.root.path + "/ours").code == .damaged)
    let (_, long) = try merge(
      "{\n  a = 1;\n}\n", "{\n  a = 6;\n}\n", "{\n}\n", options: ["-L", "10", "-P", "A"])
    #expect(long == "{\n<<<<<<<<<< ours A\n  a = 6;\n==========\n>>>>>>>>>> theirs A\n}\n")
  }

  // The whole paths of 4,000 conflicts took three quarters of a minute.
  @Test("of a long path a conflict names the beginning and the end, with the beginnings of long keys")
  func longPath() throws {
    let key = String(repeating: "k", count: 1000)
    func text(_ value: Int) -> String {
      String(repeating: "{ \(key) = ", count: 100) + "{ leaf = \(value); }"
        + String(repeating: "; }", count: 100)
    }
    let line = try merge(text(1), text(2), text(3)).0.errors
    let (cut, place) = (String(repeating: "k", count: 100) + "…", home.root.path + "/ours")
    let end = Array(repeating: cut, count: 19) + ["leaf: ours 2, theirs 3\n"]
    #expect(
      line == "defaults: conflict: \(place): ." + Array(repeating: cut, count: 20).joined(separator: ".")
        + "…."
        + end.joined(separator: "."))
  }

  @Test("a deletion and a change of one value conflict, and so do two changes of an array")
  func kinds() throws {
    for (base, ours, theirs) in [
      ("{ a = 1; }", "{ }", "{ a = 2; }"), ("{ l = (x); }", "{ l = (x, y); }", "{ l = (x, z); }"),
      ("{ }", "{ a = 1; }", "{ a = 2; }"), ("{ a = 1; }", "{ a = 1 /*integer*/; }", "{ a = 2; }"),
    ] {
      let (outcome, text) = try merge(base, ours, theirs)
      #expect(outcome.code == .differs)
      #expect(text.contains("<<<<<<< ours") && text.contains("=======") && text.contains(">>>>>>> theirs"))
    }
  }

  @Test("elements that one side added at the end go with any other change of the array")
  func tails() throws {
    for (ours, theirs, merged) in [
      ("(x, y, o)", "(z, y)", "(z, y, o)"), ("(z, y)", "(x, y, t)", "(z, y, t)"),
      ("(x, y, o)", "(y)", "(y, o)"), ("()", "(x, y, t)", "(t)"), ("(x, y, o)", "(x, y)", "(x, y, o)"),
    ] {
      let (outcome, text) = try merge("{ l = (x, y); }", "{ l = \(ours); }", "{ l = \(theirs); }")
      #expect(outcome == .init(code: .done) && text == "{ l = \(merged); }", "\(ours) \(theirs)")
    }
  }

  @Test("entries that only THEIRS adds bring the comments above, before and behind them")
  func comments() throws {
    let base = "{\n  a = 1;\n  w = {\n    x = 1;\n  };\n}\n"
    let ours = "{\n  // ours\n  a = 2;\n  w = {\n    x = 1;\n  };\n}\n"
    let theirs = """
      {
        a = 1; // changed by nobody
        /* of b,
           in two lines */
        // and one more
        b = 5 /*integer*/; /* tail */ // of b
        w = {
          x = 1;
          /* head */ y = 1; // inner
        };

        // of nobody

        z = 1;
      }

      """
    let (outcome, text) = try merge(base, ours, theirs)
    #expect(outcome == .init(code: .done))
    #expect(
      text == """
        {
          // ours
          a = 2;
          /* of b,
             in two lines */
          // and one more
          b = 5 /*integer*/; /* tail */ // of b
          w = {
            x = 1;
            /* head */ y = 1; // inner
          };
          z = 1;
        }

        """)
    // Beside a conflict, and where there are no lines to put them.
    let (conflict, marked) = try merge(
      "{\n  a = 1;\n}\n", "{\n  a = 2;\n}\n", "{\n  a = 3;\n  // of b\n  b = 1;\n}\n")
    #expect(
      conflict.code == .differs
        && marked.hasSuffix(">>>>>>> theirs \(home.root.path)/ours\n  // of b\n  b = 1;\n}\n"))
    #expect(
      try merge("{ a = 1; }", "{ a = 2; }", "{ a = 1;\n// of b\nb = 1; }").1 == "{ a = 2; b = 1; }")
    // A text that is not UTF-8 gets the values alone.
    let (_, plain) = try merge("{\n  a = 1;\n}\n", "{\n  a = 2;\n}\n", "{\n  a = 1;\n  b = 1; // tail\n}\n")
    #expect(plain == "{\n  a = 2;\n  b = 1; // tail\n}\n")
  }

  @Test("OURS keeps its comments where THEIRS has made the same changes and more")
  func oursCommentsStay() throws {
    let (outcome, text) = try merge(
      "{\n  a = 1;\n}\n", "{\n  a = 2; // why\n}\n", "{\n  a = 2;\n  b = 1;\n}\n")
    #expect(outcome.code == .done && text == "{\n  a = 2; // why\n  b = 1;\n}\n")
  }

  @Test("what is no property list is marked line by line, and loses nothing")
  func noPropertyLists() throws {
    let (outcome, text) = try merge("{ a = 1; }\n", "{ a = 2; }\nx\n", "{ a = \nx\n")
    #expect(outcome.code == .differs)
    #expect(outcome.errors.contains("merged line by line"))
    #expect(text.contains("{ a = 2; }\n") && text.contains("{ a = \n"))
  }

  @Test("-p prints the result and writes nothing, and what cannot be merged at all is told")
  func printing() throws {
    let (outcome, text) = try merge(
      "{ a = 1; b = 1; }", "{ a = 2; b = 1; }", "{ a = 1; b = 2; }", options: ["-p"])
    #expect(outcome == .init(code: .done, output: "{ a = 2; b = 2; }"))
    #expect(text == "{ a = 2; b = 1; }")
    #expect(home.run("merge", "a", "b").code == .usage)
    #expect(home.run("merge", "-L", "0", "a", "b", "c").code == .usage)
    #expect(home.run("merge", "/nonexistent/a", "/nonexistent/b", "/nonexistent/c").code == .unwritten)
  }

  @Test("of random changes on both sides none is dropped")
  func randomChanges() throws {
    var generator = SeededGenerator(seed: 29)
    for _ in 0..<60 {
      let keys = (0..<6).map { "k\($0)" }
      func text(_ values: [String: Int]) -> String {
        "{\n" + keys.compactMap { key in values[key].map { "  \(key) = v\($0);\n" } }.joined() + "}\n"
      }
      var base: [String: Int] = [:]
      for key in keys where Bool.random(using: &generator) { base[key] = 0 }
      func changed(_ mark: Int) -> [String: Int] {
        var values = base
        for key in keys {
          switch Int.random(in: 0..<4, using: &generator) {
          case 0: values[key] = mark + Int.random(in: 0...1, using: &generator)
          case 1: values[key] = nil
          default: break
          }
        }
        return values
      }
      let (ours, theirs) = (changed(10), changed(20))
      let (outcome, merged) = try merge(text(base), text(ours), text(theirs))
      var hasConflict = false
      for key in keys {
        let (old, left, right) = (base[key], ours[key], theirs[key])
        let expected: [Int?] = left == right || right == old ? [left] : left == old ? [right] : [left, right]
        if expected.count == 2 { hasConflict = true }
        for case let value? in expected { #expect(merged.contains("  \(key) = v\(value);\n"), "\(merged)") }
        if expected == [nil] { #expect(!merged.contains("  \(key) = "), "\(merged)") }
      }
      #expect(outcome.code == (hasConflict ? .differs : .done))
    }
  }

  @Test(
    "git merges by it, and shows differences in flat lines",
    .enabled(if: FileManager.default.fileExists(atPath: "/usr/bin/git")))
  func git() throws {
    let script = """
      set -e
      cd "$HOME"; mkdir repo; cd repo
      git init -q -b main .; git config user.email a@b; git config user.name a
      git config merge.defaults.driver "$defaults merge -L %L -P %P %O %A %B"
      git config diff.defaults.textconv "$defaults convert -to flat -textconv --"
      echo '*.plist merge=defaults diff=defaults' > .gitattributes
      printf '{\\n  a = 1;\\n  b = 1;\\n}\\n' > A.plist; git add .; git commit -qm base
      git checkout -qb other; printf '{\\n  a = 1;\\n  b = 2;\\n}\\n' > A.plist; git commit -qam other
      git checkout -q main; printf '{\\n  a = 2;\\n  b = 1;\\n}\\n' > A.plist; git commit -qam ours
      git merge -q -m merged other >/dev/null; cat A.plist
      git diff HEAD~1 -- A.plist | grep '^[-+]\\.'
      git checkout -qb third; printf '{\\n  a = 3;\\n  b = 2;\\n}\\n' > A.plist; git commit -qam third
      git checkout -q main; printf '{\\n  a = 4;\\n  b = 2;\\n}\\n' > A.plist; git commit -qam fourth
      if git merge -q -m merged third >/dev/null 2>&1; then echo clean; fi
      cat A.plist; git diff >/dev/null; git log -p >/dev/null; echo end
      """
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", script]
    process.environment = [
      "defaults": BuiltProduct.path(of: "defaults"), "PATH": "/usr/bin:/bin", "HOME": home.root.path,
      "GIT_CONFIG_NOSYSTEM": "1",
    ]
    let output = home.root.appendingPathComponent("out")
    try Data().write(to: output)
    process.standardOutput = try FileHandle(forWritingTo: output)
    try process.run()
    process.waitUntilExit()
    #expect(
      try String(contentsOf: output, encoding: .utf8) == """
        {
          a = 2;
          b = 2;
        }
        -.b 1
        +.b 2
        {
        <<<<<<< ours A.plist
          a = 4;
        =======
          a = 3;
        >>>>>>> theirs A.plist
          b = 2;
        }
        end

        """)
  }
}
