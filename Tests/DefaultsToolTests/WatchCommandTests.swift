import DefaultsDatabase
import Foundation
import TestSupport
import Testing

@testable import DefaultsTool

/// `defaults watch` as a process, with changes made by others.
struct WatchCommandTests {
  /// A running `defaults watch`, and what it printed so far.
  private final class Watching: Sendable {
    private let process = Process()
    private let state = Lock(State())
    private let condition = Condition()

    private struct State {
      /// Decoded line by line, since a character's bytes may come in two parts.
      var output: [UInt8] = []
      var isOver = false
    }

    /// What each command begins with, since the variable names the database.
    private let variable: String

    init(_ home: ToolHome, _ arguments: [String]) throws {
      variable = "OPENSTEP_DEFAULTS_DIR=\(home.path) "
      process.executableURL = URL(fileURLWithPath: BuiltProduct.path(of: "defaults"))
      process.arguments = ["watch"] + arguments
      process.environment = ["OPENSTEP_DEFAULTS_DIR": home.path, "HOME": home.root.path]
      let output = Pipe()
      process.standardOutput = output
      process.standardError = output
      try process.run()
      let handle = output.fileHandleForReading
      Thread.detachNewThread { [weak self] in
        while true {
          let data = handle.availableData
          guard let self else { return }
          state.withLock { state in
            state.output += data
            state.isOver = data.isEmpty
            condition.broadcast()
          }
          if data.isEmpty { return }
        }
      }
    }

    deinit {
      // A child inherits which signals are blocked; this one cannot be.
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }

    var identifier: Int32 { process.processIdentifier }

    /// Whether nothing more can come.
    var hasEnded: Bool { state.withLock { $0.isOver } }

    /// Waits until the last line is a certain one, and gives all.
    func lines(endingIn last: String) -> [String] {
      var lines = lines(1)
      while lines.last != last {
        let count = lines.count
        lines = self.lines(count + 1)
        #expect(lines.count > count, "no line “\(last)”")
        if lines.count == count { break }
      }
      return lines
    }

    /// Waits until so many lines were printed, and gives all there are by then, without the variable. Where the
    /// process ends or the time is over first, they are fewer.
    func lines(_ count: Int, within seconds: Double = 600) -> [String] {
      let newline = UInt8(ascii: "\n")
      let deadline = MonotonicTime.now + seconds
      var printed: ArraySlice<UInt8> = []
      state.withLock(waitingOn: condition) { state in
        printed = state.output[...]
        if state.isOver { return .end }
        if printed.count(where: { $0 == newline }) < count, .now < deadline { return .wait(until: deadline) }
        // The rest of a line that has begun may be under way.
        printed = printed[..<((printed.lastIndex(of: newline) ?? -1) + 1)]
        return .end
      }
      return printed.split(separator: newline).map { bytes in
        let line = String(decoding: bytes, as: UTF8.self)
        return line.hasPrefix("\(variable)defaults ") ? String(line.dropFirst(variable.count)) : line
      }
    }
  }

  private let home: ToolHome

  init() throws {
    home = try ToolHome()
  }

  /// Starts watching, and makes changes until one shows, so that every later one must.
  ///
  /// - Parameters:
  ///   - change: The words of the change of a number.
  ///   - line: The line that shows it.
  private func watch(
    _ arguments: String..., making change: (Int) -> [String] = { ["write", "App", "start", "\($0)"] },
    showing line: (Int) -> String = { "defaults write App start \($0)" }
  ) throws -> (Watching, Int) {
    let watching = try Watching(home, arguments)
    var count = 0
    var lines: [String] = []
    // For ten minutes at most: on a busy machine a process takes long to start.
    while lines.isEmpty && count < 6000 && !watching.hasEnded {
      count += 1
      #expect(home.run(change(count)).code == .done)
      lines = watching.lines(1, within: 0.1)
    }
    lines = watching.lines(endingIn: line(count))
    return (watching, lines.count)
  }

