import DefaultsDatabase
import DefaultsTool
import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

struct ImportCommandTests {
  private let home: ToolHome
  /// The old store, which lies beside the database.
  private let store: TemporaryHome

  init() throws {
    home = try ToolHome()
    store = try TemporaryHome()
  }

  /// Two good domains, a damaged one, and a menu.
  private func fill() throws {
    try store.write("{ Count = <*I5>; Name = \"caf\\U00E9\"; }", to: "App.plist")
    try store.write("{ Dock = { Applications = ({ Name = \"caf\\303\\251\"; }); }; }", to: "WMState")
    try store.write("{ a = ( ; }", to: "Bad.plist")
    try store.write("(Applications, (Exit, EXIT))", to: "WMRootMenu")
  }

  private var complaints: String {
    """
    defaults: \(store.path)/Bad.plist:1:9: found “;” where a value was expected; its bytes are unchanged: repair the file, or move it away
    defaults: \(store.path)/WMRootMenu: is a menu of Window Maker's, which is no domain, and was left out

    """
  }

  @Test("every domain is carried with its types, and what is not carried is told of line by line")
  func imports() throws {
    try fill()
    let outcome = home.run("import", store.path)
    #expect(
      outcome
        == .init(code: .damaged, output: "domains: 2, keys: 3, not carried: 1\n", errors: complaints))
    #expect(
      home.run("read").output == """
        App Count '5 /*integer*/'
        App Name café
        WMState Dock '{Applications = ({Name = "café"; }); }'

        """)
    #expect(try home.files() == ["App.plist", "WMState"])
  }

  @Test("a dry run tells what would be done and writes nothing, not even the database's directory")
  func dryRun() throws {
    try fill()
    try FileManager.default.removeItem(at: home.database)
    #expect(
      home.run("import", "-dry-run", store.path)
        == .init(
          code: .damaged,
          output: """
            would make App: keys: 2, from \(store.path)/App.plist, a file of GNUstep's
            would make WMState: keys: 1, from \(store.path)/WMState, a file of Window Maker's
            dry run: domains: 2, keys: 3, not carried: 1

            """, errors: complaints))
    #expect(!FileManager.default.fileExists(atPath: home.path))
  }

  @Test("a domain that is there already stays, unless it is to be merged or replaced")
  func policies() throws {
    try store.write("{ a = x; b = y; }", to: "App.plist")
    try home.write("{ a = old; c = z; }", to: "App.plist")
    #expect(
      home.run("import", store.path)
        == .init(
          code: .refused, output: "domains: 0, keys: 0, not carried: 1\n",
          errors: """
            defaults: \(home.path)/App.plist: the domain “App” is there already, with 2 keys; it was left as it is: \
            “-merge” puts the file's keys over its own, “-replace” puts \(store.path)/App.plist in its place

            """))
    #expect(try home.text(of: "App.plist") == "{ a = old; c = z; }")
    #expect(
      home.run("import", "-dry-run", "-merge", store.path).output.hasPrefix("would merge App: keys: 2, "))
    #expect(home.run("import", "-merge", store.path).code == .done)
    #expect(home.run("read", "App").output == "App a x\nApp b y\nApp c z\n")
    #expect(
      home.run("import", "-dry-run", "-replace", store.path).output.hasPrefix("would replace App: keys: 2, "))
    #expect(home.run("import", "-replace", store.path).code == .done)
    #expect(home.run("read", "App").output == "App a x\nApp b y\n")
    // The same values are no conflict.
    #expect(
      home.run("import", store.path) == .init(code: .done, output: "domains: 1, keys: 2, not carried: 0\n"))
  }

  @Test("nothing of the store is touched, whichever way it is read")
  func untouched() throws {
    try fill()
    func state() throws -> [String: [AnyHashable]] {
      var state: [String: [AnyHashable]] = [:]
      for name in try store.names() + ["."] {
        let attributes = try FileManager.default.attributesOfItem(atPath: store.path(name))
        state[name] = [
          try #require(attributes[.modificationDate] as? Date), try #require(attributes[.size] as? Int),
          try #require(attributes[.posixPermissions] as? Int), name == "." ? 0 : try store.bytes(of: name),
        ]
      }
      return state
    }
    let before = try state()
    for options in [[], ["-dry-run"], ["-merge"], ["-replace"], ["-from", "gnustep"]] {
      _ = home.run(["import"] + options + [store.path])
    }
    #expect(try state() == before)
  }

  @Test("-into names another database, and -gnustep makes it GNUstep's")
  func into() throws {
    try store.write("{ Count = <*I5>; }", to: "App.plist")
    let other = home.root.path + "/Other"
    #expect(home.run("import", "-into", other, store.path).code == .done)
    #expect(try home.files().isEmpty)
    #expect(home.run("-gnustep", "import", "-into", other + "2", store.path).code == .done)
    let files = try [other, other + "2"].map {
      try String(contentsOfFile: "\($0)/App.plist", encoding: .utf8)
    }
    #expect(files[0] == "{\n    Count = 5 /*integer*/;\n}\n")
    #expect(files[1].hasPrefix("<?xml"))
    // GNUstep's files do not hold a Float: that is told of.
    try store.write("{ Half = 0.5 /*float*/; }", to: "Half.plist")
    let outcome = home.run("-gnustep", "import", "-into", other + "2", store.path)
    #expect(
      outcome.code == .refused && outcome.errors.contains("the key “Half” of the domain “Half” has a Float"))
    #expect(outcome.output == "domains: 2, keys: 2, not carried: 1\n")
  }

  @Test("what is insisted on, and the character set, are taken from the options")
  func options() throws {
    try store.write(Array("{ Name = \"".utf8) + [0xE4] + Array("\"; }".utf8), to: "App.plist")
    let refusal = home.run("import", "-from", "macos", store.path)
    #expect(refusal.code == .refused && refusal.output == "domains: 0, keys: 0, not carried: 1\n")
    #expect(
      refusal.errors.hasPrefix("defaults: \(store.path)/App.plist: is OPENSTEP's text, not a file of macOS; ")
    )
    #expect(home.run("import", "-encoding", "latin1", "-from", "openstep", store.path).errors.isEmpty)
    #expect(home.run("read", "App").output == "App Name ä\n")
    let guess = home.run("import", "-replace", store.path)
    #expect(guess.code == .done)
    #expect(guess.errors.contains("was read as NeXT's character set; “-encoding” names another set"))
    #expect(home.run("read", "App").output == "App Name î\n")
  }

  @Test(
    "a store without any domain is absent, one that is not there cannot be read, and the database is no store"
  )
  func nothing() throws {
    #expect(
      home.run("import", store.path)
        == .init(code: .absent, errors: "defaults: \(store.path): there is no domain in it\n"))
    #expect(home.run("import", store.path("none")).code == .inputOutput)
    try home.write("{ a = b; }", to: "App.plist")
    #expect(home.run("import", "-replace", home.path + "/.").code == .refused)
  }

  @Test(
    "a database that another process has locked makes an import wait once, not for each domain",
    arguments: [true, false])
  func locked(isNamed: Bool) async throws {
    for name in ["A", "B", "C"] { try store.write("{ a = b; }", to: name) }
    let directory = isNamed ? "\(home.root.path)/elsewhere" : home.path
    let environment = ["OPENSTEP_DEFAULTS_DIR": directory, "HOME": home.root.path]
    let arguments = ["import"] + (isNamed ? ["-into", home.path] : []) + [store.path]
    let database = UserDatabase(directory: home.path)
    let domain = try DomainName("Holder")
    let lateness = Lateness(in: home.root.path)
    let outcome = await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        var changes = DomainChanges()
        changes.set("x", for: "x")
        var outcome: ToolHome.Outcome?
        let start = ContinuousClock.now
        var request = CommitRequest(changes, to: domain)
        request.check = { (_) throws(DatabaseError) in
          outcome = ToolHome.run(arguments, input: [], environment: environment)
        }
        _ = try? database.commit(request)
        let isPatient = ContinuousClock.now - start < .seconds(4) + lateness.total
        continuation.resume(returning: (outcome: outcome, isPatient: isPatient))
      }
    }
    #expect(outcome.isPatient)
    #expect(outcome.outcome?.code == .refused)
    #expect(outcome.outcome?.output == "domains: 0, keys: 0, not carried: 3\n")
  }

  @Test("one file becomes the domain that is named, whatever its own name and its keys are")
  func named() throws {
    try store.write("{ NSGlobalDomain = { a = b; }; }", to: ".GNUstepDefaults")
    try store.write("{ Count = <*I5>; }", to: "other.txt")
    let counted = ToolHome.Outcome(code: .done, output: "domains: 1, keys: 1, not carried: 0\n")
    #expect(home.run("import", "App", store.path("other.txt")) == counted)
    #expect(home.run("import", "Other", store.path(".GNUstepDefaults")) == counted)
    #expect(home.run("import", "-g", store.path("other.txt")) == counted)
    #expect(home.run("-g", "import", "-replace", store.path("other.txt")) == counted)
    #expect(home.run("import", "--", "-x", store.path("other.txt")) == counted)
    #expect(
      home.run("read").output == """
        -x Count '5 /*integer*/'
        App Count '5 /*integer*/'
        NSGlobalDomain Count '5 /*integer*/'
        Other NSGlobalDomain '{a = b; }'

        """)
    #expect(home.run("import", "a/b", store.path("other.txt")).code == .refused)
    #expect(
      home.run("import", "App", store.path)
        == .init(
          code: .inputOutput,
          errors:
            "defaults: \(store.path): is no file, from which one domain is taken; “-” in its place reads a pipe\n"
        ))
  }

  @Test("standard input becomes the domain that is named, by the same rules as a file")
  func standardInput() throws {
    func pipe(_ text: String, _ options: String...) -> ToolHome.Outcome {
      home.run(["import"] + options + ["App", "-"], input: Array(text.utf8))
    }
    #expect(
      pipe("{ a = <*I5>; }", "-dry-run")
        == .init(
          code: .done,
          output: """
            would make App: keys: 1, from standard input, a file of GNUstep's
            dry run: domains: 1, keys: 1, not carried: 0

            """))
    #expect(try home.files() == [])
    #expect(pipe("{ a = <*I5>; }").code == .done)
    let refusal = pipe("{ b = c; }")
    #expect(
      refusal.code == .refused
        && refusal.errors.hasSuffix("“-replace” puts standard input in its place\n"))
    #expect(pipe("{ b = c; }", "-merge").code == .done)
    #expect(home.run("read").output == "App a '5 /*integer*/'\nApp b c\n")
    // A dictionary without keys is one all the same.
    #expect(pipe("{}").code == .refused)
    #expect(pipe("{}", "-merge").code == .done)
    #expect(pipe("{}", "-replace", "-dry-run").output.hasPrefix("would replace App: keys: 0, "))
    #expect(home.run("read", "App", "b").code == .done)
    #expect(pipe("{}", "-replace").code == .done)
    #expect(home.run("read", "App").code == .absent)
  }

  @Test(
    "standard input that is damaged or no dictionary is told of with its place, and nothing is changed",
    arguments: [
      ("{ a = ( ; }", ExitCode.damaged, "standard input:1:9: found “;” where a value was expected; "),
      ("{\n  a = b", .damaged, "standard input:2:8: "),
      ("", .damaged, "standard input:1:1: the text is empty; "),
      (
        "<?xml version=\"1.0\"?><plist><dict>", .damaged,
        "standard input:1:35: the text ends where <key> or </dict> was expected"
      ),
      (
        "(a, b)", .refused, "standard input: holds a single value or a list, where a domain is a dictionary; "
      ),
    ])
  func damagedInput(text: String, code: ExitCode, message: String) throws {
    try home.write("{ a = b; }", to: "App.plist")
    let outcome = home.run(["import", "-replace", "App", "-"], input: Array(text.utf8))
    #expect(outcome.code == code && outcome.errors.hasPrefix("defaults: \(message)"), "\(outcome.errors)")
    #expect(!outcome.errors.contains("file"), "\(outcome.errors)")
    #expect(outcome.output == "domains: 0, keys: 0, not carried: 1\n")
    #expect(try home.files() == ["App.plist"] && home.text(of: "App.plist") == "{ a = b; }")
  }

  @Test("JSON becomes the domain that is named, from a file or standard input, and no other file does")
  func json() throws {
    let text = "\u{FEFF}{ \"Count\": 5, \"Size\": 1.0, \"On\": true, \"Names\": [\"caf\\u00e9\", {}] }\n"
    try store.write(text, to: "settings.json")
    let counted = ToolHome.Outcome(code: .done, output: "domains: 1, keys: 4, not carried: 0\n")
    #expect(home.run("import", "App", store.path("settings.json")) == counted)
    #expect(home.run(["import", "-from", "json", "Other", "-"], input: Array(text.utf8)) == counted)
    for domain in ["App", "Other"] {
      #expect(
        home.run("read", domain).output == """
          \(domain) Count '5 /*integer*/'
          \(domain) Names '("café", {})'
          \(domain) On 'YES /*boolean*/'
          \(domain) Size '1 /*real*/'

          """)
    }
    #expect(
      home.run("import", "-dry-run", "New", store.path("settings.json")).output
        == """
        would make New: keys: 4, from \(store.path)/settings.json, JSON
        dry run: domains: 1, keys: 4, not carried: 0

        """)
    // In a store, and in the database, such a file is a damaged text.
    try store.write(text, to: "Bad.plist")
    let whole = home.run("import", store.path)
    #expect(whole.code == .damaged && whole.errors.contains("Bad.plist:1:"))
    #expect(home.run("import", store.path("Bad.plist")).code == .damaged)
    try home.write(text, to: "Bad.plist")
    #expect(home.run("read", "Bad").code == .damaged)
    #expect(home.run("lint", home.path + "/Bad.plist").code == .damaged)
  }

  @Test(
    "JSON that is damaged, has null or is no dictionary is told of with its place, and nothing is changed",
    arguments: [
      ([], "{\"a\": 1,\n \"b\": null}", .damaged, "standard input:2:7: property lists have no null; "),
      (
        [], "{\"a\": 1,}", .damaged,
        "standard input:1:9: found “}” where a key in double quotes was expected; "
      ),
      (
        ["-from", "json"], "{ a = b; }", .damaged,
        "standard input:1:3: found “a” where a key in double quotes or “}” was expected; "
      ),
      (
        [], "[1]", .refused,
        "standard input: holds a single value or a list, where a domain is a dictionary; "
      ),
      (["-from", "json"], "5", .refused, "standard input: holds a single value or a list, "),
      (
        ["-from", "openstep"], "{\"a\": 1}", .refused,
        "standard input: is JSON, not OPENSTEP's text; nothing of it was carried; “-from json” and "
      ),
      (
        ["-from", "json"], "<?xml version=\"1.0\"?><plist version=\"1.0\"><dict/></plist>", .refused,
        "standard input: is a file of macOS, not JSON; "
      ),
    ] as [([String], String, ExitCode, String)])
  func damagedJSON(options: [String], text: String, code: ExitCode, message: String) throws {
    try home.write("{ a = b; }", to: "App.plist")
    let outcome = home.run(["import", "-replace"] + options + ["App", "-"], input: Array(text.utf8))
    #expect(outcome.code == code && outcome.errors.hasPrefix("defaults: \(message)"), "\(outcome.errors)")
    #expect(outcome.output == "domains: 0, keys: 0, not carried: 1\n")
    #expect(try home.files() == ["App.plist"] && home.text(of: "App.plist") == "{ a = b; }")
  }

  @Test("progress is shown on a terminal only, and goes before the last line")
  func progress() throws {
    for index in 0..<60 { try store.write("{ a = b; }", to: "App\(index).plist") }
    func errors(isTerminal: Bool, delay: Double = 0) -> String {
      var errors: [UInt8] = []
      let code = DefaultsCommand.run(
        arguments: ["import", "-dry-run", store.path], environment: ["OPENSTEP_DEFAULTS_DIR": home.path],
        input: { [] },
        output: CommandOutput(
          standardOutput: { _ in }, standardError: { errors += $0 }, errorsAreOnTerminal: isTerminal,
          progressDelay: delay))
      #expect(code == .done)
      return String(decoding: errors, as: UTF8.self)
    }
    #expect(errors(isTerminal: false).isEmpty)
    let shown = errors(isTerminal: true)
    #expect(shown.firstMatch(of: /^\r\d+ of 60 files\u{1B}\[K/) != nil && shown.hasSuffix("\r\u{1B}[K"))
    #expect(errors(isTerminal: true, delay: 3600).isEmpty, "what takes less than the delay shows none")
  }

  @Test(
    "arguments that do not fit are usage errors",
    arguments: [
      (["App", "-g"], "“-g” names a domain where a path is due; a file of that name is “./-g”"),
      ([], "“import” takes the path of one directory or file, and a domain before it at most"),
      (["a", "b", "c"], "“import” takes the path of one directory or file, and a domain before it at most"),
      ([""], "“import” takes the path of one directory or file, and a domain before it at most"),
      (
        ["-from"],
        "“-from” takes a kind of store: auto, gnustep, gnustep-single, openstep, windowmaker, macos, json, tagged"
      ),
      (
        ["-from", "vms", "a"],
        "there is no kind of store “vms”; use one of: auto, gnustep, gnustep-single, openstep, windowmaker, macos, json, tagged"
      ),
      (["-merge", "-replace", "a"], "“-merge” and “-replace” exclude each other"),
      (["-into"], "“-into” takes the directory of a database"),
      (["-encoding", "ebcdic", "a"], "there is no character set “ebcdic”; use one of: nextstep, latin1"),
      (["-"], "“import -” needs a domain before the hyphen"),
      (
        ["-from", "gnustep-single", "a", "b"],
        "“-from gnustep-single” is a file of all domains, and takes none"
      ),
      (["-from", "json", "a"], "“-from json” takes one file, and needs a domain before it"),
      (["-f", "a"], "“import” has no option “-f”; a file of that name is “./-f”"),
    ])
  func usage(arguments: [String], message: String) {
    #expect(
      home.run(["import"] + arguments)
        == .init(code: .usage, errors: "defaults: \(message); see “defaults help import”\n"))
    #expect(
      home.run("-u", "root", "import", "-into", "x", "y").errors.hasPrefix(
        "defaults: “-u” and “-into” both name a database"))
  }

  @Test("a file with comments is told of in one line, whatever its format, and notes of types are none")
  func comments() throws {
    let files = [
      ("A.plist", "/* one */ { a = 1; // two\n b = 2; /* three */ }"),
      ("B.plist", "{ url = \"http://x/*y*/\"; n = 5 /*integer*/; path = /usr/lib/x; }"),
      ("C.plist", "{ a = (1, /* integer */ 2); }"),
      (
        "D.plist",
        "<?xml version=\"1.0\"?><plist><dict><!-- one --><key>a</key><string>1</string></dict></plist>"
      ),
      ("E.plist", "<plist><dict><key>a</key><string><![CDATA[<!-- text -->]]></string></dict></plist>"),
      ("F.plist", "a = b;\n// the end"),
    ]
    for (name, text) in files { try store.write(text, to: name) }
    let outcome = home.run("import", store.path)
    let notes = ["A", "C", "D", "F"].map {
      "defaults: \(store.path("\($0).plist")): has comments, which are not carried\n"
    }
    #expect(
      outcome == .init(code: .done, output: "domains: 6, keys: 9, not carried: 0\n", errors: notes.joined()))
    let piped = home.run("import", "G", "-", input: "{ a = 1; } // end")
    #expect(piped.errors == "defaults: standard input: has comments, which are not carried\n")
    let json = home.run("import", "H", "-", input: "{\"a\": \"// b\"}")
    #expect(json.code == .done && json.errors.isEmpty, "\(json)")
  }

  @Test("an import into the directory of the usual database is recorded in its history")
  func intoUsual() throws {
    let file = home.root.path + "/App.plist"
    try Data("{ a = 1; }".utf8).write(to: URL(fileURLWithPath: file))
    #expect(home.run("import", "-into", home.path, "App", file).code == .done)
    #expect(home.run("log").output.contains("import"))
    #expect(home.run("undo").code == .done)
    #expect(home.run("domains") == .init(code: .done))
  }
}
