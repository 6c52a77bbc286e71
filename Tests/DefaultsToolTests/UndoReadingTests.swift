import DefaultsDatabase
import DefaultsTool
import Foundation
import TestSupport
import Testing

/// What `undo` reads where a log names the same files again and again.
struct UndoReadingTests {
  private let home: ToolHome
  private let history: URL

  init() throws {
    home = try ToolHome()
    history = home.database.appendingPathComponent(".history")
    // Makes the directory with the rights that it must have.
    try #require(home.run("write", "Other", "k", "1").code == .done)
    for name in try FileManager.default.contentsOfDirectory(atPath: history.path) where name != ".gitignore" {
      try FileManager.default.removeItem(at: history.appendingPathComponent(name))
    }
    try FileManager.default.removeItem(atPath: "\(home.path)/Other.plist")
  }

  /// A log of changes of one domain between copies that hold the same, so that none has an effect, and none goes on
  /// from the one before it.
  private func writeLog(_ count: Int, ofOneCommand isOne: Bool = false) throws {
    for (name, text) in [
      ("1.0.before", "{a=b;}\n"), ("1.0.after", "{ a=b;}\n"), ("2.0.before", "{ a =b;}\n"),
      ("2.0.after", "{ a = b;}\n"),
    ] { try Data(text.utf8).write(to: history.appendingPathComponent(name)) }
    let lines = (1...count).map { number in
      let copy = 2 - number % 2
      return "{After = \(copy).0.after; Before = \(copy).0.before; Command = (write, Big, k); Domain = Big; "
        + "Id = \(isOne ? 1 : number) /*integer*/; Time = \"2026-11-26 18:00:00 +0000\" /*date*/; }\n"
    }
    try Data(lines.joined().utf8).write(to: history.appendingPathComponent("log"))
  }

  @Test("a domain is read once, and not for each record", .timeLimit(.minutes(30)))
  func once() throws {
    let growth = try growth(from: 3, to: 150, bound: 5) { count in
      try home.write("{ a = b; c = d; }\n", withHoleUpTo: 2 << 20, to: "Big.plist")
      try writeLog(count)
      let start = threadTime()
      let outcome = home.run("undo", "-n")
      let time = threadTime() - start
      #expect(outcome.code == .absent, "\(outcome)")
      return time
    }
    // Of 50 times as many records each would take as long as the others.
    #expect(growth < 5, "\(growth)")
  }

  @Test("where too much would be read, it is refused, and nothing is changed", .timeLimit(.minutes(30)))
  func refused() throws {
    try home.write("{ a = b; c = d; }\n", withHoleUpTo: 16 << 20, to: "Big.plist")
    try writeLog(1000)
    let before = try Data(contentsOf: home.database.appendingPathComponent("Big.plist"))
    let outcome = home.run("undo")
    #expect(outcome.code == .refused && outcome.output.isEmpty)
    #expect(
      outcome.errors
        == "defaults: \(history.path): to find out what can be taken back, more than 512 MB would be read; name the "
        + "command by its number, and a domain; nothing was changed\n")
    #expect(try Data(contentsOf: home.database.appendingPathComponent("Big.plist")) == before)
    // A single one reads no more than its own.
    #expect(home.run("undo", "1000").code == .done)
    try writeLog(1000, ofOneCommand: true)
    #expect(home.run("undo", "1").code == .refused)
  }
}