  @Test("each change is the command that makes it again; those made at once are sorted")
  func commands() throws {
    _ = home.run("write", "Old", "k", "1")
    let (watching, count) = try watch()
    let commands = [
      ["write", "App", "Count", "5 /*integer*/"], ["write", "App", "Name", "it's two"],
      ["write", "Neu é", "a key", "(1, 2)"], ["write", "App", "line\nend", "a\nb"],
      ["write", "App", "-k", "-v"], ["delete", "App", "Name"], ["delete", "Old"],
      ["write", "More", "{ b = 2; a = 1; }"],
    ]
    for (index, command) in commands.enumerated() {
      #expect(home.run(command).code == .done)
      // Two changes that show at once would be sorted.
      _ = watching.lines(count + index + 1)
    }
    let lines = watching.lines(count + 9)
    #expect(
      lines.dropFirst(count) == [
        "defaults write App Count '5 /*integer*/'",
        #"defaults write App Name 'it'\''s two'"#,
        "defaults write 'Neu é' 'a key' '(1, 2)'",
        #"defaults write App '."line\U000aend"' '"a\nb"'"#,
        "defaults write App -k -v",
        "defaults delete App Name",
        "defaults delete Old",
        "defaults write More a 1",
        "defaults write More b 2",
      ])
  }

  @Test("the lines name the database as the variable, -u and -gnustep do")
  func places() throws {
    let script = """
      seen() { grep -qxF "$1" lines && return; [ $((tries += 1)) -gt 600 ]; }
      watching() {
        line=$1; shift; tries=0; : > lines
        "$@" watch >> lines & watcher=$!
        until seen "$line"; do "$@" write App k other; "$@" write App k 1; sleep 0.1; done
        kill -KILL $watcher; grep -xF "$line" lines | head -n 1
      }
      cd "$HOME"; export OPENSTEP_DEFAULTS_DIR="it's mine"
      watching "OPENSTEP_DEFAULTS_DIR='$PWD/it'\\''s mine' defaults write App k 1" defaults
      unset OPENSTEP_DEFAULTS_DIR
      watching "defaults write App k 1" defaults
      watching "defaults -u $(id -un) write App k 1" defaults -u "$(id -un)"
      """
    let root = URL(fileURLWithPath: home.root.path).path
    let outcome = try home.shell(script, by: "/bin/bash")
    #expect(
      outcome.output == """
        OPENSTEP_DEFAULTS_DIR='\(root)/it'\\''s mine' defaults write App k 1
        defaults write App k 1
        defaults -u \(NSUserName()) write App k 1

        """, "\(outcome)")
  }

  @Test("the lines, run by a shell on another database, make the same defaults")
  func replay() throws {
    let (watching, count) = try watch()
    let values = [
      "it's \"two\"", "a\nb\tc", "$HOME `x` \\ *", "", "-5", "é e\u{301} 🦄", "(1, (2, \"x y\"))",
      "\"quoted (\"", "<00ff>", "5 /*integer*/", "~", "\u{2028}",
    ]
    for (index, value) in values.enumerated() {
      let key = value.isEmpty ? "empty" : "key \(value)"
      #expect(home.run("write", index % 2 == 0 ? "App" : "-g", key, value).code == .done)
    }
    let others = [
      "App flag -string\n", "App .x 1\n", "App '[0]' 2\n", "App '.\"y\"' -int\n",
      "'-odd' '\"nul\\000key\"' x\n", "'/a/it''s b' k 1\n", "a/b k 1\n", "'Apple Global Domain' k 1\n",
    ]
    for line in others { #expect(home.run("write", input: line).code == .done) }
    let total = count + values.count + others.count
    let lines = watching.lines(total)
    #expect(lines.count == total)
    let other = try ToolHome()
    let script =
      "defaults() { '\(BuiltProduct.path(of: "defaults"))' \"$@\"; }\n" + lines.joined(separator: "\n")
    let shell = Process()
    shell.executableURL = URL(fileURLWithPath: "/bin/bash")
    shell.arguments = ["-ec", script]
    shell.environment = ["OPENSTEP_DEFAULTS_DIR": other.path, "HOME": other.root.path]
    try shell.run()
    shell.waitUntilExit()
    #expect(shell.terminationStatus == 0)
    #expect(other.run("read").output == home.run("read").output)
  }

  @Test("a directory that cannot be read is told of once, and the watch goes on")
  func unreadableDirectory() throws {
    let (watching, count) = try watch()
    let files = FileManager.default
    try files.moveItem(atPath: home.path, toPath: home.path + "-old")
    try files.createSymbolicLink(atPath: home.path, withDestinationPath: "/dev/null")
    // In the moment without either there is no domain.
    let report = "defaults: \(home.path): the domains cannot be listed: "
    var lines = watching.lines(count + 1)
    try #require(lines.count > count, "\(lines)")
    if !lines[count].hasPrefix(report) { lines = watching.lines(count + 2) }
    #expect(lines.last?.hasPrefix(report) ?? false)
    try files.removeItem(atPath: home.path)
    try files.moveItem(atPath: home.path + "-old", toPath: home.path)
    #expect(home.run("write", "App", "k", "1").code == .done)
    // Where the directory was not seen without the change, the other key's line comes last.
    while !watching.lines(lines.count).contains("defaults write App k 1") {
      let known = lines.count
      lines = watching.lines(known + 1)
      try #require(lines.count > known)
    }
    #expect(watching.lines(1).count <= count + 4)
  }

  @Test("a domain and a key narrow what is printed")
  func narrowed() throws {
    let (watching, count) = try watch("App")
    _ = home.run("write", "Other", "k", "1")
    _ = home.run("write", "App", "k", "1")
    #expect(watching.lines(count + 1).dropFirst(count) == ["defaults write App k 1"])
    let (key, keyCount) = try watch("App", "start")
    _ = home.run("write", "App", "k", "2")
    _ = home.run("delete", "App")
    #expect(key.lines(keyCount + 1).dropFirst(keyCount) == ["defaults delete App start"])
  }

  @Test("the change of an element is printed as that of its array, which repeats it")
  func elements() throws {
    let (watching, count) = try watch(
      "App", ".a.l[0]", making: { ["write", "App", ".a.l[0]", "\($0)"] },
      showing: { "defaults write App .a.l '(\($0))'" })
    let changes: [(words: [String], line: String?)] = [
      (["write", "App", ".a.l[+]", "x"], nil), (["write", "App", ".a.l[0]", "y"], "write App .a.l '(y, x)'"),
      (["delete", "App", ".a.l[0]"], "write App .a.l '(x)'"), (["delete", "App", ".a.l"], "delete App .a.l"),
      (["write", "App", "a", "text"], nil),
      (["write", "App", "{ a = { l = (z); }; }"], "write App a '{l = (z); }'"),
      (["delete", "App"], "delete App .a.l"),
    ]
    var expected: [String] = []
    for (words, line) in changes {
      #expect(home.run(words).code == .done)
      guard let line else { continue }
      expected.append("defaults \(line)")
      let lines = Array(watching.lines(count + expected.count).dropFirst(count))
      // Where the text was not seen between the two dictionaries, the change is that of the array.
      if lines.last == "defaults write App .a.l '(z)'" { expected[expected.count - 1] = lines.last ?? "" }
      #expect(lines == expected)
    }
  }

  @Test("a file that breaks is told of once, and what changes with its repair is printed")
  func damage() throws {
    let (watching, count) = try watch()
    try replace(with: "{ k = ")
    #expect(watching.lines(count + 1).last?.hasPrefix("defaults: \(home.path)/App.plist:1:7: ") == true)
    try replace(with: "{ start = x; k = 1; }")
    let lines = watching.lines(endingIn: "defaults write App start x").dropFirst(count)
    #expect(lines.filter { $0.hasPrefix("defaults: ") }.count == 1)
    #expect(lines.suffix(2) == ["defaults write App k 1", "defaults write App start x"])
  }

  /// Puts a file in the domain's place at one moment: one that is written in place may be seen half done.
  private func replace(with text: String) throws {
    try home.write(text, to: ".next")
    #expect(rename("\(home.path)/.next", "\(home.path)/App.plist") == 0)
  }

  #if os(Linux)
    @Test("while nothing happens, nothing wakes up")
    func idle() throws {
      let (watching, _) = try watch()
      // A second is measured in which there is no switch: what looked now and then would do so four times in it.
      var switches = -1
      let deadline = Date(timeIntervalSinceNow: 600)
      while Date() < deadline {
        let before = try contextSwitches(of: watching.identifier)
        Thread.sleep(forTimeInterval: 1)
        switches = try contextSwitches(of: watching.identifier) - before
        if switches == 0 { break }
      }
      #expect(switches == 0)
    }

    /// How often the threads of a process were given the processor, from the system's accounts.
    private func contextSwitches(of process: Int32) throws -> Int {
      var sum = 0
      for thread in try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task") {
        // A thread may have ended since.
        let path = "/proc/\(process)/task/\(thread)/status"
        guard let status = try? String(contentsOfFile: path, encoding: .utf8) else { continue }
        for line in status.split(separator: "\n") where line.contains("ctxt_switches:") {
          sum += Int(line.split(separator: "\t").last ?? "") ?? 0
        }
      }
      return sum
    }
  #endif

  @Test(
    "on a terminal, standard error says once what is watched and how that ends",
    arguments: [
      ([], "all domains in "), (["App"], "the domain “App” in "),
      (["App", ".k.l"], "“.k.l” of the domain “App” in "),
    ])
  func terminal(words: [String], subject: String) {
    var (output, errors) = ("", "")
    var isChanged = false
    // The change is made once the watcher is there, and the first line of output ends it, as a closed pipe does.
    let code = DefaultsCommand.run(
      arguments: ["watch"] + words,
      environment: ["OPENSTEP_DEFAULTS_DIR": home.path, "HOME": home.root.path],
      input: { [] },
      output: CommandOutput(
        standardOutput: { bytes in
          output += String(decoding: bytes, as: UTF8.self)
          throw StreamError.closed
        },
        standardError: { [home] bytes in
          errors += String(decoding: bytes, as: UTF8.self)
          if !isChanged { #expect(home.run("write", "App", ".k.l", "1").code == .done) }
          isChanged = true
        }, errorsAreOnTerminal: true))
    #expect(code == .done && output.contains("defaults write App "))
    #expect(errors == "defaults: watching \(subject)\(home.path); ^C ends it\n")
  }

  @Test("what narrows must be well formed")
  func usage() {
    #expect(home.run("watch", "a", "b", "c").code == .usage)
    #expect(home.run("watch", "../evil").code == .refused)
  }
}
