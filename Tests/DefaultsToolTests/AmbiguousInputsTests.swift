import DefaultsTool
import Foundation
import TestSupport
import Testing

/// Command lines that OPENSTEP's, GNUstep's and macOS's tools take differently, and what this tool makes of them.
struct AmbiguousInputsTests {
  private let home: ToolHome

  init() throws {
    home = try ToolHome()
  }

  @Test(
    "the value of a line",
    arguments: [
      (["-int", "5"], "'5 /*integer*/'"), (["-5"], "-5"), (["-x"], "-x"), (["--"], "--"), (["5"], "5"),
      (["true"], "true"), (["YES"], "YES"), (["5 /*integer*/"], "'5 /*integer*/'"), (["a\\nb"], "a\\nb"),
      (["a (b)"], "'a (b)'"), (["\"5\""], "5"), (["<*I5>"], "'5 /*integer*/'"), (["-array"], "()"),
      (["-bool", "1"], "'YES /*boolean*/'"),
    ])
  func values(words: [String], token: String) {
    for domain in ["T", "-g"] {
      #expect(home.run(["write", domain, "k"] + words) == .init(code: .done))
      #expect(home.run("read", domain, "k").output.hasSuffix(" k \(token)\n"))
    }
    #expect(home.run(["-macos", "write", "S", "k"] + words) == .init(code: .done))
    #expect(home.run("read", "S", "k").output == "S k \(token)\n", "the style does not change what is stored")
  }

  @Test(
    "a line that is refused writes nothing",
    arguments: [
      ["write", "T", "k", "-int"], ["write", "T", "k", "(1,2"], ["write", "T", "k", "<html>"],
      ["write", "T", "k", "two", "words"], ["write", "T", "k"], ["write", "T"],
      ["write", "T", "k", "-array", "-1", "-int"], ["write", "T", "k", "-dict", "a"],
      ["write", "T", "-dict-add", "k", "v"], ["READ", "T"], ["remove", "T"],
    ])
  func usage(words: [String]) throws {
    #expect(home.run(words, input: Array("T k v\n".utf8)).code == .usage)
    #expect(home.run(["-macos"] + words).code == .usage)
    #expect(try home.files() == [])
  }

