import DefaultsTool
import Foundation
import OpenStepPropertyList
import Testing

struct VersionCommandTests {
  private let home: ToolHome

  init() throws {
    home = try ToolHome()
  }

  @Test("-version prints the package's name and version, as --version does")
  func version() {
    let outcome = home.run("-version")
    #expect(outcome == .init(code: .done, output: "OpenStepDefaults \(PackageVersion.text)\n"))
    #expect(home.run("--version") == outcome)
    #expect(home.run("-gnustep", "-version") == outcome)
  }

  @Test("what stands behind -version is a usage error")
  func surplus() {
    #expect(
      home.run("-version", "read")
        == .init(
          code: .usage, errors: "defaults: “-version” takes no arguments; see “defaults help”\n"))
  }

  @Test("the version is three numbers, and README.md depends on just that one")
  func readme() throws {
    let numbers = PackageVersion.text.split(separator: ".", omittingEmptySubsequences: false)
    #expect(numbers.count == 3 && numbers.allSatisfy { Int($0) != nil })
    let readme = try String(contentsOf: SourceTree.root.appendingPathComponent("README.md"), encoding: .utf8)
    let lines = readme.split(separator: "\n").filter { $0.contains(".package(url:") }
    #expect(lines.count == 1)
    #expect(lines.first?.contains("from: \"\(PackageVersion.text)\"") == true)
  }
}
