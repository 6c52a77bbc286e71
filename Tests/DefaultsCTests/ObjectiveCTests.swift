import Foundation
import TestSupport
import Testing

/// Objective-C programs on GNUstep whose standard defaults are answered by the library, and the same programs without it.
@Suite(.enabled(if: GNUstepProgram.isExpected, Comment(rawValue: GNUstepProgram.absence)))
struct ObjectiveCTests {
  private let home: TemporaryHome

  init() throws {
    home = try TemporaryHome()
  }

  /// A program without the library, and with it.
  private func both(_ name: String, _ files: [String]) throws -> (
    plain: ObjectiveCProgram, library: ObjectiveCProgram
  ) {
    (
      try ObjectiveCProgram(name, files, usesLibrary: false, in: home),
      try ObjectiveCProgram(name, files, usesLibrary: true, in: home)
    )
  }

  // MARK: - A program's preferences

  private static let calls = [
    [], ["font", "Helvetica", "10.5"], ["wrap", "NO"], ["tabs", "4"], ["colour", "Paper", "0,.5,1"],
    ["open", "/a", "1000"], ["open", "/b é", "-2000.75"], ["open", "/c", "3000.5"], ["open", "/d", "4000"],
    ["mode", "c", "K&R"], ["mode", "c", "GNU"], ["mode", "h", "GNU"], ["frame", "{{1, 2}, {30.5, 40}}"],
    [], ["-FontSize", "20", "-WrapsLines", "YES"], ["tabs", "4"], ["revert"], ["mode", "m", "Objective-C"],
    [],
  ]

  @Test(
    "a preference class prints the same, made by gnustep-make with and without the library, and both in turn")
  func preferences() throws {
    let plain = try ObjectiveCProgram(made: "Editor", usesLibrary: false, in: home)
    let library = try ObjectiveCProgram(made: "Editor", usesLibrary: true, in: home)
    let wanted = try outcome { _ in plain }
    #expect(wanted.outputs[8].contains("file /d, 4000\nfile /c, 3000\nfile /b é, -2001\n"))
    #expect(wanted.outputs[13].contains("mode GNU 2\n"))
    for program in [{ _ in library }, { $0 % 2 == 0 ? plain : library }, { $0 % 2 == 1 ? plain : library }]
      as [(Int) -> ObjectiveCProgram]
    {
      let outcome = try outcome(of: program)
      #expect(outcome.outputs == wanted.outputs)
      #expect(outcome.read == wanted.read)
    }
  }

  /// What all calls print, and what GNUstep's own `defaults` reads before the last ones.
  private func outcome(of program: (Int) -> ObjectiveCProgram) throws -> (outputs: [String], read: [String]) {
    let shared = try GNUstepHome()
    try shared.gnustepDefaults("write", "Editor", "NXFixedPitchFont", "Ohlfs")
    var (outputs, read): ([String], [String]) = ([], [])
    for (index, call) in ObjectiveCTests.calls.enumerated() {
      outputs.append(try program(index).run(call, in: shared).text)
      if index % 4 == 3 { read.append(try shared.gnustepDefaults("read", "Editor")) }
    }
    return (outputs, read)
  }

  // MARK: - Values

