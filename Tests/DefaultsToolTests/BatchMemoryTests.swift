#if os(Linux)
  import DefaultsTool
  import Foundation
  import Testing

  /// What many lines of standard input cost; in a process of its own, whose greatest size the system keeps.
  struct BatchMemoryTests {
    /// The most memory that this process ever had, in bytes.
    private static func peak() throws -> Int {
      let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
      let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
      return try #require(Int(line.split(separator: " ").dropLast().last ?? "")) * 1024
    }

    @Test("batch write takes at most six times the memory of its lines, also over a domain that is there")
    func batchWrite() async {
      await #expect(processExitsWith: .success) {
        let home = try ToolHome()
        // Whatever is made once is made before.
        #expect(home.run("write", input: "App key0 'an old value'\nApp k 1\n").code == .done)
        let before = try BatchMemoryTests.peak()
        var input: [UInt8] = []
        input.reserveCapacity(8_000_000)
        var count = 0
        while input.count < 7_999_900 {
          input += "App key\(count) 'the value of the line of the number \(count)'\n".utf8
          count += 1
        }
        #expect(home.run(["write"], input: input) == .init(code: .done))
        let peak = try BatchMemoryTests.peak() - before
        #expect(peak <= 6 * input.count, "\(peak) bytes for \(input.count)")
        #expect(
          home.run("read", "App", "key0").output == "App key0 'the value of the line of the number 0'\n")
        #expect(home.run("read", "App", "k").output == "App k 1\n")
      }
    }
  }
#endif
