import DefaultsDatabase
import DefaultsHistory
import DefaultsTool
import Foundation
import TestSupport
import Testing

/// A log that somebody changes without its lock while a command adds to it.
struct ChangedLogTests {
  private let home: ToolHome
  private var path: String { home.path + "/.history/log" }

  init() throws {
    home = try ToolHome()
  }

  private var numbers: [String] {
    home.run("log").output.split(separator: "\n").map { String($0.prefix { $0 != " " }) }
  }

  private func writer(on disk: any FileSystem = DiskFileSystem()) -> HistoryWriter {
    HistoryWriter(
      to: History(of: UserDatabase(directory: home.path, fileSystem: disk)), command: ["write"], undoing: nil)
  }

  private static let change = FileVersion.bytes(Array("{ k = 1; }".utf8))

  /// What a file system does between two steps: it puts an older log in the place of the log.
  private func olderLog(isInPlace: Bool) throws -> @Sendable () -> Void {
    let (older, path) = (try Data(contentsOf: URL(fileURLWithPath: path)), path)
    return {
      let isWritten: ()? = try? older.write(to: URL(fileURLWithPath: isInPlace ? path : path + ".older"))
      #expect(isWritten != nil && (isInPlace || rename(path + ".older", path) == 0))
    }
  }

  // One number had the first changes of one state of the log and the rest of another, and undo took back a part.
  @Test(
    "a log that an older one replaces while a line is added to it gets no part of a command",
    arguments: [
      ("open appending", false), ("open appending", true), ("write", false), ("synchronize", false),
      ("synchronize", true),
    ])
  func olderLog(step: String, isInPlace: Bool) throws {
    #expect(home.run("write", "X", "k", "1") == .init(code: .done))
    let exchange = try olderLog(isInPlace: isInPlace)
    let count = Lock(0)
    let disk = FaultyFileSystem { operation in
      // The first line of the command is in the log when the second is added.
      let place = count.withLock { count in
        if operation.name == "open appending" || count > 1, count < .max { count += 1 }
        defer { if operation.name == step, count > 1 { count = .max } }
        return count
      }
      if operation.name == step, place > 1, place < .max { exchange() }
      return nil
    }
    let outcome = home.run(["write"], input: Array("A k 1\nB k 1\nC k 1\n".utf8), on: disk)
    #expect(outcome.code == .done && count.withLock { $0 } == .max)
    #expect(
      outcome.errors.contains(
        step == "open appending" || isInPlace
          ? "another program has changed the history's log at the same moment; its change of “B” and those after it"
          : "was removed from the history while it was at work; its change of “C” and those after it"),
      "\(outcome)")
    #expect(numbers == ["1"])
    #expect(home.run("undo").code == .done && home.run("domains").output == "A\nB\nC\n")
  }

  @Test("a hard link to the log that is made while a line is added does not get the line")
  func linkedMeanwhile() throws {
    #expect(home.run("write", "X", "k", "1") == .init(code: .done))
    let log = try home.text(of: ".history/log")
    let (path, backup) = (path, home.path + "/backup")
    let disk = FaultyFileSystem { operation in
      if operation.name == "open appending" { #expect(link(path, backup) == 0) }
      return nil
    }
    let outcome = home.run(["write", "A", "k", "1"], input: [], on: disk)
    #expect(outcome.errors.contains("at the same moment"))
    #expect(try home.text(of: "backup") == log)
    #expect(home.run("write", "A", "k", "2") == .init(code: .done))
    #expect(try home.text(of: "backup") == log && numbers == ["2", "1"])
  }

  @Test("a command with a withdrawn change that others follow gets a new number, and the bound holds")
  func withdrawnAmongOthers() throws {
    for number in 1...100 { #expect(home.run("write", "D", "k", "\(number)").code == .done) }
    var batch = writer()
    try batch.append(DomainName("A"), before: .none, after: ChangedLogTests.change)
    try batch.withdraw(DomainName("A"))
    #expect(home.run("write", "D", "k", "0").code == .done)
    try batch.append(DomainName("B"), before: .none, after: ChangedLogTests.change)
    #expect(numbers.count == 100 && numbers.prefix(2) == ["103", "102"])
    #expect(numbers.last == "3")
  }

  @Test("after a withdrawn change the log is not read again as a whole")
  func withdrawn() throws {
    let disk = FaultyFileSystem()
    var batch = writer(on: disk)
    batch.prepare()
    for name in ["A", "B", "C"] {
      try batch.append(DomainName(name), before: .none, after: ChangedLogTests.change)
      try batch.withdraw(DomainName(name))
    }
    #expect(!disk.operations.contains { $0.name == "open reading" && $0.path?.hasSuffix("/log") == true })
  }

  // MARK: Copies

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
    let names = try FileManager.default.contentsOfDirectory(atPath: "\(home.path)/.history")
    #expect(names.filter { $0.hasPrefix("1.") }.sorted() == ["1.0.after", "1.0.before"])
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
    #expect(numbers == [])
    let names = try FileManager.default.contentsOfDirectory(atPath: "\(home.path)/.history")
    #expect(names.filter { $0.hasPrefix("1.") } == ["1.0.after"])
    // The next command that writes the log as a whole removes the copy.
    #expect(home.run("log", "-clear") == .init(code: .done))

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
}
