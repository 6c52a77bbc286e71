import DefaultsDatabase
import DefaultsHistory
import DefaultsTool
import Foundation
import TestSupport
import Testing

/// The copies of a history's records, where a step fails, a person removes something, or a history is put back.
struct HistoryCopiesTests {
  private let home: ToolHome

  init() throws {
    home = try ToolHome()
  }

  @Test("a batch that fails at the second copy of its second domain leaves no copy of that")
  func failedCopies() throws {
    for name in ["T", "U"] { try home.write("{ a = 1; }", to: "\(name).plist") }
    let count = Lock(0)
    let disk = FaultyFileSystem { operation in
      let isCopy = operation.name == "open creating" && operation.path?.hasSuffix(".after") == true
      return count.withLock { count in
        if isCopy { count += 1 }
        return isCopy && count == 2 ? .inputOutput : nil
      }
    }
    let outcome = home.run(["write"], input: Array("T a 2\nU a 2\n".utf8), on: disk)
    #expect(outcome.errors.contains("its change of “U” and those after it are not recorded"))
    #expect(try home.historyNames().filter { $0.hasPrefix("1.") } == ["1.0.after", "1.0.before"])
  }

  @Test("what log -clear says where it cannot remove a copy, and where somebody has removed the history")
  func clearing() throws {
    #expect(home.run("write", input: "A k 1\nB k 1\n") == .init(code: .done))
    let failing = FaultyFileSystem { operation in
      operation.name == "remove" && operation.path?.hasSuffix("/1.0.after") == true ? .inputOutput : nil
    }
    let outcome = home.run(["log", "-clear"], input: [], on: failing)
    #expect(outcome.code == .inputOutput && !outcome.errors.contains("nothing was changed"))
    #expect(
      outcome.errors.contains("/.history: the log is cleared, but not every copy of a file can be removed: "))
    #expect(home.numbers == [])
    #expect(try home.historyNames().filter { $0.hasPrefix("1.") } == ["1.0.after"])
    // The next command that writes the log as a whole removes the copy.
    #expect(home.run("log", "-clear") == .init(code: .done))
    #expect(try home.historyNames() == ["log"])

