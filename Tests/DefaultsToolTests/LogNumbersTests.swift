import DefaultsDatabase
import DefaultsHistory
import DefaultsTool
import Foundation
import TestSupport
import Testing

/// The numbers of commands: what `log` shows of one, and how they go on.
struct LogNumbersTests {
  private let home: ToolHome
  private var history: String { home.path + "/.history" }

  init() throws {
    home = try ToolHome()
  }

  @Test("log shows the command of a number, and of that the part of a domain")
  func number() throws {
    #expect(home.run("write", input: "App a 1\nTool b 2\n").code == .done)
    #expect(home.run("write", "App", "a", "3").code == .done)
    let first = home.run("log", "1")
    #expect(first.code == .done && first.errors.isEmpty)
    #expect(first.output.hasPrefix("1  ") && first.output.hasSuffix("  write\n"))
    #expect(home.run("log", "-p", "1").output.hasSuffix("  write\n    +App a 1\n    +Tool b 2\n"))
    #expect(home.run("log", "-p", "1", "Tool").output.hasSuffix("  write\n    +Tool b 2\n"))
  }

  @Test("a number that no command has, and a domain that a command has not changed, are absent")
  func absent() throws {
    #expect(
      home.run("log", "33")
        == .init(code: .absent, errors: "defaults: there is no command 33 in the history\n"))
    #expect(home.run("write", "App", "a", "1").code == .done)
    #expect(home.run("write", "Tool", "a", "1").code == .done)
    for verb in ["log", "undo"] {
      #expect(
        home.run(verb, "33")
          == .init(
            code: .absent, errors: "defaults: there is no command 33 in the history, which has 1 to 2\n"))
      let outcome = home.run(verb, "1", "Other")
      #expect(
        outcome
          == .init(
            code: .absent,
            errors: "defaults: the command 1 has not changed the domain “Other”\n"), "\(outcome)")
      #expect(home.run(verb, "1", "Appp").errors.hasSuffix("\ndefaults: did you mean “App”?\n"))
    }
    #expect(home.run("log", "-clear", "1").code == .absent)
    #expect(home.numbers == ["2", "1"])
  }

  @Test("a domain of digits stands behind “--”, and a domain of which the history has nothing is told")
  func domains() throws {
    #expect(home.run("write", "--", "33", "a", "1").code == .done)
    #expect(home.run("log", "--", "33").output.hasPrefix("1  "))
    try home.write("{ a = 1; }", to: "Quiet.plist")
    #expect(
      home.run("log", "Quiet")
        == .init(
          code: .done, errors: "defaults: no command in the history has changed the domain “Quiet”\n"))
    #expect(
      home.run("log", "Quite")
        == .init(
          code: .absent,
          errors: "defaults: there is no domain “Quite”\ndefaults: did you mean “Quiet”?\n"))
    #expect(home.run("delete", "Quiet").code == .done)
    #expect(home.run("log", "Quiet").output.hasPrefix("2  "))
  }

  @Test("the numbers go on behind a damaged log, whether it is cleared or moved aside")
  func goingOn() throws {
    func damage() throws {
      let log = try home.text(of: ".history/log")
      try home.write("no record\n" + log, to: ".history/log")
    }
    for value in 1...3 { #expect(home.run("write", "App", "a", "\(value)").code == .done) }
    try damage()
    #expect(home.run("log", "-clear") == .init(code: .done))
    #expect(home.run("write", "App", "a", "4").code == .done)
    #expect(home.numbers == ["4"])
    try damage()
    #expect(home.run("write", "App", "a", "5").code == .done)
    #expect(home.numbers == ["5"])
    // Of a log of which nothing can be read, the copies tell.
    try home.write("no record\n", to: ".history/log")
    #expect(home.run("log", "-clear") == .init(code: .done))
    #expect(home.run("write", "App", "a", "6").code == .done)
    #expect(home.numbers == ["6"])
  }

  // Each line of a log of twelve megabytes was read, and made an error: half a minute under the database's lock.
  @Test("of a damaged log with any number of lines, no more than the last are read to find the number")
  func damagedLines() throws {
    #expect(home.run("write", "App", "a", "1").code == .done)
    let line = try home.text(of: ".history/log").replacing("Id = 1 ", with: "Id = 41 ")
    let name = "\(history)/1.0.after"
    for (text, part) in [("{damaged}\n", line), ("{Last=1;}\n", "no record\n\(line)\n\n")] {
      let growth = try growth(from: 20_000, to: 400_000, bound: 8) { count in
        try home.write(String(repeating: text, count: count) + part, to: ".history/log")
        let start = threadTime()
        let outcome = home.run("log", "-clear")
        let time = threadTime() - start
        #expect(outcome == .init(code: .done))
        #expect(try home.text(of: ".history/log") == "{Last = 41 /*integer*/; }\n")
        return time
      }
      #expect(growth < 8, "\(text) \(growth)")
    }
    #expect(!FileManager.default.fileExists(atPath: name))
  }

  @Test("log -clear removes the directories of damaged logs, and nothing else that is called so")
  func clearing() throws {
    #expect(home.run("write", "App", "a", "1").code == .done)
    try home.write("no record\n", to: ".history/log")
    #expect(home.run("write", "App", "a", "2").code == .done)
    try home.write("mine", to: ".history/damaged-2")
    try home.write("mine", to: ".history/damaged-notes")
    try FileManager.default.createDirectory(
      atPath: "\(history)/damaged-photos", withIntermediateDirectories: false)
    #expect(home.run("log", "-clear") == .init(code: .done))
    let names = try home.historyNames()
    #expect(names == ["damaged-2", "damaged-notes", "damaged-photos", "log"])
    #expect(try home.text(of: ".history/damaged-2") == "mine")
    #expect(!home.run("doctor").output.contains("damaged-"))
  }

  // A password stayed in the history, and nothing was said.
  @Test("log -clear of a domain that is not there, such as a command's number, is an error")
  func clearedDomain() throws {
    #expect(home.run("write", "App", "Password", "secret").code == .done)
    for name in ["1", "app"] { #expect(home.run("log", "-clear", name).code == .absent, "\(name)") }
    #expect(home.run("log", "-p").output.contains("secret"))
    #expect(home.run("delete", "App").code == .done)
    #expect(home.run("log", "-clear", "App") == .init(code: .done))
    #expect(home.run("log", "-p") == .init(code: .done))
    try home.write("{ a = 1; }", to: "Other.plist")
    #expect(home.run("log", "-clear", "Other").errors.contains("no command in the history has changed"))
  }

  @Test("no number is given twice, also after the newest records were removed")
  func noNumberTwice() {
    for domain in ["A", "B", "C"] { #expect(home.run("write", domain, "k", "1").code == .done) }
    #expect(home.run("log", "-clear", "C").code == .done)
    #expect(home.run("write", "D", "k", "1").code == .done)
    #expect(home.numbers == ["4", "2", "1"])
    #expect(home.run("log", "-clear").code == .done)
    #expect(home.run("write", "E", "k", "1").code == .done)
    #expect(home.numbers == ["5"])
  }

  @Test("a number that is no command's, and an empty word, are never taken for the newest command")
  func strangeNumbers() {
    #expect(home.run("write", "T", "a", "1").code == .done)
    #expect(home.run("write", "123", "a", "1").code == .done)
    #expect(home.run("undo", "").code == .usage)
    let number = "99999999999999999999999999"
    #expect(
      home.run("undo", number)
        == .init(
          code: .absent, errors: "defaults: there is no command \(number) in the history, which has 1 to 2\n")
    )
    #expect(home.run("domains").output == "123\nT\n")
    #expect(home.run("undo", "--", "123").code == .done)
    #expect(home.run("domains").output == "T\n")
  }

  @Test(
    "the command behind the greatest number begins a new log, and what has that number or the one before is read",
    arguments: [Int.max / 2, Int.max / 2 - 1])
  func greatestNumber(number: Int) throws {
    #expect(home.run("write", "T", "a", "1").code == .done)
    let log = try home.text(of: ".history/log")
    try home.write(log + "{Last = \(number) /*integer*/; }\n", to: ".history/log")
    if number < Int.max / 2 {
      #expect(home.run("write", "T", "a", "2") == .init(code: .done))
      #expect(home.numbers == ["\(Int.max / 2)", "1"])
    }
    #expect(home.run("log").code == .done)
    let outcome = home.run("write", "T", "a", "3")
    #expect(outcome.code == .done && outcome.errors.contains("has a number that no other can follow"))
    #expect(outcome.errors.contains("/.history/damaged-1 with all copies"))
    #expect(home.run("write", "T", "a", "4") == .init(code: .done))
    #expect(home.run("undo").code == .done && home.run("read").output == "T a 3\n")
  }

  @Test("the greatest number's command is taken back, in a new log")
  func greatestUndone() throws {
    #expect(home.run("write", "T", "a", "1").code == .done)
    try home.write("{Last = \(Int.max / 2 - 1) /*integer*/; }\n", to: ".history/log")
    #expect(home.run("write", "T", "a", "2") == .init(code: .done))
    #expect(home.run("undo").code == .done && home.run("read").output == "T a 1\n")
  }

  @Test("a number that no command has had removes no later ones")
  func futureNumber() throws {
    #expect(home.run("write", "T", "a", "1").code == .done)
    #expect(home.run("delete", "T").code == .done)
    let log = try home.text(of: ".history/log")
    try home.write(log.replacing("{After", with: "{First = 1000 /*integer*/; After"), to: ".history/log")
    #expect(home.run("write", input: "A k 1\nB k 1\nC k 1\n") == .init(code: .done))
    #expect(try History(of: UserDatabase(directory: home.path)).records().count == 5)
    #expect(home.run("undo").code == .done && home.run("domains").output == "")
  }
}
