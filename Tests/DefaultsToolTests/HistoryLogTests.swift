import DefaultsDatabase
import DefaultsHistory
import DefaultsTool
import Foundation
import TestSupport
import Testing

/// The log of a history with many records: what a command does under the database's lock, and which records stay.
struct HistoryLogTests {
  private let home: ToolHome
  private let history: History

  init() throws {
    home = try ToolHome()
    history = History(of: UserDatabase(directory: home.path))
  }

  /// How many system calls a command makes once it has the database's lock, and how many for the log's file.
  private func calls(_ words: [String]) -> (underLock: Int, replacingLog: Int) {
    let disk = FaultyFileSystem()
    #expect(home.run(words, input: [], on: disk).code == .done)
    let underLock = disk.operations.drop { $0.name != "tryLock" }
    return (underLock.count, underLock.count { $0.path?.hasSuffix("/.history/log.new") == true })
  }

  @Test("under the database's lock a command does as much in a long history as in a short one")
  func longHistory() throws {
    var counts: [Int] = []
    for count in [5, 50] {
      #expect(home.run("log", "-clear").code == .done)
      for value in [1, 2] {
        #expect(
          home.run("write", input: (0..<count).map { "D\($0) k \(value)\(count)\n" }.joined()).code == .done)
      }
      let first = calls(["write", "X\(count)", "k", "1"])
      let second = calls(["write", "X\(count)", "k", "2"])
      #expect(first.replacingLog == 0 && second.replacingLog == 0)
      counts.append(second.underLock)
    }
    #expect(counts[0] > 0 && counts[0] == counts[1], "\(counts)")
  }

  @Test("a long history takes 4 MiB and what its newest command takes, at most")
  func bound() throws {
    let padding = String(repeating: "x", count: 14_000)
    var files: [String: String] = [:]
    var records = 0
    for number in 1...90 {
      var writer = HistoryWriter(to: history, command: ["w\(number)"], undoing: nil)
      writer.prepare()
      for name in ["A", "B", "C", "D"] {
        let (before, after) = (files[name], "{ k = \(number)\(padding); }")
        try writer.append(
          DomainName(name), before: before.map { .bytes(Array($0.utf8)) } ?? .none,
          after: .bytes(Array(after.utf8)))
        try home.write(after, to: "\(name).plist")
        files[name] = after
      }
      writer.finish()
      let byteCount = try history.byteCount()
      #expect(byteCount <= History.maximumByteCount + 4 * (padding.utf8.count + 300), "\(byteCount)")
      records = max(records, try history.records().count)
    }
    // It was a long one, and nearly full; an eighth may have gone at once.
    #expect(records > 250)
    #expect(try history.byteCount() > History.maximumByteCount / 4 * 3)
  }

  /// A line of the log.
  private func line(_ domain: String, _ identifier: Int, _ more: String = "") -> String {
    "{Domain = \(domain); Id = \(identifier) /*integer*/; Time = \"2026-11-29 10:42:37 +0000\" /*date*/; \(more)}\n"
  }

  @Test("a command that finds no room for another line leaves the log as it is")
  func full() throws {
    var writer = HistoryWriter(to: history, command: ["w"], undoing: nil)
    let after = FileVersion.bytes(Array("{}".utf8))
    try writer.append(DomainName("A"), before: .none, after: after)
    // As if other commands, at work at the same time, had filled it.
    var log = try home.text(of: ".history/log")
    let words = String(repeating: "w", count: 1 << 20)
    for number in 2...12 { log += line("D\(number)", number, "Command = (\(words)); ") }
    log += line("E", 13, "Command = (\(words.prefix(3 * History.maximumByteCount - log.utf8.count - 150))); ")
    try home.write(log, to: ".history/log")
    let error = try #require(throws: DatabaseError.self) {
      for name in ["B", "C", "D"] { try writer.append(DomainName(name), before: .none, after: after) }
    }
    #expect(
      error.kind == .refused
        && error.message == "the command, or others at the same time, change too many domains for the history"
    )
    #expect(try history.records().count == 13)
    // The next command makes room.
    #expect(home.run("write", "X", "k", "1") == .init(code: .done))
    #expect(try history.records().count < 13 && history.records().last?.domain == DomainName("X"))
  }

  @Test(
    "a log that a person has made is read in a time that is proportional to its length, whatever its lines say",
    arguments: ["one copy", "replaced", "removed", "ordinary"])
  func handMade(kind: String) throws {
    let ratio = try growth(from: 500, to: 5000, bound: 20) { count in
      var lines = ""
      for number in 1...count {
        let added =
          switch kind {
          case "one copy": line("D\(number)", number, "After = 1.0.after; ")
          case "replaced":
            line("X", 1, "Replaces = YES /*boolean*/; ") + line("Y", 2, "First = 2 /*integer*/; ")
          case "removed": line("D\(number)", number + 1) + line("E", count + 1, "First = 1 /*integer*/; ")
          default: line("D\(number)", number)
          }
        lines += added
      }
      try home.write("{ k = 1; }", to: "X.plist")
      try FileManager.default.createDirectory(atPath: history.path, withIntermediateDirectories: true)
      try home.write(lines, to: ".history/log")
      var writer = HistoryWriter(to: history, command: ["w"], undoing: nil)
      let start = threadTime()
      writer.prepare()
      let time = threadTime() - start
      let expected = kind == "removed" ? 2 * count : count
      #expect(try history.records().count == expected)
      return time
    }
    #expect(ratio < 20, "\(ratio)")
  }

  @Test("copies that no record needs any more are removed when the command has let go of the database's lock")
  func removalWithoutLock() throws {
    for name in ["A", "B", "C"] { #expect(home.run("write", name, "k", "1").code == .done) }
    var writer = HistoryWriter(to: history, command: ["w"], undoing: nil)
    let value = FileVersion.bytes(Array("{ k = 1; }".utf8))
    for number in 4...100 {
      var writer = HistoryWriter(to: history, command: ["w\(number)"], undoing: nil)
      try writer.append(DomainName("D\(number)"), before: .none, after: value)
    }
    // The first command has no place any more, and nothing of the others' is left over.
    try writer.append(DomainName("E"), before: .none, after: value)
    #expect(try copies().present.subtracting(copies().needed).count == 1)
    writer.finish()
    let (present, needed) = try copies()
    #expect(present == needed)
    // The same by a command that takes the lock of the database.
    let disk = FaultyFileSystem()
    #expect(home.run(["write", "F", "k", "1"], input: [], on: disk).code == .done)
    let removal = try #require(
      disk.operations.firstIndex { $0.name == "remove" && $0.path?.hasSuffix(".after") == true })
    let replacement = try #require(disk.operations.lastIndex { $0.path?.hasSuffix("/F.plist") == true })
    #expect(disk.unlockings.contains { replacement < $0 && $0 <= removal })
  }

  @Test("copies that a killed command has left are removed by one that comes five minutes later")
  func leftBehind() throws {
    let value = FileVersion.bytes(Array("{ k = 1; }".utf8))
    for number in 1...101 {
      var writer = HistoryWriter(to: history, command: ["w\(number)"], undoing: nil)
      try writer.append(DomainName("D\(number)"), before: .none, after: value)
      try home.write("{ k = 1; }", to: "D\(number).plist")
      // The last one is killed before it has removed the copy of the first.
      if number <= 100 { writer.finish() }
    }
    #expect(try copies().present.subtracting(copies().needed) == ["1.0.after"])
    // Somebody may be putting back copies that are younger.
    #expect(home.run("write", "D2", "k", "2").code == .done)
    #expect(try copies().present.subtracting(copies().needed) == ["1.0.after"])
    let later = FaultyFileSystem(secondsAhead: 301)
    #expect(home.run(["write", "D1", "k", "2"], input: [], on: later).code == .done)
    let (present, needed) = try copies()
    #expect(present == needed)
    #expect(home.run("undo").code == .done && home.run("read", "D1").output == "D1 k 1\n")
  }

  // MARK: Against a model

  /// A command whose changes come one by one, beside those of others.
  private struct Command {
    var writer: HistoryWriter
    let word: String
    /// How many changes it makes yet.
    var changeCount: Int
    /// Its number, once it has made a change.
    var identifier: Int?
  }

  /// What a record of the model says.
  private struct Entry: Hashable {
    let identifier: Int
    let word: String
    let domain: String
    let before: String?
    let after: String
  }

  /// The records of the history, with the contents of their copies.
  private func entries() throws -> [Entry] {
    func text(_ contents: HistoryRecord.Contents) throws -> String? {
      try history.bytes(of: contents).map { String(decoding: $0, as: UTF8.self) }
    }
    return try history.records().map { record in
      Entry(
        identifier: record.identifier, word: record.command.first ?? "", domain: record.domain.text,
        before: try text(record.before), after: try text(record.after) ?? "")
    }
  }

  /// The names of the copies that lie in the history's directory, and of those that its records need.
  private func copies() throws -> (present: Set<String>, needed: Set<String>) {
    let names = try FileManager.default.contentsOfDirectory(atPath: history.path)
    let needed = try history.records().flatMap { [$0.before, $0.after] }.compactMap { contents in
      if case .copy(let name) = contents { name } else { nil }
    }
    return (Set(names.filter { $0.hasSuffix(".before") || $0.hasSuffix(".after") }), Set(needed))
  }

  @Test(
    "of commands that overlap the newest hundred stay, with their copies and no others", arguments: [1, 2])
  func model(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var model: [Entry] = []
    var files: [String: String] = [:]
    var running: [Command] = []
    var (started, highest, step) = (0, 0, 0)
    var logs: Set<Int> = []
    while started < 112 || !running.isEmpty {
      if running.count < 3, started < 112 {
        started += 1
        let word = "w\(started)"
        running.append(
          Command(
            writer: HistoryWriter(to: history, command: [word], undoing: nil), word: word,
            changeCount: Int.random(in: 1...6, using: &random)))
      }
      let place = Int.random(in: running.indices, using: &random)
      // What others change between this look and the change is read then.
      if Bool.random(using: &random) { running[place].writer.prepare() }
      let others = Bool.random(using: &random) ? [Int.random(in: running.indices, using: &random)] : []
      for place in others + [place] where running[place].changeCount > 0 {
        let domain = "D\(Int.random(in: 0..<5, using: &random))"
        let (before, after) = (files[domain], "{ k = \(random.next()); }")
        try running[place].writer.append(
          DomainName(domain), before: before.map { .bytes(Array($0.utf8)) } ?? .none,
          after: .bytes(Array(after.utf8)))
        // A change that was recorded and not made is forgotten with the next one of its domain.
        if let latest = model.lastIndex(where: { $0.domain == domain }), model[latest].after != before {
          model.remove(at: latest)
        }
        let former = running[place].identifier
        if former == nil || !model.contains(where: { $0.identifier == former }) {
          // A command whose records were all withdrawn keeps its number only if no other command has come.
          if former == nil || former != highest { highest += 1 }
          running[place].identifier = highest
          // With the new one there are a hundred.
          let removed = Set(model.map(\.identifier)).sorted().dropLast(99).last ?? 0
          model.removeAll { $0.identifier <= removed }
        }
        let identifier = try #require(running[place].identifier)
        model.append(
          Entry(
            identifier: identifier, word: running[place].word, domain: domain, before: before, after: after))
        running[place].changeCount -= 1
        switch Int.random(in: 0..<12, using: &random) {
        case 0:
          // It is killed, or cannot take the record back either, and records no more.
          running[place].changeCount = 0
        case 1:
          try running[place].writer.withdraw(DomainName(domain))
          model.removeLast()
        default:
          files[domain] = after
          try home.write(after, to: "\(domain).plist")
        }
      }
      for place in running.indices where running[place].changeCount <= 0 { running[place].writer.finish() }
      running.removeAll { $0.changeCount <= 0 }
      step += 1
      guard started > 98, step.isMultiple(of: 5) || running.isEmpty else { continue }
      #expect(try Set(entries()) == Set(model))
      let attributes = try FileManager.default.attributesOfItem(atPath: "\(history.path)/log")
      logs.insert(try #require(attributes[.systemFileNumber] as? Int))
    }
    let (present, needed) = try copies()
    #expect(present == needed)
    print("history: \(model.count) records, \(logs.count) files of the log")
  }
}
