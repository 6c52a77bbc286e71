#if os(Linux)
  import DefaultsTool
  import Foundation
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
