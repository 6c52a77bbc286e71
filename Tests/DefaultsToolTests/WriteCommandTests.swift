import DefaultsTool
import Foundation
import TestSupport
import Testing

struct WriteCommandTests {
  private let home: ToolHome

  init() throws {
    home = try ToolHome()
  }

  @Test(
    "a value is a property list, or else a string as it stands",
    arguments: [
      ("5", "5"), ("-5", "-5"), ("two words", "'two words'"), ("", "''"), (" x ", "' x '"), ("a.b", "a.b"),
      ("it's", "'it''s'"), ("a=b", "a=b"), ("a // b", "'a // b'"), ("// a", "'// a'"),
      ("C:\\U0041", "C:\\U0041"),
      ("(1,2)", "'(1, 2)'"), ("{a=b;}", "'{a = b; }'"), ("<0FBD>", "<0fbd>"), ("\"x\"", "x"),
      ("  (1)", "(1)"), ("5 /*integer*/", "'5 /*integer*/'"), ("YES /*boolean*/", "'YES /*boolean*/'"),
      ("\"5x /*integer*/\"", "'\"5x /*integer*/\"'"), ("<*I5>", "'5 /*integer*/'"),
      ("5/*integer*/", "5/*integer*/"), ("/*date*/", "/*date*/"), ("a /*date*/ b", "'a /*date*/ b'"),
      ("5 /*int*/", "'5 /*int*/'"), ("5 /*Integer*/", "'5 /*Integer*/'"),
      ("\"(a)\"", "'\"(a)\"'"), ("\"(a\"", "'\"(a\"'"), ("\"5 /*integer*/\"", "'\"5 /*integer*/\"'"),
      ("\"\\\"\"", "'\"\\\"\"'"), ("a\nb", "'\"a\\nb\"'"), ("\u{2028}", "'\"\\U2028\"'"),
      ("<?xml version=\"1.0\"?><plist version=\"1.0\"><integer>5</integer></plist>", "'5 /*integer*/'"),
    ])
  func values(argument: String, token: String) {
    // The expectations follow from the notation: what is no property list is kept, and comes back.
    #expect(home.run("write", "App", "k", argument) == .init(code: .done))
    #expect(home.run("read", "App", "k").output == "App k \(token)\n")
  }

  @Test(
    "a scalar with a note needs no quotes of its own, nor any quotes at all",
    arguments: [
      ("2026-11-20 15:16:00 +0000 /*date*/", "2026-11-20 15:16:00 +0000"),
      ("  2026-11-20 16:16:00.5 +0100\t/*date*/ ", "2026-11-20 15:16:00.5 +0000"),
      ("\"2026-11-20 15:16:00 +0000\" /*date*/", "2026-11-20 15:16:00 +0000"),
    ])
  func typedScalars(argument: String, date: String) {
    let line = "App k '\"\(date)\" /*date*/'\n"
    #expect(home.run("write", "App", "k", argument) == .init(code: .done))
    #expect(home.run("read").output == line)
    let words = argument.filter { $0 != "\"" }.split(whereSeparator: \.isWhitespace).map(String.init)
    #expect(home.run(["write", "Words", "k"] + words) == .init(code: .done))
    #expect(home.run("write", input: "Batch k \(words.joined(separator: " "))\n") == .init(code: .done))
    for domain in ["Words", "Batch"] {
      #expect(home.run("read", domain).output == domain + line.dropFirst(3))
    }
  }