  @Test(
    "values of every kind, domains, refusals and registered objects are answered as GNUstep's class answers them"
  )
  func values() throws {
    let (plain, library) = try both("standard", ["standard.m"])
    let wanted = try plain.run(["play"], in: try GNUstepHome()).text.split(separator: "\n")
    let found = try library.run(["play"], in: try GNUstepHome()).text.split(separator: "\n")
    #expect(wanted.count > 120)
    for (wanted, found) in zip(wanted, found) { #expect(wanted == found) }
    #expect(wanted.count == found.count)
  }

  @Test("another process reads back numbers with all their digits, every character, and dates to the second")
  func exact() throws {
    let library = try ObjectiveCProgram("standard", ["standard.m"], usesLibrary: true, in: home)
    let shared = try GNUstepHome()
    _ = try library.run(["exact"], in: shared)
    let lines = try library.run(["read"], in: shared).text.split(separator: "\n")
    #expect(lines.count == 25)
    for line in lines { #expect(line.hasSuffix("\t1"), "\(line)") }
  }

  @Test("a change without a synchronize is there at the next start, which GNUstep's own class would lose")
  func unsaved() throws {
    let (plain, library) = try both("early", ["early.m", "construct.m"])
    for (program, found) in [(plain, "value"), (library, "changed")] {
      let shared = try GNUstepHome()
      try shared.gnustepDefaults("write", "early", "Known", "value")
      _ = try program.run(["leave"], in: shared)
      let output = try program.run(["begin"], in: shared)
      #expect(output.text.hasPrefix("found\t\(found)\n"))
    }
  }

  // MARK: - Moments

  @Test("the notification is posted at the same moments, and the languages and the search list are the same")
  func moments() throws {
    let (plain, library) = try both("App", ["moments.m"])
    for languages in ["", "de:fr", "fr_CA", "sv:xx:en_GB"] {
      let wanted = try plain.run([], in: try GNUstepHome(), languages: languages).text.split(separator: "\n")
      let found = try library.run([], in: try GNUstepHome(), languages: languages).text.split(separator: "\n")
      #expect(wanted.count > 40)
      for (wanted, found) in zip(wanted, found) { #expect(wanted == found, "\(languages)") }
      #expect(wanted.count == found.count)
    }
  }

  @Test(
    "calls from a constructor, +load, +initialize and NSLog before main() are answered, and their changes hold"
  )
  func early() throws {
    let files = ["early.m", "construct.m"]
    let (plain, library) = try both("early", files)
    let first = try ObjectiveCProgram("early", files, usesLibrary: true, isClassFirst: true, in: home)
    for program in [plain, library, first] {
      let shared = try GNUstepHome()
      try shared.gnustepDefaults("write", "early", "Known", "value")
      let output = try program.run(["begin"], in: shared)
      #expect(
        output.text == """
          found\tvalue
          found\tvalue
          found\tvalue
          constructed\tby the constructor
          loaded\t7
          registered\tat load
          same\t1

          """)
      #expect(output.errors.contains("before main"))
      #expect(try shared.gnustepDefaults("read", "early", "Loaded") == "early Loaded 7\n")
    }
  }

  @Test("a flag that GNUstep keeps changes with every set, and with domains and the search list")
  func flags() throws {
    let (plain, library) = try both("early", ["early.m", "construct.m"])
    let wanted = try logged(by: plain)
    #expect(Set(wanted.values) == [true, false] && wanted.count == 8)
    #expect(try logged(by: library) == wanted)
  }

  /// The lines that a program logs, and whether they have a thread's number.
  private func logged(by program: ObjectiveCProgram) throws -> [Substring: Bool] {
    // 2001-01-01 00:00:00.000 early[100:100,0x1000] two
    let lines = try program.run(["flags"], in: try GNUstepHome()).errors.split(separator: "\n")
    return Dictionary(
      lines.compactMap { line in
        guard let head = line.range(of: "] ") else { return nil }
        return (line[head.upperBound...], line[..<head.lowerBound].contains(","))
      }, uniquingKeysWith: { $1 })
  }

  // MARK: - A Swift part

  @Test(
    "a Swift part of the process and Objective-C find each other's changes at once, and are both told of them"
  )
  func part() throws {
    let program = try ObjectiveCProgram(
      "part", ["part.m"], usesLibrary: true, in: home, others: try ObjectiveCProgram.part(in: home))
    let shared = try GNUstepHome()
    let output = try program.run([], in: shared)
    #expect(
      output.text == """
        Swift's value\t5 1
        with the object\t1
        Objective-C's value\t6 2 2
        a thread's value\t7 3
        registered\t8
        volatile\t9
        representation\t7
        saved\t1

        """)
    let lines = output.errors.split(separator: "\n")
    #expect(lines.contains { $0.contains(",0x") && $0.hasSuffix("with the thread's number") })
    #expect(lines.contains { !$0.contains(",0x") && $0.hasSuffix("without it") })
    #expect(try shared.gnustepDefaults("read", "part", "Count") == "part Count 7\n")
  }

  // It waited for itself for ever, and what was set for a key that was removed later was kept for good; and what one thread had
  // just set was lost to another one that had asked before.
  @Test(
    "the program's objects are let go of with their values, and may use the defaults at their end; none goes that was just set"
  )
  func released() throws {
    let library = try ObjectiveCProgram("released", ["released.m"], usesLibrary: true, in: home)
    let output = try library.run([], in: try GNUstepHome())
    #expect(
      output.text
        == "objects of volatile domains\t3\ntexts of removed keys\t100\nkeys\t26\ndates that are exact\t1000\n"
    )
  }

  @Test("threads of C and of Objective-C lose no change and no notification, while the object is made anew")
  func threads() throws {
    let program = try ObjectiveCProgram(
      "threads", ["threads.m"], usesLibrary: true, in: home, others: ["-I\(CProgram.headers)"])
    let output = try program.run([], in: try GNUstepHome())
    #expect(output.text == "wrong at once\t0\nwrong in all\t0\nevery change posted\t1\n")
  }
}
