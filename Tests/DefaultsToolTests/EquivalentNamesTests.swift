#if os(Linux)
  import DefaultsDatabase
  import DefaultsTool
  import Foundation
  import TestSupport
  import Testing

  /// Paths that differ in the form of their characters alone, which Swift's strings count as equal: to the system, and to the
  /// tool, they are two.
  struct EquivalentNamesTests {
    private let home: ToolHome

    init() throws {
      home = try ToolHome()
    }

    private static let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")

    private func make(_ folder: String) throws -> String {
      let path = home.root.path + "/" + folder
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      return path
    }

    @Test("an import goes into the named database")
    func importInto() throws {
      let (usual, named) = (
        try make(EquivalentNamesTests.composed), try make(EquivalentNamesTests.decomposed)
      )
      let store = try make("store")
      try Data("{ imported = 1; }".utf8).write(to: URL(fileURLWithPath: store + "/App.plist"))
      try Data("{ kept = 1; }\n".utf8).write(to: URL(fileURLWithPath: usual + "/App.plist"))
      let environment = ["OPENSTEP_DEFAULTS_DIR": usual, "HOME": home.root.path]
      let outcome = home.run(["import", "-replace", "-into", named, store], environment: environment)
      #expect(outcome.code == .done, "\(outcome)")
      #expect(home.run(["read", "App"], environment: environment).output == "App kept 1\n")
      let other = ["OPENSTEP_DEFAULTS_DIR": named, "HOME": home.root.path]
      #expect(home.run(["read", "App"], environment: other).output == "App imported 1\n")
    }

    @Test("a file is converted into one beside it")
    func convert() throws {
      let folder = try make("files")
      let (source, target) = (
        "\(folder)/\(EquivalentNamesTests.composed).plist",
        "\(folder)/\(EquivalentNamesTests.decomposed).plist"
      )
      try Data("{ key = value; }\n".utf8).write(to: URL(fileURLWithPath: source))
      for _ in 0..<2 {
        let outcome = home.run("convert", "-to", "openstep", "-o", target, source)
        #expect(outcome == .init(code: .done), "\(outcome)")
      }
      #expect(home.run("read", target).output == "key value\n")
      #expect(try Data(contentsOf: URL(fileURLWithPath: source)) == Data("{ key = value; }\n".utf8))
    }
  }
#endif
