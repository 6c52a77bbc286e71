import DefaultsDatabase
import DefaultsTool
import Foundation
import TestSupport
import Testing

/// Texts of files with many combining marks, which Swift's strings compare in a time that grows with the square of their
/// number.
struct CombiningMarksTests {
  private let home: ToolHome

  init() throws {
    home = try ToolHome()
  }

  /// What is done with a text.
  enum Place: CaseIterable {
    case element, encoding, appliedDomain, repeatedKey, configuration
  }

  @Test("the time grows with the length of the text", arguments: Place.allCases)
  func time(_ place: Place) throws {
    let ratio = try growth(from: 2_000, to: 16_000, bound: 24) { count in
      let marks = String(repeating: "\u{301}", count: count) + String(repeating: "\u{316}", count: count)
      let start = threadTime()
      switch place {
      case .element: try lint("<?xml version=\"1.0\"?><plist version=\"1.0\"><e\(marks)/></plist>")
      case .encoding:
        try lint("<?xml version=\"1.0\" encoding=\"e\(marks)\"?><plist version=\"1.0\"><dict/></plist>")
      case .appliedDomain:
        let outcome = home.run(
          "apply", "-check", "-", input: "{ Set = { \"e\(marks)\" = { key = value; }; }; }")
        #expect(outcome.code != .done)
      case .repeatedKey:
        try write("{ \"e\(marks)\" = 1; \"e\(marks)\" = 2; }", to: home.path + "/App.plist")
        #expect(home.run("doctor").code != .usage)
      case .configuration:
        let path = home.root.path + "/GNUstep.conf"
        try write("GNUSTEP_USER_DEFAULTS_DIR=e\(marks)\n", to: path)
        let environment = ["GNUSTEP_CONFIG_FILE": path, "HOME": home.root.path]
        #expect(home.run(["-gnustep", "domains"], environment: environment).code != .usage)
      }
      return threadTime() - start
    }
    // In quadratic time it would be 64 times.
    #expect(ratio < 24)
  }

  private func lint(_ text: String) throws {
    let path = home.root.path + "/file.plist"
    try write(text, to: path)
    #expect(home.run("lint", path).code != .usage)
  }

  private func write(_ text: String, to path: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    #expect(chmod(path, 0o644) == 0)
  }
}
