import DefaultsDatabase
import DefaultsTool
import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

/// Values with types that the files of other programs cannot hold: each verb tells of it once, and finds them later.
struct LostTypesTests {
  private let home: ToolHome

  init() throws {
    home = try ToolHome()
    try home.write("{\n  EdgeResistance = 3;\n}\n", to: "WindowMaker")
  }

  private static let remark =
    "defaults: “EdgeResistance” is written without its type: Window Maker reads no comments\n"

  @Test(
    "each form of write puts a string into a file of Window Maker's, and tells of it in one line",
    arguments: [
      (["WindowMaker", "EdgeResistance", "-int", "5"], ""),
      (["WindowMaker", ".EdgeResistance", "-int", "5"], ""),
      (["WindowMaker", "{ EdgeResistance = 5 /*integer*/; }"], ""),
      (["./Defaults/WindowMaker", "EdgeResistance", "-int", "5"], ""),
      ([], "WindowMaker EdgeResistance '5 /*integer*/'\n"),
    ])
  func forms(words: [String], input: String) throws {
    let line = (["defaults", "write"] + words.map { "'\($0)'" }).joined(separator: " ")
    let rehearsal = (["defaults", "write", "-n"] + words.map { "'\($0)'" }).joined(separator: " ")
    let shown = try home.shell(rehearsal, input: input)
    #expect(shown.status == 0 && shown.output.hasSuffix("EdgeResistance 5\n"), "\(shown)")
    #expect(
      shown.errors
        == LostTypesTests.remark.replacingOccurrences(of: "is written", with: "would be written"))
    #expect(try home.shell(line, input: input) == .init(status: 0, errors: LostTypesTests.remark))
    #expect(try home.text(of: "WindowMaker") == "{\n  EdgeResistance = 5;\n}\n")
    // What the file holds already is not written, and loses nothing.
    #expect(try home.shell(line, input: input) == .init(status: 0))
  }

  @Test("one line tells of all keys of a domain that lose their types, and of no others")
  func severalKeys() throws {
    #expect(
      home.run(
        "write", "WindowMaker", "{ b = YES /*boolean*/; a = (1 /*integer*/); c = x; EdgeResistance = 3; }")
        == .init(
          code: .done,
          errors: "defaults: “a”, “b” are written without their types: Window Maker reads no comments\n"))
    #expect(home.run("read", "WindowMaker", "a").output == "WindowMaker a (1)\n")
  }

  @Test("a value in an array at the root is told of as well")
  func arrayAtRoot() throws {
    try home.write("(Menu, (Exit, EXIT))\n", to: "WMRootMenu")
    let menu = home.path + "/WMRootMenu"
    let remark = "defaults: “[1]” is written without its type: Window Maker reads no comments\n"
    #expect(home.run("write", menu, "[1][1]", "-int", "5") == .init(code: .done, errors: remark))
    #expect(try home.text(of: "WMRootMenu") == "(Menu, (Exit, 5))\n")
    #expect(home.run("write", menu, "[1][1]", "-int", "5") == .init(code: .done))
  }

  @Test("what is applied to Window Maker's files and to GNUstep's is there afterwards")
  func applied() throws {
    let shared = try GNUstepHome()
    let state = home.root.appendingPathComponent("state")
    for (options, domain, text, line, remark) in [
      (
        [], "WindowMaker", "{ EdgeResistance = 5 /*integer*/; }", "EdgeResistance 5 (was 3)",
        LostTypesTests.remark
      ),
      (
        ["-gnustep"], "App", "{ Half = 0.5 /*float*/; }", "Half '0.5 /*real*/'",
        "defaults: “Half” is written with a Double for each Float: GNUstep's files do not tell one from the other\n"
      ),
    ] {
      for part in ["Set", "Replace"] {
        try home.write("{\n  EdgeResistance = 3;\n}\n", to: "WindowMaker")
        try? FileManager.default.removeItem(atPath: shared.directory + "/App.plist")
        try Data("{ \(part) = { \(domain) = \(text); }; }".utf8).write(to: state)
        func apply(_ words: String...) -> ToolHome.Outcome {
          let environment = options.isEmpty ? nil : shared.environment
          return home.run(options + ["apply"] + words + [state.path], environment: environment)
        }
        #expect(apply("-check").code == .differs)
        #expect(apply() == .init(code: .done, output: "set \(domain) \(line)\n", errors: remark))
        #expect(apply("-check") == .init(code: .done))
        #expect(apply() == .init(code: .done))
      }
    }
  }

  @Test(
    "what a file can hold is found out under the lock, before which another program may give it another format",
    arguments: [
      (["write", "WindowMaker", "EdgeResistance", "-int", "5"], ""),
      (["write", "WindowMaker", "{ EdgeResistance = 5 /*integer*/; }"], ""),
      (["write"], "WindowMaker EdgeResistance '5 /*integer*/'\n"),
      (["apply", "-"], "{ Set = { WindowMaker = { EdgeResistance = 5 /*integer*/; }; }; }"),
      (["apply", "-"], "{ Replace = { WindowMaker = { EdgeResistance = 5 /*integer*/; }; }; }"),
      (["import", "-replace", "WindowMaker", "-"], "{ EdgeResistance = 5 /*integer*/; }"),
    ])
  func formats(words: [String], input: String) throws {
    let value: PropertyList = ["EdgeResistance": "3"]
    let (text, xml) = (try value.bytes(style: .windowMaker), try value.xmlBytes())
    let path = home.path + "/WindowMaker"
    func run(_ before: [UInt8], _ after: [UInt8]) throws -> ToolHome.Outcome {
      try Data(before).write(to: URL(fileURLWithPath: path))
      let isOther = Lock(false)
      let disk = FaultyFileSystem { operation in
        guard operation.name == "tryLock" else { return nil }
        isOther.withLock { isOther in
          if !isOther { try? Data(after).write(to: URL(fileURLWithPath: path)) }
          isOther = true
        }
        return nil
      }
      return home.run(words, input: Array(input.utf8), on: disk)
    }
    // Window Maker's text holds strings, and XML holds all types.
    let intoText = try run(xml, text)
    #expect(home.run("read", "WindowMaker").output == "WindowMaker EdgeResistance 5\n", "\(intoText)")
    #expect(words[0] == "import" || intoText.errors == LostTypesTests.remark, "\(intoText)")
    let intoXML = try run(text, xml)
    #expect(
      home.run("read", "WindowMaker").output == "WindowMaker EdgeResistance '5 /*integer*/'\n", "\(intoXML)")
    #expect(words[0] == "import" || intoXML.errors.isEmpty, "\(intoXML)")
  }

  @Test("a Float becomes a Double in GNUstep's files, of which one line tells")
  func doubles() throws {
    let shared = try GNUstepHome()
    func run(_ words: String..., input: String = "") -> ToolHome.Outcome {
      home.run(["-gnustep"] + words, input: Array(input.utf8), environment: shared.environment)
    }
    let remark =
      "defaults: “Half” is written with a Double for each Float: GNUstep's files do not tell one from the other\n"
    for (words, input) in [
      (["App", "Half", "0.5 /*float*/"], ""), (["App", "{ Half = 0.5 /*float*/; }"], ""),
      ([], "App Half '0.5 /*float*/'\n"), (["App", ".Half"] + ["0.5 /*float*/"], ""),
    ] {
      func write(_ options: String...) -> ToolHome.Outcome {
        home.run(
          ["-gnustep", "write"] + options + words, input: Array(input.utf8), environment: shared.environment)
      }
      #expect(write("-n").output == "+App Half '0.5 /*real*/'\n")
      #expect(write() == .init(code: .done, errors: remark), "\(words)")
      #expect(run("read", "App").output == "App Half '0.5 /*real*/'\n")
      #expect(write() == .init(code: .done), "\(words)")
      #expect(run("delete", "App").code == .done)
    }
    // A domain that is there with the same values is no obstacle.
    for _ in 1...2 {
      let outcome = run("import", "App", "-", input: "{ Half = 0.5 /*float*/; }")
      #expect(outcome.code == .refused && outcome.errors.contains("has a Float"))
      #expect(outcome.output == "domains: 1, keys: 1, not carried: 1\n")
    }
  }

  @Test("a text outside of any database that spells types as GNUstep does still holds a Float")
  func typedText() throws {
    try home.write("{ Count = <*I5>; }", to: "typed.plist")
    let path = home.path + "/typed.plist"
    #expect(home.run("write", path, "Half", "0.5 /*float*/") == .init(code: .done))
    #expect(home.run("read", path).output == "Count '5 /*integer*/'\nHalf '0.5 /*float*/'\n")
  }

  @Test(
    "what GNUstep's programs read otherwise is told of by write, once, and only for their files",
    arguments: [
      ("k = 9223372036854775808 /*integer*/", "“k” has the number 9223372036854775808"),
      ("k = \"\\UFEFFa\"", "“k” has a text that begins with \\u{FEFF}"),
      ("k = (\"\\UFFFEa\")", "“k” has a text that begins with \\u{FFFE}"),
      ("\"\\UFEFFa\" = 1", "has a text that begins with \\u{FEFF}"),
      ("k = \"2001-01-01 00:00:00.5 +0000\" /*date*/", "“k” has the date 2001-01-01 00:00:00.5 +0000"),
    ])
  func unseen(entry: String, remark: String) throws {
    let shared = try GNUstepHome()
    let words = ["write", "App", "{ n = 1; \(entry); }"]
    let outcome = home.run(["-gnustep"] + words, environment: shared.environment)
    #expect(outcome.code == .done && outcome.errors.contains(remark), "\(outcome)")
    #expect(outcome.errors.split(separator: "\n").count == 1, "\(outcome)")
    let input = Array("App m 2\nApp '{ n = 1; \(entry); }'\n".utf8)
    let again = home.run(["-gnustep"] + words, environment: shared.environment)
    #expect(again == .init(code: .done))
    #expect(home.run(words) == .init(code: .done))
    let other = home.run(["-gnustep", "delete", "App"], environment: shared.environment)
    #expect(other.code == .done)
    let lines = home.run(["-gnustep", "write"], input: input, environment: shared.environment)
    #expect(lines.code == .done && lines.errors.contains(remark), "\(lines)")
  }

  @Test(
    "GNUstep's own program reads a text with U+FFFE that the tool has written",
    .enabled(if: GNUstepProgram.isExpected, Comment(rawValue: GNUstepProgram.absence)),
    arguments: ["a\u{FFFE}", "a\u{FFFE}b"])
  func byteOrderMark(text: String) throws {
    let shared = try GNUstepHome()
    for words in [["k", "-string", text], [text, "1"], ["z", "ok"]] {
      let outcome = home.run(["-gnustep", "write", "App"] + words, environment: shared.environment)
      #expect(outcome == .init(code: .done))
    }
    #expect(try shared.gnustepDefaults("read", "App", "z").contains("ok"))
    #expect(try shared.gnustepDefaults("read", "App", "k").contains(text))
  }
}
