import DefaultsTool
import Testing

struct HelpCommandTests {
  private let home: ToolHome

  init() throws {
    home = try ToolHome()
  }

  @Test("no arguments print the usage on standard error and exit 1")
  func noArguments() {
    let outcome = home.run()
    #expect(outcome.code == .usage)
    #expect(outcome.output.isEmpty)
    #expect(
      outcome.errors.hasPrefix(
        "usage: defaults [-u user] [-gnustep] [-macos] command [option …] [argument …]\n"))
    #expect(outcome.errors == home.run("help").output)
  }

  @Test("what is said of GNUstep's lock is what is done: a stale one is removed")
  func gnustepLock() {
    let page = home.run("help", "gnustep").output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(page.contains("exit code 3; one that is older than twenty seconds is removed"))
  }

  @Test("help, -h and --help print the same, with every verb, option and exit code")
  func overview() {
    let help = home.run("help")
    #expect(help.code == .done && help.errors.isEmpty)
    #expect(home.run("-h") == help)
    #expect(home.run("--help") == help)
    for line in [
      "defaults read [-to FORMAT]", "defaults read [-to FORMAT] domain",
      "defaults read [-to FORMAT] [-default TEXT] domain key", "defaults read-type domain key",
      "defaults readkey key", "defaults write [-n] domain key value", "defaults write [-n] domain '{…}'",
      "defaults write [-n]", "defaults rename [-n] [-replace] domain old new",
      "defaults delete [-n] [-f] domain key", "defaults delete [-n] [-f] domain", "defaults delete [-n] [-f]",
      "defaults delete-all [-n] [-f] domain [key]", "defaults edit domain",
      "defaults doctor [-repair] [domain …]", "defaults domains", "defaults find [-part] word",
      "defaults diff [-to FORMAT] A B", "defaults diff [-to FORMAT] DIR",
      "defaults explain [-to json|value] domain key", "defaults paths",
      "defaults apply [-n|-check] FILE…", "defaults log -clear [domain]",
      "defaults undo [-n] [-force] [number] [domain]", "defaults snapshot",
      "defaults snapshot name [domain …]",
      "defaults snapshot -delete name", "defaults restore [-n] name [domain …]", "defaults lint FILE…",
      "defaults convert -to FORMAT [-ascii] [-encoding SET] FILE…",
      "defaults import [-from KIND] [-merge|-replace] [-into DIR] [-encoding SET] PATH",
      "defaults import … domain PATH", "defaults import -n …",
      "defaults export [-to FORMAT] [-replace] domain PATH",
      "defaults export [-to FORMAT] [-replace] -into DIR [domain …]",
      "defaults torture [-dir D] [-kills N] [-writers N] [-keys N]", "defaults help [command]",
      "defaults help macos|gnustep", "defaults convert -from tagged -to FORMAT … FILE…",
      "defaults log [-p] [number] [domain]",
    ] {
      #expect(help.output.contains("\n  \(line)  ") || help.output.contains("\n  \(line)\n"), "\(line)")
    }
    for text in [
      "-u user", "-g ", "-version ", "OPENSTEP_DEFAULTS_DIR", "0  done", "1  usage",
      "2  no such domain or file in its place, key", "6  differs", "-macos ", "-app name", "-domain name",
      "-- ",
      "3  refused", "4  damaged data", "5  input or output failed",
    ] {
      #expect(help.output.contains(text), "\(text)")
    }
    #expect(help.output.split(separator: "\n").allSatisfy { $0.count <= 90 })
  }

  @Test(
    "the help of a verb shows all its forms and explains their arguments",
    arguments: [
      ("read", ["] domain key", "flat", "App Name 'two words'", "'5 /*integer*/'"]),
      ("readkey", ["defaults readkey key"]),
      (
        "write",
        [
          "[-n] domain key value", "[-n] domain '{…}'", "-array-add", "'\"(1, 2\"'", "by its path",
          "a time needs its zone",
        ]
      ),
      ("delete", ["[-n] [-f] domain key", "standard input"]),
      ("domains", ["defaults domains"]), ("read-type", ["Type is integer", "boolean"]),
      ("rename", ["-replace", "-n", "comments"]), ("delete-all", ["-f", "hidden"]),
      ("explain", ["forced", "shadowed", "json"]), ("paths", ["GNUstep", "lock"]),
      ("apply", ["Set", "Delete", "Replace", "-check"]), ("log", ["-p", "DEFAULTS_HISTORY", "by its path"]),
      ("undo", ["-force", "number", "by its path"]), ("snapshot", ["-delete"]), ("restore", ["removed"]),
      ("merge", ["BASE OURS THEIRS", "driver", "textconv"]),
      ("doctor", ["[-repair]", "warning", "well", "older than a day"]),
      ("edit", ["defaults edit domain", "VISUAL", "byte for byte", "XDG_RUNTIME_DIR"]),
      ("completion", ["bash", "-words"]),
      ("diff", ["--- App", "+++ ./App.plist", "commands", "json"]),
      ("find", ["[-part] word", "equal to the word"]),
      ("lint", ["defaults lint FILE…", "FILE: OK"]),
      (
        "convert",
        [
          "-to FORMAT", "openstep", "gnustep", "xml", "json", "tagged", "-ascii", "-encoding", "latin1",
          "-from json", "-from windowmaker", "null",
        ]
      ),
      (
        "import",
        [
          "auto", "gnustep-single", "openstep", "windowmaker", "macos", "json", "-merge", "-replace",
          "-dry-run", "-into", "-encoding", "domain PATH", "standard input", "--",
        ]
      ),
      ("export", ["openstep", "gnustep", "xml", "binary", "-replace", "-into", "domain PATH", "--"]),
      ("torture", ["-dir D", "-kills, by default 200", "beside the database", "Exit code 4"]),
      ("help", ["defaults help [command]"]),
    ])
  func verb(name: String, texts: [String]) {
    let help = home.run("help", name)
    #expect(help.code == .done && help.errors.isEmpty)
    for text in texts { #expect(help.output.contains(text), "\(text)") }
    #expect(home.run(name, "--help") == help)
    #expect(home.run(name, "-h") == help)
  }

  @Test(
    "a topic tells those who know another system's tools what is different, also in the manual page",
    arguments: [
      ("macos", ["-currentHost", "DEFAULTS_STYLE", "plutil -convert xml1", ".GlobalPreferences"]),
      ("gnustep", ["GNUstep.conf", "<*I5>", "plmerge", "plser", "WMRootMenu"]),
    ])
  func topic(name: String, texts: [String]) {
    let help = home.run("help", name)
    #expect(help.code == .done && help.errors.isEmpty)
    #expect(home.run("help", name.uppercased()) == help)
    for text in texts { #expect(help.output.contains(text), "\(text)") }
    #expect(help.output.split(separator: "\n").allSatisfy { $0.count <= 105 })
    let manual = home.run("help", "-man").output
    #expect(manual.contains("\n.SH FOR USERS OF \(name.uppercased())\n"))
  }

  @Test("help of an unknown verb, or of two, is a usage error")
  func unknown() {
    #expect(
      home.run("help", "frobnicate")
        == .init(
          code: .usage, errors: "defaults: there is no command “frobnicate”; see “defaults help”\n"))
    #expect(
      home.run("help", "raed").errors
        == "defaults: there is no command “raed”; see “defaults help”\ndefaults: did you mean “read”?\n")
    #expect(
      home.run("help", "read", "write")
        == .init(
          code: .usage, errors: "defaults: “help” takes one command or topic; see “defaults help help”\n"))
  }
}
