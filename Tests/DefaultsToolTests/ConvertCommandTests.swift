import DefaultsTool
import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

struct ConvertCommandTests {
  private let home: ToolHome

  init() throws {
    home = try ToolHome()
  }

  private static let sample = """
    { Count = 5 /*integer*/; Data = <0FBD>; Half = "0.5" /*real*/; List = (a, "b c");
      Name = "é"; On = YES /*boolean*/; When = "2001-01-01 00:00:00 +0000" /*date*/; }
    """

  private func convert(_ options: String..., input: String) -> ToolHome.Outcome {
    home.run(["convert", "-to"] + options + ["-"], input: Array(input.utf8))
  }

  @Test("behind “--” all words are files")
  func optionsEnd() throws {
    try Data("{ a = b; }".utf8).write(to: home.root.appendingPathComponent("-to"))
    #expect(
      try home.shell("defaults convert -to flat -- -to ./-to") == .init(status: 0, output: ".a b\n.a b\n"))
    #expect(home.run("convert", "-to", "flat", "--").code == .usage)
  }

  @Test("for git a file whose paths take many times as much as it is printed as it is")
  func longPathsForGit() {
    func text(depth: Int) -> String {
      let key = String(repeating: "k", count: 1000)
      let leaves = (0..<100).map { "leaf\($0) = 1;" }.joined(separator: " ")
      return String(repeating: "{ \(key) = ", count: depth) + "{ \(leaves) }"
        + String(repeating: "; }", count: depth)
    }
    let (short, long) = (text(depth: 5), text(depth: 200))
    #expect(convert("flat", "-textconv", input: long) == .init(code: .done, output: long))
    #expect(convert("flat", "-textconv", input: short) == convert("flat", input: short))
    #expect(convert("flat", input: long).output.utf8.count > 100 * 200 * 1000)
  }

  @Test("openstep is sorted text with type notes; -ascii makes it pure ASCII")
  func openStep() {
    let text = """
      {
          Count = 5 /*integer*/;
          Data = <0fbd>;
          Half = 0.5 /*real*/;
          List = (a, "b c");
          Name = "é";
          On = YES /*boolean*/;
          When = "2001-01-01 00:00:00 +0000" /*date*/;
      }

      """
    #expect(convert("openstep", input: ConvertCommandTests.sample) == .init(code: .done, output: text))
    #expect(
      convert("openstep", "-ascii", input: ConvertCommandTests.sample)
        == .init(code: .done, output: text.replacing("é", with: "\\U00E9")))
  }

  @Test(
    "octal escapes are UTF-8 in Window Maker's files, known by name, keys or form, and by -from windowmaker",
    arguments: [
      ("WMState", "{ Mine = \"caf\\303\\251\"; }", "{ Mine = \"café\"; }"),
      (
        "old", "{ Dock = { Applications = ({ Name = \"\\303\\244\"; }); }; }",
        "{ Dock = { Applications = ({ Name = \"ä\"; }); }; }"
      ),
      (
        "menu.de", "(\"Men\\303\\274\", (\"\\303\\204ndern\", EXEC, xterm))",
        "(\"Menü\", (\"Ändern\", EXEC, xterm))"
      ),
    ])
  func windowMaker(name: String, text: String, expected: String) throws {
    // In the database's directory only the name would count.
    let file = home.root.path + "/\(name)"
    try Data(text.utf8).write(to: URL(fileURLWithPath: file))
    let value = try PropertyList(parsing: expected)
    for options in [[], ["-from", "windowmaker"]] {
      let outcome = home.run(["convert", "-to", "openstep"] + options + [file])
      #expect(outcome.code == .done && outcome.errors.isEmpty)
      #expect(try PropertyList(parsing: outcome.output) == value)
    }
  }

  @Test("octal escapes in other texts are NeXT's characters, unless -from windowmaker says otherwise")
  func octal() {
    let text = "{ Name = \"\\303\\244\"; }"
    #expect(convert("openstep", input: text).output == "{\n    Name = \"\u{2C6}\u{2044}\";\n}\n")
    #expect(convert("openstep", "-from", "windowmaker", input: text).output == "{\n    Name = \"ä\";\n}\n")
    let outcome = convert(
      "openstep", "-from", "windowmaker", input: "<?xml version=\"1.0\"?><plist><true/></plist>")
    #expect(outcome.code == .damaged && outcome.output.isEmpty)
  }

  @Test(
    "NEXTSTEP's binary database is named as what it is", arguments: [".NeXTdefaults.D", ".NeXTdefaults.L"])
  func nextstep(name: String) throws {
    try home.write("\0\u{1}\u{7F}", to: name)
    let file = home.database.appendingPathComponent(name).path
    let errors =
      "defaults: \(file): is one of the two binary files of the defaults database of NEXTSTEP 1 to 3, which is no "
      + "property list; “dread” on NEXTSTEP prints what it holds\n"
    #expect(home.run("convert", "-to", "json", file) == .init(code: .damaged, errors: errors))
    #expect(home.run("lint", file) == .init(code: .damaged, errors: errors))
    #expect(
      home.run("import", file)
        == .init(code: .damaged, output: "domains: 0, keys: 0, not carried: 1\n", errors: errors))
  }

  @Test("gnustep has typed values in GNUstep's form")
  func gnustep() {
    let output = convert("gnustep", input: ConvertCommandTests.sample).output
    for text in ["<*I5>", "<*R0.5>", "<*BY>", "<*D2001-01-01 00:00:00 +0000>", "\"\\U00E9\""] {
      #expect(output.contains(text), "\(text)")
    }
  }

  @Test("xml is read by Foundation to the same values")
  func xml() throws {
    let outcome = convert("xml", input: ConvertCommandTests.sample)
    #expect(outcome.code == .done)
    let value = try PropertyListSerialization.propertyList(from: Data(outcome.output.utf8), format: nil)
    let expected: [String: Any] = [
      "Count": 5, "Data": Data([0x0F, 0xBD]), "Half": 0.5, "List": ["a", "b c"], "Name": "é", "On": true,
      "When": Date(timeIntervalSinceReferenceDate: 0),
    ]
    #expect(value as? NSDictionary == expected as NSDictionary)
  }

  @Test("json is plain, with sorted keys")
  func json() {
    let input = """
      { b = (1, 2 /*integer*/, 0.5 /*real*/, 5 /*real*/, NO /*boolean*/); a = "é\\"\\n\\U2028/"; c = {}; d = (); }
      """
    #expect(
      convert("json", input: input)
        == .init(
          code: .done,
          output: """
            {
                "a": "é\\"\\n\\u2028/",
                "b": [
                    "1",
                    2,
                    0.5,
                    5.0,
                    false
                ],
                "c": {},
                "d": []
            }

            """))
  }

  @Test("json is never lossy: what it cannot hold is refused with its place and a hint")
  func jsonRefusals() {
    for (input, message) in [
      ("{ a = { b = (x, <00>); }; }", "JSON cannot hold data at “a.b.1”"),
      ("\"2001-01-01 00:00:00 +0000\" /*date*/", "JSON cannot hold a date"),
      ("{ n = nan /*real*/; }", "JSON cannot hold the number nan at “n”"),
      ("{ n = \"-inf\" /*float*/; }", "JSON cannot hold the number -inf at “n”"),
    ] {
      #expect(
        convert("json", input: input)
          == .init(
            code: .refused,
            errors: "defaults: standard input: \(message); “-to tagged” holds every value\n"))
    }
  }

  @Test("a long value is printed as tagged JSON in pieces that are read back as the value")
  func longTagged() {
    let elements = (0..<20_000).map { "{ key = (\($0), <0fbd>); }" }.joined(separator: ", ")
    let text = convert("openstep", input: "{ a = (\(elements)); }").output
    let tagged = convert("tagged", input: text).output
    #expect(tagged.utf8.count > 900_000 && tagged.hasSuffix("}]}}}\n"))
    #expect(convert("openstep", "-from", "tagged", input: tagged).output == text)
  }

  @Test("JSON is read where it begins so, and its numbers, words and characters keep what they are")
  func fromJSON() throws {
    let input = "{ \"b\": [1, -0.5, 1.0, true, \"\\ud83e\\udd84\"], \"a\": {} }"
    #expect(
      convert("openstep", input: input)
        == .init(
          code: .done,
          output: """
            {
                a = {};
                b = (1 /*integer*/, "-0.5" /*real*/, 1 /*real*/, YES /*boolean*/, "🦄");
            }

            """))
    let json = convert("json", input: input)
    #expect(json.code == .done && convert("json", input: json.output) == json)
    #expect(convert("tagged", input: "[1]").output == "{\"a\":[{\"int\":\"1\"}]}\n")
    // A text's dictionary and a word are text, though JSON has them too.
    #expect(convert("tagged", input: "{}").output == "{\"o\":{}}\n")
    #expect(convert("tagged", input: "5").output == "{\"s\":\"5\"}\n")
    #expect(convert("tagged", "-from", "json", input: "5").output == "{\"int\":\"5\"}\n")
    #expect(convert("tagged", input: "{ \"a:\" = b; }").output == "{\"o\":{\"a:\":{\"s\":\"b\"}}}\n")
    let file = home.database.appendingPathComponent("file")
    try Data([0xFF, 0xFE, 0x5B, 0, 0x5D, 0]).write(to: file)
    #expect(home.run("convert", "-to", "json", file.path).output == "[]\n")
  }

  @Test("JSON in UTF-16 and UTF-32 is told from text by its characters, not by its bytes")
  func wideJSON() throws {
    // The bytes of these letters are those of quotes, colons and backslashes of ASCII.
    for key in ["\u{122}", "\u{3A22}", "\u{5C5C}", "\u{223A}"] {
      for (text, isJSON) in [("{\"\(key)\": 1}", true), ("{\"\(key)\" = 1;}", false)] {
        let file = home.database.appendingPathComponent("wide")
        for encoding in [String.Encoding.utf16BigEndian, .utf16LittleEndian, .utf32BigEndian] {
          var bytes = try #require("\u{FEFF}\(text)".data(using: encoding))
          if encoding == .utf32BigEndian { bytes = Data([0, 0, 0xFE, 0xFF]) + bytes.dropFirst(4) }
          try bytes.write(to: file)
          let outcome = home.run("convert", "-to", "tagged", file.path)
          #expect(outcome.code == .done, "\(text): \(outcome.errors)")
          #expect(outcome.output.contains(isJSON ? "int" : "\"s\""), "\(text)")
        }
      }
    }
  }

  @Test("JSON that is damaged, or has null, is an error with its place and the line")
  func damagedJSON() {
    #expect(
      convert("openstep", input: "{\"a\": [1,\n  null]}")
        == .init(
          code: .damaged,
          errors: """
            defaults: standard input:2:3: property lists have no null; leave it out, or write a value in its place
              null]}
              ^

            """))
    #expect(convert("xml", "-from", "json", input: "{ a = b; }").code == .damaged)
  }

  @Test("xml of a thousand levels is written")
  func xmlDepth() {
    let outcome = convert(
      "xml", input: String(repeating: "(", count: 1000) + String(repeating: ")", count: 1000))
    #expect(outcome.code == .done)
    #expect(outcome.output.components(separatedBy: "<array>").count == 1000)
    #expect(outcome.output.components(separatedBy: "<array/>").count == 2)
  }

  @Test("xml is never lossy: a control character is refused")
  func xmlRefusals() {
    let outcome = convert("xml", input: "{ a = \"\\033\"; }")
    #expect(outcome.code == .refused)
    #expect(outcome.output.isEmpty)
    #expect(outcome.errors.hasPrefix("defaults: standard input: "))
  }

  @Test("tagged is compact ASCII JSON in which every value names its type")
  func tagged() {
    let input = """
      { b = (1, 2 /*integer*/, 0.5 /*real*/, "0.1" /*float*/, YES /*boolean*/); a = "é\\"\\n🦄"; c = <00FF>;
        d = "2001-01-01 00:00:00.125 +0000" /*date*/; e = "1e300" /*date*/; f = {}; g = nan /*real*/; }
      """
    #expect(
      convert("tagged", input: input)
        == .init(
          code: .done,
          output: #"{"o":{"a":{"s":"\u00e9\"\n\ud83e\udd84"},"b":{"a":[{"s":"1"},{"int":"2"},{"real":"0.5"},"#
            + #"{"real":"0.10000000149011612"},{"bool":true}]},"c":{"d":"00ff"},"#
            + #""d":{"date":"2001-01-01T00:00:00.125Z"},"e":{"date":"1e+300"},"f":{"o":{}},"g":{"real":"nan"}}}"#
            + "\n"))
  }

  @Test(
    "every NaN of a binary file is the one that tagged has",
    arguments: [[0x7F, 0xF0], [0x7F, 0xFF], [0xFF, 0xF8]])
  func taggedNaN(begin: [UInt8]) throws {
    var bytes = try PropertyList.real(1.5).binaryBytes()
    let number = try #require(bytes.firstRange(of: [0x3F, 0xF8]))
    bytes.replaceSubrange(number, with: begin)
    bytes[number.upperBound + 5] = 1
    let file = home.database.appendingPathComponent("nan")
    try Data(bytes).write(to: file)
    let tagged = home.run("convert", "-to", "tagged", file.path)
    #expect(tagged == .init(code: .done, output: "{\"real\":\"nan\"}\n"))
    #expect(convert("openstep", "-from", "tagged", input: tagged.output).output == "nan /*real*/\n")
  }

  @Test("-encoding names the eight-bit set")
  func encoding() throws {
    let file = home.database.appendingPathComponent("latin")
    try Data([0x22, 0xE4, 0x22]).write(to: file)
    // The byte is ä in ISO Latin 1 and î in NeXT's set.
    #expect(
      home.run("convert", "-to", "tagged", "-encoding", "latin1", file.path).output == "{\"s\":\"\\u00e4\"}\n"
    )
    #expect(
      home.run("convert", "-to", "tagged", "-encoding", "nextstep", file.path).output
        == "{\"s\":\"\\u00ee\"}\n")
    #expect(home.run("convert", "-to", "tagged", file.path).output == "{\"s\":\"\\u00ee\"}\n")
  }

  @Test("of several files the good ones are printed; the exit code tells the worst")
  func several() throws {
    try home.write("(", to: "bad")
    try home.write("a", to: "good")
    let bad = home.path + "/bad"
    let outcome = home.run("convert", "-to", "tagged", bad, home.path + "/good")
    #expect(outcome.code == .damaged)
    #expect(outcome.output == "{\"s\":\"a\"}\n")
    #expect(outcome.errors.hasPrefix("defaults: \(bad):1:2: "))
    #expect(home.run("convert", "-to", "tagged", bad + "/none").code == .inputOutput)
  }

  @Test(
    "arguments that do not fit are usage errors",
    arguments: [
      ([], "“convert” needs “-to” and a format"),
      (
        ["-to"],
        "“-to” takes a format: openstep, gnustep, windowmaker, xml, binary, json, tagged, flat"
      ),
      (
        ["-to", "yaml", "-"],
        "there is no format “yaml”; use one of: openstep, gnustep, windowmaker, xml, binary, json, tagged, flat"
      ),
      (["-to", "xml", "-o"], "“-o” takes the path of a file"),
      (["-to", "xml", "-o", "out", "a", "b"], "“-o” goes with one file"),
      (["-to", "binary", "a", "b"], "“-to binary” goes with one file"),
      (["-to", "json"], "“convert” takes the names of files"),
      (["-to", "json", "-ascii", "-"], "“-ascii” goes with “-to openstep”"),
      (["-to", "json", "-encoding"], "“-encoding” takes a character set: nextstep, latin1"),
      (
        ["-to", "json", "-encoding", "ebcdic", "-"],
        "there is no character set “ebcdic”; use one of: nextstep, latin1"
      ),
      (
        ["-to", "json", "-from"],
        "“-from” takes json, tagged or windowmaker; other formats are recognised by themselves"
      ),
      (
        ["-to", "json", "-from", "xml", "-"],
        "“-from” takes json, tagged or windowmaker; other formats are recognised by themselves"
      ),
      (["-to", "flat", "-textconv", "-o", "out", "a"], "“-textconv” prints, and does not go with “-o”"),
      (["-to", "json", "-f"], "“convert” has no option “-f”; a file of that name is “./-f”"),
    ])
  func usage(arguments: [String], message: String) {
    #expect(
      home.run(["convert"] + arguments)
        == .init(code: .usage, errors: "defaults: \(message); see “defaults help convert”\n"))
  }

  @Test(
    "the tagged notation of every real file is the expected one",
    .enabled(if: SharedFiles.areExpected, Comment(rawValue: SharedFiles.absence)))
  func realFiles() throws {
    let manifest = try JSONValue(parsing: Data(contentsOf: SharedFiles.url("corpus/real/manifest.json")))
    var count = 0
    for entry in try #require(manifest["files"]?.array) {
      let file = try #require(entry["file"]?.string)
      let path = SharedFiles.url("corpus/real/" + file).path
      let isLatin1 = entry["encoding"]?.string?.hasPrefix("ISO Latin 1") == true
      let outcome = home.run(
        ["convert", "-to", "tagged"] + (isLatin1 ? ["-encoding", "latin1"] : []) + [path])
      count += 1
      #expect(outcome.code == .done, "\(file)")
      #expect(
        SHA256.hexadecimalDigest(outcome.output.utf8.dropLast()) == entry["value_sha256"]?.string, "\(file)")
      if let expected = entry["expected"]?.string {
        let text = try Data(contentsOf: SharedFiles.url("corpus/real/" + expected))
        #expect(outcome.output.utf8.elementsEqual(text), "\(file)")
      }
    }
    #expect(count >= 42)
  }
}
