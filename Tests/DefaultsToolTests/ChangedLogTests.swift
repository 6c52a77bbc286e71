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
    // What was changed in place behind the look is seen at the line's end.
    let reason =
      step == "synchronize" && isInPlace
      ? "another program has changed the history's log at the same moment; its change of “B”"
      : "the history no longer has what the command has changed before; its change of “\(step == "open appending" ? "B" : "C")”"
    #expect(outcome.errors.contains("\(reason) and those after it are not recorded"), "\(outcome)")
    #expect(home.numbers == ["1"])
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
    #expect(home.run(["write", "A", "k", "1"], input: [], on: disk) == .init(code: .done))
    #expect(try home.text(of: "backup") == log && home.numbers == ["2", "1"])
  }

  @Test("a log whose time alone is set meanwhile is read again; where that never ends, the command says so")
  func touched() throws {
    #expect(home.run("write", "X", "k", "1") == .init(code: .done))
    let path = path
    func disk(touching count: Int) -> FaultyFileSystem {
      FaultyFileSystem { operation in
        if operation.name == "open appending", operation.number <= count {
          #expect(
            utimes(
              path,
              [timeval(tv_sec: operation.number, tv_usec: 0), timeval(tv_sec: operation.number, tv_usec: 0)])
              == 0)
        }
        return nil
      }
    }
    let input = Array("A k 1\nB k 1\n".utf8)
    #expect(home.run(["write"], input: input, on: disk(touching: 2)) == .init(code: .done))
    #expect(home.numbers == ["2", "1"])
    #expect(home.run("undo") == .init(code: .done, output: "undo 2: write\n-B k 1\n-A k 1\n"))
    let outcome = home.run(["write"], input: input, on: disk(touching: .max))
    #expect(outcome.code == .done)
    #expect(
      outcome.errors.contains("another program changes the history's log again and again; its change of “A”"))
    #expect(home.numbers == ["3", "2", "1"])
  }

  // A log that was written as a whole replaced whatever had come meanwhile.
  @Test("a record that somebody has put into the log stays when the log is written as a whole")
  func edited() throws {
    for value in 1...100 { #expect(home.run("write", "X", "k", "\(value)").code == .done) }
    let path = path
    let log = try home.text(of: ".history/log")
    let last = try #require(log.split(separator: "\n").last)
    let edited = Data((log + last.replacing("Domain = X", with: "Domain = Y") + "\n").utf8)
    for words in [["write", "A", "k", "1"], ["log", "-clear", "X"]] {
      let isEdited = Lock(false)
      let disk = FaultyFileSystem { operation in
        guard operation.name == "open creating", operation.path == path + ".new",
          isEdited.withLock({ isEdited in
            defer { isEdited = true }
            return !isEdited
          })
        else { return nil }
        #expect((try? edited.write(to: URL(fileURLWithPath: path + ".edited"))) != nil)
        #expect(rename(path + ".edited", path) == 0)
        return nil
      }
      #expect(home.run(words, input: [], on: disk) == .init(code: .done))
      #expect(isEdited.withLock { $0 })
      let domains = try History(of: UserDatabase(directory: home.path)).records().map(\.domain.text)
      #expect(domains.contains("Y"), "\(words)")
      #expect(
        domains.contains("A") == (words[0] == "write") && domains.contains("X") == (words[0] == "write"),
        "\(words)")
    }
  }

  @Test(
    "a history that somebody puts in the place of another at any step of a command keeps its records and copies",
    arguments: [["write", "A", "k", "1"], ["log", "-clear", "X"]])
  func exchanged(words: [String]) throws {
    for value in 1...9 { #expect(home.run("write", "X", "k", "\(value)").code == .done) }
    let files = FileManager.default
    let history = home.path + "/.history"
    try files.copyItem(atPath: history, toPath: home.root.path + "/backup")
    #expect(home.run("write", input: "Y k 1\nZ k 1\n") == .init(code: .done))
    // The end of a command that was killed, for which the log is written as a whole.
    try home.write(home.text(of: ".history/log") + "{", to: ".history/log")
    try files.copyItem(atPath: home.path, toPath: home.root.path + "/kept")
    let backup = home.root.path + "/backup"
    var (step, isReached) = (0, true)
    while isReached {
      try files.removeItem(atPath: home.path)
      try files.copyItem(atPath: home.root.path + "/kept", toPath: home.path)
      try files.copyItem(atPath: backup, toPath: home.path + "/restored")
      let isExchanged = Lock(false)
      let count = Lock(0)
      let place = home.path
      let disk = FaultyFileSystem { [step] operation in
        // A copy is removed directly after the look whether the directory is the one that is locked.
        guard operation.path?.hasPrefix(history) == true, operation.name != "remove" else { return nil }
        let number = count.withLock { count in
          count += 1
          return count
        }
        guard number == step + 1 else { return nil }
        isExchanged.withLock { $0 = true }
        #expect(rename(history, place + "/former") == 0 && rename(place + "/restored", history) == 0)
        return nil
      }
      _ = home.run(words, input: [], on: disk)
      isReached = isExchanged.withLock { $0 }
      if isReached {
        // Whichever of the histories the command has changed, each record has its copies.
        let names = Set(try home.historyNames())
        let records = try History(of: UserDatabase(directory: home.path)).records()
        for case .copy(let name) in records.flatMap({ [$0.before, $0.after] }) {
          #expect(names.contains(name), "step \(step): \(name)")
        }
        if words[0] == "write" {
          #expect(
            records.count >= 9 && !records.contains { ["Y", "Z"].contains($0.domain.text) }, "step \(step)")
        }
      }
      step += 1
    }
  }

  @Test(
    "a line that is not on stable storage is cut off again, since the command says that it is not recorded")
  func unsynchronized() throws {
    #expect(home.run("write", "X", "k", "1") == .init(code: .done))
    let log = try home.text(of: ".history/log")
    let isAppending = Lock(false)
    let disk = FaultyFileSystem { operation in
      if operation.name == "open appending" { isAppending.withLock { $0 = true } }
      guard operation.name == "synchronize" else { return nil }
      return isAppending.withLock { isAppending in
        defer { isAppending = false }
        return isAppending ? .inputOutput : nil
      }
    }
    let outcome = home.run(["write"], input: Array("A k 1\nB k 1\n".utf8), on: disk)
    #expect(outcome.code == .done && outcome.errors.contains("the command is not recorded in the history"))
    #expect(try home.text(of: ".history/log") == log)
    #expect(home.run("undo").output == "undo 1: write X k 1\n-X k 1\n")
  }

  @Test("a command with a withdrawn change that others follow gets a new number, and the bound holds")
  func withdrawnAmongOthers() throws {
    for number in 1...100 { #expect(home.run("write", "D", "k", "\(number)").code == .done) }
    var batch = writer()
    try batch.append(DomainName("A"), before: .none, after: ChangedLogTests.change)
    try batch.withdraw(DomainName("A"))
    #expect(home.run("write", "D", "k", "0").code == .done)
    try batch.append(DomainName("B"), before: .none, after: ChangedLogTests.change)
    #expect(home.numbers.count == 100 && home.numbers.prefix(2) == ["103", "102"])
    #expect(home.numbers.last == "3")
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

  @Test("a line is not added to a log that has another name, such as a backup's of hard links")
  func linkedLog() throws {
    #expect(home.run("write", "T", "a", "1").code == .done)
    let log = try home.text(of: ".history/log")
    try FileManager.default.linkItem(
      atPath: "\(home.path)/.history/log", toPath: "\(home.path)/backup")
    for value in ["2", "3"] { #expect(home.run("write", "T", "a", value).code == .done) }
    #expect(try home.text(of: "backup") == log)
    #expect(home.numbers == ["3", "2", "1"] && home.run("undo").code == .done)
    #expect(home.run("read").output == "T a 2\n")
  }

  // Each domain of a batch had the whole log read.
  @Test("of a damaged log, a command of many domains that changes nothing reads the file once")
  func damagedOnce() throws {
    let lines = (0..<20).map { "D\($0) k 1\n" }.joined()
    #expect(home.run("write", input: lines).code == .done)
    try home.write("no record\n", to: ".history/log")
    let disk = FaultyFileSystem()
    #expect(home.run(["write"], input: Array(lines.utf8), on: disk).code == .done)
    #expect(
      disk.operations.filter { $0.name == "open reading" && $0.path?.hasSuffix(".history/log") == true }.count
        == 1)
  }
}