    #expect(home.run("write", "C", "k", "1") == .init(code: .done))
    let history = home.path + "/.history"
    let isRemoved = Lock(false)
    let removing = FaultyFileSystem { operation in
      // The second lock is the one under which copies are removed.
      guard operation.name == "open lockingDirectory", operation.number == 2 else { return nil }
      isRemoved.withLock { $0 = true }
      #expect((try? FileManager.default.removeItem(atPath: history)) != nil)
      return nil
    }
    #expect(home.run(["log", "-clear"], input: [], on: removing) == .init(code: .done))
    #expect(isRemoved.withLock { $0 })
  }
  @Test("what cannot be removed of a damaged log is told, and all else is removed")
  func damagedDirectory() throws {
    #expect(home.run("write", "A", "password", "secret") == .init(code: .done))
    for name in ["1.0.after", "mine/file", "log", "other/file"] {
      let file = URL(fileURLWithPath: home.path + "/.history/damaged-1/\(name)")
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data("secret".utf8).write(to: file)
    }
    let outcome = home.run("log", "-clear")
    #expect(outcome.code == .inputOutput)
    #expect(
      outcome.errors.hasPrefix(
        "defaults: \(home.path)/.history/damaged-1: the log is cleared, but this damaged one cannot be removed: "
      ))
    #expect(try home.historyNames() == ["damaged-1", "log"])
    let kept = try FileManager.default.contentsOfDirectory(atPath: home.path + "/.history/damaged-1")
    #expect(kept.sorted() == ["mine", "other"])
  }

  @Test(
    "where the directory cannot be synchronized behind the new log, log -clear does not say that nothing was changed"
  )
  func unsynchronizedDirectory() throws {
    #expect(home.run("write", "A", "k", "1") == .init(code: .done))
    let isRenamed = Lock(false)
    let disk = FaultyFileSystem { operation in
      if operation.name == "rename" { isRenamed.withLock { $0 = true } }
      return operation.name == "synchronize" && isRenamed.withLock { $0 } ? .inputOutput : nil
    }
    let outcome = home.run(["log", "-clear"], input: [], on: disk)
    #expect(outcome.code == .inputOutput && outcome.errors.contains("its records are removed"))
    #expect(home.numbers == [])
  }

  // They were taken for copies without use of the history before.
  @Test(
    "a history that somebody puts back file by file beside log -clear keeps its copies",
    arguments: [false, true])
  func restored(hasLog: Bool) throws {
    #expect(home.run("write", input: (0..<40).map { "D\($0) k 1\n" }.joined()) == .init(code: .done))
    let history = home.path + "/.history"
    let copies = try home.historyNames().filter { $0.hasSuffix(".after") }
    let backup = home.root.path + "/backup"
    try FileManager.default.copyItem(atPath: history, toPath: backup)
    let disk = FaultyFileSystem { operation in
      // Each few copies are removed under a lock of their own.
      guard operation.name == "open lockingDirectory", operation.number == 2 else { return nil }
      let files = FileManager.default
      #expect(rename(history, history + ".former") == 0)
      #expect((try? files.createDirectory(atPath: history, withIntermediateDirectories: false)) != nil)
      for name in copies {
        #expect((try? files.copyItem(atPath: "\(backup)/\(name)", toPath: "\(history)/\(name)")) != nil)
      }
      if hasLog { #expect((try? files.copyItem(atPath: "\(backup)/log", toPath: "\(history)/log")) != nil) }
      return nil
    }
    _ = home.run(["log", "-clear"], input: [], on: disk)
    #expect(Set(try home.historyNames()).isSuperset(of: copies) && copies.count == 40)
  }

  @Test(
    "a history that somebody puts back file by file beside a write keeps its copies, and the log comes last",
    arguments: [0, 400])
  func restoredBesideWrite(secondsLater: Int64) throws {
    #expect(home.run("write", input: "A k 1\nB k 1\nC k 1\n") == .init(code: .done))
    #expect(home.run("write", input: "A k 2\nB k 2\nC k 2\n") == .init(code: .done))
    let log = home.path + "/.history/log"
    let former = try home.text(of: ".history/log")
    let copies = try Dictionary(
      uniqueKeysWithValues: home.historyNames().filter { $0 != "log" }.map {
        ($0, try home.text(of: ".history/\($0)"))
      })
    try FileManager.default.removeItem(atPath: log)
    let disk = FaultyFileSystem(secondsAhead: secondsLater)
    #expect(home.run(["write", "Z", "k", "1"], input: [], on: disk) == .init(code: .done))
    #expect(home.numbers == ["3"])
    for (name, text) in copies { #expect(try home.text(of: ".history/\(name)") == text, "\(name)") }
    try home.write(former, to: ".history/log")
    #expect(home.run("undo").code == .done && home.run("read").output == "A k 1\nB k 1\nC k 1\nZ k 1\n")
  }

  // The log had the first record all the same, and undo took back that alone.
  @Test(
    "where the directory cannot be synchronized behind the new log, the command is recorded and says what may be lost"
  )
  func unsynchronizedRecord() throws {
    let isRenamed = Lock(false)
    let disk = FaultyFileSystem { operation in
      if operation.name == "rename", operation.path?.hasSuffix("/log.new") == true {
        isRenamed.withLock { $0 = true }
      }
      guard operation.name == "synchronize" else { return nil }
      return isRenamed.withLock { isRenamed in
        defer { isRenamed = false }
        return isRenamed ? .inputOutput : nil
      }
    }
    let outcome = home.run(["write"], input: Array("A k 1\nB k 1\nC k 1\n".utf8), on: disk)
    #expect(outcome.code == .done)
    #expect(
      outcome.errors.contains("what the history has recorded may not survive a loss of power: "), "\(outcome)"
    )
    #expect(home.run("undo").code == .done && home.run("domains").output == "")
  }

  // The record of one domain was taken for one that was not made, and undo took back the other one.
  @Test("a change whose copies are missing counts as made, so that undo takes back no part of its command")
  func missingCopies() throws {
    for domain in ["A", "B"] { #expect(home.run("write", domain, "k", "1") == .init(code: .done)) }
    #expect(home.run("write", input: "A both 1\nB both 1\n") == .init(code: .done))
    let history = home.path + "/.history"
    for name in ["1.0.after", "3.0.after"] {
      try FileManager.default.removeItem(atPath: "\(history)/\(name)")
    }
    #expect(!home.run("log").output.contains("made"))
    let undo = home.run("undo")
    #expect(undo.code == .refused && undo.errors.contains("is missing"))
    #expect(home.run("write", "A", "new", "1") == .init(code: .done))
    #expect(
      try History(of: UserDatabase(directory: home.path)).records().map(\.identifier) == [1, 2, 3, 3, 4])
    let other = home.run("undo", "3")
    #expect(other.code == .refused && other.errors.contains("is missing"))
    #expect(home.run("read").output == "A both 1\nA k 1\nA new 1\nB both 1\nB k 1\n")
  }

  @Test("the copies of a killed command whose number has a record go with the next command after a while")
  func killed() throws {
    #expect(home.run("write", "A", "k", "1") == .init(code: .done))
    let former = try home.text(of: ".history/log")
    for name in ["1.1.before", "1.1.after"] { try home.write("{ k = 7; }", to: ".history/\(name)") }
    // Those that have just come may be a backup's.
    #expect(home.run("write", "B", "k", "1") == .init(code: .done))
    #expect(try home.historyNames() == ["1.0.after", "1.1.after", "1.1.before", "2.0.after", "log"])
    let later = FaultyFileSystem(secondsAhead: 400)
    #expect(home.run(["write", "C", "k", "1"], input: [], on: later) == .init(code: .done))
    #expect(try home.historyNames() == ["1.0.after", "2.0.after", "3.0.after", "log"])
    #expect(try home.text(of: ".history/log").hasPrefix(former))
    // Looked for when others may use the database again: of a hundred thousand files that takes seconds.
    let replacement = try #require(later.operations.lastIndex { $0.path?.hasSuffix("/C.plist") == true })
    let listing = try #require(
      later.operations.firstIndex { $0.name == "names" && $0.path?.hasSuffix("/.history") == true })
    #expect(later.unlockings.contains { replacement < $0 && $0 <= listing })
  }

  // Each of a hundred thousand domains of a log that a user has made was looked at: a minute for whoever asked.
  @Test("of a log with any number of domains only so many files are looked at")
  func manyDomains() throws {
    #expect(home.run("write", "A", "k", "1") == .init(code: .done))
    let line = try #require(try home.text(of: ".history/log").split(separator: "\n").last)
    let lines = (0..<12_000).map { line.replacing("Domain = A", with: "Domain = \"D \($0)\"") + "\n" }
    #expect(lines[0] != lines[1])
    try home.write(lines.joined(), to: ".history/log")
    let disk = FaultyFileSystem()
    #expect(home.run(["log"], input: [], on: disk).code == .done)
    let domains = Set(disk.operations.compactMap(\.path).filter { $0.contains("/D ") })
    #expect(!domains.isEmpty && domains.count <= 8192 * 4, "\(domains.count)")
    #expect(!domains.contains { $0.contains("/D 100.") } && domains.contains { $0.contains("/D 11999") })
  }

  @Test("a snapshot of which a file cannot be removed is no longer one, and where the rest lies is told")
  func snapshot() throws {
    #expect(home.run("write", "A", "k", "1") == .init(code: .done))
    #expect(home.run("snapshot", "s") == .init(code: .done))
    try FileManager.default.createDirectory(
      atPath: home.path + "/.history/snapshots/s/mine", withIntermediateDirectories: false)
    let outcome = home.run("snapshot", "-delete", "s")
    #expect(outcome.code == .inputOutput)
    let text = "there is no snapshot “s” any more, but not all of its files can be removed: "
    #expect(
      outcome.errors.contains(text)
        && outcome.errors.contains("the rest lies in \(home.path)/.history/snapshots/."))
    #expect(home.run("snapshot") == .init(code: .done))
  }

  @Test("of a history that is removed at a command's end, the copies of the next one stay")
  func removedAtEnd() throws {
    #expect(home.run("write", input: "A k 1\nB k 1\nC k 1\n") == .init(code: .done))
    for number in 2...100 { #expect(home.run("write", "D", "k", "\(number)").code == .done) }
    let path = home.path
    let isRemoved = Lock(false)
    let disk = FaultyFileSystem { operation in
      guard operation.name == "remove", operation.path?.hasSuffix(".after") == true,
        !isRemoved.withLock({ $0 })
      else { return nil }
      isRemoved.withLock { $0 = true }
      try? FileManager.default.removeItem(atPath: "\(path)/.history")
      var writer = HistoryWriter(
        to: History(of: UserDatabase(directory: path)), command: ["write"], undoing: nil)
      let text = Data("{ k = 1; }".utf8)
      for name in ["P", "Q", "R"] {
        let isRecorded: ()? = try? writer.append(DomainName(name), before: .none, after: .bytes(Array(text)))
        #expect(isRecorded != nil)
        #expect(FileManager.default.createFile(atPath: "\(path)/\(name).plist", contents: text))
      }
      return .inputOutput
    }
    #expect(home.run(["write", "E", "k", "1"], input: [], on: disk).code == .done)
    #expect(isRemoved.withLock { $0 } && home.numbers == ["1"])
    #expect(home.run("undo").code == .done)
    #expect(home.run("domains").output == "A\nB\nC\nD\nE\n")
  }

  @Test("commands that fail at the second copy leave none")
  func failedCopiesOfOne() throws {
    #expect(home.run("write", "T", "a", "1").code == .done)
    try home.write("{ a = 2; }", to: "T.plist")
    for _ in 0..<5 {
      let isCopying = Lock(false)
      let disk = FaultyFileSystem { operation in
        if operation.path?.hasSuffix(".after") == true, operation.name == "open creating" {
          isCopying.withLock { $0 = true }
        }
        return operation.name == "write" && isCopying.withLock({ $0 }) ? .inputOutput : nil
      }
      let outcome = home.run(["write", "T", "a", "3"], input: [], on: disk)
      #expect(isCopying.withLock { $0 } && outcome.errors.contains("is not recorded in the history"))
      try home.write("{ a = 2; }", to: "T.plist")
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: "\(home.path)/.history")
    #expect(!names.contains { $0.hasPrefix("2.") }, "\(names)")
    #expect(home.run("write", "T", "a", "4") == .init(code: .done))
    #expect(home.run("undo").code == .done && home.run("read").output == "T a 2\n")
  }

  // The copies that a removed log has left had the names of the new ones, and went with the command's end.
  @Test(
    "a command keeps its copies, whatever copies there were before",
    arguments: ["log", "older log", "copies"])
  func formerCopies(removed: String) throws {
    func write(_ value: Int) -> ToolHome.Outcome {
      home.run("write", input: ["A", "B", "C"].map { "\($0) k \(value)\n" }.joined())
    }
    let log = "\(home.path)/.history/log"
    #expect(home.run("write", "A", "k", "0") == .init(code: .done))
    let older = try home.text(of: ".history/log")
    #expect(write(1) == .init(code: .done))
    switch removed {
    case "log": try FileManager.default.removeItem(atPath: log)
    case "older log": try home.write(older, to: ".history/log")
    default:
      // A command that was killed before its first record has left them.
      for number in 0..<3 { try home.write("{ k = 7; }", to: ".history/3.\(number).before") }
    }
    #expect(write(2) == .init(code: .done))
    #expect(home.run("undo").code == .done)
    #expect(home.run("read").output == "A k 1\nB k 1\nC k 1\n")
  }
}
