import DefaultsTool
import Foundation
import Testing

/// What is printed in OPENSTEP's style and in that of macOS, and in the formats of `read`.
struct OutputStyleTests {
  private let home: ToolHome

  init() throws {
    home = try ToolHome()
    try home.write(
      "{ b = YES /*boolean*/; n = 5 /*integer*/; s = \"two words\"; l = (x, NO /*boolean*/); }", to: "T.plist"
    )
  }

  private func macos(_ words: String...) -> ToolHome.Outcome {
    let outcome = home.run(["-macos"] + words)
    let variable = home.run(
      words,
      environment: ["OPENSTEP_DEFAULTS_DIR": home.path, "HOME": home.root.path, "DEFAULTS_STYLE": "macos"])
    #expect(outcome == variable)
    return outcome
  }

  @Test("a value stands alone in macOS's style, with 1 and 0 for truth values and without notes")
  func values() {
    #expect(macos("read", "T", "s") == .init(code: .done, output: "two words\n"))
    #expect(macos("read", "T", "b").output == "1\n")
    #expect(macos("read", "T", "n").output == "5\n")
    #expect(macos("read", "T", "l").output == "(\n    x,\n    0\n)\n")
    #expect(
      macos("read", "T").output
        == "{\n    b = 1;\n    l =     (\n        x,\n        0\n    );\n    n = 5;\n    s = \"two words\";\n}\n"
    )
    #expect(
      macos("read").output == """
        {
            T =     {
                b = 1;
                l =         (
                    x,
                    0
                );
                n = 5;
                s = "two words";
            };
        }

        """)
    #expect(
      macos("read", "-to", "lines", "T", "n").output == "T n '5 /*integer*/'\n", "what is asked for counts")
    #expect(macos("read-type", "T", "b").output == "Type is boolean\n")
    #expect(home.run("read", "T", "b").output == "T b 'YES /*boolean*/'\n")
  }

  @Test("-openstep undoes the variable, and an unknown style is a usage error")
  func variable() {
    func run(_ style: String, _ words: String...) -> ToolHome.Outcome {
      home.run(words, environment: ["OPENSTEP_DEFAULTS_DIR": home.path, "DEFAULTS_STYLE": style])
    }
    #expect(run("macos", "-openstep", "read", "T", "n").output == "T n '5 /*integer*/'\n")
    #expect(run("openstep", "read", "T", "n").output == "T n '5 /*integer*/'\n")
    #expect(run("", "read", "T", "n").output == "T n '5 /*integer*/'\n")
    #expect(
      run("mac", "read", "T", "n")
        == .init(code: .usage, errors: "defaults: DEFAULTS_STYLE is “mac”; it may be openstep or macos\n"))
    #expect(run("mac", "-macos", "read", "T", "n").output == "5\n")
  }

  @Test("import and export have macOS's defaults in its style")
  func stores() throws {
    let file = home.root.path + "/out.plist"
    #expect(macos("export", "T", "-").output.hasPrefix("<?xml"))
    for _ in 0..<2 {
      #expect(macos("export", "T", file) == .init(code: .done), "an existing file is replaced")
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: file)).starts(with: Array("bplist00".utf8)))
    #expect(home.run("export", "T", file).code == .refused, "and stays in OPENSTEP's style")
    try home.write("{ n = 1; own = 2; }", to: "U.plist")
    #expect(home.run("import", "U", file).code == .refused)
    #expect(home.run("read", "U").output == "U n 1\nU own 2\n")
    #expect(home.run("-macos", "import", "U", file).code == .done)
    #expect(home.run("read", "-to", "value", "U", "n").output == "5\n")
    #expect(home.run("read", "-to", "value", "U", "own").output == "2\n")
    #expect(macos("export", "-to", "openstep", "U", "-").output.hasPrefix("{\n"))
  }

  @Test("read prints each of its formats")
  func formats() throws {
    let texts = [
      ("lines", "T b 'YES /*boolean*/'\nT l '(x, NO /*boolean*/)'\nT n '5 /*integer*/'\nT s 'two words'\n"),
      ("flat", ".b 'YES /*boolean*/'\n.l[0] x\n.l[1] 'NO /*boolean*/'\n.n '5 /*integer*/'\n.s 'two words'\n"),
      (
        "openstep",
        "{\n    b = YES /*boolean*/;\n    l = (x, NO /*boolean*/);\n    n = 5 /*integer*/;\n    s = \"two words\";\n}\n"
      ),
      ("gnustep", "{\n    b = <*BY>;\n    l = (x, <*BN>);\n    n = <*I5>;\n    s = \"two words\";\n}\n"),
      (
        "json",
        "{\n    \"b\": true,\n    \"l\": [\n        \"x\",\n        false\n    ],\n    \"n\": 5,\n    \"s\": \"two words\"\n}\n"
      ),
      (
        "tagged",
        #"{"o":{"b":{"bool":true},"l":{"a":[{"s":"x"},{"bool":false}]},"n":{"int":"5"},"s":{"s":"two words"}}}"#
          + "\n"
      ),
    ]
    for (format, text) in texts {
      #expect(home.run("read", "-to", format, "T") == .init(code: .done, output: text))
      #expect(home.run("read", "-format", format, "T").output == text)
    }
    #expect(home.run("read", "-to", "value", "T", "b").output == "YES\n")
    #expect(home.run("read", "-to", "value", "T", "l").output == "(x, NO /*boolean*/)\n")
    #expect(home.run("read", "-to", "xml", "T", "n").output.contains("<integer>5</integer>"))
    #expect(home.run("read", "-to", "json", "T", "l").output == "[\n    \"x\",\n    false\n]\n")
    #expect(home.run("read", "-to", "flat").output.hasPrefix("T .b 'YES /*boolean*/'\n"))
    #expect(home.run("read", "-to", "tagged").output.hasPrefix(#"{"o":{"T":{"o":{"b":"#))
    #expect(home.run("write", "D", "d", "-data", "0fbd").code == .done)
    #expect(home.run("read", "-to", "value", "D", "d").output == "<0fbd>\n")
    let json = home.run("read", "-to", "json", "D", "d")
    #expect(json.code == .refused && json.errors.hasSuffix("“-to tagged” holds every value\n"))
    #expect(home.run("read", "-to", "binary", "T").code == .usage)
  }

  @Test("each path of flat reads its value, and empty containers are values")
  func flat() throws {
    try home.write(
      "{ \"a.b\" = { \"\" = 1; }; e = {}; l = ((), (x)); \".c\" = 2; \"it's\" = 3; }", to: "F.plist")
    let flat = home.run("read", "-to", "flat", "F").output
    #expect(flat == "'.\".c\"' 2\n'.\"a.b\".\"\"' 1\n.e {}\n'.\"it''s\"' 3\n.l[0] ()\n.l[1][0] x\n")
    for path in [".\".c\"", ".\"a.b\".\"\"", ".e", ".\"it's\"", ".l[0]", ".l[1][0]"] {
      #expect(home.run("read", "-to", "value", "F", path).code == .done)
    }
    #expect(home.run("convert", "-to", "flat", home.path + "/F.plist").output == flat)
  }

  @Test("-default is printed where there is nothing, and nowhere else")
  func fallback() throws {
    #expect(home.run("read", "-default", "none", "T", "nokey") == .init(code: .done, output: "none\n"))
    #expect(home.run("read", "-default", "none", "None", "k") == .init(code: .done, output: "none\n"))
    #expect(home.run("read", "-default", "none", "T", ".l[7]") == .init(code: .done, output: "none\n"))
    #expect(home.run("read", "-default", "", "-to", "value", "T", "n") == .init(code: .done, output: "5\n"))
    try home.write("{ a = ", to: "Bad.plist")
    #expect(home.run("read", "-default", "none", "Bad", "k").code == .damaged)
  }

  @Test("find -part finds parts of names and strings in either case")
  func parts() {
    #expect(home.run("find", "-part", "WORD").output == "T s 'two words'\n")
    #expect(home.run("find", "-part", "t").output == "T\nT s 'two words'\n")
    #expect(home.run("find", "word").code == .absent)
  }
}
