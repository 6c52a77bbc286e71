import Foundation
import FuzzChecks
import Testing

/// The fuzzer's seeds, among them every input that once broke a property, and the same cut off everywhere.
struct FuzzChecksTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Fuzz/Seeds")

  @Test(
    "every seed keeps the properties of its target, whole and cut off at each byte",
    arguments: FuzzTarget.allCases)
  func seeds(_ target: FuzzTarget) throws {
    let seeds = try FileManager.default.contentsOfDirectory(
      at: FuzzChecksTests.folder.appendingPathComponent(target.rawValue), includingPropertiesForKeys: nil)
    #expect(!seeds.isEmpty)
    // A property that does not hold ends the process with its name.
    for seed in seeds.sorted(by: { $0.path < $1.path }) {
      let bytes = [UInt8](try Data(contentsOf: seed))
      for count in 0...bytes.count { target.check(Array(bytes.prefix(count))) }
    }
  }
}
