#if os(Linux)
  import DefaultsTool
  import Foundation
  import TestSupport
  import Testing

  /// What the paths of a wide file cost; in a process of its own, whose greatest size the system keeps.
  struct FlatMemoryTests {
    @Test("paths that take a thousand times as much as the file are printed one by one")
    func conversion() async {
      await #expect(processExitsWith: .success) {
        let home = try ToolHome()
        let file = home.root.path + "/F.plist"
        let count = 4000
        let values = String(repeating: "x, ", count: count)
        try Data("{ \(String(repeating: "k", count: count)) = (\(values)); }".utf8)
          .write(to: URL(fileURLWithPath: file))
        var size = 0
        let before = try peakMemory()
        let code = DefaultsCommand.run(
          arguments: ["convert", "-to", "flat", file], environment: [String: String](), input: { [] },
          output: CommandOutput(standardOutput: { size += $0.count }, standardError: { _ in }))
        let peak = try peakMemory() - before
        #expect(code == .done && size > count * count)
        #expect(peak < size / 2, "\(peak) bytes for \(size)")
      }
    }
  }
#endif
