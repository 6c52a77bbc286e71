import DefaultsTool
import Foundation
import Testing

/// The flags that give a value its type.
struct TypedValueTests {
  private let home: ToolHome

  init() throws {
    home = try ToolHome()
  }

  @Test(
    "a flag gives the word behind it its type",
    arguments: [
      (["-string", "5"], #"{"s":"5"}"#), (["-string", "-int"], #"{"s":"-int"}"#),
      (["-string", "(1,2)"], #"{"s":"(1,2)"}"#), (["-string", ""], #"{"s":""}"#),
      (["-string", "5 /*integer*/"], #"{"s":"5 /*integer*/"}"#),
      (["-int", "5"], #"{"int":"5"}"#), (["-integer", "+5"], #"{"int":"5"}"#),
      (["-int", "-9223372036854775808"], #"{"int":"-9223372036854775808"}"#),
      (["-int", "18446744073709551615"], #"{"int":"18446744073709551615"}"#),
      (["-float", "0.1"], #"{"real":"0.1"}"#), (["-float", "-1e9"], #"{"real":"-1000000000.0"}"#),
      (["-float", "inf"], #"{"real":"inf"}"#), (["-float", "nan"], #"{"real":"nan"}"#),
      (["-bool", "1"], #"{"bool":true}"#), (["-bool", "Yes"], #"{"bool":true}"#),
      (["-boolean", "TRUE"], #"{"bool":true}"#), (["-bool", "0"], #"{"bool":false}"#),
      (["-bool", "no"], #"{"bool":false}"#), (["-boolean", "False"], #"{"bool":false}"#),
      (["-date", "2026-11-20T15:16:00Z"], #"{"date":"2026-11-20T15:16:00Z"}"#),
      (["-date", "2026-11-20T15:16:00+02:00"], #"{"date":"2026-11-20T13:16:00Z"}"#),
      (["-date", "2026-11-20T15:16:00-0130"], #"{"date":"2026-11-20T16:46:00Z"}"#),
      (["-date", "2026-11-20T15:16:00.5Z"], #"{"date":"2026-11-20T15:16:00.5Z"}"#),
      (["-date", "2026-11-20 15:16:00 +0000"], #"{"date":"2026-11-20T15:16:00Z"}"#),
      (["-date", "2026-11-20"], #"{"date":"2026-11-20T00:00:00Z"}"#),
      (["-data", "0FbD"], #"{"d":"0fbd"}"#), (["-data", "<0f bd>"], #"{"d":"0fbd"}"#),
      (["-data", ""], #"{"d":""}"#),
      (["-array"], #"{"a":[]}"#), (["-array", "a", "-int", "5"], #"{"a":[{"s":"a"},{"int":"5"}]}"#),
      (["-array", "-1", "(1, 2)"], #"{"a":[{"s":"-1"},{"a":[{"s":"1"},{"s":"2"}]}]}"#),
      (["-dict"], #"{"o":{}}"#),
      (["-dict", "a", "1", "b", "-bool", "no"], #"{"o":{"a":{"s":"1"},"b":{"bool":false}}}"#),
      (["-dict", "-string", "-int", "-int", "5"], #"{"o":{"-int":{"int":"5"}}}"#),
      (["-dict", "a", "1", "a", "2"], #"{"o":{"a":{"s":"2"}}}"#),
    ])
  func flags(words: [String], value: String) {
    #expect(home.run(["write", "App", "k"] + words) == .init(code: .done))
    #expect(home.run("read", "-to", "tagged", "App", "k").output == value + "\n")
  }

  private static let dates =
    "“-date” takes a date such as 2026-11-20, 2026-11-20T15:16:00Z or “2026-11-20 15:16:00 +0000”, and "

  @Test(
    "what does not fit its flag is a usage error that says what the flag takes, and writes nothing",
    arguments: [
      (["-int"], "“-int” takes a whole number of at most 64 bits; the word itself is written “-string -int”"),
      (["-string"], "“-string” takes a word; the word itself is written “-string -string”"),
      (["-int", "5.7"], "“-int” takes a whole number of at most 64 bits, and “5.7” is none"),
      (["-int", "abc"], "“-int” takes a whole number of at most 64 bits, and “abc” is none"),
      (["-int", ""], "“-int” takes a whole number of at most 64 bits, and “” is none"),
      (
        ["-int", "18446744073709551616"],
        "“-int” takes a whole number of at most 64 bits, and “18446744073709551616” is none"
      ),
      (
        ["-float", "1,5"],
        "“-float” takes a decimal number of double precision, inf or nan, and “1,5” is none"
      ),
      (
        ["-float", " 1"], "“-float” takes a decimal number of double precision, inf or nan, and “ 1” is none"
      ),
      (
        ["-float", "-1e999"],
        "“-float” takes a decimal number of double precision, inf or nan, and “-1e999” is none"
      ),
      (
        ["-float", "1e-400"],
        "“-float” takes a decimal number of double precision, inf or nan, and “1e-400” is none"
      ),
      (["-bool", "on"], "“-bool” takes one of true, false, yes, no, 1, 0, and “on” is none"),
      (["-data", "0fb"], "“-data” takes an even number of hexadecimal digits, and “0fb” is none"),
      (["-data", "0g"], "“-data” takes an even number of hexadecimal digits, and “0g” is none"),
      (["-data", "<0f"], "“-data” takes an even number of hexadecimal digits, and “<0f” is none"),
      (["-date", "tomorrow"], "“-date” takes a date such as 2026-11-20"),
      (["-date", "2026-02-30"], "“-date” takes a date such as 2026-11-20"),
      (["-date", "2026-11-20T15:16:00"], "“-date” takes a date such as 2026-11-20"),
      (["-date", "5"], "“-date” takes a date such as 2026-11-20"),
      (
        ["-date", "2026-11-20T15:16:00.5"],
        dates + "“2026-11-20T15:16:00.5” is none: its time has no zone; in UTC it is “2026-11-20T15:16:00.5Z”"
      ),
      (
        ["-date", "2026-11-20 15:16:00"],
        dates
          + "“2026-11-20 15:16:00” is none: its time has no zone; in UTC it is “2026-11-20 15:16:00 +0000”"
      ),
      (["-date", "tomorrow"], dates + "“tomorrow” is none; see"),
      (["-int", "5", "6"], "there are 5 words instead of a domain, a key and a value; quote the value"),
      (["5", "-int"], "there are 4 words instead of a domain, a key and a value; quote the value"),
      (["-array", "-array"], "“-array” cannot stand inside another value"),
      (["-dict", "a", "-dict-add"], "“-dict-add” cannot stand inside another value"),
      (["-array", "-1", "-int"], "“-int” takes a whole number of at most 64 bits; the word itself"),
      (["-dict", "a"], "the key “a” lacks a value"),
      (["-dict", "-int", "5"], "“-int” stands where a key is due; a key of that name is “-string -int”"),
    ])
  func refusedWords(words: [String], message: String) throws {
    let outcome = home.run(["write", "App", "k"] + words)
    #expect(outcome.code == .usage)
    #expect(outcome.errors.hasPrefix("defaults: \(message)"), "\(outcome.errors)")
    #expect(outcome.errors.hasSuffix("see “defaults help write”\n"))
    #expect(try home.files() == [])
  }

  @Test(
    "a number of which its type would make another is refused, as an argument and in a line of standard input",
    arguments: [
      ("1e999 /*real*/", "“1e999” would become inf in double precision"),
      ("-1e999 /*real*/ /* x */", "“-1e999” would become -inf in double precision"),
      ("1e-999 /*real*/", "“1e-999” would become 0 in double precision"),
      ("9007199254740993 /*real*/", "“9007199254740993” would become 9007199254740992 in double precision"),
      (
        "<*R-9007199254740993>", "1:4: “-9007199254740993” would become -9007199254740992 in double precision"
      ),
      ("9e400 /*date*/", "“9e400” would become inf in double precision"),
      ("-1e-999 /*date*/", "“-1e-999” would become -0 in double precision"),
      (
        "{ a = 9007199254740993 /*date*/; }",
        "1:7: “9007199254740993” would become 9007199254740992 in double precision"
      ),
      ("1e39 /*float*/", "“1e39” would become inf in single precision"),
      ("-0.1e-50 /*float*/", "“-0.1e-50” would become -0 in single precision"),
      ("16777217 /*float*/", "“16777217” would become 16777216 in single precision"),
      (
        "18446744073709551615 /*float*/",
        "“18446744073709551615” would become 1.8446744e+19 in single precision"
      ),
      ("(a, 1e999 /*real*/)", "1:5: “1e999” would become inf in double precision"),
      ("{ a = { b = 16777217 /*float*/; }; }", "1:13: “16777217” would become 16777216 in single precision"),
      ("<*R1e999>", "1:4: “1e999” would become inf in double precision"),
      ("(<*R1e-999>)", "1:5: “1e-999” would become 0 in double precision"),
      ("<real>1e999</real>", "1:7: “1e999” is not a decimal number of double precision"),
    ])
  func otherNumbers(text: String, reason: String) throws {
    for outcome in [home.run("write", "App", "k", text), home.run("write", input: "App k '\(text)'\n")] {
      #expect(outcome.code == .usage)
      #expect(outcome.errors.contains(reason), "\(outcome.errors)")
    }
    #expect(try home.files() == [])
  }

  @Test(
    "a number that is merely rounded is written, and so are the infinities and zeros that are meant",
    arguments: [
      "0.1 /*real*/", "0.1 /*float*/", "16777216 /*float*/", "-16777218 /*float*/", "16777217.5 /*float*/",
      "5e-324 /*real*/", "0e-999 /*real*/", "-0 /*float*/", "inf /*real*/", "-inf /*float*/", "nan /*real*/",
      "<*R0.1>", "1e23 /*real*/ /* x */",
    ])
  func roundedNumbers(text: String) {
    #expect(home.run("write", "App", "k", text) == .init(code: .done))
    let line = home.run("read", "App", "k").output
    #expect(home.run("write", input: line) == .init(code: .done))
    #expect(home.run("read", "App", "k").output == line)
  }

  @Test("in a file such a note is read as ever, and a string of such a text comes back from its line")
  func otherNumbersInFiles() throws {
    try home.write("{ k = 1e999 /*real*/; s = \"1e999 /*real*/\"; }", to: "App.plist")
    let lines = home.run("read", "App").output
    #expect(lines == "App k 'inf /*real*/'\nApp s '\"1e999 /*real*/\"'\n")
    #expect(home.run("write", input: lines) == .init(code: .done))
    #expect(home.run("read", "App").output == lines)
  }

  @Test("-array-add and -dict-add make what is missing, and add to what is there, at any depth")
  func adding() {
    for words in [["-array-add", "a"], ["-array-add", "-int", "5", "b"], ["-array-add"]] {
      #expect(home.run(["write", "App", "list"] + words) == .init(code: .done))
      #expect(home.run(["write", "App", ".Window.tabs"] + words) == .init(code: .done))
    }
    #expect(home.run("read", "App", "list").output == "App list '(a, 5 /*integer*/, b)'\n")
    #expect(home.run("read", "-to", "value", "App", ".Window.tabs").output == "(a, 5 /*integer*/, b)\n")
    #expect(home.run("write", "App", "d", "-dict-add", "a", "1", "b", "2") == .init(code: .done))
    #expect(home.run("write", "App", "d", "-dict-add", "b", "-int", "3") == .init(code: .done))
    #expect(home.run("read", "App", "d").output == "App d '{a = 1; b = 3 /*integer*/; }'\n")
  }

  @Test("adding to a value of another type is refused, and changes nothing")
  func addingToOthers() throws {
    try home.write("{ d = {}; s = x; }", to: "App.plist")
    let before = try home.text(of: "App.plist")
    #expect(
      home.run("write", "App", "s", "-array-add", "a")
        == .init(
          code: .refused,
          errors: "defaults: “s” is a string, and “-array-add” takes an array; nothing was changed\n"))
    #expect(
      home.run("write", "App", ".d", "-array-add", "a").errors
        == "defaults: “.d” is a dictionary, and “-array-add” takes an array; nothing was changed\n")
    #expect(home.run("write", "App", "s", "-dict-add", "a", "1").code == .refused)
    #expect(try home.text(of: "App.plist") == before)
  }

  @Test("lines of standard input have no flags")
  func lines() {
    #expect(home.run("write", input: "App k -int\nApp l '-bool'\n") == .init(code: .done))
    #expect(home.run("read").output == "App k -int\nApp l -bool\n")
    #expect(home.run("write", input: "App k -int 5\n").code == .usage)
  }

  @Test("a value that is there already is not written again")
  func sameValue() throws {
    #expect(home.run("write", "App", "k", "-int", "5").code == .done)
    let url = home.database.appendingPathComponent("App.plist")
    func identity() throws -> [AnyHashable?] {
      let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
      return [
        attributes[.systemFileNumber] as? Int, attributes[.modificationDate] as? Date,
      ]
    }
    let before = try identity()
    for words in [["k", "-int", "5"], [".k", "-int", "5"], ["{ k = 5 /*integer*/; }"]] {
      #expect(home.run(["write", "App"] + words) == .init(code: .done))
      #expect(try identity() == before, "\(words)")
    }
  }

  @Test("a file of Window Maker's gets a value without its type, and a line of standard error")
  func windowMaker() throws {
    try home.write("{\n  EdgeResistance = 3;\n}\n", to: "WindowMaker")
    #expect(
      home.run("write", "WindowMaker", "EdgeResistance", "-int", "5")
        == .init(
          code: .done,
          errors: "defaults: “EdgeResistance” is written without its type: Window Maker reads no comments\n"))
    #expect(try home.text(of: "WindowMaker") == "{\n  EdgeResistance = 5;\n}\n")
    #expect(
      home.run("write", home.path + "/WindowMaker", "EdgeResistance", "-int", "6")
        == .init(
          code: .done,
          errors: "defaults: “EdgeResistance” is written without its type: Window Maker reads no comments\n"))
    #expect(try home.text(of: "WindowMaker") == "{\n  EdgeResistance = 6;\n}\n")
  }
}
