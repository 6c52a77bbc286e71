import DefaultsTool
import Foundation
import TestSupport
import Testing

struct LintCommandTests {
  private let home: ToolHome

  init() throws {
    home = try ToolHome()
  }

  private func path(_ file: String) -> String {
    home.database.appendingPathComponent(file).path
  }

  @Test("good files of every format are OK")
  func good() throws {
    try home.write("{ a = (1, 2); } // mine\n", to: "text")
    try home.write("a = b;\nc;\n", to: "strings")
    try home.write("{ a = <*I5>; }", to: "gnustep")
    try home.write("<?xml version=\"1.0\"?><plist version=\"1.0\"><array/></plist>", to: "xml")
    let binary = try PropertyListSerialization.data(fromPropertyList: ["a": 1], format: .binary, options: 0)
    try binary.write(to: home.database.appendingPathComponent("binary"))
    let files = ["text", "strings", "gnustep", "xml", "binary"].map(path)
    #expect(
      home.run(["lint"] + files) == .init(code: .done, output: files.map { "\($0): OK\n" }.joined()))
    #expect(home.run("lint", "-", input: "(a, b)") == .init(code: .done, output: "standard input: OK\n"))
  }

  @Test("a damaged file gives line, column, the source line and a caret")
  func damaged() throws {
    try home.write("{\n    a = b;\n    c = ;;\n}\n", to: "bad")
    let outcome = home.run("lint", path("bad"))
    #expect(outcome.code == .damaged)
    #expect(outcome.output.isEmpty)
    let lines = outcome.errors.split(separator: "\n")
    #expect(lines.count == 3)
    #expect(lines.first?.hasPrefix("defaults: \(path("bad")):3:10: ") == true)
    #expect(lines.dropFirst() == ["    c = ;;", "         ^"])
  }

  @Test("damaged XML gives line, column, the source line and a caret as well")
  func damagedXML() throws {
    try home.write("<plist version=\"1.0\">\n<array>\n  <integer>x</integer>\n</array></plist>", to: "xml")
    let outcome = home.run("lint", path("xml"))
    #expect(outcome.code == .damaged)
    let lines = outcome.errors.split(separator: "\n")
    #expect(lines.count == 3)
    #expect(lines.first?.hasPrefix("defaults: \(path("xml")):3:12: ") == true, "\(outcome.errors)")
    #expect(lines.dropFirst() == ["  <integer>x</integer>", "           ^"])
  }

  @Test("JSON, good or damaged, is named as what it is", arguments: ["{\"a\": 1}", "[1, 2]", "{\"a\": }"])
  func json(text: String) throws {
    let outcome = home.run("lint", "-", input: text)
    #expect(outcome.code == .damaged)
    #expect(outcome.errors.hasPrefix("defaults: standard input:1:"))
    #expect(outcome.errors.contains("it begins as JSON, which “convert” and “import” read"))
  }

  @Test("an error without a place in a text is one line")
  func damagedBinary() throws {
    try home.write("bplist00", to: "binary")
    let outcome = home.run("lint", path("binary"))
    #expect(outcome.code == .damaged)
    #expect(outcome.errors.hasPrefix("defaults: \(path("binary")): "))
    #expect(outcome.errors.filter { $0 == "\n" }.count == 1)
  }

  @Test("of several files each is checked; the exit code tells the worst")
  func several() throws {
    try home.write("(", to: "bad")
    try home.write("()", to: "good")
    let damaged = home.run("lint", path("bad"), path("good"))
    #expect(damaged.code == .damaged)
    #expect(damaged.output == "\(path("good")): OK\n")
    let missing = home.run("lint", path("none"), path("bad"), path("good"))
    #expect(missing.code == .inputOutput)
    #expect(missing.output == "\(path("good")): OK\n")
    #expect(missing.errors.hasPrefix("defaults: \(path("none")): No such file or directory\n"))
    #expect(missing.errors.contains("defaults: \(path("bad")):1:2: "))
    #expect(home.run("lint", home.path).code == .inputOutput)
  }

  @Test("a note that does not fit its value, and half a surrogate pair, are warnings with their places")
  func warnings() throws {
    // The format: such a note is a mere comment, such an escape is U+FFFD.
    try home.write(
      """
      // a /*date*/
      { a = 5 /*integer*/; b = 5x /*integer*/;
        c = (1) /*real*/; d = "2026-02-30 00:00:00 +0000" /*date*/; e = "\\Ud83dx\\Ud83d\\Ude00";
        "f /*date*/" /* date */ = YES /*boolean*/ /*boolean*/; }
      """, to: "text")
    let outcome = home.run("lint", path("text"))
    #expect(outcome.code == .done)
    #expect(outcome.output == "\(path("text")): OK\n")
    let lines = outcome.errors.split(separator: "\n")
    let places = ["2:29", "3:11", "3:53", "3:68", "4:45"]
    try #require(lines.count == places.count, "\(outcome.errors)")
    for (line, place) in zip(lines, places) {
      #expect(line.hasPrefix("defaults: \(path("text")):\(place): warning: "), "\(line)")
    }
    #expect(
      home.run("lint", "-", input: "a = b /*date*/;\n").errors.hasPrefix(
        "defaults: standard input:1:7: warning: "))
  }

  @Test("each entry whose key stands again behind it is a warning, in the same dictionary only")
  func equalKeys() throws {
    let outcome = home.run("lint", "-", input: "{ a = 1; b = { a = 2; }; \"a\" = 3;\n  a = 4; }")
    #expect(outcome.code == .done && outcome.output == "standard input: OK\n")
    let lines = outcome.errors.split(separator: "\n")
    try #require(lines.count == 2, "\(outcome.errors)")
    for (line, place) in zip(lines, ["1:3", "1:26"]) {
      #expect(line.hasPrefix("defaults: standard input:\(place): warning: "), "\(line)")
    }
  }

  @Test(
    "a comment that looks like a type note and is none is a warning, whatever its spelling, for doctor too")
  func misspeltNotes() throws {
    let text = """
      { a = 5 /* integer */; b = 5 /*Integer*/; c = (1.5 /*double*/, YES /* bool */);
        d = 5 /* an integer */; e /* integer */ = 5; f = 5 /*integer*/; g = 5; /* real */ }
      """
    try home.write(text, to: "App.plist")
    let outcome = home.run("lint", path("App.plist"))
    #expect(outcome.code == .done && outcome.output == "\(path("App.plist")): OK\n")
    let warnings = [("1:9", "integer"), ("1:30", "integer"), ("1:52", "real"), ("1:68", "boolean")]
    #expect(
      outcome.errors.split(separator: "\n").map(String.init)
        == warnings.map { place, note in
          "defaults: \(path("App.plist")):\(place): warning: this comment gives the value before it no type; "
            + "the note is written /*\(note)*/"
        })
    let found = home.run("doctor", "App").output
    for (place, _) in warnings {
      #expect(found.contains("warning: \(path("App.plist")):\(place): "), "\(found)")
    }
  }

  @Test("half a surrogate pair in UTF-16 is a warning, a whole one and U+FFFD itself are none")
  func wideSurrogates() throws {
    for isLittleEndian in [true, false] {
      let units: [UInt16] = [0xFEFF, 0x22, 0xD83D, 0xDE00, 0xFFFD, 0xDE00, 0x22]
      let bytes = units.flatMap {
        isLittleEndian ? [UInt8($0 & 0xFF), UInt8($0 >> 8)] : [UInt8($0 >> 8), UInt8($0 & 0xFF)]
      }
      let outcome = home.run(["lint", "-"], input: bytes)
      #expect(outcome.code == .done && outcome.output == "standard input: OK\n")
      #expect(
        outcome.errors.hasPrefix("defaults: standard input:1:4: warning: half a surrogate pair"),
        "\(outcome.errors)")
      #expect(outcome.errors.filter { $0 == "\n" }.count == 1)
    }
  }

  @Test("what Window Maker refuses in a file of its own is an error for lint and for doctor")
  func windowMaker() throws {
    try home.write("{ a = 1; /* x */ b = 2; }", to: "WindowMaker")
    let place = "\(path("WindowMaker")):1:10"
    let message = "Window Maker reads no comments, and refuses the file"
    #expect(
      home.run("lint", path("WindowMaker"))
        == .init(code: .damaged, errors: "defaults: \(place): \(message)\n"))
    let outcome = home.run("doctor", "WindowMaker")
    #expect(
      outcome.code == .damaged && outcome.output.contains("error: \(place): \(message)\n"), "\(outcome)")
    try home.write("{ a = 1; b = \"caf\\303\\251\"; }", to: "WindowMaker")
    #expect(
      home.run("lint", path("WindowMaker")) == .init(code: .done, output: "\(path("WindowMaker")): OK\n"))
  }

  @Test("of many warnings the first twenty are told")
  func manyWarnings() {
    let text = "(" + String(repeating: "x /*date*/,\n", count: 1000) + ")"
    let outcome = home.run("lint", "-", input: text)
    #expect(outcome.code == .done)
    #expect(outcome.errors.split(separator: "\n").count == 20)
  }

  @Test(
    "white space and comments alone are damaged, as in a domain's file",
    arguments: [" \n\t", "// a\n", "/* cut */"])
  func blank(text: String) {
    let outcome = home.run("lint", "-", input: text)
    #expect(outcome.code == .damaged && outcome.output.isEmpty)
    #expect(outcome.errors.contains("nothing here but white space and comments"))
  }

  @Test("a file larger than any that is read is refused without being read, by every verb that takes files")
  func tooLarge() throws {
    try home.write("", withHoleUpTo: 20 << 30, to: "huge")
    for words in [["lint"], ["convert", "-to", "xml"], ["import", "App"]] {
      let lateness = Lateness(in: home.root.path)
      let start = ContinuousClock.now
      let outcome = home.run(words + [path("huge")])
      #expect(ContinuousClock.now - start < .seconds(30) + lateness.total)
      #expect(outcome.code == .inputOutput)
      #expect(outcome.errors.hasPrefix("defaults: \(path("huge")): "))
      #expect(outcome.errors.contains("larger than 1073741824 bytes"))
    }
    #expect(home.run("help").output.contains("1073741824 bytes"))
  }

  @Test("standard input stands once among the files")
  func standardInputTwice() {
    for words in [["lint", "-", "-"], ["convert", "-to", "json", "-", "-"]] {
      let outcome = home.run(words, input: Array("(a)".utf8))
      #expect(
        outcome
          == .init(
            code: .usage,
            errors:
              "defaults: “-” is standard input, which can be read only once; see “defaults help \(words[0])”\n"
          ))
    }
  }

  @Test("an empty name is no directory")
  func emptyName() {
    #expect(
      home.run("lint", "") == .init(code: .inputOutput, errors: "defaults: “”: the name of a file is empty\n")
    )
  }

  @Test("lint without files is a usage error")
  func usage() {
    #expect(
      home.run("lint")
        == .init(
          code: .usage, errors: "defaults: “lint” takes the names of files; see “defaults help lint”\n"))
  }
}
