import DefaultsDatabase
import DefaultsTool
import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

struct ExportCommandTests {
  private let home: ToolHome
  private var target: String { home.root.path + "/Export" }

  init() throws {
    home = try ToolHome()
  }

  private func bytes(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(target)/\(name)")))
  }

  private func fileNames() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: target).sorted()
  }

  @Test("the bytes of a domain that is too large to be read are copied, where no format is asked for")
  func tooLarge() throws {
    let size = 1 << 30 | 1
    try home.write("{ a = 1; }", withHoleUpTo: UInt64(size), to: "App.plist")
    var (count, start, errors) = (0, [UInt8](), [UInt8]())
    let code = DefaultsCommand.run(
      arguments: ["export", "App", "-"],
      environment: ["OPENSTEP_DEFAULTS_DIR": home.path, "HOME": home.root.path],
      input: { [] },
      output: CommandOutput(
        standardOutput: {
          if count == 0 { start = Array($0.prefix(10)) }
          count += $0.count
        }, standardError: { errors += $0 }))
    #expect(code == .done && count == size && start == Array("{ a = 1; }".utf8))
    let line = "defaults: \(home.path)/App.plist: is larger than 1073741824 bytes and cannot be read; "
    #expect(String(decoding: errors, as: UTF8.self).hasPrefix(line))
    let outcome = home.run("export", "-replace", "App", "/dev/null")
    #expect(outcome.code == .done && outcome.errors.hasPrefix(line))
    for format in ["openstep", "gnustep", "xml", "binary"] {
      let outcome = home.run("export", "-to", format, "App", target + "/App")
      #expect(outcome.code == .inputOutput && outcome.errors.contains("larger than 1073741824 bytes"))
    }
    #expect(!FileManager.default.fileExists(atPath: target))
  }

  /// A domain as GNUstep's programs leave it when a menu was moved.
  private static let movedMenus = """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <plist version="1.0">
    <dict>
        <key>NSMenuLocations</key>
        <dict>
    \t<key>\\U001BInfo</key>
    \t<string>5 6 7 8</string>
        </dict>
    </dict>
    </plist>
    """

  @Test(
    "with -gnustep, control characters are exported to XML as GNUstep spells them; plistlib and an import read it",
    .enabled(if: PythonPropertyLists.isExpected, Comment(rawValue: PythonPropertyLists.absence)))
  func gnustepXML() throws {
    let shared = try GNUstepHome()
    try FileManager.default.createDirectory(atPath: shared.directory, withIntermediateDirectories: false)
    try shared.home.write(ExportCommandTests.movedMenus, to: "Defaults/App.plist")
    let outcome = home.run(["-gnustep", "export", "-to", "xml", "App", "-"], environment: shared.environment)
    #expect(outcome.code == .done && outcome.output == ExportCommandTests.movedMenus)
    #expect(
      outcome.errors == """
        defaults: the domain “App” was written as GNUstep's XML, which spells such characters \\U001B: the key “NSMenuLocations”: at “NSMenuLocations.\\u{1b}Info”: XML has no form for the character U+001B

        """)
    let read = try PythonPropertyLists.rewritten([Array(outcome.output.utf8)])
    #expect(try PropertyList(parsingXML: read[0]) == ["NSMenuLocations": ["\\U001BInfo": "5 6 7 8"]])
    #expect(home.run("import", "App", "-", input: outcome.output).code == .done)
    let imported = try UserDatabase(directory: home.path).load(DomainName("App")).values
    #expect(imported == ["NSMenuLocations": ["\u{1B}Info": "5 6 7 8"]])
    // There the file has another spelling, so that the refusal names the key.
    let refused = home.run("export", "-to", "xml", "App", "-")
    #expect(refused.code == .refused && refused.output.isEmpty)
    #expect(
      refused.errors.hasPrefix("defaults: the domain “App” was not exported: the key “NSMenuLocations”: "))
  }

  @Test("with -gnustep, what XML can hold is exported as Apple's XML, and what no XML holds is refused")
  func gnustepOtherXML() throws {
    let shared = try GNUstepHome()
    try FileManager.default.createDirectory(atPath: shared.directory, withIntermediateDirectories: false)
    try shared.home.write("{ Path = \"C:\\\\U0041\"; }", to: "Defaults/Path.plist")
    try shared.home.write("{ Half = 0.5 /*float*/; Key = \"\\U001B\"; }", to: "Defaults/Half.plist")
    func export(_ domain: String) -> ToolHome.Outcome {
      home.run(["-gnustep", "export", "-to", "xml", domain, "-"], environment: shared.environment)
    }
    let outcome = export("Path")
    #expect(outcome.code == .done && outcome.errors.isEmpty)
    #expect(try PropertyList(parsingXML: Array(outcome.output.utf8)) == ["Path": "C:\\U0041"])
    let refused = export("Half")
    #expect(refused.code == .refused && refused.output.isEmpty)
    #expect(refused.errors.contains("the key “Half”: at “Half”: the number 0.5 is a Float"))
  }

  @Test("all domains, or those that are named, become files of the format that is asked for")
  func formats() throws {
    try home.write("{ Count = 5 /*integer*/; Name = \"é\"; }", to: "App.plist")
    try home.write("{ a = b; }", to: "Other")
    for (format, start) in [
      ("openstep", "{\n    Count = 5 /*integer*/;\n    Name = \"é\";\n}\n"),
      ("gnustep", "{\n    Count = <*I5>;\n    Name = \"\\U00E9\";\n}\n"), ("xml", "<?xml"),
      ("binary", "bplist00"),
    ] {
      #expect(home.run("export", "-to", format, "-into", target) == .init(code: .done))
      #expect(try fileNames() == ["App.plist", "Other.plist"])
      #expect(try bytes("App.plist").starts(with: start.utf8), "\(format)")
      try FileManager.default.removeItem(atPath: target)
    }
    #expect(home.run("export", "-into", target, "Other") == .init(code: .done))
    #expect(try fileNames() == ["Other.plist"])
  }

  @Test("the directory and the files are for their owner only")
  func rights() throws {
    try home.write("{ a = b; }", to: "App.plist")
    #expect(home.run("export", "-into", target + "/deep").code == .done)
    for (path, mode) in [(target, 0o700), (target + "/deep", 0o700), (target + "/deep/App.plist", 0o600)] {
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      #expect(attributes[.posixPermissions] as? Int == mode, "\(path)")
    }
  }

  @Test("a domain is printed")
  func printed() throws {
    try home.write("{ a = b; }", to: "App.plist")
    #expect(home.run("export", "App", "-") == .init(code: .done, output: "{\n    a = b;\n}\n"))
    #expect(home.run("export", "-to", "xml", "App", "-").output.hasPrefix("<?xml"))
    #expect(home.run("export", "None", "-").code == .absent)
  }

  @Test("a domain becomes the file of a path, which stays where it is there already, but with -replace")
  func file() throws {
    try home.write("{ a = b; }", to: "App.plist")
    let path = target + "/deep/Settings"
    #expect(home.run("export", "App", path) == .init(code: .done))
    #expect(try bytes("deep/Settings") == Array("{\n    a = b;\n}\n".utf8))
    for name in [target, target + "/deep"] {
      let attributes = try FileManager.default.attributesOfItem(atPath: name)
      #expect(attributes[.posixPermissions] as? Int == 0o700)
    }
    let again = home.run("export", "-to", "gnustep", "App", path)
    #expect(again.code == .refused && again.errors.hasPrefix("defaults: \(path): is there already; "))
    try home.write("{ a = <*I5>; }", to: "App.plist")
    #expect(home.run("export", "-replace", "-to", "gnustep", "App", path) == .init(code: .done))
    #expect(try bytes("deep/Settings") == Array("{\n    a = <*I5>;\n}\n".utf8))
    // What is no file there stays too.
    #expect(home.run("export", "App", target).code == .refused)
    #expect(home.run("export", "-replace", "App", target).code == .inputOutput)
    try FileManager.default.createSymbolicLink(atPath: target + "/link", withDestinationPath: path)
    #expect(home.run("export", "App", target + "/link").code == .refused)
    #expect(home.run("export", "App", home.path + "/Copy.plist").code == .refused)
    #expect(try home.files() == ["App.plist"])
    #expect(try fileNames() == ["deep", "link"])
  }

  @Test("-g stands for the global domain in every form, and -- for names that begin with a hyphen")
  func names() throws {
    try home.write("{ a = b; }", to: "NSGlobalDomain.plist")
    try home.write("{ c = d; }", to: "-g.plist")
    let global = ToolHome.Outcome(code: .done, output: "{\n    a = b;\n}\n")
    #expect(home.run("export", "-g", "-") == global)
    #expect(home.run("-g", "export", "-to", "openstep", "-") == global)
    #expect(home.run("export", "-to", "openstep", "-g", "-") == global)
    #expect(home.run("export", "--", "-g", "-").output == "{\n    c = d;\n}\n")
    #expect(home.run("export", "-into", target, "-g") == .init(code: .done))
    #expect(try fileNames() == ["NSGlobalDomain.plist"])
  }

  @Test("a file that is there stays, unless it is to be replaced; the others are written")
  func overwriting() throws {
    try home.write("{ a = b; }", to: "App.plist")
    try home.write("{ a = b; }", to: "Other.plist")
    try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
    try Data("mine".utf8).write(to: URL(fileURLWithPath: target + "/App.plist"))
    #expect(
      home.run("export", "-into", target)
        == .init(
          code: .refused,
          errors:
            "defaults: \(target)/App.plist: is there already; it keeps every byte: “-replace” replaces it\n"
        ))
    #expect(try bytes("App.plist") == Array("mine".utf8))
    #expect(try fileNames() == ["App.plist", "Other.plist"])
    #expect(home.run("export", "-replace", "-into", target) == .init(code: .done))
    #expect(try bytes("App.plist") == Array("{\n    a = b;\n}\n".utf8))
    #expect(try FileManager.default.contentsOfDirectory(atPath: target).count == 2)
  }

  @Test("a value that the format does not hold refuses its domain by name and key, and no other")
  func refusals() throws {
    try home.write("{ Half = 0.5 /*float*/; Name = x; }", to: "Float.plist")
    try home.write("{ Esc = \"\\033\"; Fine = x; }", to: "Control.plist")
    try home.write("{ When = \"2001-01-01 00:00:00.25 +0000\" /*date*/; }", to: "Date.plist")
    try home.write("{ a = b; }", to: "Good.plist")
    for (format, bad) in [
      ("gnustep", ["Date": "When", "Float": "Half"]),
      ("xml", ["Control": "Esc", "Date": "When", "Float": "Half"]), ("binary", [:]), ("openstep", [:]),
    ] {
      let outcome = home.run("export", "-to", format, "-into", target)
      #expect(outcome.code == (bad.isEmpty ? .done : .refused))
      let lines = outcome.errors.split(separator: "\n")
      #expect(lines.count == bad.count, "\(outcome.errors)")
      for (line, (domain, key)) in zip(lines, bad.sorted(by: { $0.key < $1.key })) {
        #expect(
          line.hasPrefix("defaults: the domain “\(domain)” was not exported: the key “\(key)”: "), "\(line)")
        #expect(line.hasSuffix("; “-to openstep” holds every value"), "\(line)")
      }
      let all = ["Control", "Date", "Float", "Good"]
      #expect(try fileNames() == all.filter { bad[$0] == nil }.map { "\($0).plist" })
      try FileManager.default.removeItem(atPath: target)
    }
  }

  @Test("what is not there or damaged is told of, and the others are written")
  func trouble() throws {
    try home.write("{ a = ", to: "Bad.plist")
    try home.write("{ a = b; }", to: "Good.plist")
    let outcome = home.run("export", "-into", target, "None", "Bad", "Good")
    #expect(outcome.code == .damaged)
    #expect(
      outcome.errors.hasPrefix("defaults: there is no domain “None”\ndefaults: \(home.path)/Bad.plist:1:7: "))
    #expect(try fileNames() == ["Good.plist"])
    #expect(home.run("export", "-into", target, "None").code == .absent)
    #expect(home.run("export", "-into", target, "a/b").code == .refused)
    #expect(home.run("export", "-into", home.path + "/Good.plist/x").code == .inputOutput)
    #expect(home.run("export", "-replace", "-into", home.path).code == .refused)
  }

  // All were compared with all.
  @Test("a name is suggested for the first absent domains, and each absent one is told of")
  func manyAbsent() throws {
    try home.write("{ a = b; }", to: "Domain.plist")
    // What is no file is no absence.
    try FileManager.default.createDirectory(
      atPath: home.path + "/Folder.plist", withIntermediateDirectories: false)
    let names = (0..<30).map { "Domain\($0)" }
    let outcome = home.run(["export", "-into", target] + names + ["Folder", "Domain"])
    let lines = outcome.errors.split(separator: "\n")
    for name in names { #expect(lines.count { $0.contains("there is no domain “\(name)”") } == 1) }
    #expect(lines.count { $0.contains("did you mean “Domain”") } == 20)
    #expect(lines.last?.contains("Folder.plist") == true)
    #expect(try fileNames() == ["Domain.plist"])
  }

  @Test(
    "arguments that do not fit are usage errors",
    arguments: [
      (["App", "-g"], "“-g” names a domain where a path is due; a file of that name is “./-g”"),
      ([], "“export” takes a domain and a file, or - to print it; or “-into” and a directory"),
      (["a"], "“export” takes a domain and a file, or - to print it; or “-into” and a directory"),
      (["a", ""], "“export” takes a domain and a file, or - to print it; or “-into” and a directory"),
      (["a", "b", "c"], "“export” takes a domain and a file, or - to print it; or “-into” and a directory"),
      (["a", "b/"], "“b/” names no file; “-into” writes into a directory"),
      (["-to"], "“-to” takes a format: openstep, gnustep, xml, binary"),
      (["-to", "json", "a"], "there is no format “json”; use one of: openstep, gnustep, xml, binary"),
      (["-into"], "“-into” takes a directory"), (["-into", ""], "“-into” takes a directory"),
      (["-replace", "a", "-"], "“-replace” goes with a file or with “-into”"),
      (
        ["-f", "a"],
        "“export” has no option “-f”; write a domain of that name after “--”, a file as “./-f”"
      ),
    ])
  func usage(arguments: [String], message: String) {
    #expect(
      home.run(["export"] + arguments)
        == .init(code: .usage, errors: "defaults: \(message); see “defaults help export”\n"))
  }

  @Test("a domain that is named twice is written once")
  func twice() throws {
    #expect(home.run("write", "App", "a", "1").code == .done)
    let directory = home.root.path + "/out"
    #expect(home.run("export", "-into", directory, "App", "App") == .init(code: .done))
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory).contains("App.plist"))
  }

  @Test("a file without an extension is not hidden by an exported one, unless that is asked for")
  func bareFile() throws {
    let directory = home.root.path + "/out"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
    try Data("{ Theme = mine; }".utf8).write(to: URL(fileURLWithPath: directory + "/WindowMaker"))
    #expect(home.run("write", "WindowMaker", "Theme", "other").code == .done)
    let outcome = home.run("export", "-into", directory, "WindowMaker")
    #expect(
      outcome.code == .refused && outcome.errors.contains("/out/WindowMaker: is there already"), "\(outcome)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["WindowMaker"])
    #expect(home.run("export", "-replace", "-into", directory, "WindowMaker") == .init(code: .done))
  }
}
