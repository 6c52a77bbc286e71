import DefaultsTool
import Foundation
import Testing

/// What people and scripts that know macOS's tool get with `-macos`.
struct MacOSHabitsTests {
  private let home: ToolHome

  init() throws {
    home = try ToolHome()
  }

  private func macos(_ words: String...) -> ToolHome.Outcome {
    home.run(["-macos"] + words)
  }

  /// The layout is that of a listing of `com.apple.dock` in a public report, made by macOS.
  @Test("an inner container begins behind its key and its own indentation, and ends in its own column")
  func nesting() throws {
    try home.write(
      """
      { "persistent-apps" = ({ GUID = 2220250835 /*integer*/; "tile-data" = {
          "file-data" = { "_CFURLStringType" = 15 /*integer*/; }; "file-label" = Launchpad; };
        }, { GUID = 7 /*integer*/; }); "last-analytics-stamp" = (773430205.445271); autohide = YES /*boolean*/; }
      """, to: "com.apple.dock.plist")
    #expect(
      macos("read", "com.apple.dock").output == """
        {
            autohide = 1;
            "last-analytics-stamp" =     (
                "773430205.445271"
            );
            "persistent-apps" =     (
                        {
                    GUID = 2220250835;
                    "tile-data" =             {
                        "file-data" =                 {
                            "_CFURLStringType" = 15;
                        };
                        "file-label" = Launchpad;
                    };
                },
                        {
                    GUID = 7;
                }
            );
        }

        """)
  }

  @Test(
    "a value is spelled as macOS's tool spells it, alone and in an array",
    arguments: [
      ("two words", "two words", "\"two words\""), ("word1", "word1", "word1"), ("\"\"", "", "\"\""),
      ("5 /*integer*/", "5", "5"), ("-5 /*integer*/", "-5", "\"-5\""), ("0.5 /*real*/", "0.5", "\"0.5\""),
      ("1 /*real*/", "1", "1"), ("YES /*boolean*/", "1", "1"), ("NO /*boolean*/", "0", "0"),
      ("<010203>", "{length = 3, bytes = 0x010203}", "{length = 3, bytes = 0x010203}"),
      ("<>", "{length = 0, bytes = 0x}", "{length = 0, bytes = 0x}"),
      (
        "2026-11-20 15:16:00 +0000 /*date*/", "2026-11-20 15:16:00 +0000", "\"2026-11-20 15:16:00 +0000\""
      ),
      ("()", "(\n)", "    (\n    )"), ("{}", "{\n}", "    {\n    }"), ("a_b", "a_b", "\"a_b\""),
      ("a/b:c", "a/b:c", "\"a/b:c\""), ("ü→😀", "ü→😀", "\"\\U00fc\\U2192\\Ud83d\\Ude00\""),
      (#""a\"\\\n\t\033""#, "a\"\\\n\t\u{1B}", #""a\"\\\n\t\033""#),
    ])
  func spelling(value: String, alone: String, inside: String) {
    #expect(home.run("write", "T", "k", value).code == .done)
    #expect(macos("read", "T", "k") == .init(code: .done, output: "\(alone)\n"))
    #expect(home.run("write", "T", "l", "-array", value).code == .done)
    #expect(macos("read", "T", "l").output == "(\n    \(inside)\n)\n")
  }

  @Test("what is absent is told in macOS's words, with this tool's exit code")
  func absence() throws {
    try home.write("{ a = b; }", to: "T.plist")
    let file = home.root.path + "/f.plist"
    for (words, sentence) in [
      (["read", "T", "none"], "The domain/default pair of (T, none) does not exist"),
      (["read-type", "T", "none"], "The domain/default pair of (T, none) does not exist"),
      (["read", "None"], "Domain None does not exist"),
      (["read", "-g", "k"], "Domain Apple Global Domain does not exist"),
      (["read", file], "Domain \(file) does not exist"),
      (["find", "none"], "No domain, key, nor value containing 'none'"),
    ] {
      #expect(home.run(["-macos"] + words) == .init(code: .absent, errors: "defaults: \(sentence)\n"))
    }
  }

  @Test("domains are one line, without the one that all programs share")
  func domains() throws {
    for file in ["App", "NSGlobalDomain", "com.apple.dock", "two words"] {
      try home.write("{ a = b; }", to: "\(file).plist")
    }
    #expect(macos("domains").output == "App, com.apple.dock, two words\n")
    #expect(home.run("domains").output == "App\nNSGlobalDomain\ncom.apple.dock\n'two words'\n")
  }

  @Test("find looks for a part in either case, and prints what it finds domain by domain")
  func find() throws {
    try home.write("{ Font = Helvetica; Size = 5; }", to: "App.plist")
    try home.write("{ AppleFonts = (x, Courier); Other = 1; }", to: "NSGlobalDomain.plist")
    #expect(
      macos("find", "font").output == """
        Found 1 keys in domain 'App': {
            Font = Helvetica;
        }
        Found 1 keys in domain 'Apple Global Domain': {
            AppleFonts =     (
                x,
                Courier
            );
        }

        """)
    #expect(
      macos("find", "app").output.hasPrefix(
        "Found 2 keys in domain 'App': {\n    Font = Helvetica;\n    Size = 5;\n}\n"),
      "all keys of a domain that is called so")
    #expect(macos("find", "COURIER").output.hasPrefix("Found 1 keys in domain 'Apple Global Domain': {\n"))
  }

  @Test("the domain that all programs share has macOS's names, also for import and export")
  func globalDomain() throws {
    for name in ["Apple Global Domain", ".GlobalPreferences"] {
      #expect(home.run("write", name, "k", "1") == .init(code: .done))
      #expect(home.run("read", name).output == "NSGlobalDomain k 1\n")
      #expect(home.run("export", name, "-").output == "{\n    k = 1;\n}\n")
      #expect(home.run("import", "-replace", name, "-", input: "{ l = 2; }").code == .done)
      #expect(home.run("delete", name, "l") == .init(code: .done))
    }
    #expect(home.run("write", "-g", "k", "1").code == .done)
    #expect(macos("read").output == "{\n    \"Apple Global Domain\" =     {\n        k = 1;\n    };\n}\n")
    // As a name that is taken as it stands, it is another domain.
    #expect(home.run("write", "-domain", ".GlobalPreferences", "k", "2").code == .done)
    #expect(home.run("read", "-g").output == "NSGlobalDomain k 1\n")
  }

  @Test("import prints nothing, unless it only tries")
  func silentImport() throws {
    #expect(home.run(["-macos", "import", "T", "-"], input: Array("{ a = b; }".utf8)) == .init(code: .done))
    let rehearsal = home.run(["-macos", "import", "-n", "T", "-"], input: Array("{ a = c; }".utf8))
    #expect(rehearsal.output.hasSuffix("dry run: domains: 1, keys: 1, not carried: 0\n"))
  }

  @Test("options for one host end a script with one sentence, wherever they stand")
  func oneHost() throws {
    let script = "set -e; echo before; defaults -currentHost write -g k -int 1; echo behind"
    let outcome = try home.shell(script)
    let sentence =
      "defaults: this database has no values for one host; without “-currentHost” the value holds on every host; "
      + "nothing was done\n"
    #expect(outcome == .init(status: 3, output: "before\n", errors: sentence))
    for words in [["export", "-currentHost", "App", "-"], ["import", "-currentHost", "App", "-"]] {
      #expect(home.run(words) == .init(code: .refused, errors: sentence))
    }
  }
}
