#if os(Linux)
  import DefaultsTool
  import Foundation
  import TestSupport
  import Testing

  /// What the differences of files cost that have many values at a great depth, and so paths that are much longer than
  /// the files; in a process of its own, whose greatest size the system keeps.
  @Suite(.enabled(if: Thoroughness.runsHere, Comment(rawValue: Thoroughness.elsewhere)))
  struct DeepFilesTests {
    private static func text(_ value: String, depth: Int, count: Int) -> String {
      let leaves = (0..<count).map { "k\($0)=\(value);" }.joined()
      return String(repeating: "{a=", count: depth) + "{\(leaves)}" + String(repeating: ";}", count: depth)
    }

    /// Runs the tool, and counts the lines of its output and of its errors.
    private static func lineCounts(_ home: ToolHome, _ words: [String]) -> (output: Int, errors: Int) {
      var (output, errors) = (0, 0)
      _ = DefaultsCommand.run(
        arguments: words, environment: ["OPENSTEP_DEFAULTS_DIR": home.path, "HOME": home.root.path],
        input: { [] },
        output: CommandOutput(
          standardOutput: { output += $0.count { $0 == UInt8(ascii: "\n") } },
          standardError: { errors += $0.count { $0 == UInt8(ascii: "\n") } }))
      return (output, errors)
    }

    @Test(
      "differences, conflicts and paths take no memory for their number times the depth",
      .timeLimit(.minutes(30)),
      arguments: Thoroughness.cases(
        ["diff", "merge", "flat", "json", "commands", "log", "undo", "conflict"], unoptimized: 3))
    func memory(kind: String) async {
      await #expect(processExitsWith: .success) { [kind = kind as String] in
        let home = try ToolHome()
        let (depth, count) = (900, 3000)
        var paths: [String] = []
        for (name, depth, count) in [("small", 2, 2), ("large", depth, count)] {
          for value in ["0", "1", "2"] {
            let path = "\(home.root.path)/\(name)\(value)"
            try DeepFilesTests.text(value, depth: depth, count: count).write(
              toFile: path, atomically: false, encoding: .utf8)
            paths.append(path)
          }
          for path in paths.suffix(2) {
            try #require(home.run("import", "-replace", name, path).code == .done)
          }
        }
        if kind == "conflict" {
          for name in ["small", "large"] {
            let place = paths[name == "small" ? 0 : 3]
            try #require(home.run("import", "-replace", name, place).code == .done)
          }
        }
        func run(_ name: String) -> (output: Int, errors: Int) {
          let files = Array(name == "small" ? paths[..<3] : paths[3...])
          let words =
            switch kind {
            case "diff": ["diff", files[0], files[1]]
            case "json", "commands": ["diff", "-to", kind, files[0], files[1]]
            case "merge": ["merge"] + files
            case "flat": ["read", "-to", "flat", files[0]]
            case "log": ["log", "-p", name == "small" ? "2" : "4"]
            default: ["undo", "-n", name == "small" ? "2" : "4"]
            }
          return DeepFilesTests.lineCounts(home, words)
        }
        // Whatever is made once is made before.
        _ = run("small")
        let before = try peakMemory()
        let lines = run("large")
        let peak = try peakMemory() - before
        let isOfErrors = kind == "merge" || kind == "conflict"
        #expect((isOfErrors ? lines.errors : lines.output) >= count, "\(lines)")
        #expect(peak <= 25_000_000, "\(peak) bytes")
      }
    }

    // It took 370 MB for these 72 KB.
    @Test("many deep paths of a request take memory in proportion to their steps", .timeLimit(.minutes(30)))
    func requestedPaths() async {
      await #expect(processExitsWith: .success) {
        let home = try ToolHome()
        func apply(_ count: Int) throws -> ToolHome.Outcome {
          let entries = (0..<count).map { "\".r\($0)\(String(repeating: ".a", count: 899))\" = \($0);" }
          let path = "\(home.root.path)/request"
          try "{ Set = { App = { \(entries.joined(separator: " ")) }; }; }".write(
            toFile: path, atomically: false, encoding: .utf8)
          return home.run("apply", path)
        }
        // Whatever is made once is made before.
        #expect(try apply(1).code == .done)
        let before = try peakMemory()
        #expect(try apply(40).code == .done)
        let peak = try peakMemory() - before
        #expect(peak <= 60_000_000, "\(peak) bytes")
      }
    }

    // It took 25 KB for each key.
    @Test("a merge by lines takes no memory for the paths of deep values", .timeLimit(.minutes(30)))
    func mergedLines() async {
      await #expect(processExitsWith: .success) {
        let home = try ToolHome()
        func merge(_ count: Int) throws {
          let sides = [("a", "z", "\\Ud800x"), ("OURS", "z", "\\Ud800x"), ("a", "THEIRS", "\\Ud801y")]
          let paths = try sides.enumerated().map { number, side in
            let (first, last, half) = side
            let elements = (0..<20).map { "        x\($0),\n" }.joined()
            let keys = (0..<count).map { "    k\($0) = 1;\n" }.joined()
            let path = "\(home.root.path)/side\(number)"
            try """
            {
                arr = (
                    \(first),
            \(elements)        \(last)
                );
                h = "\(half)";
                deep = \(String(repeating: "{a = ", count: 900)){
            \(keys)    }\(String(repeating: "; }", count: 900));
            }

            """.write(toFile: path, atomically: false, encoding: .utf8)
            return path
          }
          #expect(home.run("merge", paths[0], paths[1], paths[2]).code == .done)
        }
        try merge(2)
        let before = try peakMemory()
        try merge(5000)
        let peak = try peakMemory() - before
        #expect(peak <= 40_000_000, "\(peak) bytes")
      }
    }

    @Test(
      "no line is made that nobody reads", .timeLimit(.minutes(30)),
      arguments: Thoroughness.cases(
        [["-to", "lines"], ["-to", "json"], ["-to", "commands"]], unoptimized: 1))
    func closed(options: [String]) throws {
      let home = try ToolHome()
      let paths = try ["0", "1"].map { value in
        let path = "\(home.root.path)/large\(value)"
        try DeepFilesTests.text(value, depth: 900, count: 1000).write(
          toFile: path, atomically: false, encoding: .utf8)
        return path
      }
      func time(isRead: Bool) -> Duration {
        var count = 0
        let start = threadTime()
        let code = DefaultsCommand.run(
          arguments: ["diff"] + options + paths,
          environment: ["OPENSTEP_DEFAULTS_DIR": home.path, "HOME": home.root.path], input: { [] },
          output: CommandOutput(
            standardOutput: { _ in
              count += 1
              if !isRead { throw StreamError.closed }
            }, standardError: { _ in }))
        let time = threadTime() - start
        #expect(code == .differs && (count == 1) != isRead, "\(count)")
        return time
      }
      // All lines take some ten times as long as the files and the first lines.
      let (whole, start) = (time(isRead: true), time(isRead: false))
      #expect(start * 3 < whole, "\(start) of \(whole)")
    }
  }
#endif