  @Test("help write shows each note in the spelling that is taken")
  func notesInHelp() throws {
    let help = home.run("help", "write").output
    for note in ["integer", "real", "float", "boolean", "date"] {
      let line = try #require(
        help.split(separator: "\n").first { $0.contains("/*\(note)*/") && $0.hasPrefix("  ") })
      let end = try #require(line.range(of: "*/")).upperBound
      let words = line[..<end].split(separator: " ").map(String.init)
      #expect(home.run(["write", "App", note] + words) == .init(code: .done), "\(words)")
      #expect(home.run("read", "App", note).output.hasSuffix("/*\(note)*/'\n"))
    }
  }

  @Test(
    "a note that does not fit its value is refused, and nothing is written",
    arguments: [
      ("2026-02-30 00:00:00 +0000 /*date*/", "“2026-02-30 00:00:00 +0000” does not fit its note /*date*/, "),
      (
        "\"2026-02-30 00:00:00 +0000\" /*date*/", "1:29: the note /*date*/ does not fit the value before it: "
      ),
      ("abc /*date*/", "“abc” does not fit its note /*date*/, which takes a date that the calendar has"),
      ("5x /*integer*/", "“5x” does not fit its note /*integer*/, which takes a whole number"),
      ("18446744073709551616 /*integer*/", "“18446744073709551616” does not fit its note /*integer*/, "),
      ("1,5 /*real*/", "“1,5” does not fit its note /*real*/, which takes a decimal number"),
      ("0x10 /*float*/", "“0x10” does not fit its note /*float*/, which takes a decimal number"),
      ("true /*boolean*/", "“true” does not fit its note /*boolean*/, which takes YES or NO"),
      ("5 /*integer*/ /*date*/", "“5 /*integer*/” does not fit its note /*date*/, "),
      ("(1, x /*integer*/)", "1:7: the note /*integer*/ does not fit the value before it: "),
      ("(1, 2) /*integer*/", "1:8: the note /*integer*/ does not fit the value before it: "),
      ("{ a = <00> /*date*/; }", "1:12: the note /*date*/ does not fit the value before it: "),
      ("(5 /*integer*/ /*date*/)", "1:16: the note /*date*/ does not fit the value before it: "),
    ])
  func unfittingNotes(value: String, message: String) throws {
    let outcome = home.run("write", "App", "k", value)
    #expect(outcome.code == .usage)
    #expect(outcome.errors.hasPrefix("defaults: \(message)"), "\(outcome.errors)")
    #expect(outcome.errors.hasSuffix("; to write it as a string, put it in double quotes: '\"…\"'\n"))
    let line = home.run("write", input: "App a 1\nApp k '\(value)'\n")
    #expect(line.code == .usage && line.errors.hasPrefix("defaults: standard input:2: \(message)"))
    #expect(try home.files() == [])
    // Such text as a string is written with the quotes that the message names, and comes back from “read”.
    #expect(home.run("write", "App", "k", "\"\(value.filter { $0 != "\"" })\"").code == .done)
    let read = home.run("read").output
    #expect(home.run("write", input: read) == .init(code: .done))
    #expect(home.run("read").output == read)
  }

  @Test("a note that does not fit is refused behind any number of misspelt ones")
  func unfittingNoteAtLast() throws {
    let misspelt = String(repeating: "5 /* integer */, ", count: 40)
    let outcome = home.run("write", "App", "k", "(\(misspelt)x /*date*/)")
    #expect(outcome.code == .usage)
    #expect(
      outcome.errors.hasPrefix("defaults: 1:\(1 + misspelt.utf8.count + 3): the note /*date*/ does not fit "),
      "\(outcome.errors)")
    #expect(try home.files() == [])
  }

  @Test("the file is text that every reader takes, with a note behind a typed value")
  func file() throws {
    #expect(home.run("write", "App", "Name", "two words").code == .done)
    #expect(home.run("write", "App", "Count", "5 /*integer*/").code == .done)
    #expect(try home.text(of: "App.plist") == "{\n    Count = 5 /*integer*/;\n    Name = \"two words\";\n}\n")
  }

  @Test("write makes the database where there is none")
  func newDatabase() throws {
    let directory = home.root.path + "/a/b"
    let environment = ["OPENSTEP_DEFAULTS_DIR": directory]
    #expect(home.run(["write", "App", "k", "v"], environment: environment) == .init(code: .done))
    #expect(home.run(["read"], environment: environment).output == "App k v\n")
    #expect(try home.files() == [])
  }

  @Test(
    "what begins as a property list and is none is refused with its place and a hint",
    arguments: ["(1, 2": "1:6: ", "{a=b": "1:5: ", "<0fb>": "1:5: ", " \"x": "1:2: ", "(1) x": "1:5: "])
  func badValue(value: String, place: String) throws {
    let outcome = home.run("write", "App", "k", value)
    #expect(outcome.code == .usage)
    #expect(outcome.errors.hasPrefix("defaults: the value is no property list: \(place)"))
    #expect(outcome.errors.hasSuffix("; to write it as a string, put it in double quotes: '\"…\"'\n"))
    #expect(try home.files() == [])
  }

  @Test("write of a dictionary replaces the whole domain")
  func replace() {
    #expect(home.run("write", "App", "old", "1").code == .done)
    #expect(home.run("write", "App", "{ new = (2); }") == .init(code: .done))
    #expect(home.run("read").output == "App new (2)\n")
    #expect(home.run("write", "-g", "{ a = b; }") == .init(code: .done))
    #expect(home.run("read").output == "App new (2)\nNSGlobalDomain a b\n")
    #expect(home.run("write", "App", "{}") == .init(code: .done))
    #expect(home.run("read").output == "NSGlobalDomain a b\n")
  }

  @Test("write leaves the other keys of a domain, and its other domains, as they are")
  func otherKeys() throws {
    try home.write("{ a = \"1\"; n = 5 /*integer*/; }", to: "App.plist")
    try home.write("// mine\n{ a=1; }", to: "Other.plist")
    #expect(home.run("write", "App", "b", "2").code == .done)
    #expect(home.run("read", "App").output == "App a 1\nApp b 2\nApp n '5 /*integer*/'\n")
    #expect(try home.text(of: "Other.plist") == "// mine\n{ a=1; }")
  }

  @Test("a missing or surplus word is a usage error and writes nothing")
  func words() throws {
    #expect(
      home.run("write", "App")
        == .init(
          code: .usage,
          errors: "defaults: a key and a value are missing after “App”; see “defaults help write”\n"))
    #expect(
      home.run("write", "App", "k")
        == .init(
          code: .usage,
          errors: "defaults: “k” is no dictionary and no key with a value; a whole domain is written as "
            + "'{ key = value; }'; see “defaults help write”\n"))
    #expect(home.run("write", "App", "(1)").code == .usage)
    #expect(
      home.run("write", "App", "k", "two", "words")
        == .init(
          code: .usage,
          errors: "defaults: there are 4 words instead of a domain, a key and a value; quote the value; "
            + "see “defaults help write”\n"))
    #expect(try home.files() == [])
  }

  @Test("a name that no domain can have is refused, and one with a slash stays in the database")
  func escape() throws {
    #expect(home.run("write", "-domain", "../evil", "k", "v") == .init(code: .done))
    #expect(try FileManager.default.contentsOfDirectory(atPath: home.root.path) == ["Defaults"])
    #expect(home.run("read", "--", "../evil").output == "../evil k v\n")
    #expect(home.run("delete", "-domain", "../evil").code == .done)
    for name in ["", String(repeating: "x", count: 250)] {
      #expect(home.run("write", name, "k", "v").code == .refused, "\(name)")
    }
    #expect(home.run("write", "..", "k", "v").code == .done, "with the extension it is only a file")
    #expect(home.run("read").output == ".. k v\n")
  }

  @Test("lines of standard input take a domain's name with “/” literally, and “read” and “domains” show it")
  func slashesInLines() throws {
    #expect(home.run("write", input: "../evil k v\n'a b/c' k '(1, 2)'\n").code == .done)
    #expect(try FileManager.default.contentsOfDirectory(atPath: home.root.path) == ["Defaults"])
    #expect(try home.files() == ["a b%2Fc.plist"], "the other begins with a dot")
    #expect(home.run("domains").output == "../evil\n'a b/c'\n")
    let lines = home.run("read").output
    #expect(lines == "../evil k v\n'a b/c' k '(1, 2)'\n")
    #expect(home.run("readkey", "k").output == lines)
    #expect(home.run("find", "../evil").output == "../evil\n")
    #expect(home.run("delete", input: lines).code == .done)
    #expect(home.run("domains").output == "")
    #expect(home.run("-gnustep", "write", input: "a/b k v\n").code == .refused)
    #expect(home.run("watch", "a/b").code == .refused)
    #expect(home.run("export", "a/b", "-").code == .refused)
  }

  @Test(
    "a change of a part of a damaged domain is refused with path, line and column, and it keeps its bytes")
  func damaged() throws {
    try home.write("{ a = b; c = ", to: "App.plist")
    for words in [
      ["write", "App", "k", "v"], ["write", "App", ".c[+]", "v"], ["delete", "App", "a"],
      ["rename", "App", "a", "z"],
    ] {
      let outcome = home.run(words)
      #expect(outcome.code == .damaged)
      #expect(outcome.errors.hasPrefix("defaults: \(home.path)/App.plist:1:14: "))
      #expect(outcome.errors.filter { $0 == "\n" }.count == 1)
      #expect(try home.text(of: "App.plist") == "{ a = b; c = ")
    }
  }

  // MARK: Standard input

  @Test("batch write takes lines of a domain, a key and a value, or a domain and a dictionary")
  func batch() {
    let input = """
      \u{FEFF}App Count 5
        'D m'\tk   'two words'\r

      App Q 'it''s'
      App bare it's
      App '"a\\nb"' '"a\\nb"'
      '"x' '"y' '"z"'
      Other '{ k = (1, 2); }'
      Other l 3
      Other nul '"\0x"'
      App Count 6
      """
    #expect(home.run(["write"], input: Array(input.utf8)) == .init(code: .done))
    #expect(
      home.run("read").output == """
        '"x' '"y' z
        App Count 6
        App Q 'it''s'
        App '"a\\nb"' '"a\\nb"'
        App bare 'it''s'
        'D m' k 'two words'
        Other k '(1, 2)'
        Other l 3
        Other nul '"\\000x"'

        """)
  }

  @Test("the lines of a domain may stand anywhere; the last of a key, or a dictionary, wins")
  func batchScattered() {
    var lines: [String] = []
    for value in 0..<3 {
      for number in 0..<200 { lines.append("D\(number) k \(value)\n") }
    }
    lines += ["'\"D7\"' l 8\n", "D7 '{ m = 9; }'\n", "\u{E9} k 1\n", "  D7 k 3\n", "e\u{301} k 2\n"]
    #expect(home.run("write", input: lines.joined()) == .init(code: .done))
    #expect(home.run("read", "D7").output == "D7 k 3\nD7 m 9\n")
    #expect(home.run("read", "D199").output == "D199 k 2\n")
    // Two names, although Swift takes the texts for equal.
    #expect(home.run("read", "\u{E9}").output == "\u{E9} k 1\n")
    #expect(home.run("read", "e\u{301}").output == "e\u{301} k 2\n")
    #expect(home.run("domains").output.split(separator: "\n").count == 202)
  }

  @Test("batch write takes values over several lines, as GNUstep prints them")
  func batchSeveralLines() {
    let input = "App D '{\n    a = b;\n}'\nApp L '(\n    1,\n    2\n)'\nApp N 'a\nb'\n"
    #expect(home.run("write", input: input) == .init(code: .done))
    #expect(home.run("read").output == "App D '{a = b; }'\nApp L '(1, 2)'\nApp N '\"a\\nb\"'\n")
  }

  @Test(
    "one bad line in batch write writes nothing at all, and is named",
    arguments: [
      ("App a 1\n\nApp b '(1'", 3, "the value is no property list: 1:3: "),
      ("App a 1\nApp", 2, "a key and a value are missing after “App”"),
      ("App a 1\nApp b", 2, "“b” is no dictionary and no key with a value"),
      ("App a 1\nApp b two words", 2, "there are 4 words instead of a domain, a key and a value"),
      ("App a 1\nApp b 'x\ny\n", 2, "the quote that opens here is not closed"),
      ("App a 'x\ny'\nApp b 'x'y", 3, "white space is missing after a closing quote; write '' for a quote"),
      ("App a 1\n'' b 1", 2, "“”: cannot be the name of a domain: it is empty"),
    ])
  func badLine(input: String, line: Int, message: String) throws {
    let outcome = home.run("write", input: input)
    #expect(outcome.code == (message.hasPrefix("“”") ? .refused : .usage))
    #expect(outcome.errors.hasPrefix("defaults: standard input:\(line): \(message)"))
    #expect(outcome.errors.filter { $0 == "\n" }.count == 1)
    #expect(try home.files() == [])
  }

  @Test("a line has at most 1048576 values and keys in its value")
  func batchObjectBound() throws {
    let elements = String(repeating: "a,", count: 1 << 20 - 1)
    #expect(home.run("write", input: "App b '(\(elements))'\n").code == .done)
    let xml = "<array>\(String(repeating: "<string/>", count: 1 << 20))</array>"
    for value in ["(\(elements)a)", xml] {
      let outcome = home.run("write", input: "App a 1\nApp b '\(value)'\n")
      #expect(outcome.code == .usage)
      #expect(
        outcome.errors.hasPrefix(
          "defaults: standard input:2: the value has more than 1048576 values and keys in it"))
    }
    #expect(home.run("read", "App", "a").code == .absent)
  }

  @Test("batch input that is not UTF-8 is refused with its line")
  func notUTF8() throws {
    let outcome = home.run(["write"], input: Array("App a b\nApp b ".utf8) + [0xE9, 0x0A])
    #expect(outcome == .init(code: .usage, errors: "defaults: standard input:2: this is not UTF-8\n"))
    #expect(try home.files() == [])
  }

  @Test("batch write into a damaged domain writes no other domain either")
  func batchDamaged() throws {
    try home.write("{ a = b; c = ", to: "Broken.plist")
    let outcome = home.run("write", input: "App a 1\nBroken a 1\n")
    #expect(outcome.code == .damaged)
    #expect(outcome.errors.hasPrefix("defaults: \(home.path)/Broken.plist:1:14: "))
    #expect(try home.files() == ["Broken.plist"])
    #expect(try home.text(of: "Broken.plist") == "{ a = b; c = ")
  }

  @Test("batch write into many domains waits for a lock once, and names every domain that it did not write")
  func batchLocked() throws {
    #expect(home.run("write", "App", "a", "0").code == .done)
    let descriptor = open("\(home.path)/.lock", O_RDWR | O_CLOEXEC)
    defer { close(descriptor) }
    try #require(flock(descriptor, LOCK_EX) == 0)
    // Where the machine stands still between two domains for as long as a verb waits, the verb waits once more.
    var waitsOnce = false
    for _ in 0..<10 where !waitsOnce {
      let lateness = Lateness(in: home.root.path)
      let start = ContinuousClock.now
      let outcome = home.run("write", input: "App a 1\nB a 1\nC a 1\n")
      // Two seconds, and room for a busy machine; once for each domain were six.
      waitsOnce = ContinuousClock.now - start < .seconds(5) + lateness.total
      #expect(outcome.code == .refused)
      #expect(outcome.errors.components(separatedBy: "has held the lock for two seconds").count == 4)
      #expect(try home.files() == ["App.plist"])
    }
    #expect(waitsOnce)
  }

  @Test("standard input that cannot be read is an error of input and output")
  func unreadableInput() {
    var errors = ""
    let code = DefaultsCommand.run(
      arguments: ["write"], environment: ["OPENSTEP_DEFAULTS_DIR": home.path],
      input: { throw StreamError.failed("Is a directory") },
      output: CommandOutput(
        standardOutput: { _ in }, standardError: { errors += String(decoding: $0, as: UTF8.self) }))
    #expect(code == .inputOutput)
    #expect(errors == "defaults: standard input: Is a directory\n")
  }
}
