#if os(Linux)
  import Foundation
  import OpenStepPropertyList
  import TestSupport
  import Testing

  @testable import DefaultsDatabase

  /// What hostile input costs; each in a process of its own, whose greatest size the system keeps.
  struct MemoryTests {
    /// The size of an input, in bytes.
    private static let byteCount = Thoroughness.isComplete ? 100_000_000 : 20_000_000

    /// Reads an input, which must be an error, and checks what that cost: a process, the input, and as much again.
    private static func check(_ bytes: [UInt8]) throws {
      #expect(throws: FormatError.self) { try DomainFileFormat.propertyList(from: bytes) }
      let (peak, limit) = (try peakMemory() / 1_000_000, 100 + 2 * byteCount / 1_000_000)
      #expect(peak < limit, "\(peak) MB")
    }

    @Test("opening brackets without end are an error, which takes a process and twice their size at most")
    func brackets() async {
      await #expect(processExitsWith: .success) {
        try MemoryTests.check([UInt8](repeating: UInt8(ascii: "("), count: MemoryTests.byteCount))
      }
    }

    @Test("opening braces, quotes and data without end are errors, which take no more")
    func others() async {
      await #expect(processExitsWith: .success) {
        var bytes = [UInt8](repeating: UInt8(ascii: "{"), count: MemoryTests.byteCount)
        try MemoryTests.check(bytes)
        bytes[0] = UInt8(ascii: "<")
        try MemoryTests.check(bytes)
        bytes[0] = UInt8(ascii: "=")
        try MemoryTests.check(bytes)
      }
    }

    @Test("XML's opening tags without end are an error, which takes no more")
    func tags() async {
      await #expect(processExitsWith: .success) {
        var bytes = Array("<?xml version=\"1.0\"?><plist version=\"1.0\">".utf8)
        bytes.reserveCapacity(MemoryTests.byteCount + 100)
        let tags = [[UInt8]](repeating: Array("<array>".utf8), count: 1000).flatMap { $0 }
        while bytes.count < MemoryTests.byteCount { bytes += tags }
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
