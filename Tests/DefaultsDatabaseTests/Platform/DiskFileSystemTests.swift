import Foundation
import TestSupport
import Testing

@testable import DefaultsDatabase

/// What only the real disk can show; the rest of the file layer is tested by those who use it.
struct DiskFileSystemTests {
  private let home: TemporaryHome

  init() throws {
    home = try TemporaryHome()
  }

  @Test("no terminal becomes the process's controlling one, and no child inherits a file")
  func flags() {
    let purposes: [OpenPurpose] = [
      .reading, .creating, .creatingShared, .readingThrough, .writingThrough, .appending, .locking,
      .directory, .lockingDirectory, .lockingFile,
    ]
    for purpose in purposes {
      let flags = DiskFileSystem.flags(for: purpose)
      #expect(flags & O_NOCTTY != 0 && flags & O_CLOEXEC != 0, "\(purpose)")
    }
  }

  @Test("no descriptor takes the number of a standard stream that is closed")
  func closedStreams() async throws {
    await #expect(processExitsWith: .exitCode(0)) { [path = home.path as String] in
      let disk = DiskFileSystem()
      for descriptor in 0...2 as ClosedRange<Int32> { close(descriptor) }
      var descriptors = [try disk.open("\(path)/file", for: .creating)]
      for purpose in [OpenPurpose.reading, .locking] {
        descriptors.append(try disk.open("\(path)/file", for: purpose))
      }
      descriptors.append(try disk.open(path, for: .directory))
      let events = try DirectoryEvents()
      // Whatever had such a number here, the program's next message would go into it.
      let isTaken = (0...2 as ClosedRange<Int32>).contains { write($0, "x", 1) != -1 }
      withExtendedLifetime(events) {}
      exit(isTaken || descriptors.contains { $0 < 3 || fcntl($0, F_GETFD) & FD_CLOEXEC == 0 } ? 1 : 0)
    }
  }

  @Test("a file that may grow no further is an error and not the end of the program")
  func sizeLimit() async throws {
    await #expect(processExitsWith: .exitCode(0)) { [path = home.path as String] in
      let disk = DiskFileSystem()
      let descriptor = try disk.open("\(path)/file", for: .creating)
      var limit = rlimit(rlim_cur: 0, rlim_max: 0)
      setrlimit(.init(RLIMIT_FSIZE.rawValue), &limit)
      var codes: [Int32] = []
      do throws(SystemError) {
        _ = try disk.write([1, 2, 3], to: descriptor)
      } catch {
        codes.append(error.code)
      }
      do throws(SystemError) {
        try disk.write([1, 2, 3] as [UInt8], to: descriptor, at: 0)
      } catch {
        codes.append(error.code)
      }
      // No signal is left for later, either.
      var pending = sigset_t()
      sigpending(&pending)
      exit(codes == [EFBIG, EFBIG] && sigismember(&pending, SIGXFSZ) == 0 ? 0 : 1)
    }
  }

  #if os(Linux)
    @Test("a file with another process's lease on it is opened when that process has let go of it")
    func lease() async throws {
      try home.write("text", to: "file")
      await #expect(processExitsWith: .exitCode(0)) { [path = home.path("file") as String] in
        // The numbers of F_SETLEASE, and of a descriptor that the handler, which can capture nothing, knows.
        let holder = dup2(open(path, O_RDWR), 200)
        signal(SIGIO) { _ in _ = fcntl(200, 1024, F_UNLCK) }
        // Some file systems have no leases.
        guard fcntl(holder, 1024, F_WRLCK) == 0 else { _exit(0) }
        let disk = DiskFileSystem()
        let file = try disk.open(path, for: .reading)
        _exit(try disk.read(from: file, upTo: 10) == Array("text".utf8) ? 0 : 2)
      }
    }
  #endif
}
