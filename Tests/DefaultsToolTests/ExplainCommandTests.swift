import DefaultsTool
import Foundation
import TestSupport
import Testing

struct ExplainCommandTests {
  private let home: ToolHome
  private var managed: String { home.root.path + "/Managed" }

  init() throws {
    home = try ToolHome()
    try FileManager.default.createDirectory(atPath: managed, withIntermediateDirectories: true)
    try home.write("{\n    // mine\n    Font = Helvetica; List = (a, { b = 1; });\n}\n", to: "App.plist")
    try home.write(
      "{\r\n    \"é\" = 1; Font = Courier;\r\n    NSLanguages = (French);\r\n}\r\n",
      to: "NSGlobalDomain.plist")
  }

  private func run(_ words: String...) -> ToolHome.Outcome {
    home.run(
      words,
      environment: [
        "OPENSTEP_DEFAULTS_DIR": home.path, "HOME": home.root.path, "OPENSTEP_MANAGED_DIR": managed,
      ])
  }

  @Test("each searched domain is a line, in the order of the search, with the place of its value")
  func table() {
    #expect(
      run("explain", "App", "Font")
        == .init(
          code: .done,
          output: """
            App Font Helvetica
             \tmanaged\tabsent\t\t
             \tNSArgumentDomain\tunknown\t\t
            >\tApp\twins\tHelvetica\t\(home.path)/App.plist:3:12
             \tNSGlobalDomain\tshadowed\tCourier\t\(home.path)/NSGlobalDomain.plist:2:21
             \tFrench\tabsent\t\t
             \tEnglish\tabsent\t\t
             \tNSRegistrationDomain\tunknown\t\t

            """))
    #expect(run("explain", "-g", "Font").output.hasPrefix("NSGlobalDomain Font Courier\n"))
    #expect(
      run("explain", "None", "Font").output.hasPrefix("None Font Courier\n"),
      "such a program finds the global value")
    #expect(run("explain", "App", "NSLanguages").output.contains(" \tFrench\tunknown\t\t\n"))
  }

  @Test(
    "what the administrator sets wins, and the user's own value is shadowed",
    .enabled(if: !FileManager.default.fileExists(atPath: "/etc/OpenStep/Managed")))
  func forced() throws {
    try Data("{\n Font = Ohlfs;\n}".utf8).write(to: URL(fileURLWithPath: managed + "/App.plist"))
    let lines = run("explain", "App", "Font").output.split(separator: "\n").map(String.init)
    try #require(lines.count == 8)
    #expect(lines[0] == "App Font Ohlfs")
    #expect(lines[1] == ">\tmanaged\tforced\tOhlfs\t\(managed)/App.plist:2:9")
    #expect(lines[3] == " \tApp\tshadowed\tHelvetica\t\(home.path)/App.plist:3:12")
  }

  @Test("a path leads into the values, and the other formats print the same")
  func formats() {
    #expect(run("explain", "-to", "value", "App", ".List[-1].b") == .init(code: .done, output: "1\n"))
    #expect(
      run("explain", "App", ".List[-1].b").output.contains(
        ">\tApp\twins\t1\t\(home.path)/App.plist:3:40\n"))
    #expect(
      run("explain", "-to", "json", "App", "Font").output.contains(
        #"{"domain":"App","state":"wins","value":{"s":"Helvetica"},"file":"\#(home.path)/App.plist","line":3,"column":12}"#
      ))
  }

  @Test("XML has no lines, binary neither")
  func otherFormats() {
    for format in ["xml", "binary"] {
      #expect(run("export", "-replace", "-to", format, "App", home.root.path + "/x.plist").code == .done)
      #expect(throws: Never.self) {
        let data = try Data(contentsOf: home.root.appendingPathComponent("x.plist"))
        try data.write(to: home.database.appendingPathComponent("X.plist"))
      }
      #expect(run("explain", "X", "Font").output.contains(">\tX\twins\tHelvetica\t\(home.path)/X.plist\n"))
    }
  }

  @Test("what no file has is absent, and what cannot be explained is told")
  func errors() throws {
    #expect(run("explain", "App", "None").code == .absent)
    #expect(run("explain", "App").code == .usage)
    #expect(run("explain", "-to", "xml", "App", "Font").code == .usage)
    #expect(run("explain", home.path + "/App", "Font").code == .refused)
    try home.write("{ a = ", to: "App.plist")
    #expect(run("explain", "App", "Font").code == .damaged)
  }

  @Test("a key or a domain that may have been meant is asked for")
  func hints() {
    let message = "defaults: there is no default “Fotn” in any file that the program “App” searches\n"
    #expect(
      run("explain", "App", "Fotn")
        == .init(code: .absent, errors: message + "defaults: did you mean “Font”?\n"))
    #expect(run("explain", "Other", "Fotn").errors.hasSuffix("\ndefaults: did you mean “Font”?\n"))
    #expect(run("explain", "Ap", "Nothing").errors.hasSuffix("\ndefaults: did you mean “App”?\n"))
    #expect(run("explain", "App", "List[1].b").errors.hasSuffix("\ndefaults: did you mean “.List[1].b”?\n"))
  }

  @Test("the whole of a domain that has no file is absent, in the administrator's directory as well")
  func absentDomain() throws {
    #expect(run("explain", "None", ".").output.hasPrefix("None . "))
    try FileManager.default.removeItem(atPath: home.path + "/NSGlobalDomain.plist")
    let absent = run("explain", "None", ".")
    #expect(absent.code == .absent && absent.output.isEmpty)
    let explained = run("explain", "App", ".")
    #expect(explained.code == .done)
    let rows = explained.output.split(separator: "\n").map { $0.split(separator: "\t").map(String.init) }
    #expect(rows.contains { Array($0.prefix(3)) == [" ", "managed", "absent"] })
    #expect(rows.contains { Array($0.prefix(3)) == [">", "App", "wins"] })
    #expect(rows.contains { Array($0.prefix(3)) == [" ", "NSGlobalDomain", "absent"] })
    try Data("{}".utf8).write(to: URL(fileURLWithPath: managed + "/App.plist"))
    #expect(run("explain", "App", ".").output.contains(">\tmanaged\tforced\t{}\t"))
  }

  @Test("a damaged domain is reported, and what a program finds behind it is shown")
  func damagedDomain() throws {
    try home.write("{ Font = ", to: "App.plist")
    try home.write("{ Font = Courier; }", to: "NSGlobalDomain.plist")
    let outcome = run("explain", "App", "Font")
    #expect(outcome.code == .damaged)
    #expect(outcome.errors.hasPrefix("defaults: \(home.path)/App.plist:1:10: "), "\(outcome.errors)")
    #expect(outcome.output.hasPrefix("App Font Courier\n"))
    #expect(
      outcome.output.contains("\n \tApp\tunknown\t\t\n>\tNSGlobalDomain\twins\tCourier\t"),
      "\(outcome.output)")
    let absent = run("explain", "App", "None")
    #expect(absent.code == .damaged && absent.output.isEmpty)
  }

  @Test("an administrator's file that is damaged is told of, and sets nothing")
  func damagedManaged() throws {
    try Data("{ Font = ".utf8).write(to: URL(fileURLWithPath: home.root.path + "/Managed/App.plist"))
    let outcome = run("explain", "App", "Font")
    #expect(outcome.code == .done && outcome.output.contains(">\tApp\twins\tHelvetica\t"))
    #expect(
      outcome.errors.hasPrefix("defaults: \(home.root.path)/Managed/App.plist:1:10: "), "\(outcome.errors)")
  }

  @Test("paths names each place and its reason")
  func paths() throws {
    let lines = run("paths").output.split(separator: "\n").map { $0.split(separator: "\t").map(String.init) }
    #expect(lines.allSatisfy { $0.count == 3 })
    #expect(lines[0] == ["database", home.path, "OPENSTEP_DEFAULTS_DIR"])
    #expect(lines[1] == ["lock", home.path + "/.lock", "of the database"])
    #expect(
      home.run(["paths"], environment: ["HOME": home.root.path]).output.hasPrefix(
        "database\t\(home.root.path)/.OpenStep/Defaults\tHOME\n"))
    #expect(run("paths", "x").code == .usage)
    let shared = try GNUstepHome()
    let rows = home.run(["-gnustep", "paths"], environment: shared.environment).output.split(separator: "\n")
    #expect(
      rows == [
        "database\t\(shared.directory)\tGNUstep's configuration",
        "lock\t\(shared.directory)/.lock\tof the database",
        "gnustep-lock\t\(shared.directory)/.lck/.GNUstepDefaults.lck\tof GNUstep's programs",
        "history\t\(shared.directory)/.history\tof the database",
      ])
  }

  @Test("the table on a terminal takes no time for the square of the languages", .timeLimit(.minutes(30)))
  func manyLanguages() throws {
    let growth = try growth(from: 200, to: 4000, bound: 60) { count in
      let languages = (0..<count).map { "Lang\($0)" }.joined(separator: ", ")
      try home.write("{ k = 1; NSLanguages = (\(languages)); }", to: "NSGlobalDomain.plist")
      var output: [UInt8] = []
      let start = threadTime()
      let code = DefaultsCommand.run(
        arguments: ["explain", "App", "k"],
        environment: ["OPENSTEP_DEFAULTS_DIR": home.path, "HOME": home.root.path], input: { [] },
        output: CommandOutput(
          standardOutput: { output += $0 }, standardError: { _ in }, outputIsTerminal: true, width: 80))
      let time = threadTime() - start
      #expect(code == .done && output.count { $0 == UInt8(ascii: "\n") } == count + 7)
      return time
    }
    // In quadratic time it would be 400 times.
    #expect(growth < 60, "\(growth)")
  }
}
