import BenchmarkKit
import Foundation
import TestSupport

/// Rows about the tool as a whole process, beside GNUstep's tool of the same name.
enum ToolRows {
  static func all(_ bench: Workbench) -> [Row] {
    let built = bench.program.deletingLastPathComponent().appendingPathComponent("defaults").path
    return [
      row("“defaults read App Key”, whole process", bench, built),
      row("“defaults read App Key”, whole process of the tool that .ci/static makes", bench, staticTool),
      completion(bench, built),
    ]
  }

  /// Completing a domain's name among a thousand, which a shell does at each press of the tab key.
  private static func completion(_ bench: Workbench, _ tool: String) -> Row {
    let name = "“defaults completion” among 1,000 domains, whole process"
    return Row(name, unit: .milliseconds, repetitions: 101) {
      guard FileManager.default.isExecutableFile(atPath: tool) else {
        return [Contender("ours", .ours, .absent("the tool is not built"))]
      }
      let folder = try bench.folder("completion")
      for number in 1000..<2000 {
        try Data("{ Key = value; }".utf8).write(to: folder.appendingPathComponent("Domain\(number).plist"))
      }
      let words = ["completion", "-words", "3", "defaults", "read", "Domain1999"]
      let process = try WholeProcess(
        "/usr/bin/env", ["OPENSTEP_DEFAULTS_DIR=\(folder.path)", tool] + words, printing: "Domain1999")
      return [.ours(value: { try process.time() / 1e6 })]
    }
  }

  /// Where `.ci/static` leaves the tool.
  private static var staticTool: String {
    let package = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent()
    }
    return package.appendingPathComponent(".build-static/defaults").path
  }

  private static func row(_ name: String, _ bench: Workbench, _ tool: String) -> Row {
    Row(name, unit: .milliseconds, repetitions: 101) { try [ours(tool), gnustep()] }
  }

  private static func ours(_ tool: String) throws -> Contender {
    guard FileManager.default.isExecutableFile(atPath: tool) else {
      return Contender("ours", .ours, .absent("the tool is not built"))
    }
    let process = try reading(tool)
    return .ours(value: { try process.time() / 1e6 })
  }

  private static func gnustep() throws -> Contender {
    let tool = "/usr/bin/defaults"
    guard GNUstepProgram.isExpected, FileManager.default.isExecutableFile(atPath: tool) else {
      return Contender(GNUstepPeer.name, .peer, .absent("GNUstep's tool is not installed"))
    }
    let process = try reading(tool)
    return Contender(GNUstepPeer.name, .peer, .value { try process.time() / 1e6 })
  }

  /// A tool that reads a default which it has written.
  private static func reading(_ tool: String) throws -> WholeProcess {
    _ = try GNUstepProgram.run(tool, ["write", "App", "Key", "value"])
    return try WholeProcess(tool, ["read", "App", "Key"], printing: "App Key value")
  }
}
