import Foundation
import OpenStepDefaults
import OpenStepPropertyList
import TestSupport
import Testing

/// Property lists in files of a program's own, and defaults that are registered from one.
struct PropertyListFilesTests {
  private let home: TemporaryHome
  private var path: String { home.path("list") }

  init() throws {
    home = try TemporaryHome()
  }

  // MARK: - Property lists

  @Test(
    "every format is read back",
    arguments: [
      PropertyList.FileFormat.text(.openStep), .text(.ascii), .text(.gnustep), .text(.oneLine), .xml(.apple),
      .xml(.gnustep), .binary,
    ])
  func formats(format: PropertyList.FileFormat) throws {
    let list: PropertyList = [
      "Name": "Ren\u{E9}e", "five": .integer(5), "real": .real(0.1), "on": .boolean(true), "data": .data([1]),
      "date": .date(PropertyListDate(secondsSinceReferenceDate: 86400)), "list": ["a", [:]],
    ]
    try list.write(toFile: path, format: format)
    #expect(try PropertyList(contentsOfFile: path) == list)
    let bytes = try home.bytes(of: "list")
    #expect(bytes.starts(with: "bplist00".utf8) == (format == .binary))
    let isText = if case .text = format { true } else { false }
    #expect(bytes.starts(with: "{".utf8) == isText)
    // OPENSTEP's machines and GNUstep's database have text without a byte beyond ASCII.
    if format == .text(.ascii) || format == .text(.gnustep) { #expect(bytes.allSatisfy { $0 < 0x80 }) }
  }

  @Test("GNUstep's escapes in XML are undone where that is asked for")
  func escapes() throws {
    let list: PropertyList = ["\u{1B}": "menu"]
    try list.write(toFile: path, format: .xml(.gnustep))
    #expect(try PropertyList(contentsOfFile: path, undoesGNUstepEscapes: true) == list)
    #expect(try PropertyList(contentsOfFile: path) == ["\\U001B": "menu"])
    #expect(
      try [String: Any](contentsOfFile: path, undoesGNUstepEscapes: true)["\u{1B}"] as? String == "menu")
  }

  @Test("a value that a format cannot hold is refused, and the file keeps its bytes")
  func unfit() throws {
    try home.write("( old )", to: "list")
    let date = PropertyList.date(PropertyListDate(secondsSinceReferenceDate: 0.5))
    for format in [PropertyList.FileFormat.xml(.apple), .text(.gnustep)] {
      let error = try #require(throws: DatabaseError.self) { try date.write(toFile: path, format: format) }
      #expect(error.kind == .refused)
      #expect(error.description.hasPrefix("\(path): is not written: "))
      #expect(
        error.description.hasSuffix("; nothing was changed; the format .text(.openStep) holds every value"))
    }
    #expect(try home.text(of: "list") == "( old )")
  }

  @Test("a relative path begins in the working directory, for reading and for writing")
  func relative() async throws {
    await #expect(processExitsWith: .success) { [folder = home.path as String] in
      try #require(FileManager.default.changeCurrentDirectoryPath(folder))
      try PropertyList.string("x").write(toFile: "list")
      #expect(try PropertyList(contentsOfFile: "list") == "x")
    }
    #expect(try home.names() == ["list"])
  }

  // MARK: - Dictionaries and arrays

  @Test("a dictionary and an array are written and read as objects")
  func containers() throws {
    let dictionary: [String: Any] = ["a": 5, "b": [true] as [Any]]
    try dictionary.write(toFile: path, atomically: true)
    #expect(try home.text(of: "list") == "{\n    a = 5 /*integer*/;\n    b = (YES /*boolean*/);\n}\n")
    let typed = try [String: Any](contentsOfFile: path)
    #expect(typed["a"] as? Int == 5 && typed["b"] as? [Bool] == [true])
    let classic = try [String: Any](contentsOfFile: path, model: .classic)
    #expect(classic["a"] as? String == "5" && classic["b"] as? [String] == ["YES"])
    try (["x", 1] as [Any]).write(toFile: path, atomically: false, format: .text(.gnustep))
    #expect(try home.text(of: "list") == "(x, <*I1>)\n")
    #expect(try [Any](contentsOfFile: path, model: .classic) as? [String] == ["x", "1"])
    #expect(try [Any](contentsOfFile: path)[1] as? Int == 1)
  }

  @Test("another value than the wanted one is an error, and so is an object that is no property list")
  func wrongKinds() throws {
    for (text, kind) in [("(1)", "an array"), ("word", "a string"), ("<*I5>", "a number"), ("<00>", "data")] {
      try home.write(text, to: "list")
      let error = #expect(throws: DatabaseError.self) { try [String: Any](contentsOfFile: path) }
      #expect(error?.description == "\(path): holds \(kind) where a dictionary was expected")
    }
    try home.write("{}", to: "list")
    let error = #expect(throws: DatabaseError.self) { try [Any](contentsOfFile: path) }
    #expect(error?.description == "\(path): holds a dictionary where an array was expected")
    let alien: [String: Any] = ["a": NSNull()]
    #expect(throws: InvalidArgumentError.self) { try alien.write(toFile: path, atomically: true) }
    #expect(try home.text(of: "list") == "{}")
  }

  // MARK: - Registered defaults

  // Unchecked like its superclass, whose promise a subclass has to restate.
  /// A subclass as a ported program may have one.
  private final class Recording: NSUserDefaults, @unchecked Sendable {
    var registered: [String: Any] = [:]

    override func registerDefaults(_ dictionary: [String: Any]) {
      registered = dictionary
      super.registerDefaults(dictionary)
    }
  }

  @Test("defaults are registered from a file, also by a subclass")
  func registered() throws {
    try home.write("/* Defaults */ { Columns = 80; Wrap = YES; Zoom = <*R1.5>; }", to: "list")
    let defaults = Recording(inMemoryWithApplicationName: "App")
    defaults.setInteger(100, forKey: "Columns")
    try defaults.registerDefaults(contentsOfFile: path)
    #expect(defaults.integerForKey("Columns") == 100)
    #expect(defaults.boolForKey("Wrap") && defaults.stringForKey("Zoom") == "1.5")
    #expect(Set(defaults.registered.keys) == ["Columns", "Wrap", "Zoom"])
  }

  @Test("a file that cannot be registered is an error with its place, and nothing is registered")
  func notRegistered() throws {
    let defaults = NSUserDefaults(inMemoryWithApplicationName: "App")
    defaults.registerDefaults(["Columns": 1])
    let deep = String(repeating: "(", count: 500) + String(repeating: ")", count: 500)
    for (text, words) in [
      ("{ Columns = 80; Wrap }", ":1:22: "), ("(Columns, 80)", ": holds an array where a dictionary"),
      ("{ Columns = 80; deep = \(deep); }", ": nests more than 500 arrays and dictionaries"),
    ] {
      try home.write(text, to: "list")
      let error = try #require(throws: DatabaseError.self) {
        try defaults.registerDefaults(contentsOfFile: path)
      }
      #expect(error.description.hasPrefix(path + words), "\(error)")
    }
    #expect(throws: DatabaseError.self) { try defaults.registerDefaults(contentsOfFile: home.path("none")) }
    #expect(defaults.volatileDomainForName(NSRegistrationDomain) as? [String: String] == ["Columns": "1"])
  }
}
