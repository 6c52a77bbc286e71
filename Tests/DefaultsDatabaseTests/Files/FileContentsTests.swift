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

  // An array keeps the memory that it was made with: `watch` took 4 KB for each small file.
  @Test("the contents of a small file take no more memory than a little more than its bytes")
  func small() throws {
    let home = try TemporaryHome()
    try Data(repeating: 7, count: 100).write(to: URL(fileURLWithPath: home.path("file")))
    let bytes = try disk.contents(ofRegularFile: home.path("file"))
    #expect(bytes == Array(repeating: 7, count: 100) && bytes.capacity < 300)
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
      // Opened to read as well, so that it is open when the reader comes.
      let writer = open(home.path("pipe"), O_RDWR | O_CLOEXEC)
      Thread.detachNewThread {
        let bytes = [UInt8](repeating: 0, count: 100_000)
        #expect(write(writer, bytes, bytes.count) == bytes.count)
        close(writer)
      }
      if maximum < 100_000 {
        #expect(throws: SystemError.tooLarge) {
          try disk.contents(ofFileOrPipe: home.path("link"), upTo: maximum)
        }
      } else {
        #expect(try disk.contents(ofFileOrPipe: home.path("link"), upTo: maximum).count == 100_000)
      }
    }
  }

  @Test(
    "a pipe is refused if no process has it open to write, and waited for if one has, however late it writes")
  func writers() throws {
    let home = try TemporaryHome()
    let path = home.path("pipe")
    try #require(mkfifo(path, 0o600) == 0)
    #expect(throws: SystemError.noWriter) { try disk.contents(ofFileOrPipe: path) }
    // Open, and silent for longer than a pipe without a writer is waited for.
    let writer = open(path, O_RDWR | O_CLOEXEC)
    let reading = Lock<Result<[UInt8], any Error>?>(nil)
    let isDone = DispatchSemaphore(value: 0)
    Thread.detachNewThread { [disk] in
      let result = Result { try disk.contents(ofFileOrPipe: path) }
      reading.withLock { $0 = result }
      isDone.signal()
    }
    #expect(isDone.wait(timeout: .now() + UserDatabase.patience + 0.5) == .timedOut)
    #expect(write(writer, "late", 4) == 4)
    close(writer)
    #expect(isDone.wait(timeout: .now() + 600) == .success)
    #expect(try reading.withLock { $0 }?.get() == Array("late".utf8))
  }

  @Test("what a process writes that comes when the time is over is read")
  func lateWriter() throws {
    let home = try TemporaryHome()
    let path = home.path("pipe")
    try #require(mkfifo(path, 0o600) == 0)
    let late = FaultyFileSystem { operation in
      guard operation.name == "waitForWriter", operation.number == 2 else { return nil }
      // After the end of the empty pipe was read, and before the second look.
      let writer = open(path, O_WRONLY | O_CLOEXEC)
      #expect(write(writer, "late", 4) == 4)
      close(writer)
      return nil
    }
    #expect(try late.contents(ofFileOrPipe: path) == Array("late".utf8))
  }

  @Test("a pipe whose writer writes nothing is empty")
  func silentWriter() throws {
    let home = try TemporaryHome()
    try #require(mkfifo(home.path("pipe"), 0o600) == 0)
    let writer = open(home.path("pipe"), O_RDWR | O_CLOEXEC)
    let closing = FaultyFileSystem { operation in
      if operation.name == "waitForWriter" { close(writer) }
      return nil
    }
    #expect(try closing.contents(ofFileOrPipe: home.path("pipe")).isEmpty)
  }

  // The end of the pipe's room was an error.
  @Test("all is written into a pipe whose descriptor does not wait, however slow its reader is")
  func pipeThatDoesNotWait() throws {
    let ends = Pipe()
    let (reading, writing) = (
      ends.fileHandleForReading.fileDescriptor, ends.fileHandleForWriting.fileDescriptor
    )
    #expect(fcntl(writing, F_SETFL, O_NONBLOCK) == 0)
    let bytes = [UInt8](repeating: 7, count: 1 << 20)
    let isDone = DispatchSemaphore(value: 0)
    let disk = disk
    Thread.detachNewThread {
      #expect(throws: Never.self) {
        try disk.write(all: bytes, to: writing)
        try ends.fileHandleForWriting.close()
      }
      isDone.signal()
    }
    #expect(try disk.contents(of: reading) == bytes)
    #expect(isDone.wait(timeout: .now() + 300) == .success)
  }
}
