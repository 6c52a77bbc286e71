import DefaultsDatabase
import DefaultsHistory
import DefaultsTool
import Foundation
import TestSupport
import Testing

/// Commands that find records of changes that were not made, of many domains.
struct UnmadeChangesTests {
  /// How often a command uses a file of the history, or lists it.
  private struct Uses {
    /// How often the log is read as a whole, written as a whole, and has a line added.
    var read = 0, written = 0, added = 0
    /// How often the history's directory is listed.
    var listed = 0

    init(of disk: FaultyFileSystem, history: String) {
      for operation in disk.operations {
        switch (operation.name, operation.path) {
        case ("open reading", "\(history)/log"): read += 1
        case ("open creating", "\(history)/log.new"): written += 1
        case ("open appending", "\(history)/log"): added += 1
        case ("names", history): listed += 1
        default: break
        }
      }
    }
  }

  /// Writes all files with one text, and with a time from before any change, as they come from a backup.
  private func putBack(_ text: String, count: Int, in home: ToolHome) throws {
    for number in 0..<count {
      try home.write(text, to: "D\(number).plist")
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSince1970: 1_000_000_000)],
        ofItemAtPath: "\(home.path)/D\(number).plist")
    }
  }

  @Test(
    "where the files of all domains were put back with their times, the log is written as a whole once",
    arguments: ["write", "import", "restore", "undo"], [10, 100])
  func cost(verb: String, count: Int) throws {
    let home = try ToolHome()
    let history = home.path + "/.history"
    let former = "{\n    k = 1;\n}\n"
    try putBack(former, count: count, in: home)
    let lines = Array((0..<count).map { "D\($0) k 2\n" }.joined().utf8)
    #expect(home.run(["write"], input: lines).code == .done)
    #expect(home.run("snapshot", "s").code == .done)
    var words = [verb]
    switch verb {
    case "import": words += ["-replace", history + "/snapshots/s"]
    case "restore": words += ["s"]
    case "undo":
      // One that is not made finds the same domains with the records of another.
      let all = (0..<count).map { "D\($0) k 3\n" }.joined()
      #expect(home.run(["write"], input: Array(all.utf8)).code == .done)
      try putBack("{\n    k = 2;\n}\n", count: count, in: home)
    default: break
    }
    if verb != "undo" { try putBack(former, count: count, in: home) }
    let disk = FaultyFileSystem()
    #expect(home.run(words, input: verb == "write" ? lines : [], on: disk).code == .done)
    let uses = Uses(of: disk, history: history)
    #expect(uses.written == 1 && uses.added == count - 1 && uses.listed == 1, "\(uses)")
    // `undo` reads it to find out what there is to be taken back.
    #expect(uses.read == (verb == "undo" ? 2 : 1), "\(uses)")
    let value = verb == "undo" ? "1" : "2"
    #expect(home.run("read").output.split(separator: "\n").allSatisfy { $0.hasSuffix(" k \(value)") })
    // The next command removes what is left of the records that were not made, with their copies.
    let log = home.run("log").output
    let size = try History(of: UserDatabase(directory: home.path)).byteCount()
    #expect(home.run("write", "Other", "k", "1").code == .done)
    #expect(home.run("log").output.hasSuffix(log))
    #expect(try History(of: UserDatabase(directory: home.path)).byteCount() < size)
    #expect(try home.text(of: ".history/log").contains("Replaces") == false)
  }

  @Test("the history of files that are put back again and again does not grow")
  func steady() throws {
    let home = try ToolHome()
    let lines = Array((0..<20).map { "D\($0) k 2\n" }.joined().utf8)
    var counts: [[Int]] = []
    for number in 1...6 {
      try putBack("{\n    k = 1;\n}\n", count: 20, in: home)
      #expect(home.run(["write"], input: lines).code == .done)
      counts.append([
        try FileManager.default.contentsOfDirectory(atPath: home.path + "/.history").count,
        try home.text(of: ".history/log").split(separator: "\n").count,
      ])
      let log = home.run("log").output
      #expect(log.split(separator: "\n").count == 1 && log.hasPrefix("\(number) "), "\(log)")
    }
    // The first command has found no records.
    #expect(Set(counts.dropFirst()).count == 1, "\(counts)")
    #expect(home.run("undo").code == .done)
    #expect(home.run("read").output.split(separator: "\n").allSatisfy { $0.hasSuffix(" k 1") })
  }

  @Test("a record that replaces another is itself replaced, and those before both stay")
  func twice() throws {
    let home = try ToolHome()
    let lines = { @Sendable (value: Int) in Array("A k \(value)\nT k \(value)\n".utf8) }
    #expect(home.run(["write"], input: lines(1)).code == .done)
    for value in 2...3 {
      let disk = FaultyFileSystem { operation in
        operation.name == "rename" && operation.path?.contains("/.history/") == false ? .noSpace : nil
      }
      for domain in ["A", "T"] {
        #expect(home.run(["write", domain, "k", "\(value)"], on: disk).code == .inputOutput)
      }
    }
    #expect(home.run(["write"], input: lines(4)).code == .done)
    #expect(try home.text(of: ".history/log").contains("Replaces"))
    func numbers() -> [Substring] {
      home.run("log", "T").output.split(separator: "\n").map { $0.prefix { $0 != " " } }
    }
    #expect(numbers() == ["6", "1"])
    #expect(home.run("undo").code == .done && home.run("undo").code == .done)
    #expect(numbers() == ["8", "7", "6", "1"] && home.run("domains") == .init(code: .done))
  }

  @Test("killed, or without power, while it replaces records, a command leaves a log that tells the truth")
  func everyMoment() throws {
    let domains = ["A", "T", "U"]
    let input = { (value: Int) in domains.map { "\($0) k \(value)\n" }.joined() }
    var tree = FileTree()
    try tree.addDirectory(CommandPowerCutTests.home)
    let fileSystem = RecordingFileSystem(tree)
    #expect(CommandPowerCutTests.run(["write"], input: input(1), on: fileSystem).code == .done)
    let full = FaultyFileSystem(fileSystem) { operation in
      operation.name == "rename" && operation.path?.contains("/.history/") == false ? .noSpace : nil
    }
    for domain in domains {
      let outcome = CommandPowerCutTests.run(["write", domain, "k", "2"], on: full)
      #expect(outcome.code == .inputOutput)
    }
    let moments = Lock<[FileTree]>([])
    let outcome = CommandPowerCutTests.run(
      ["write"], input: input(3),
      on: FaultyFileSystem(fileSystem) { operation in
        if CommandPowerCutTests.changes(operation) { moments.withLock { $0.append(fileSystem.tree) } }
        return nil
      })
    #expect(outcome == .init(code: .done))
    var (complaints, counts): (Set<String>, Set<Int>) = ([], [])
    func judge(_ tree: FileTree) throws {
      let disk = RecordingFileSystem(tree)
      let database = UserDatabase(directory: CommandPowerCutTests.directory, fileSystem: disk)
      let commands = try History(of: database).commands()
      var count = 0
      for domain in domains {
        let name = try DomainName(domain)
        let made = commands.filter { !$0.pending(of: name).isEmpty }.map(\.identifier)
        let isChanged = CommandPowerCutTests.run(["read", domain], on: disk).output == "\(domain) k 3\n"
        if isChanged { count += 1 }
        if made != (isChanged ? [1, 5] : [1]) { complaints.insert("\(domain) \(isChanged): \(made)") }
      }
      counts.insert(count)
    }
    for moment in moments.withLock({ $0 }) + [fileSystem.tree] {
      try judge(moment)
      // Of the disks that a loss of power may leave, some are looked at, spread over all of them.
      var number = 0
      moment.forEachPowerCut { _ in number += 1 }
      let step = max(1, number / 6)
      number = 0
      try moment.forEachPowerCut { tree in
        if number % step == 0 { try judge(tree) }
        number += 1
      }
    }
    #expect(complaints.isEmpty, "\(complaints.sorted())")
    #expect(counts == [0, 1, 2, 3])
  }
}
