#if os(Linux)
  import DefaultsTool
  import Foundation
  import OpenStepPropertyList
  import TestSupport
  import Testing

  /// What many lines of standard input or of output cost; in a process of its own, whose greatest size the system keeps.
  @Suite(.enabled(if: Thoroughness.isComplete, Comment(rawValue: Thoroughness.absence)))
  struct CommandMemoryTests {
    @Test("batch write takes at most six times the memory of its lines, also over a domain that is there")
    func batchWrite() async {
      await #expect(processExitsWith: .success) {
        let home = try ToolHome()
        // Whatever is made once is made before.
        #expect(home.run("write", input: "App key0 'an old value'\nApp k 1\n").code == .done)
        let before = try peakMemory()
        var input: [UInt8] = []
        input.reserveCapacity(8_000_000)
        var count = 0
        while input.count < 7_999_900 {
          input += "App key\(count) 'the value of the line of the number \(count)'\n".utf8
          count += 1
        }
        #expect(home.run(["write"], input: input) == .init(code: .done))
        let peak = try peakMemory() - before
        #expect(peak <= 6 * input.count, "\(peak) bytes for \(input.count)")
        #expect(
          home.run("read", "App", "key0").output == "App key0 'the value of the line of the number 0'\n")
        #expect(home.run("read", "App", "k").output == "App k 1\n")
      }
    }

    @Test(
      "of a line of too many small values they are not made; as a list they are refused, and nothing is written",
      arguments: ["(", "/* a string */ ("])
    func manyValues(opening: String) async {
      await #expect(processExitsWith: .success) { [opening = opening as String] in
        let home = try ToolHome()
        #expect(home.run("write", input: "App k 1\n").code == .done)
        let before = try peakMemory()
        var input = Array("App k 2\nApp k '\(opening)".utf8)
        input.reserveCapacity(14_000_100)
        for _ in 0..<2_000_000 { input += "{a=b;},".utf8 }
        input += ")'\n".utf8
        let outcome = home.run(["write"], input: input)
        let peak = try peakMemory() - before
        // The values up to the bound are there when it is reached.
        #expect(peak <= 6 * input.count + 200_000_000, "\(peak) bytes for \(input.count)")
        if opening == "(" {
          let message = "the value has more than 1048576 values and keys in it"
          #expect(outcome.code == .usage)
          #expect(
            outcome.errors
              == "defaults: standard input:2: \(message); “defaults import” takes so many from a file\n")
          #expect(home.run("read", "App", "k").output == "App k 1\n")
        } else {
          #expect(outcome == .init(code: .done))
        }
      }
    }

    @Test(
      "a batch of many domains takes at most six times the memory of its lines",
      arguments: ["write", "delete"])
    func manyDomains(verb: String) async {
      await #expect(processExitsWith: .success) { [verb = verb as String] in
        let home = try ToolHome()
        // A damaged domain, which is the first to be read: nothing is written, which would take hours.
        try home.write("{ a = ", to: "!.plist")
        #expect(home.run([verb], input: Array("App k 1\n! k 1\n".utf8)).code == .damaged)
        let before = try peakMemory()
        var input: [UInt8] = []
        input.reserveCapacity(1_500_000)
        var count = 0
        while input.count < 1_499_900 {
          input += "d\(String(count, radix: 16)) a\(verb == "write" ? " b" : "")\n".utf8
          count += 1
        }
        input += "! a b\n".utf8
        #expect(home.run([verb], input: input).code == .damaged)
        let peak = try peakMemory() - before
        #expect(peak <= 6 * input.count, "\(peak) bytes for \(input.count)")
        #expect(try home.files() == ["!.plist"])
      }
    }

    @Test("the values of a batch's domains are not in memory together", arguments: ["write", "delete"])
    func oneDomainAtATime(verb: String) async {
      await #expect(processExitsWith: .success) { [verb = verb as String] in
        let home = try ToolHome()
        // In memory, and as lines of a file, such an array takes many times the room that it takes here.
        let value = "(\(String(repeating: "a,", count: 50_000)))"
        let lines = (0..<40).map { "d\($0) k '\(value)'\n" }
        for line in lines.prefix(verb == "write" ? 1 : 40) {
          #expect(home.run("write", input: line) == .init(code: .done))
        }
        let before = try peakMemory()
        let input = lines.map { verb == "write" ? $0 : $0.prefix { $0 != "'" } + "\n" }.joined()
        // The history has no room for the copies of all, which is told.
        let outcome = home.run(verb, input: input)
        #expect(
          outcome.code == .done && outcome.output.isEmpty
            && outcome.errors.contains("more than 4 MB together"))
        let peak = try peakMemory() - before
        #expect(peak <= 4 * 40 * value.utf8.count, "\(peak) bytes")
        #expect(try home.files().count == (verb == "write" ? 40 : 0))
      }
    }

    // It took 140 times the file's size, and from 20 MB on the batch was refused.
    @Test(
      "to change another key, deeply nested values are not laid out anew",
      arguments: [
        (["write"], "App k 5\n"), (["write", "App", "k", "5"], ""), (["rename", "App", "b", "k"], ""),
        (["rename", "App", "a", "k"], ""),
      ])
    func nestedValues(command: [String], input: String) async {
      await #expect(processExitsWith: .success) { [command = command as [String], input = input as String] in
        let home = try ToolHome()
        let (open, close) = (String(repeating: "(", count: 30), String(repeating: ")", count: 30))
        let text = "{b=5;a=\(open)\(String(repeating: "x,", count: 500_000))\(close);}"
        try home.write(text, to: "App.plist")
        let before = try peakMemory()
        let outcome = home.run(command, input: Array(input.utf8))
        #expect(outcome.code == .done, "\(outcome)")
        let peak = try peakMemory() - before
        #expect(peak <= 80 * text.utf8.count, "\(peak) bytes for \(text.utf8.count)")
        let changed = try Data(contentsOf: home.database.appendingPathComponent("App.plist"))
        #expect(changed.count < 2 * text.utf8.count)
        #expect(changed.range(of: Data("k".utf8)) != nil && changed.range(of: Data("(x,x,".utf8)) != nil)
      }
    }

    // An import of 64 MB took nine gigabytes, and an editor was started with a text that nothing could read.
    @Test(
      "a file that would be larger than any that is read is refused before all of it is laid out",
      arguments: ["import", "import over text", "import over XML", "edit", "write", "export"])
    func tooLarge(verb: String) async {
      await #expect(processExitsWith: .success) { [verb = verb as String] in
        let home = try ToolHome()
        let mark = home.root.path + "/editor"
        var environment = ["OPENSTEP_DEFAULTS_DIR": home.path, "HOME": home.root.path]
        environment["EDITOR"] = "touch '\(mark)'"
        func nested(_ open: String, _ value: String, _ close: String) -> String {
          String(repeating: open, count: 400) + String(repeating: value, count: 12_000_000)
            + String(repeating: close, count: 400)
        }
        let outcome: ToolHome.Outcome
        if verb.hasPrefix("import") {
          let path = home.root.path + "/Copy.plist"
          try Data("{ a = \(nested("(", "x,", ")")); }".utf8).write(to: URL(fileURLWithPath: path))
          if verb != "import" {
            let value: PropertyList = ["b": "5"]
            try Data(verb.hasSuffix("XML") ? value.xmlBytes() : value.bytes())
              .write(to: URL(fileURLWithPath: home.path + "/App.plist"))
          }
          outcome = home.run(["import", "-replace", "App", path], environment: environment)
        } else if verb == "export" {
          try home.write("{ a = \(nested("(", "x,", ")")); }", to: "App.plist")
          outcome = home.run([verb, "-to", "xml", "App", home.root.path + "/Copy"], environment: environment)
          #expect(outcome.errors.hasSuffix("; “-to binary” takes less\n"))
        } else {
          let text = nested("<array>", "<true/>", "</array>")
          try home.write(
            "<?xml version=\"1.0\"?><plist version=\"1.0\"><dict><key>a</key>\(text)</dict></plist>",
            to: "App.plist")
          var line = [verb, "App"]
          if verb == "write" {
            // By its path, outside of the database's directory.
            let path = home.root.path + "/Copy.plist"
            try FileManager.default.moveItem(atPath: home.path + "/App.plist", toPath: path)
            line = [verb, path, "k", "5"]
          }
          outcome = home.run(line, environment: environment)
          #expect(verb != "write" || outcome.errors.contains("/Copy.plist: would"))
        }
        let peak = try peakMemory()
        #expect(
          outcome.code == .refused && outcome.errors.contains("take more than 1073741824 bytes"), "\(outcome)"
        )
        #expect(!FileManager.default.fileExists(atPath: mark))
        #expect(peak <= 2_500_000_000, "\(peak) bytes")
      }
    }

    // The indentation of a file of two megabytes took half a gigabyte, and that of a binary file of 17 KB as much.
    @Test(
      "a text of a hundred times its file is printed piece by piece",
      arguments: [
        ["-macos", "read"], ["read", "-to", "json"], ["read", "-to", "value"], ["convert", "-to", "json"],
        ["convert", "-to", "openstep"],
      ])
    func indentation(words: [String]) async {
      await #expect(processExitsWith: .success) { [words = words as [String]] in
        let home = try ToolHome()
        let (open, close) = (String(repeating: "(", count: 32), String(repeating: ")", count: 32))
        let path = home.path + "/deep.plist"
        try home.write("(x)", to: "deep.plist")
        #expect(home.run(words + [path]).code == .done)
        try home.write(open + String(repeating: "x,", count: 1_000_000) + "x" + close, to: "deep.plist")
        let before = try peakMemory()
        var (count, end): (Int, [UInt8]) = (0, [])
        let code = DefaultsCommand.run(
          arguments: words + [path], environment: ["HOME": home.root.path], input: { [] },
          output: CommandOutput(
            standardOutput: { piece in
              count += piece.count
              end = piece.suffix(2)
            }, standardError: { _ in }))
        let peak = try peakMemory() - before
        #expect(
          code == .done && count > 130_000_000 && end == Array((words.last == "json" ? "]\n" : ")\n").utf8))
        #expect(peak < 130_000_000, "\(peak) bytes")
      }
    }

    @Test("of a document that would be a hundred times its file, no more is made than is allowed")
    func longDocument() async {
      await #expect(processExitsWith: .success) {
        let home = try ToolHome()
        let (open, close) = (String(repeating: "(", count: 101), String(repeating: ")", count: 101))
        let text = open + String(repeating: "x,", count: 3_000_000) + "x" + close
        try home.write(text, to: "deep.plist")
        let before = try peakMemory()
        let outcome = home.run("convert", "-to", "xml", home.path + "/deep.plist")
        #expect(outcome.code == .refused && outcome.output.isEmpty)
        #expect(outcome.errors.contains("deep.plist: in this format the value takes more than 256 MiB; "))
        #expect(try peakMemory() - before < 600_000_000)
      }
    }

    @Test("of two directories one domain is in memory at a time")
    func diff() async {
      await #expect(processExitsWith: .success) {
        let home = try ToolHome()
        try home.write("{ k = (\(String(repeating: "a, ", count: 100_000))); }", to: "d.plist")
        let other = home.root.path + "/other"
        try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: false)
        #expect(home.run("diff", other).code == .differs)
        let before = try peakMemory()
        // A user needs no more room on the disk for many names of one file.
        for index in 0..<15 {
          #expect(link(home.path + "/d.plist", other + "/d\(index).plist") == 0)
          #expect(link(home.path + "/d.plist", home.path + "/d\(index).plist") == 0)
        }
        #expect(home.run("diff", other).output.hasPrefix("--- \(other)\n+++ \(home.path)\n+d k "))
        let peak = try peakMemory() - before
        #expect(peak < 15 * 1_000_000, "\(peak) bytes")
      }
    }

    @Test("many lines of one domain are deleted in at most six times their memory")
    func batchDelete() async {
      await #expect(processExitsWith: .success) {
        let home = try ToolHome()
        #expect(home.run("write", "a", "b", "1").code == .done)
        #expect(home.run("delete", input: "a c\n").code == .absent)
        let before = try peakMemory()
        var input: [UInt8] = []
        input.reserveCapacity(4_000_000)
        for _ in 0..<1_000_000 { input += "a b\n".utf8 }
        #expect(home.run(["delete"], input: input) == .init(code: .done))
        let peak = try peakMemory() - before
        #expect(peak <= 6 * input.count, "\(peak) bytes for \(input.count)")
        #expect(try home.files() == [])
      }
    }

    @Test("paths that take a thousand times as much as the file are printed one by one")
    func conversion() async {
      await #expect(processExitsWith: .success) {
        let home = try ToolHome()
        let file = home.root.path + "/F.plist"
        let count = 4000
        let values = String(repeating: "x, ", count: count)
        try Data("{ \(String(repeating: "k", count: count)) = (\(values)); }".utf8)
          .write(to: URL(fileURLWithPath: file))
        var size = 0
        let before = try peakMemory()
        let code = DefaultsCommand.run(
          arguments: ["convert", "-to", "flat", file], environment: [String: String](), input: { [] },
          output: CommandOutput(standardOutput: { size += $0.count }, standardError: { _ in }))
        let peak = try peakMemory() - before
        #expect(code == .done && size > count * count)
        #expect(peak < size / 2, "\(peak) bytes for \(size)")
      }
    }
  }
#endif
