#if os(Linux)
  import DefaultsTool
  import Foundation
  import TestSupport
  import Testing

  /// What is no file, given as one: it is named as what it is, and nobody waits for it without end.
  struct SpecialFilesTests {
    private let home: ToolHome

    init() throws {
      home = try ToolHome()
    }

    /// Whether this process may read the kernel's log, which has no end.
    private static let hasKernelLog: Bool = {
      let descriptor = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC)
      if descriptor >= 0 { close(descriptor) }
      return descriptor >= 0
    }()

    @Test("a socket is called one, and no pipe")
    func socketOperand() throws {
      let path = home.root.path + "/socket"
      let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
      defer { close(descriptor) }
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
      let result = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      }
      try #require(result == 0)
      for arguments in [["lint", path], ["read", path], ["convert", "-to", "xml", path], ["apply", path]] {
        let outcome = home.run(arguments)
        #expect(outcome.code == .inputOutput)
        #expect(outcome.errors.hasPrefix("defaults: \(path): is a socket, and cannot be opened as a file: "))
      }
    }

    // Root waited for the writer without end, as the user liked.
    @Test(
      "the administrator reads no pipe in a user's directory",
      .enabled(if: Administrator.isExpected, Comment(rawValue: Administrator.absence)))
    func usersPipe() throws {
      let (folder, user) = (home.root.path + "/theirs", 65533 as uid_t)
      let path = folder + "/pipe"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
      try #require(chmod(home.root.path, 0o755) == 0 && chown(folder, user, user) == 0)
      let pipe = try SilentPipe(at: path, of: user)
      defer { pipe.end() }
      for arguments in [
        ["lint", path], ["read", path], ["read", path, "k"], ["read-type", path, "k"], ["apply", path],
        ["convert", "-to", "xml", path], ["diff", path, path],
      ] {
        let outcome = home.run(arguments)
        #expect(outcome.code == .inputOutput, "\(arguments)")
        #expect(
          outcome.errors.hasPrefix(
            "defaults: \(path): is a device or a pipe in a user's directory; nothing was read: do it as that user"
          ), "\(outcome)")
      }
    }

    @Test(
      "a device that waits for more after what it has is not waited for", .timeLimit(.minutes(30)),
      .enabled(if: hasKernelLog))
    func endless() {
      #expect(
        home.run("lint", "/dev/kmsg")
          == .init(
            code: .inputOutput,
            errors: "defaults: /dev/kmsg: cannot be read now: another process holds a lease on it, "
              + "or the system has nothing more to say yet\n"))
    }
  }
#endif
