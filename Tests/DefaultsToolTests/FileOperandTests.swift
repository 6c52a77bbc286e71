import DefaultsTool
import Foundation
import TestSupport
import Testing

/// A property list's file in the place of a domain.
struct FileOperandTests {
  private let home: ToolHome
  private var folder: String { home.root.path }

  init() throws {
    home = try ToolHome()
  }

  private func write(_ text: String, to file: String) throws {
    try Data(text.utf8).write(to: home.root.appendingPathComponent(file))
  }

  private func text(of file: String) throws -> String {
    String(decoding: try Data(contentsOf: home.root.appendingPathComponent(file)), as: UTF8.self)
  }

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
  }

  @Test("a path is read and written with and without its extension, and leaves no other file behind")
  func extensions() throws {
    #expect(home.run("write", "\(folder)/f", "k", "-int", "5") == .init(code: .done))
    #expect(try text(of: "f.plist") == "{\n    k = 5 /*integer*/;\n}\n")
    for path in ["\(folder)/f", "\(folder)/f.plist"] {
      #expect(home.run("read", path, "k") == .init(code: .done, output: "k '5 /*integer*/'\n"))
    }
    #expect(home.run("write", "\(folder)/x.strings", "k", "v") == .init(code: .done))
    #expect(home.run("write", "\(folder)/App.1.2", "k", "v") == .init(code: .done))
    #expect(try names() == ["App.1.2.plist", "Defaults", "f.plist", "x.strings"])
    try write("{ k = bare; }", to: "f")
    #expect(home.run("read", "\(folder)/f", "k").output == "k bare\n", "the file of exactly that name")
    #expect(home.run("delete", "\(folder)/f") == .init(code: .done))
    #expect(home.run("read", "\(folder)/f", "k").output == "k '5 /*integer*/'\n")
    #expect(try home.files() == [])
  }

  @Test("a file that is absent, and a directory that is, are told")
  func absence() throws {
    #expect(
      home.run("read", "\(folder)/none")
        == .init(code: .absent, errors: "defaults: \(folder)/none.plist: there is no such file\n"))
    #expect(home.run("delete", "\(folder)/none").code == .absent)
    #expect(home.run("delete", "\(folder)/none", "k").code == .absent)
    #expect(home.run("rename", "\(folder)/none", "k", "l").code == .absent)
    #expect(home.run("read", "-default", "x", "\(folder)/none", "k") == .init(code: .done, output: "x\n"))
    let outcome = home.run("write", "\(folder)/none/f", "k", "v")
    #expect(outcome.code == .inputOutput)
    #expect(
      outcome.errors
        == "defaults: \(folder)/none: there is no such directory; nothing was changed: make it first\n")
    #expect(try names() == ["Defaults"])
  }

  @Test("every byte of a text that need not change stays, in any layout")
  func bytes() throws {
    try write("{\r\n  // mine\r\n  a=1;\r\n\r\n  z = ( x, y );\r\n}\r\n", to: "t.plist")
    #expect(home.run("write", "\(folder)/t", "b", "2") == .init(code: .done))
    #expect(home.run("write", "\(folder)/t", ".z[+]", "w") == .init(code: .done))
    #expect(
      try text(of: "t.plist") == "{\r\n  // mine\r\n  a=1;\r\n  b=2;\r\n\r\n  z = ( x, y, w );\r\n}\r\n")
    try write("/* Greeting */\n\"hello\" = \"Hallo\";\n", to: "l.strings")
    #expect(home.run("write", "\(folder)/l.strings", "hello", "Moin") == .init(code: .done))
    #expect(try text(of: "l.strings") == "/* Greeting */\n\"hello\" = \"Moin\";\n")
  }

  @Test("an array as the whole file is reached by paths")
  func arrays() throws {
    try write("(a, b, c)", to: "r")
    #expect(home.run("read", "\(folder)/r", "[-1]").output == "c\n")
    #expect(home.run("write", "\(folder)/r", "[1]", "x") == .init(code: .done))
    #expect(home.run("write", "\(folder)/r", "[+]", "y") == .init(code: .done))
    #expect(home.run("write", "\(folder)/r", "[+0]", "w") == .init(code: .done))
    #expect(home.run("delete", "\(folder)/r", "[1]") == .init(code: .done))
    #expect(try text(of: "r") == "(w, x, c, y)")
    #expect(home.run("read", "-to", "flat", "\(folder)/r").output == "[0] w\n[1] x\n[2] c\n[3] y\n")
    #expect(home.run("write", "\(folder)/r", "key", "v").code == .refused)
    #expect(home.run("write", "\(folder)/new", "[+].a", "v") == .init(code: .done))
    #expect(home.run("read", "\(folder)/new", "[0].a").output == "v\n")
  }

  @Test("XML and binary files keep their format")
  func formats() throws {
    #expect(home.run("write", "App", "k", "-int", "5").code == .done)
    for format in ["xml", "binary"] {
      #expect(home.run("export", "-to", format, "App", "\(folder)/\(format).plist").code == .done)
      let head = try Data(contentsOf: home.root.appendingPathComponent("\(format).plist")).prefix(6)
      #expect(home.run("write", "\(folder)/\(format)", ".d.e", "-bool", "yes") == .init(code: .done))
      #expect(try Data(contentsOf: home.root.appendingPathComponent("\(format).plist")).prefix(6) == head)
      #expect(
        home.run("read", "\(folder)/\(format)").output == "d '{e = YES /*boolean*/; }'\nk '5 /*integer*/'\n")
    }
  }

  @Test("a damaged file is named with the place of the mistake, and keeps every byte")
  func damage() throws {
    try write("{ a = 1; b = ", to: "d.plist")
    for words in [["write", "a", "2"], ["write", "{ a = 2; }"], ["delete", "a"], ["rename", "a", "c"]] {
      let outcome = home.run([words[0], "\(folder)/d"] + words.dropFirst())
      let place = "defaults: \(folder)/d.plist:1:14: the text ends where a value was expected"
      #expect(outcome.code == .damaged && outcome.errors.hasPrefix(place), "\(outcome)")
      guard words[0] == "write" else { continue }
      #expect(outcome.errors.hasSuffix("; its bytes are unchanged: repair the file, or move it away\n"))
    }
    #expect(try text(of: "d.plist") == "{ a = 1; b = ")
  }

  @Test("a change that would lose something is refused")
  func losses() throws {
    let xml =
      "<?xml version=\"1.0\"?><plist version=\"1.0\"><!-- mine --><dict><key>a</key><string>b</string></dict></plist>"
    try write(xml, to: "x.plist")
    let outcome = home.run("write", "\(folder)/x", "a", "c")
    #expect(
      outcome
        == .init(
          code: .refused,
          errors: "defaults: \(folder)/x.plist: has comments, which the change of an XML file would lose; "
            + "nothing was changed\n"))
    #expect(home.run("write", "\(folder)/x", "a", "b") == .init(code: .done), "nothing changes")
    #expect(try text(of: "x.plist") == xml)
    try write("{\"a\": 1}", to: "j.json")
    #expect(home.run("read", "\(folder)/j.json").output == "a '1 /*integer*/'\n")
    #expect(home.run("write", "\(folder)/j.json", "a", "2").code == .refused)
    #expect(try text(of: "j.json") == "{\"a\": 1}")
    try write("{ a = b; c = ", to: "d.plist")
    for words in [
      ["read", "\(folder)/d"], ["write", "\(folder)/d", "k", "v"], ["delete", "\(folder)/d", "a"],
    ] {
      let outcome = home.run(words)
      #expect(outcome.code == .damaged)
      #expect(outcome.errors.hasPrefix("defaults: \(folder)/d.plist:1:14: "), "\(outcome.errors)")
    }
    #expect(try text(of: "d.plist") == "{ a = b; c = ")
  }

  @Test("types are spelt as GNUstep does only where values are, and not where a comment or a string looks so")
  func spellingOfTypes() throws {
    for text in ["/* like <*I5> */ { a = 5 /*integer*/; }", "{ \"<*I5>\" = \"<*I5>\"; }"] {
      try write(text, to: "t.plist")
      #expect(home.run("write", "\(folder)/t", "b", "-int", "7") == .init(code: .done))
      #expect(try self.text(of: "t.plist").contains("7 /*integer*/"))
    }
    try Data(try #require("{ a = <*I5>; }".data(using: .utf16LittleEndian))).write(
      to: home.root.appendingPathComponent("w.plist"))
    #expect(home.run("write", "\(folder)/w", "a", "-int", "7") == .init(code: .done))
    let wide = try Data(contentsOf: home.root.appendingPathComponent("w.plist"))
    #expect(String(data: wide, encoding: .utf16LittleEndian) == "{ a = <*I7>; }")
  }

  @Test("Window Maker's file under another name is read, changed and shown alike, and gets no types")
  func windowMakersContents() throws {
    let style =
      "{\n  FocusMode = sloppy;\n  IconPosition = blh;\n  WindowTitleFont = (\"caf\\303\\251\");\n}\n"
    try write(style, to: "Blue.style")
    let outcome = home.run("write", "\(folder)/Blue.style", "FocusMode", "-int", "5")
    #expect(
      outcome.code == .done && outcome.errors.contains("“FocusMode” is written without its type"),
      "\(outcome)")
    #expect(try text(of: "Blue.style") == style.replacingOccurrences(of: "sloppy", with: "5"))
    #expect(home.run("write", "\(folder)/Blue.style", ".WindowTitleFont[+]", "x").code == .done)
    #expect(home.run("read", "\(folder)/Blue.style", "WindowTitleFont").output.contains("café"))
    #expect(try text(of: "Blue.style").contains("caf\\303\\251"))
    // Another program's file has types as soon as its keys tell that it is one.
    try write("{ App = { Icon = x; }; }", to: "other.plist")
    #expect(home.run("write", "\(folder)/other", ".App.Count", "-int", "3") == .init(code: .done))
    #expect(try text(of: "other.plist").contains("3 /*integer*/"))
  }

  @Test("a link stays a link, and the file's permissions stay")
  func links() throws {
    try write("{ a = b; }", to: "real.plist")
    let files = FileManager.default
    try files.setAttributes([.posixPermissions: 0o640], ofItemAtPath: folder + "/real.plist")
    try files.createSymbolicLink(atPath: folder + "/link.plist", withDestinationPath: "real.plist")
    #expect(home.run("write", "\(folder)/link", "a", "c") == .init(code: .done))
    #expect(try files.destinationOfSymbolicLink(atPath: folder + "/link.plist") == "real.plist")
    #expect(try text(of: "real.plist") == "{ a = c; }")
    let mode = try files.attributesOfItem(atPath: folder + "/real.plist")[.posixPermissions] as? Int
    #expect(mode == 0o640)
  }

  @Test("of a link that is deleted, the file stays, whichever way leads to the link")
  func deletedLink() throws {
    try write("{ a = 1; }", to: "real.plist")
    let files = FileManager.default
    for path in ["\(folder)/link", "\(folder)/link.plist", "\(folder)/here/link.plist"] {
      try files.createSymbolicLink(atPath: "\(folder)/link.plist", withDestinationPath: "real.plist")
      if path.contains("/here/") {
        try files.createSymbolicLink(atPath: "\(folder)/here", withDestinationPath: ".")
      }
      #expect(home.run("delete", "-n", path).code == .done)
      #expect(try names().contains("link.plist"))
      #expect(home.run("delete", path) == .init(code: .done))
      #expect(try !names().contains("link.plist") && text(of: "real.plist") == "{ a = 1; }")
    }
  }

  @Test(
    "a file of GNUstep's database is written under the lock of its programs, by its path and by delete-all")
  func gnustepLock() throws {
    let shared = try GNUstepHome()
    func run(_ words: String...) -> ToolHome.Outcome {
      home.run(["-gnustep"] + words, environment: shared.environment)
    }
    let bare = shared.directory + "/WindowMaker"
    let lock = shared.directory + "/.lck/.GNUstepDefaults.lck"
    #expect(run("write", "App", "k", "1").code == .done)
    for name in ["WindowMaker", "WindowMaker.plist"] {
      try shared.home.write("{ k = 1; }", to: "Defaults/\(name)")
    }
    try FileManager.default.createDirectory(atPath: lock, withIntermediateDirectories: true)
    for outcome in [
      home.run("write", bare, "k", "2"), home.run("delete", bare), run("delete-all", "WindowMaker", "k"),
    ] {
      #expect(outcome.code == .refused)
      #expect(
        outcome.errors.hasPrefix("defaults: \(lock): a GNUstep program has held the lock"), "\(outcome)")
    }
    #expect(try String(contentsOfFile: bare, encoding: .utf8) == "{ k = 1; }")
    try FileManager.default.removeItem(atPath: lock)
    #expect(home.run("write", bare, "k", "2") == .init(code: .done))
    #expect(try String(contentsOfFile: bare, encoding: .utf8) == "{ k = 2; }")
    #expect(run("delete-all", "WindowMaker").code == .done)
    #expect(try FileManager.default.contentsOfDirectory(atPath: shared.directory + "/.lck") == [])
    #expect(!FileManager.default.fileExists(atPath: bare))
  }

  @Test(
    "a file in a database is written under the database's lock; that of another is waited for, and no longer")
  func locks() throws {
    #expect(home.run("write", "App", "k", "old").code == .done)
    try write("{ k = old; }", to: "f.plist")
    for (lock, path, isRefused) in [
      ("\(home.path)/.lock", "\(home.path)/App", true), ("\(folder)/f.plist", "\(folder)/f", false),
    ] {
      let descriptor = open(lock, O_RDONLY | O_CLOEXEC)
      defer { close(descriptor) }
      try #require(flock(descriptor, LOCK_EX) == 0)
      let outcome = home.run("write", path, "k", "new")
      #expect(outcome.code == (isRefused ? .refused : .done))
      #expect(outcome.errors.contains("has held the lock for two seconds") == isRefused, "\(outcome.errors)")
      #expect(home.run("read", path).output == (isRefused ? "k old\n" : "k new\n"))
    }
    #expect(home.run("write", "\(home.path)/App", "k", "new") == .init(code: .done))
    #expect(home.run("read", "App").output == "App k new\n")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == ["Defaults", "f.plist"])
  }

  @Test("octal escapes that are typed for Window Maker's files are bytes of UTF-8, as these files have them")
  func windowMakersEscapes() throws {
    let value = "\"caf\\303\\251\""
    let path = home.root.path + "/WindowMaker"
    try Data("{ IconPath = \"na\\303\\257f\"; }".utf8).write(to: URL(fileURLWithPath: path))
    #expect(home.run("write", path, "Name", value).code == .done)
    #expect(home.run("write", path, ".List[+]", value).code == .done)
    #expect(home.run("write", path, "More", "-array", value, "-string", "\\303").code == .done)
    #expect(
      home.run("read", path).output
        == "IconPath naïf\nList '(\"café\")'\nMore '(\"café\", \"\\\\303\")'\nName café\n")
    #expect(try String(contentsOfFile: path, encoding: .utf8).contains("Name = \"caf\\303\\251\";"))
    #expect(home.run("write", path, "{ a = \(value); }").code == .done)
    #expect(home.run("read", path).output == "a café\n")
    // The same for the domains whose files they are.
    #expect(home.run("write", "WMState", "a", value).code == .done)
    #expect(
      home.run("write", input: "WMState b '\(value)'\nWMGLOBAL '{ c = \(value); }'\nApp a '\(value)'\n").code
        == .done)
    #expect(home.run("read").output == "App a cafˆ’\nWMGLOBAL c café\nWMState a café\nWMState b café\n")
    #expect(home.run("write", input: home.run("read").output) == .init(code: .done))
    // A file with the extension is one of this package's, whatever the domain.
    try home.write("{}", to: "WMState.plist")
    #expect(home.run("write", "WMState", "a", value).code == .done)
    #expect(home.run("read", "WMState").output == "WMState a cafˆ’\n")
  }

  @Test(
    "a domain's file is its owner's alone after a change, in GNUstep's database too, and a file by its path is not"
  )
  func modes() throws {
    // GNUstep's programs give a file the mode 600, also one that had 644.
    let shared = try GNUstepHome()
    let files = FileManager.default
    try files.createDirectory(atPath: shared.directory, withIntermediateDirectories: true)
    let file = home.root.path + "/f.plist"
    let paths = [home.path + "/App.plist", shared.directory + "/App.plist", file]
    for path in paths {
      try Data("{ a = 1; }".utf8).write(to: URL(fileURLWithPath: path))
      try files.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
    }
    #expect(home.run("write", "App", "b", "2").code == .done)
    #expect(home.run(["-gnustep", "write", "App", "b", "2"], environment: shared.environment).code == .done)
    #expect(home.run("write", file, "b", "2").code == .done)
    let modes = try paths.map { try files.attributesOfItem(atPath: $0)[.posixPermissions] as? Int }
    #expect(modes == [0o600, 0o600, 0o644])
    #expect(home.run("help").output.contains("mode 600"))
  }

  @Test("a link to no file, and one that leads to itself, are the files that a path names")
  func linksToNothing() throws {
    let files = FileManager.default
    let (dangling, loop) = (home.root.path + "/dangling", home.root.path + "/loop")
    try files.createSymbolicLink(atPath: dangling, withDestinationPath: "target")
    try files.createSymbolicLink(atPath: loop, withDestinationPath: "loop")
    #expect(home.run("read", dangling).code == .absent)
    #expect(home.run("write", dangling, "a", "1") == .init(code: .done))
    #expect(home.run("read", home.root.path + "/target") == .init(code: .done, output: "a 1\n"))
    #expect(home.run("write", loop, "a", "1").code == .inputOutput)
    #expect(
      try files.contentsOfDirectory(atPath: home.root.path).sorted() == [
        "Defaults", "dangling", "loop", "target",
      ])
  }

  @Test("a name that would be too long with another extension is taken as it is")
  func longName() throws {
    let path = home.root.path + "/" + String(repeating: "a", count: 247) + ".plist"
    #expect(home.run("write", path, "a", "1") == .init(code: .done))
    #expect(home.run("read", path) == .init(code: .done, output: "a 1\n"))
  }
}
