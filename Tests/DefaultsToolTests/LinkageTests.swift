import Foundation
import TestSupport
import Testing

/// What the tool and the modules beneath it stand on.
struct LinkageTests {
  @Test("of all modules under Sources only the classic class imports Foundation")
  func imports() throws {
    let sources = SourceTree.root.appendingPathComponent("Sources")
    let files = try #require(FileManager.default.subpaths(atPath: sources.path)).filter {
      $0.hasSuffix(".swift") && !$0.hasPrefix("OpenStepDefaults/")
    }
    #expect(files.contains("DefaultsTool/DefaultsCommand.swift"))
    for file in files {
      let text = try String(contentsOf: sources.appendingPathComponent(file), encoding: .utf8)
      let imports = text.split(separator: "\n").filter { $0.split(separator: " ").contains("import") }
      #expect(!imports.contains { $0.contains(" Foundation") }, "\(file)")
    }
  }

  @Test(
    "the tool is linked with neither Foundation nor ICU, nor with a library that is",
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/ldd")))
  func libraries() throws {
    let output = try GNUstepProgram.run("/usr/bin/ldd", [BuiltProduct.path(of: "defaults")])
    let libraries = String(decoding: output, as: UTF8.self).split(separator: "\n").compactMap {
      $0.split(whereSeparator: \.isWhitespace).first
    }
    #expect(libraries.contains { $0.hasPrefix("libswiftCore.") })
    #expect(libraries.filter { $0.contains("Foundation") || $0.lowercased().contains("icu") } == [])
  }
}
