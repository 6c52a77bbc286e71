import Foundation
import TestSupport
import Testing

@testable import DefaultsDatabase

/// How much is read of what has no end, or a later one than it should.
struct FileContentsTests {
  private let disk = DiskFileSystem()

  @Test("of a device without an end no more is read than may be")
  func endless() throws {
    let descriptor = try disk.open("/dev/zero", for: .readingThrough)
    defer { disk.close(descriptor) }
    #expect(throws: SystemError.tooLarge) { try disk.contents(of: descriptor, upTo: 1 << 20) }
  }

  @Test("a file is read up to the bound, and refused above it")
  func bound() throws {
    let home = try TemporaryHome()
    try Data(repeating: 7, count: 100_000).write(to: URL(fileURLWithPath: home.path("file")))
    let descriptor = try disk.open(home.path("file"), for: .readingThrough)
    defer { disk.close(descriptor) }
    #expect(throws: SystemError.tooLarge) { try disk.contents(of: descriptor, upTo: 99_999) }
    #expect(try disk.contents(of: descriptor, upTo: 100_000) == Array(repeating: 7, count: 100_000))
  }

  @Test(
    "beside what is known of it a file is read as it is: the same, or different at any place, or of another length",
    arguments: [1, 100, 65_535, 65_536, 65_537, 131_072, 200_000])
  func known(count: Int) throws {
    let home = try TemporaryHome()
    let known = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    var others = [known, known + [1], Array(known.dropLast()), []]
    for place in [0, count / 2, count - 1] {
      var other = known
      other[place] ^= 1
      others += [other, other + [1]]
    }
    for bytes in others {
      try Data(bytes).write(to: URL(fileURLWithPath: home.path("file")))
      // The file may have grown, or been cut off, since its size was asked for.
      for size in [bytes.count, known.count] {
        let descriptor = try disk.open(home.path("file"), for: .reading)
        defer { disk.close(descriptor) }
        #expect(try disk.contents(of: descriptor, size: Int64(size), knowing: known) == bytes)
      }
    }
  }

  @Test("of what is known already nothing is brought into memory again")
  func knownInPlace() throws {
    let home = try TemporaryHome()
    let known = [UInt8](repeating: 7, count: 1 << 20)
    try Data(known).write(to: URL(fileURLWithPath: home.path("file")))
    let descriptor = try disk.open(home.path("file"), for: .reading)
    defer { disk.close(descriptor) }
    let bytes = try disk.contents(of: descriptor, size: 1 << 20, knowing: known)
    #expect(bytes.withUnsafeBytes { $0.baseAddress } == known.withUnsafeBytes { $0.baseAddress })
  }

  @Test("a pipe is read to its end, through a link, and refused above the bound")
  func pipe() throws {
    let home = try TemporaryHome()
    try #require(mkfifo(home.path("pipe"), 0o600) == 0)
    try FileManager.default.createSymbolicLink(atPath: home.path("link"), withDestinationPath: "pipe")
    for maximum in [99_999, 100_000] {
      let writer = Process()
      writer.executableURL = URL(fileURLWithPath: "/bin/sh")
      writer.arguments = ["-c", "head -c 100000 /dev/zero > \(home.path("pipe"))"]
      writer.standardError = FileHandle.nullDevice
      try writer.run()
      let descriptor = try disk.open(home.path("link"), for: .readingThrough)
      if maximum < 100_000 {
        #expect(throws: SystemError.tooLarge) { try disk.contents(of: descriptor, upTo: maximum) }
      } else {
        #expect(try disk.contents(of: descriptor, upTo: maximum).count == 100_000)
      }
      disk.close(descriptor)
      writer.waitUntilExit()
    }
  }
}
