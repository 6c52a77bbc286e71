#if os(Linux)
  import Foundation
  import OpenStepPropertyList
  import TestSupport
  import Testing

  @testable import DefaultsDatabase

  /// What hostile input costs; each in a process of its own, whose greatest size the system keeps.
  struct MemoryTests {
    /// Reads an input, which must be an error, and checks what that cost.
    private static func check(_ bytes: [UInt8]) throws {
      #expect(throws: FormatError.self) { try DomainFileFormat.propertyList(from: bytes) }
      let peak = try peakMemory() / 1_000_000
      #expect(peak < 300, "\(peak) MB")
    }

    @Test("100 MB of opening brackets end in an error below 300 MB")
    func brackets() async {
      await #expect(processExitsWith: .success) {
        try MemoryTests.check([UInt8](repeating: UInt8(ascii: "("), count: 100_000_000))
      }
    }

    @Test("100 MB of opening braces, quotes and data end in an error below 300 MB")
    func others() async {
      await #expect(processExitsWith: .success) {
        var bytes = [UInt8](repeating: UInt8(ascii: "{"), count: 100_000_000)
        try MemoryTests.check(bytes)
        bytes[0] = UInt8(ascii: "<")
        try MemoryTests.check(bytes)
        bytes[0] = UInt8(ascii: "=")
        try MemoryTests.check(bytes)
      }
    }

    @Test("100 MB of XML's opening tags end in an error below 300 MB")
    func tags() async {
      await #expect(processExitsWith: .success) {
        var bytes = Array("<?xml version=\"1.0\"?><plist version=\"1.0\">".utf8)
        bytes.reserveCapacity(100_000_100)
        let tags = [[UInt8]](repeating: Array("<array>".utf8), count: 1000).flatMap { $0 }
        while bytes.count < 100_000_000 { bytes += tags }
        try MemoryTests.check(bytes)
      }
    }

    @Test("a binary file of arrays that name each other again and again is an error at once")
    func sharedObjects() async {
      await #expect(processExitsWith: .success) {
        // Each of 64 arrays names the next one twice: written out, the tree would have 2^64 leaves.
        var bytes = Array("bplist00".utf8)
        var offsets: [UInt8] = []
        for index in 0..<64 as Range<UInt8> {
          offsets.append(UInt8(bytes.count))
          bytes += index == 63 ? [0xA0] : [0xA2, index + 1, index + 1]
        }
        let table = UInt8(bytes.count)
        bytes += offsets + [0, 0, 0, 0, 0, 0, 1, 1] + [0, 0, 0, 0, 0, 0, 0, 64]
        bytes += [0, 0, 0, 0, 0, 0, 0, 0] + [0, 0, 0, 0, 0, 0, 0, table]
        try MemoryTests.check(bytes)
      }
    }
  }
#endif