  @Test("a hint tells what may have been meant")
  func hints() throws {
    #expect(
      home.run("write", "T", "k", "<html>").errors.contains(
        "to write it as a string, put it in double quotes"))
    #expect(home.run("write", "T", "-dict-add", "k", "v").errors.contains("a key stands before “-dict-add”"))
    #expect(home.run("READ").errors.hasSuffix("defaults: did you mean “read”?\n"))
    let others = [
      ("remove", "delete"), ("get", "read"), ("set", "write"), ("ls", "domains"), ("version", "-version"),
    ]
    for (other, own) in others {
      #expect(home.run(other).errors.hasSuffix("defaults: did you mean “\(own)”?\n"), "\(other)")
    }
    #expect(
      home.run("read", "x.plist").errors
        == "defaults: there is no domain “x.plist”\ndefaults: did you mean “./x.plist”, or the domain “x”?\n")
    try home.write("{ Count = 1; Window = { x = 1; }; }", to: "Editor.plist")
    #expect(home.run("read", "Edtor").errors.hasSuffix("defaults: did you mean “Editor”?\n"))
    #expect(home.run("read", "Editor", "Cuont").errors.hasSuffix("defaults: did you mean “Count”?\n"))
    #expect(home.run("read", "Editor", "Window.x").errors.hasSuffix("defaults: did you mean “.Window.x”?\n"))
    #expect(home.run("read", "Editor", "Colour").errors.hasSuffix("in the domain “Editor”\n"))
  }

  @Test("a key is taken as it stands; one that begins with a dot or a bracket is a path")
  func keys() {
    #expect(home.run("write", "T", "a.b", "1") == .init(code: .done))
    #expect(home.run("write", "T", ".c.d", "2") == .init(code: .done))
    #expect(home.run("write", "T", ".\".e.f\"", "3") == .init(code: .done))
    #expect(home.run("write", "T", "[\"[g\"]", "4") == .init(code: .done))
    #expect(home.run("write", "T", "-k", "5") == .init(code: .done), "a key")
    #expect(home.run("read", "T").output == "T -k 5\nT .e.f 3\nT [g 4\nT a.b 1\nT c '{d = 2; }'\n")
  }

  @Test("the flag of a type in the place of a key is a usage error; as a path it is a key")
  func flagsAsKeys() throws {
    for flag in ["-array-add", "-int", "-string"] {
      #expect(
        home.run("write", "New", flag, "x")
          == .init(
            code: .usage,
            errors: "defaults: a key stands before “\(flag)”; a key of that name is written .\(flag); "
              + "see “defaults help write”\n"))
      #expect(try home.files() == [])
      #expect(home.run("write", "New", ".\(flag)", "x") == .init(code: .done))
      #expect(home.run("read", "New", flag).output == "New \(flag) x\n")
      #expect(home.run("delete", "New").code == .done)
    }
  }

  @Test("what is absent exits 2 in either style, and -f makes no error of it")
  func absence() throws {
    try home.write("{ a = b; }", to: "T.plist")
    for style in ["-macos", "-openstep"] {
      #expect(home.run(style, "read", "T", "k").code == .absent)
      #expect(home.run(style, "read", "None").code == .absent)
      #expect(home.run(style, "delete", "T", "k").code == .absent)
      #expect(home.run(style, "delete", "None").code == .absent)
      #expect(home.run(style, "find", "k").code == .absent)
    }
    for words in [["T", "k"], ["T", ".k.l"], ["None"], ["None", "k"]] {
      #expect(home.run(["delete", "-f"] + words) == .init(code: .done))
      #expect(home.run(["delete-all", "-f"] + words) == .init(code: .done))
    }
    #expect(home.run("delete", "-f", input: "T k\nNone k\n") == .init(code: .done))
    #expect(home.run("read").output == "T a b\n")
  }

  @Test("a domain is named in macOS's ways, too")
  func domains() throws {
    for (index, words) in [
      ["-g"], ["-globalDomain"], ["Apple Global Domain"], ["-domain", "NSGlobalDomain"],
    ].enumerated() {
      #expect(home.run(["write"] + words + ["k", "\(index)"]) == .init(code: .done))
      #expect(home.run("read").output == "NSGlobalDomain k \(index)\n")
    }
    #expect(home.run("-globalDomain", "read", "k").output == "NSGlobalDomain k 3\n")
    #expect(home.run("delete", "-g") == .init(code: .done))
    #expect(home.run("write", "-app", "TextEdit", "k", "1") == .init(code: .done))
    #expect(home.run("write", "-app", "/Local/Ink.app", "k", "2") == .init(code: .done))
    #expect(home.run("write", "-app", "/Local/Mail.app/", "k", "3") == .init(code: .done))
    #expect(home.run("write", "-domain", "a/b", "k", "4") == .init(code: .done))
    #expect(home.run("write", "--", "-d", "k", "5") == .init(code: .done))
    #expect(home.run("write", "--", "c/d", "k", "6") == .init(code: .done))
    #expect(home.run("read").output == "-d k 5\nInk k 2\nMail k 3\nTextEdit k 1\na/b k 4\nc/d k 6\n")
    #expect(home.run("export", "-app", "Ink", "-").output == "{\n    k = 2;\n}\n")
    #expect(home.run("export", "-domain", "a/b", "-").output == "{\n    k = 4;\n}\n")
    #expect(home.run("import", "-replace", "-domain", "a/b", "-", input: "{ k = 7; }").code == .done)
    #expect(home.run("read", "-domain", "a/b").output == "a/b k 7\n")
    #expect(home.run("import", "Apple Global Domain", "-", input: "{ k = 8; }").code == .done)
    #expect(home.run("read", "-g").output == "NSGlobalDomain k 8\n")
    #expect(home.run("export", "Apple Global Domain", "-").output == "{\n    k = 8;\n}\n")
    #expect(home.run("export", "-into", home.root.path + "/out", "Apple Global Domain") == .init(code: .done))
    #expect(home.run("diff", home.root.path + "/out/NSGlobalDomain.plist", "-g") == .init(code: .done))
  }

  @Test("with -gnustep, import and export refuse a name that GNUstep's programs take for a path")
  func gnustepNames() throws {
    let shared = try GNUstepHome()
    for words in [
      ["import", "-domain", "a/b", "-"], ["export", "-domain", "a/b", "-"], ["export", "--", "a/b", "-"],
    ] {
      let outcome = home.run(
        ["-gnustep"] + words, input: Array("{ k = 1; }".utf8), environment: shared.environment)
      #expect(outcome.code == .refused && outcome.errors.contains("GNUstep's programs take"), "\(words)")
    }
  }

  @Test("options for one host are refused with a sentence, and nothing is written")
  func oneHost() throws {
    let sentence =
      "this database has no values for one host; without “-currentHost” the value holds on every host; "
      + "nothing was done"
    for words in [["-currentHost", "write", "-g", "k", "1"], ["write", "-currentHost", "-g", "k", "1"]] {
      #expect(home.run(words) == .init(code: .refused, errors: "defaults: \(sentence)\n"))
    }
    for words in [
      ["export", "-currentHost", "-g", "-"], ["export", "-g", "-currentHost", "-"],
      ["import", "-currentHost", "-g", "-"],
    ] {
      #expect(
        home.run(words, input: Array("{ k = 1; }".utf8))
          == .init(code: .refused, errors: "defaults: \(sentence)\n"))
    }
    #expect(home.run("export", "-host", "mill", "-g", "-").code == .refused)
    #expect(home.run("-host", "mill", "read", "-g").code == .refused)
    #expect(try home.files() == [])
  }

  @Test("an option that a verb does not have is a usage error; -h and --help are its help")
  func options() throws {
    for verb in [
      "read", "read-type", "readkey", "write", "delete", "delete-all", "rename", "find", "watch", "diff",
    ] {
      let outcome = home.run(verb, "-frob", "App", "k", "l")
      #expect(outcome.code == .usage, "\(verb)")
      #expect(outcome.errors.contains("“\(verb)” has no option “-frob”"))
      #expect(home.run(verb, "-h", "x") == home.run("help", verb))
    }
    for words in [
      ["read-type"], ["read-type", "App"], ["rename", "App", "a"], ["delete-all"], ["diff"], ["diff", "App"],
      ["readkey"], ["find"], ["read", "-to"], ["read", "-default"], ["read", "-to", "frob", "App"],
      ["read", "a", "b", "c"], ["write", "-domain"], ["write", "-app"], ["rename", "App", "a", "b", "c"],
    ] {
      #expect(home.run(words).code == .usage, "\(words)")
    }
    #expect(try home.files() == [])
  }
}
